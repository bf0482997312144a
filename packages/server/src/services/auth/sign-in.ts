import { AppError, type SignedIn, userStatus } from '@tollgate/contract';
import type { Log } from '../../lib/log.ts';
import { type Db, users } from '../../store/index.ts';
import { type Lockout, weigh } from './lockout.ts';
import type { Passwords } from './password.ts';
import type { Place, Sessions } from './sessions.ts';

export interface SignInDeps {
  db: Db;
  passwords: Passwords;
  lockout: Lockout;
  sessions: Sessions;
  /** Option PasswordLoginEnabled. */
  passwordLoginEnabled(): boolean;
  log: Log;
}

/** A person who signed in, and the value of the cookie to give to their browser. */
export interface SignedInWith {
  user: SignedIn;
  session: string;
}

/**
 * Signs in by name or e-mail address and password. Refuses an unknown name, a wrong password and a banned user with the
 * same words after the same time (ASVS 6.3.8), and makes anyone who guesses wait longer each time.
 */
export async function signIn(
  deps: SignInDeps,
  { login, password }: { login: string; password: string },
  place: Place,
): Promise<SignedInWith> {
  if (!deps.passwordLoginEnabled()) throw new AppError('password_login_disabled');
  if (login === '' || password === '') throw new AppError('credentials_missing');
  const user = await users.findByLogin(deps.db, login);
  let isOutdated = false;
  const right = await weigh(deps.lockout, { account: accountName(user, login), ip: place.ip }, async () => {
    const check = await deps.passwords.check(password, user?.password ?? '');
    isOutdated = check.outdated;
    return check.matches && user?.status === userStatus.enabled;
  });
  if (!user || !right) {
    deps.log.warn({ userId: user?.id ?? 0, ip: place.ip }, 'a sign-in failed');
    throw new AppError('wrong_credentials');
  }
  if (isOutdated) await users.update(deps.db, user.id, { password: await deps.passwords.hash(password) });
  const session = await deps.sessions.open(user, place);
  deps.log.info({ userId: user.id, ip: place.ip }, 'a user signed in');
  return { user: signedInOf(user), session };
}

/**
 * Signs in somebody who proved who they are at another site. Throws `user_not_found`, `user_banned`.
 */
export async function enter(
  { db, sessions, log }: Pick<SignInDeps, 'db' | 'sessions' | 'log'>,
  userId: number,
  place: Place,
): Promise<SignedInWith> {
  const user = await users.find(db, userId);
  if (!user) throw new AppError('user_not_found');
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  const session = await sessions.open(user, place);
  log.info({ userId, ip: place.ip }, 'a user signed in through another site');
  return { user: signedInOf(user), session };
}

/** The name under which tries are counted: one for an account, whether it is called by its name or by its address. */
export const accountName = (user: { id: number } | undefined, login: string): string =>
  user ? `user:${user.id}` : `login:${login.trim().toLowerCase()}`;

const signedInOf = ({ id, username, display_name, role, status, group }: SignedIn): SignedIn => ({
  id,
  username,
  display_name,
  role,
  status,
  group,
});
