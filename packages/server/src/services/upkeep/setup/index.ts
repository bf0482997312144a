import { AppError, type RehearsalInput, role, type SetupData, type SetupInput } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { sameSecret } from '../../../lib/hash.ts';
import type { Log } from '../../../lib/log.ts';
import { randomText } from '../../../lib/random.ts';
import { type Store, setups, users } from '../../../store/index.ts';
import type { Accounts } from '../../people/accounts/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { RehearseImport } from './rehearse.ts';
import { makeSandbox, type SandboxDeps } from './sandbox.ts';

export { createImportRehearsal } from './rehearse.ts';

export interface SetupDeps extends SandboxDeps {
  store: Pick<Store, 'db' | 'kind'>;
  accounts: Pick<Accounts, 'createRoot'>;
  settings: Pick<Settings, 'setMany'>;
  /** Counts an attempt with the token before it is checked. Throws `too_many_attempts`. */
  weighSecret(name: string, ip: string, isRight: () => boolean): Promise<boolean>;
  rehearseImport: RehearseImport;
  version: string;
  log: Log;
}

/** The person who sets the site up: the address for counting attempts. */
interface SetupCaller {
  ip: string;
}

/**
 * The first start: no default account, and no access for strangers. The token is required from every address, because a
 * plain proxy on the same machine makes every caller look local.
 */
export interface Setup {
  isDone(): boolean;
  /** The one-time token, printed where the process was started; null once the site is set up. */
  token(): string | null;
  /** State of the set-up. */
  state(): Promise<SetupData>;
  /**
   * Sets the site up, once. Throws `setup_token_wrong`, `setup_done` and the errors of the form. Returns the sandbox's
   * key, null without one.
   */
  run(input: SetupInput, caller: SetupCaller): Promise<{ key: string } | null>;
  /** Rehearses an import before the set-up. Throws `setup_token_wrong`, `setup_done`, `import_refused`. */
  rehearse(input: RehearsalInput, caller: SetupCaller): Promise<{ report: string }>;
}

/** Length of the one-time token in characters. */
const tokenLength = 24;
const minPassword = 8;
const maxPassword = 128;
const maxUsername = 20;
/** A call of a new site is attempted on two channels. */
const newSiteRetries = 1;

/** Reads the set-up state, and creates the token for a new site. */
export async function createSetup(deps: SetupDeps): Promise<Setup> {
  const { store } = deps;
  const token = randomText(tokenLength);
  let done = await readDone(deps);

  /** Throws unless the site is new and the caller has its token. */
  const check = async (given: string, { ip }: SetupCaller): Promise<void> => {
    done ||= (await setups.find(store.db)) !== undefined;
    if (done) throw new AppError('setup_done');
    const right = await deps.weighSecret('setup', ip, () => sameSecret(given.trim(), token));
    if (!right) throw new AppError('setup_token_wrong');
  };

  return {
    isDone: () => done,
    token: () => (done ? null : token),
    async state() {
      // Another process may have completed it in the meantime.
      done ||= (await setups.find(store.db)) !== undefined;
      if (done) return { status: true };
      return {
        status: false,
        root_init: await users.hasRole(store.db, role.root),
        database_type: store.kind,
        token_required: true,
      };
    },
    async rehearse({ token: given, ...source }, caller) {
      await check(given, caller);
      return { report: await deps.rehearseImport(source) };
    },
    async run(input, caller) {
      await check(input.token, caller);
      const key = await setUp(deps, input);
      done = true;
      return key;
    },
  };
}

/** An installation with a root but without a row is set up: it was imported. */
async function readDone({ store, version, clock, log }: SetupDeps): Promise<boolean> {
  if (await setups.find(store.db)) return true;
  if (!(await users.hasRole(store.db, role.root))) return false;
  await setups.create(store.db, version, seconds(clock));
  log.info({}, 'a root user exists, so the site counts as set up');
  return true;
}

function checkForm({ username, password, confirmPassword }: SetupInput): void {
  const name = username.trim();
  if (name === '' || name.length > maxUsername) throw new AppError('setup_input');
  if (password !== confirmPassword) throw new AppError('setup_passwords_differ');
  if (password.length < minPassword) throw new AppError('setup_password_short');
  if (password.length > maxPassword) throw new AppError('setup_input');
}

async function setUp(deps: SetupDeps, input: SetupInput): Promise<{ key: string } | null> {
  const { accounts, settings, version, clock, log } = deps;
  checkForm(input);
  await settings.setMany({
    SelfUseModeEnabled: String(input.SelfUseModeEnabled),
    DemoSiteEnabled: String(input.DemoSiteEnabled),
    // An imported site never runs this; it keeps its own value, none by default.
    RetryTimes: String(newSiteRetries),
  });
  const person = { username: input.username.trim(), password: input.password };
  const rootId = await accounts.createRoot(person, async ({ db }) => {
    // Of two concurrent attempts one inserts the row; the root of the other is rolled back.
    if (!(await setups.create(db, version, seconds(clock)))) throw new AppError('setup_done');
  });
  log.info({ userId: rootId }, 'the site was set up');
  return input.sandbox ? openSandbox(deps, rootId) : null;
}

/** A site is set up even if its sandbox cannot be created. */
async function openSandbox(deps: SetupDeps, rootId: number): Promise<{ key: string } | null> {
  try {
    return { key: await makeSandbox(deps, rootId) };
  } catch (error) {
    deps.log.error({ err: error }, 'the sandbox could not be made');
    return null;
  }
}
