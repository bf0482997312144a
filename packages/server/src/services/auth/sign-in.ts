import { AppError, keptText, logType, type SignedIn, userStatus } from '@tollgate/contract';
import { type Clock, seconds } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Db, logs, users } from '../../store/index.ts';
import type { Audit } from '../audit/index.ts';
import { type Lockout, weigh } from './lockout.ts';
import type { Passwords } from './password.ts';
import type { Place, Sessions } from './sessions.ts';

/** What every way in needs. */
interface Entrance {
  db: Db;
  sessions: Sessions;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Log;
}

export interface SignInDeps extends Entrance {
  passwords: Passwords;
  lockout: Lockout;
  /** Option PasswordLoginEnabled. */
  passwordLoginEnabled(): boolean;
}

/** A person who signed in, and the value of the cookie to give to their browser. */
export interface SignedInWith {
  user: SignedIn;
  session: string;
}

/**
 * Signs in by name or e-mail address and password. Refuses an unknown name, a wrong password and a banned user with the
 * same words after the same time (ASVS 6.3.8), and makes each wrong guess wait longer than the one before.
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
  let matched = false;
  const right = await weigh(deps.lockout, { account: accountName(user, login), ip: place.ip }, async () => {
    const check = await deps.passwords.check(password, user?.password ?? '');
    isOutdated = check.outdated;
    matched = check.matches;
    return check.matches && user?.status === userStatus.enabled;
  });
  if (!user || !right) {
    deps.log.warn({ userId: user?.id ?? 0, ip: place.ip }, 'a sign-in failed');
    await noteFailure(deps, user, matched);
    throw new AppError('wrong_credentials');
  }
  if (isOutdated) await users.update(deps.db, user.id, { password: await deps.passwords.hash(password) });
  return letIn(deps, user, place, 'password');
}

/**
 * A failed try in the audit, with its true reason. What was typed for an unknown name is not kept: it may be a password
 * in the wrong field.
 */
function noteFailure(
  { db, audit }: Entrance,
  user: users.UserRow | undefined,
  matched: boolean,
): Promise<void> {
  const outcome = !user ? 'user_not_found' : matched ? 'user_banned' : 'wrong_password';
  return audit.record(db, { kind: 'sign_in', outcome, method: 'password', ...(user && about(user)) });
}

const about = ({ id, username }: users.UserRow) => ({
  target: { type: 'user', id, name: username } as const,
});

/** Opens the session, with its rows in the audit and in the log. */
async function letIn(
  { sessions, audit, clock, log }: Entrance,
  user: users.UserRow,
  place: Place,
  method: string,
): Promise<SignedInWith> {
  const session = await sessions.open(user, place, async (db) => {
    await audit.record(db, { kind: 'sign_in', actor: user, method, ...about(user) });
    await logs.insert(db, [loginRow(user, method, seconds(clock))]);
  });
  log.info({ userId: user.id, ip: place.ip, method }, 'a user signed in');
  return { user: signedInOf(user), session };
}

/** The row of a sign-in in the user's own log. */
const loginRow = ({ id, username }: users.UserRow, method: string, now: number): logs.NewLog => ({
  ...logs.blank,
  user_id: id,
  username,
  created_at: now,
  type: logType.login,
  content: keptText('signedIn', { method }),
});

/**
 * Signs in somebody who proved in another way than by password who they are. Throws `user_not_found`, `user_banned`.
 */
export async function enter(
  deps: Entrance,
  userId: number,
  place: Place,
  method: string,
): Promise<SignedInWith> {
  const user = await users.find(deps.db, userId);
  if (!user) throw new AppError('user_not_found');
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  return letIn(deps, user, place, method);
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
