import { AppError, keptText, logType, role } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { users } from '../../../store/index.ts';
import { giveBudgets } from '../../money/budgets/index.ts';
import { credit, openAccount, type VerbContext } from '../../money/ledger/index.ts';
import { refusingTakenNames } from './changing.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { storedAddress } from './email.ts';
import { checkNewName } from './usernames.ts';
import { amountWords } from './words.ts';

/** The data of a new user. */
export interface NewPerson {
  username: string;
  /** '' for none. */
  password: string;
  /** '' for the username. */
  displayName: string;
  role: number;
  email: string;
  /** 0 for none. */
  inviterId: number;
  /** Initial quota, in quota units. */
  gift: number;
  /** True if the user chose the name, and not an administrator or another site. */
  isOwnName?: boolean;
}

/** A user just created, inside the transaction. */
export interface Created {
  id: number;
  accountId: number;
}

/** Root's initial quota (docs/compatibility.md#credits). */
const rootQuota = 100_000_000;

/**
 * Creates a user, their account and the entry of the initial quota in one transaction, together with `also`. Throws
 * `username_unclear`, `username_taken`; names of deleted users stay taken, because logs and ledger refer to them.
 */
export async function createPerson(
  deps: AccountsDeps,
  person: NewPerson,
  also: (money: VerbContext, created: Created) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  await checkNewName(deps.db, person.username, { isOwnChoice: person.isOwnName === true });
  // Users who signed up through another site have no password.
  const password = person.password === '' ? '' : await deps.guard.hashPassword(person.password);
  let hasBudgets = false;
  const id = await refusingTakenNames(deps.db, () =>
    deps.ledger.change(async (money) => {
      const created = await insertPerson(deps, money, { ...person, password });
      await deps.audit.record(money.db, {
        target: { type: 'user', id: created.id, name: person.username },
        ...(person.role === role.root && { kind: 'setting.setup' }),
      });
      if (person.gift > 0) await giveWelcome(deps, money, created, person.gift);
      await also(money, created);
      hasBudgets = await giveBudgets(money.db, { userId: created.id, teamId: 0 }, money.at);
      return created.id;
    }),
  );
  if (hasBudgets) await deps.budgetRules.reload();
  return id;
}

async function insertPerson(deps: AccountsDeps, { db }: VerbContext, person: NewPerson): Promise<Created> {
  const accountId = await openAccount(db);
  const id = await users.create(db, {
    account_id: accountId,
    username: person.username,
    password: person.password,
    display_name: person.displayName === '' ? person.username : person.displayName,
    role: person.role,
    email: person.email,
    inviter_id: person.inviterId,
    created_time: seconds(deps.clock),
  });
  return { id, accountId };
}

async function giveWelcome(
  deps: AccountsDeps,
  money: VerbContext,
  { id, accountId }: Created,
  amount: number,
): Promise<void> {
  const content = keptText('signUpGift', { amount: amountWords(deps.settings, amount) });
  const log = { type: logType.system, content };
  await credit(money, {
    txn: `gift:${id}`,
    kind: 'gift',
    accountId,
    userId: id,
    amount,
    note: 'new user',
    log,
  });
}

/**
 * Creates an ordinary user for an administrator (docs/compatibility.md#user-administration). Throws
 * `cannot_create_peer`, `username_unclear`, `username_taken`.
 */
export async function createUser(
  deps: AccountsDeps,
  actor: Actor,
  input: { username: string; password: string; displayName: string; role?: number | undefined },
): Promise<void> {
  if ((input.role ?? role.common) >= actor.role) throw new AppError('cannot_create_peer');
  const id = await createPerson(deps, {
    username: input.username,
    password: input.password,
    displayName: input.displayName,
    role: role.common,
    email: '',
    inviterId: 0,
    gift: deps.settings.get('QuotaForNewUser'),
  });
  deps.log.info({ actorId: actor.id, userId: id }, 'an administrator created a user');
}

/** A user whom root creates as a member of an organisation. */
export type NewMember = Pick<NewPerson, 'username' | 'password' | 'displayName' | 'email'>;

/**
 * Creates an ordinary user with an address that no account has. Returns the id. Throws `email_taken`,
 * `username_unclear`, `username_taken`.
 */
export async function createMember(
  deps: AccountsDeps,
  person: NewMember,
  also: (money: VerbContext, userId: number) => Promise<void>,
): Promise<number> {
  const email = storedAddress(person.email);
  if (await users.findByEmail(deps.db, email)) throw new AppError('email_taken');
  const gift = deps.settings.get('QuotaForNewUser');
  return createPerson(deps, { ...person, email, role: role.common, inviterId: 0, gift }, (money, { id }) =>
    also(money, id),
  );
}

/**
 * Creates the root user of a new site (docs/compatibility.md#set-up). `also` runs in the same transaction, so that a
 * site either is set up and has a root, or neither. Returns the id.
 */
export const createRoot = (
  deps: AccountsDeps,
  input: { username: string; password: string },
  also: (money: VerbContext) => Promise<void>,
): Promise<number> =>
  createPerson(
    deps,
    { ...input, displayName: 'Root User', role: role.root, email: '', inviterId: 0, gift: rootQuota },
    also,
  );
