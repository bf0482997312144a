import { AppError } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { type Db, sessions, users } from '../../../store/index.ts';
import { type Lockout, checkWithLockout } from './lockout.ts';
import type { Passwords } from './password.ts';
import { ownNames } from './sign-in.ts';
import type { Identity } from './types.ts';

interface ConfirmDeps {
  db: Db;
  passwords: Passwords;
  lockout: Lockout;
}

/**
 * True if `given` is the current password of a signed-in user; wrong ones count as failed sign-ins. Throws
 * `too_many_attempts` while the caller has to wait, `user_not_found`.
 */
export async function isCurrentPassword(
  { db, passwords, lockout }: ConfirmDeps,
  userId: number,
  given: string,
  ip: string,
): Promise<boolean> {
  const user = await users.find(db, userId);
  if (!user) throw new AppError('user_not_found');
  return checkWithLockout(lockout, { ...ownNames(user), ip }, async () => {
    const { matches } = await passwords.check(given, user.password);
    return matches;
  });
}

/** Maximum age in seconds of the session of a user without a password, for a confirmation. */
const freshSeconds = 600;

/** True for a session that was opened a moment ago. */
export async function isFreshSession(
  { db, clock }: { db: Db; clock: Clock },
  idHash: string | undefined,
): Promise<boolean> {
  const session = idHash === undefined ? undefined : await sessions.find(db, idHash);
  return session !== undefined && seconds(clock) - session.created_time <= freshSeconds;
}

/**
 * Throws `password_required` for '' and `wrong_password` if it is not the user's current password. Users without a
 * password, who signed up through another site, must have signed in a moment ago: `sign_in_again`.
 */
export async function confirmPassword(
  deps: ConfirmDeps & { clock: Clock },
  { actor, credential }: Identity,
  given: string,
  ip: string,
): Promise<void> {
  const user = await users.find(deps.db, actor.id);
  if (user?.password === '') {
    const session = credential.kind === 'session' ? credential.idHash : undefined;
    if (!(await isFreshSession(deps, session))) throw new AppError('sign_in_again');
    return;
  }
  if (given === '') throw new AppError('password_required');
  if (!(await isCurrentPassword(deps, actor.id, given, ip))) throw new AppError('wrong_password');
}
