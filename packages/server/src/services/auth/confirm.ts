import type { Lockout } from './lockout.ts';
import type { Passwords } from './password.ts';

interface ConfirmDeps {
  passwords: Passwords;
  lockout: Lockout;
}

/** Checks the current password of a user who is signed in; wrong ones count as failed sign-ins. */
export async function confirmPassword(
  { passwords, lockout }: ConfirmDeps,
  user: { username: string; password: string },
  given: string,
  ip: string,
): Promise<boolean> {
  lockout.check(user.username, ip);
  const { matches } = await passwords.check(given, user.password);
  if (!matches) lockout.fail(user.username, ip);
  return matches;
}
