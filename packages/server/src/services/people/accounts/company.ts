import { role, userStatus } from '@tollgate/contract';
import { identities, users } from '../../../store/index.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps } from './deps.ts';
import { lockUser, writeUser } from './edit.ts';
import type { ForeignIdentity } from './identity.ts';

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
  const known = await identities.find(deps.db, foreign);
  if (!user || !known || user.role === role.root) return;
  const isKnownGroup =
    wanted.group === undefined || Object.hasOwn(deps.settings.get('GroupRatio'), wanted.group);
  if (!isKnownGroup)
    deps.log.warn({ userId, group: wanted.group }, 'a sign-in rule names a group that does not exist');
  const columns = {
    ...(wanted.group !== undefined && isKnownGroup && wanted.group !== user.group && { group: wanted.group }),
    ...(wanted.role !== undefined && wanted.role !== user.role && { role: wanted.role }),
    ...(known.ended === 1 && user.status !== userStatus.enabled && { status: userStatus.enabled }),
  };
  if (Object.keys(columns).length === 0) return;
  await changingUser(deps, userId, async ({ db }) => {
    await writeUser(deps, db, await lockUser(db, userId), columns, 'user.update');
    await identities.setEnded(db, userId, 0);
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
  if (!user || user.role === role.root || user.status !== userStatus.enabled) return;
  await changingUser(deps, userId, async ({ db }) => {
    await writeUser(deps, db, await lockUser(db, userId), { status: userStatus.disabled }, 'user.disable');
    await identities.setEnded(db, userId, 1);
  });
  await deps.guard.endSessions(userId);
  deps.log.info({ userId }, 'a user has left the groups that may sign in');
}
