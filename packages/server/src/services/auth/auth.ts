import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Db } from '../../store/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Settings } from '../settings/index.ts';
import { findByAccessToken, renewAccessToken } from './access-token.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { createLockout, weigh } from './lockout.ts';
import type { Passwords } from './password.ts';
import { confirmPassword, isCurrentPassword, isFreshSession } from './confirm.ts';
import { createSessions, type Place, type Sessions } from './sessions.ts';
import { enter, signIn, type SignedInWith } from './sign-in.ts';
import type { Identity } from './types.ts';

export interface AuthDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  passwords: Passwords;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Log;
}

/** Who is who: signing in, sessions, access tokens. */
export interface Auth {
  bySession(value: string): Promise<Identity | null>;
  byAccessToken(token: string): Promise<Identity | null>;
  signIn(credentials: { login: string; password: string }, place: Place): Promise<SignedInWith>;
  /** Signs in a user who proved in another way who they are; `method` names it in the audit. */
  enter(userId: number, place: Place, method: string): Promise<SignedInWith>;
  /** A new password's hash, for the service that stores it. Throws `password_common`. */
  hashPassword(password: string): Promise<string>;
  /**
   * True when a signed-in user's current password is right. Guessing waits as at sign-in, so that a stolen session is
   * no door to the password.
   */
  isCurrentPassword(userId: number, given: string, ip: string): Promise<boolean>;
  /**
   * The same for calls that ask for the password again; throws `password_required`, `wrong_password`. People without a
   * password must have signed in a moment ago instead; throws `sign_in_again`.
   */
  confirmPassword(identity: Identity, given: string, ip: string): Promise<void>;
  /** True for a session that was opened a moment ago. */
  isFreshSession(idHash: string | undefined): Promise<boolean>;
  /** Weighs a long random secret that is no user's password, and makes guessing wait by address. Throws `too_many_attempts`. */
  weighSecret(name: string, ip: string, isRight: () => boolean): Promise<boolean>;
  /** Makes the user's system access token anew; the former one ends. */
  renewAccessToken(userId: number): Promise<string>;
  sessions: Sessions;
}

export function createAuth({ db, settings, passwords, audit, clock, log }: AuthDeps): Auth {
  const sessions = createSessions(db, clock);
  const lockout = createLockout(clock);
  const passwordLoginEnabled = (): boolean => settings.get('PasswordLoginEnabled');
  const entrance = { db, sessions, audit, clock, log };
  return {
    sessions,
    bySession: (value) => sessions.find(value),
    byAccessToken: (token) => findByAccessToken(db, token),
    signIn: (credentials, place) =>
      signIn({ ...entrance, passwords, lockout, passwordLoginEnabled }, credentials, place),
    enter: (userId, place, method) => enter(entrance, userId, place, method),
    async hashPassword(password) {
      await refuseCommonPassword(password);
      return passwords.hash(password);
    },
    isCurrentPassword: (userId, given, ip) =>
      isCurrentPassword({ db, passwords, lockout }, userId, given, ip),
    confirmPassword: (identity, given, ip) =>
      confirmPassword({ db, passwords, lockout, clock }, identity, given, ip),
    isFreshSession: (idHash) => isFreshSession({ db, clock }, idHash),
    weighSecret: (name, ip, isRight) =>
      weigh(lockout, { account: `secret:${name}`, ip, perAddressOnly: true }, isRight),
    renewAccessToken: (userId) => renewAccessToken(db, userId),
  };
}
