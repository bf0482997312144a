import { AppError, userStatus } from '@tollgate/contract';
import { users } from '../../../store/index.ts';
import { type Lockout, checkWithLockout } from './lockout.ts';
import type { Passwords } from './password.ts';
import { type FirstStep, completeFirstStep, type SecondStepDeps } from './second-step.ts';
import type { Place } from './sessions.ts';
import { about, findEnabled } from './signed-in.ts';

export interface SignInDeps extends SecondStepDeps {
  passwords: Passwords;
  lockout: Lockout;
  /** Option PasswordLoginEnabled. */
  passwordLoginEnabled(): boolean;
}

/**
 * The first step by name or e-mail address and password. An unknown name, a wrong password and a banned user get the
 * same message after the same time (ASVS 6.3.8), and each wrong guess makes the next one wait longer.
 */
export async function signIn(
  deps: SignInDeps,
  { login, password }: { login: string; password: string },
  place: Place,
): Promise<FirstStep> {
  if (!deps.passwordLoginEnabled()) throw new AppError('password_login_disabled');
  if (login === '' || password === '') throw new AppError('credentials_missing');
  const user = await users.findByLogin(deps.db, login);
  let isOutdated = false;
  let matched = false;
  const right = await checkWithLockout(
    deps.lockout,
    { ...typedName(user, login), ip: place.ip },
    async () => {
      const check = await deps.passwords.check(password, user?.password ?? '');
      isOutdated = check.outdated;
      matched = check.matches;
      return check.matches && user?.status === userStatus.enabled;
    },
  );
  if (!user || !right) {
    deps.log.warn({ userId: user?.id ?? 0, ip: place.ip }, 'a sign-in failed');
    await noteFailure(deps, user, matched);
    throw new AppError('wrong_credentials');
  }
  if (isOutdated) await users.update(deps.db, user.id, { password: await deps.passwords.hash(password) });
  return completeFirstStep(deps, user, place, 'password');
}

/**
 * Records a failed attempt in the audit log, with its true reason. The entered name is not stored if it is unknown:
 * it may be a password in the wrong field.
 */
function noteFailure(
  { db, audit }: SecondStepDeps,
  user: users.UserRow | undefined,
  matched: boolean,
): Promise<void> {
  const outcome = !user ? 'user_not_found' : matched ? 'user_banned' : 'wrong_password';
  return audit.record(db, { kind: 'sign_in', outcome, method: 'password', ...(user && about(user)) });
}

/**
 * The first step of a user who was authenticated in another way than by password. Throws `user_not_found`,
 * `user_banned`.
 */
export async function signInIdentified(
  deps: SecondStepDeps,
  userId: number,
  place: Place,
  method: string,
): Promise<FirstStep> {
  return completeFirstStep(deps, await findEnabled(deps.db, userId), place, method);
}

const loginName = (login: string): string => `login:${login.trim().toLowerCase()}`;

/**
 * Names for counting a sign-in: the entered name decides, whether or not it exists, and the confirmations of the
 * signed-in user also count it.
 */
const typedName = (user: { id: number } | undefined, login: string) => ({
  account: loginName(login),
  also: user ? [`user:${user.id}`] : [],
});

/** Names for counting a confirmation by the signed-in user, including those of their sign-ins. */
export const ownNames = ({ id, username, email }: Pick<users.UserRow, 'id' | 'username' | 'email'>) => ({
  account: `user:${id}`,
  also: [username, email].filter((name) => name !== '').map(loginName),
});
