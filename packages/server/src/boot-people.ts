import { AppError } from '@tollgate/contract';
import type { IncomingMessage } from 'node:http';
import type { Core } from './boot-core.ts';
import type { Caller } from './gateway/index.ts';
import { type GuardDeps, guardRequest } from './http/guard.ts';
import { seconds } from './lib/clock.ts';
import { newRequestId } from './lib/request-id.ts';
import { type Accounts, createAccounts } from './services/accounts/index.ts';
import {
  type Auth,
  authorize,
  createAuth,
  createPasswords,
  type PasswordCost,
} from './services/auth/index.ts';
import { createSetup, type Setup } from './services/setup/index.ts';
import { createStatus, type Status } from './services/status/index.ts';
import { createTokens, type Tokens } from './services/tokens/index.ts';

/** People and what is theirs. */
export interface People {
  auth: Auth;
  accounts: Accounts;
  tokens: Tokens;
  setup: Setup;
  status: Status;
}

export interface PeopleOptions {
  version: string;
  /** Makes a channel that answers by itself and a token for the user; answers the token's whole key. */
  makeSandbox(userId: number): Promise<string>;
  /** True when the code was sent to the address not long ago; it is used up by asking. */
  consumeEmailCode(email: string, code: string): Promise<boolean>;
  /** Cheaper hashes for tests. */
  passwordCost?: PasswordCost;
}

function openAccounts(core: Core, auth: Auth, tokens: Tokens, options: PeopleOptions): Accounts {
  return createAccounts({
    db: core.store.db,
    settings: core.settings,
    ledger: core.ledger,
    sealer: core.sealer,
    guard: {
      authorize,
      hashPassword: (password) => auth.hashPassword(password),
      confirmPassword: (user, given, ip) => auth.confirmPassword(user, given, ip),
      endSessions: (userId, except) => auth.sessions.endAll(userId, except),
    },
    consumeEmailCode: (email, code) => options.consumeEmailCode(email, code),
    forgetUser(userId) {
      core.keys.forgetUser(userId);
      core.userChanged(userId);
    },
    async welcome(user) {
      if (core.env.generateDefaultToken) await tokens.createFirst(user, newRequestId(core.clock()));
    },
    clock: core.clock,
    log: core.log,
  });
}

/** Opens the services about people on the core. */
export async function openPeople(core: Core, options: PeopleOptions): Promise<People> {
  const { store, settings, clock, log } = core;
  const passwords = createPasswords({
    masterKey: core.masterKey,
    ...(options.passwordCost && { cost: options.passwordCost }),
  });
  const auth = createAuth({ db: store.db, settings, passwords, clock, log });
  const tokens = createTokens({
    db: store.db,
    keys: core.keys,
    ledger: core.ledger,
    sealer: core.sealer,
    hashOnly: core.env.hashOnlyKeys,
    mayUseGroup: (userGroup, group) => Object.hasOwn(core.pricing.usableGroups(userGroup), group),
    clock,
    log,
  });
  const accounts = openAccounts(core, auth, tokens, options);
  const { version } = options;
  const setup = await createSetup({
    store,
    accounts,
    settings,
    makeSandbox: (userId) => options.makeSandbox(userId),
    version,
    clock,
    log,
  });
  const status = createStatus({ db: store.db, settings, setup, version, startTime: seconds(clock) });
  return { auth, accounts, tokens, setup, status };
}

/**
 * The caller of a relay call that comes from the console's playground. Throws the guard's refusals, and
 * `access_token_not_supported` for whoever brings an access token instead of a session (wire-facts 2.3).
 */
export async function callerBySession(
  deps: GuardDeps & { tokens: Pick<Tokens, 'owner'> },
  req: IncomingMessage,
): Promise<Caller> {
  const identity = await guardRequest(deps, req, 'user');
  if (identity?.credential.kind !== 'session') throw new AppError('access_token_not_supported');
  const owner = await deps.tokens.owner(identity.actor.id);
  if (!owner) throw new AppError('not_logged_in');
  return {
    userId: owner.id,
    accountId: owner.accountId,
    username: owner.username,
    role: owner.role,
    userGroup: owner.group,
    acceptUnsetPrice: owner.acceptUnsetPrice,
    tokenId: 0,
    tokenName: '',
    tokenGroup: '',
    tokenUnlimited: true,
    modelLimits: null,
    pinnedChannelId: 0,
  };
}
