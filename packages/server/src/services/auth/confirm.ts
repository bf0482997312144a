import { AppError } from '@tollgate/contract';
import { type Db, users } from '../../store/index.ts';
import { type Lockout, weigh } from './lockout.ts';
import type { Passwords } from './password.ts';
import { accountName } from './sign-in.ts';

interface ConfirmDeps {
  db: Db;
  passwords: Passwords;
  lockout: Lockout;
}

/**
 * True when `given` is the current password of a user who is signed in; wrong ones count as failed sign-ins. Throws
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
  return weigh(lockout, { account: accountName(user, ''), ip }, async () => {
    const { matches } = await passwords.check(given, user.password);
    return matches;
  });
}

/** Throws `password_required` for '' and `wrong_password` for anything but the user's current password. */
export async function confirmPassword(
  deps: ConfirmDeps,
  userId: number,
  given: string,
  ip: string,
): Promise<void> {
  if (given === '') throw new AppError('password_required');
  if (!(await isCurrentPassword(deps, userId, given, ip))) throw new AppError('wrong_password');
}
