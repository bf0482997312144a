import { isMailAddress, role, userStatus } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { type Db, identities, users } from '../../../store/index.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps } from './deps.ts';
import { lockUser, writeUser } from './edit.ts';
import { storedAddress } from './email.ts';
import { directoryProvider, type ForeignIdentity, maxNameLength } from './identity.ts';

type Vouched = Pick<ForeignIdentity, 'provider' | 'subject'>;

/**
 * Makes a user what the rules of their provider say, before they sign in; undefined fields stay unchanged, as does root.
 * An account that `endLeaver` disabled is enabled again.
 */
export async function follow(
  deps: AccountsDeps,
  foreign: Vouched,
  userId: number,
  wanted: { group: string | undefined; role: number | undefined },
): Promise<void> {
  const user = await users.find(deps.db, userId);
  if (!user || user.role === role.root) return;
  const isKnownGroup =
    wanted.group === undefined || Object.hasOwn(deps.settings.get('GroupRatio'), wanted.group);
  if (!isKnownGroup)
    deps.log.warn({ userId, group: wanted.group }, 'a sign-in rule names a group that does not exist');
  const columnsFor = async (db: Db, present: users.UserRow): Promise<users.UserChange> => {
    const known = await identities.find(db, foreign);
    if (!known || present.role === role.root) return {};
    return {
      ...(wanted.group !== undefined &&
        isKnownGroup &&
        wanted.group !== present.group && { group: wanted.group }),
      ...(wanted.role !== undefined && wanted.role !== present.role && { role: wanted.role }),
      ...(known.ended === 1 && present.status !== userStatus.enabled && { status: userStatus.enabled }),
    };
  };
  const isEmpty = (columns: users.UserChange): boolean => Object.keys(columns).length === 0;
  if (isEmpty(await columnsFor(deps.db, user))) return;
  const columns = await changingUser(deps, userId, async ({ db }) => {
    const locked = await lockUser(db, userId);
    // Read again under the lock: an administrator may have banned the user meanwhile.
    const present = await columnsFor(db, locked);
    if (isEmpty(present)) return present;
    await writeUser(deps, db, locked, present, 'user.update');
    await identities.setEnded(db, userId, 0);
    return present;
  });
  if (columns.role !== undefined) await deps.guard.endSessions(userId);
  deps.log.info({ userId, columns }, 'a user follows the rules of their sign-in');
}

/**
 * Ends the account of a user whom no rule of their provider matches any more: it is disabled with its keys and sessions,
 * until a rule matches again or an administrator enables it. Root stays.
 */
export async function endLeaver(deps: AccountsDeps, userId: number): Promise<void> {
  const user = await users.find(deps.db, userId);
  const mayEnd = (present: users.UserRow): boolean =>
    present.role !== role.root && present.status === userStatus.enabled;
  if (!user || !mayEnd(user)) return;
  await changingUser(deps, userId, async ({ db }) => {
    const locked = await lockUser(db, userId);
    // The ban of an administrator meanwhile is not the end that a rule takes back.
    if (!mayEnd(locked)) return;
    await writeUser(deps, db, locked, { status: userStatus.disabled }, 'user.disable');
    await identities.setEnded(db, userId, 1);
  });
  await deps.guard.endSessions(userId);
  deps.log.info({ userId }, 'a user has left the groups that may sign in');
}

/** What the company's directory says about an account that exists. */
export interface DirectoryEntry {
  /** The identity of a user who is new in the directory; undefined for a known one. */
  subject?: string | undefined;
  displayName: string;
  /** '' for none. */
  email: string;
}

/**
 * Writes the name and address of a user from the company's directory, together with `also`. Only ordinary users get
 * another address, because mail to it resets the password; no address is taken from another account.
 */
export async function enterFromDirectory(
  deps: AccountsDeps,
  userId: number,
  { subject, displayName, email }: DirectoryEntry,
  also: (db: Db) => Promise<void>,
): Promise<void> {
  await changingUser(deps, userId, async ({ db }) => {
    const user = await lockUser(db, userId);
    if (subject !== undefined) {
      const hasLeft = (await identities.ofUsers(db, [userId])).some(({ ended }) => ended === 1);
      const row = {
        provider: directoryProvider,
        subject,
        user_id: userId,
        created_time: seconds(deps.clock),
      };
      await identities.add(db, row);
      // The rules may enable a leaver again, by whichever identity they ended.
      if (hasLeft) await identities.setEnded(db, userId, 1);
    }
    await also(db);
    const shown = displayName.slice(0, maxNameLength);
    const address = storedAddress(email);
    const isFree =
      user.role === role.common &&
      address !== user.email &&
      address.length <= 50 &&
      isMailAddress(address) &&
      !(await users.findByEmail(db, address));
    const columns = {
      ...(shown !== '' && shown !== user.display_name && { display_name: shown }),
      ...(isFree && { email: address }),
    };
    if (Object.keys(columns).length > 0) await writeUser(deps, db, user, columns, 'user.update');
  });
}
