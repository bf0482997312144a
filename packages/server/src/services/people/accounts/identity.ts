import { AppError, isMailAddress, type Language, role } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { type Db, identities, users } from '../../../store/index.ts';
import { createPerson, type NewPerson } from './create.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { lockUser } from './edit.ts';
import { storedAddress } from './email.ts';
import { isPlainName } from './usernames.ts';
import { ownWays } from './ways.ts';
import { rewardInvitation } from './invitation-gift.ts';

/** The provider of the identities of users whom the company's directory sends; no way to sign in. */
export const directoryProvider = 'scim';

/** A user's identity at another site, as reported by that site. */
export interface ForeignIdentity {
  /** Id of the sign-in provider. */
  provider: string;
  /** An id that the site never reuses. */
  subject: string;
  /** The site's name, for messages. */
  providerName: string;
  /** A proposed user name; '' for `<provider>_<number>`. */
  username: string;
  displayName: string;
  /** Only an address that the site has verified; '' for none. */
  email: string;
  /** All that an OpenID provider says about the user. */
  claims?: Readonly<Record<string, unknown>>;
}

/** The user of an identity; undefined for a new user. Throws `user_deleted`. */
export async function findByIdentity(
  { db }: Pick<AccountsDeps, 'db'>,
  foreign: Pick<ForeignIdentity, 'provider' | 'subject'>,
): Promise<users.UserRow | undefined> {
  const known = await identities.find(db, foreign);
  if (!known) return undefined;
  const user = await users.find(db, known.user_id);
  // Otherwise, deleting an account and signing up again with the same identity would give the initial quota again.
  if (!user) throw new AppError('user_deleted');
  return user;
}

/** Names tried for a new user: another one may take the same number at the same time. */
const maxNames = 20;
export const maxNameLength = 20;

/** An available name for a new user: the proposed one if it is free and short enough, then numbered ones. */
async function* namesFor({ db }: AccountsDeps, foreign: ForeignIdentity): AsyncGenerator<string> {
  const wanted = foreign.username.trim();
  const isUsable = wanted !== '' && wanted.length <= maxNameLength && !wanted.includes('@');
  if (isUsable && isPlainName(wanted)) yield wanted;
  const next = (await users.lastId(db)) + 1;
  for (let tries = 0; tries < maxNames; tries += 1) {
    yield `${foreign.provider.slice(0, 12)}_${next + tries}`;
  }
}

/** An address is used only if it is one mailbox and no account has it: it proves nothing about an existing account. */
async function freeAddress({ db }: AccountsDeps, email: string): Promise<string> {
  if (email.length > 50 || !isMailAddress(email)) return '';
  return (await users.findByEmail(db, email)) ? '' : storedAddress(email);
}

/** How a user with an identity of another site comes here. */
interface Newcomer {
  affCode: string;
  language: Language;
  isAdmitted?: boolean;
  also?: (db: Db, userId: number) => Promise<void>;
}

/**
 * Signs up a new user with an identity of another site, if the site allows it or a rule admits them; returns the id.
 * `also` runs in the same transaction. Throws `registration_disabled`, and `oauth_bound` if it was used by another
 * sign-up at the same time.
 */
export async function registerForeign(
  deps: AccountsDeps,
  foreign: ForeignIdentity,
  { affCode, language, isAdmitted = false, also }: Newcomer,
): Promise<number> {
  if (!isAdmitted && !deps.settings.get('RegisterEnabled')) throw new AppError('registration_disabled');
  const inviter = await users.findByAffCode(deps.db, affCode);
  const person: Omit<NewPerson, 'username'> = {
    password: '',
    displayName: foreign.displayName.slice(0, maxNameLength),
    role: role.common,
    email: await freeAddress(deps, foreign.email),
    inviterId: inviter?.id ?? 0,
    gift: deps.settings.get('QuotaForNewUser'),
  };
  for await (const username of namesFor(deps, foreign)) {
    try {
      const id = await createPerson(deps, { ...person, username }, async (money, created) => {
        const { provider, subject } = foreign;
        const row = { provider, subject, user_id: created.id, created_time: seconds(deps.clock) };
        if (!(await identities.add(money.db, row))) throw bound(foreign);
        await also?.(money.db, created.id);
        if (inviter) await rewardInvitation(deps, money, created, inviter.id);
        const target = { type: 'user', id: created.id, name: username } as const;
        // What the directory creates is in the record of its call.
        if (!also) await deps.audit.record(money.db, { kind: 'self.register', target, method: provider });
      });
      deps.log.info({ userId: id, provider: foreign.provider }, 'a user registered through another site');
      await deps.welcome({ id, username }, language);
      return id;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'username_taken') throw error;
    }
  }
  throw new AppError('username_taken');
}

const bound = ({ provider, providerName }: ForeignIdentity): AppError =>
  provider === 'wechat'
    ? new AppError('wechat_bound')
    : new AppError('oauth_bound', { provider: providerName });

/** Adds an identity to a user and removes the former one of the same provider. Throws `oauth_bound`. */
export async function bindIdentity(
  deps: AccountsDeps,
  userId: number,
  foreign: ForeignIdentity,
): Promise<void> {
  const { provider, subject } = foreign;
  await changingUser(deps, userId, async ({ db }) => {
    await lockUser(db, userId);
    const known = await identities.find(db, foreign);
    if (known && known.user_id !== userId) throw bound(foreign);
    await identities.remove(db, userId, provider);
    const row = { provider, subject, user_id: userId, created_time: seconds(deps.clock) };
    if (!(await identities.add(db, row))) throw bound(foreign);
    await deps.audit.record(db, { kind: 'self.bind', userId, note: { provider, subject } });
  });
  deps.log.info({ userId, provider }, 'a user bound another site');
}

/** True if the user has another way to sign in that works at present. */
function hasOtherWay(
  deps: AccountsDeps,
  user: Pick<users.UserRow, 'password' | 'email'>,
  others: readonly identities.IdentityRow[],
): boolean {
  const { byPassword, byMail } = ownWays(deps);
  if ((byPassword && user.password !== '') || (byMail && user.email !== '')) return true;
  const open = new Set(deps.openWays());
  return others.some(({ provider }) => open.has(provider));
}

/**
 * Removes a provider's identity from a user. Throws `row_not_found`, and `oauth_last_way` if it is the last way to
 * sign in.
 */
export async function unbindIdentity(deps: AccountsDeps, actor: Actor, provider: string): Promise<void> {
  await changingUser(deps, actor.id, async ({ db }) => {
    const user = await lockUser(db, actor.id);
    const known = await identities.ofUsers(db, [user.id]);
    if (provider === directoryProvider || !known.some((each) => each.provider === provider))
      throw new AppError('row_not_found');
    if (
      !hasOtherWay(
        deps,
        user,
        known.filter((each) => each.provider !== provider),
      )
    ) {
      throw new AppError('oauth_last_way');
    }
    await identities.remove(db, user.id, provider);
    await deps.audit.record(db, { userId: user.id, note: { provider } });
  });
  deps.log.info({ userId: actor.id, provider }, 'a user unbound another site');
}
