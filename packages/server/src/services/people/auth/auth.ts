import { type AccessTokenData, AppError, type Language, type ShownCredential } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Db } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Factors } from '../factors/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import {
  type AccessTokenDeps,
  createAccessToken,
  endAccessToken,
  findByAccessToken,
  listAccessTokens,
  type NewAccessToken,
  renewAccessToken,
} from './access-token.ts';
import { checkWithLockout, createLockout } from './lockout.ts';
import type { Passwords } from './password.ts';
import { isCurrentPassword, isFreshSession } from './confirm.ts';
import {
  askProof,
  type Demand,
  meetDemand,
  noteNewFactor,
  owesFactor,
  prove,
  proveByPasskey,
} from './proof.ts';
import {
  askForPasskey,
  finishByCode,
  finishByPasskey,
  type FirstStep,
  signInByPasskey,
} from './second-step.ts';
import { createSessions, type Place, type Sessions } from './sessions.ts';
import { signIn, signInIdentified } from './sign-in.ts';
import type { SignedInWith } from './signed-in.ts';
import type { Identity } from './types.ts';

let known: Promise<ReadonlySet<string>> | undefined;

/** The list is loaded with the first new password, because most processes never need it. */
const commonPasswords = (): Promise<ReadonlySet<string>> =>
  (known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));

/** True for a single character repeated. */
const isOneCharacter = (password: string): boolean => new Set(password).size === 1;

/** Throws `password_common` for a common password, regardless of case. */
async function refuseCommonPassword(password: string): Promise<void> {
  const plain = password.trim().toLowerCase();
  if (isOneCharacter(plain) || (await commonPasswords()).has(plain)) throw new AppError('password_common');
}

export interface AuthDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  passwords: Passwords;
  audit: Pick<Audit, 'record'>;
  factors: Factors;
  clock: Clock;
  log: Log;
  announceToken: AccessTokenDeps['announceToken'];
}

/** Authentication: signing in, sessions, access tokens. */
export interface Auth {
  bySession(value: string): Promise<Identity | null>;
  byAccessToken(token: string): Promise<Identity | null>;
  signIn(credentials: { login: string; password: string }, place: Place): Promise<FirstStep>;
  /** The first step of a user who was authenticated in another way; `method` is its name in the audit log. */
  signInIdentified(userId: number, place: Place, method: string): Promise<FirstStep>;
  /** The second step, by a code or by a passkey; `ticket` is the cookie of the first step. */
  finishByCode(given: { ticket: string; code: string }, place: Place): Promise<SignedInWith>;
  askForPasskey(ticket: string): Promise<Record<string, unknown>>;
  finishByPasskey(given: { ticket: string; shown: ShownCredential }, place: Place): Promise<SignedInWith>;
  /** Signs in with a passkey only; `browser` is the cookie of the browser that requested the challenge. */
  signInByPasskey(given: { browser: string; shown: ShownCredential }, place: Place): Promise<SignedInWith>;
  /** The hash of a new password, to be stored by another service. Throws `password_common`. */
  hashPassword(password: string): Promise<string>;
  /**
   * True if it is the signed-in user's current password. Attempts are limited as at sign-in, so that a stolen session
   * cannot be used to guess the password.
   */
  isCurrentPassword(userId: number, given: string, ip: string): Promise<boolean>;
  /** Checks the requirements of a call besides a role; throws if they are not met. */
  meetDemand(identity: Identity, demand: Demand, given: { password: string; ip: string }): Promise<void>;
  /** True for an administrator who must set up a second factor first. */
  owesFactor(identity: Identity): Promise<boolean>;
  /** Confirms the caller's identity again; returns the Unix seconds until which that is valid. */
  prove(identity: Identity, given: Parameters<typeof prove>[2]): Promise<number>;
  noteNewFactor(identity: Identity): Promise<void>;
  askProof(identity: Identity): Promise<Record<string, unknown>>;
  proveByPasskey(identity: Identity, shown: ShownCredential): Promise<void>;
  /** True for a session that was opened a moment ago. */
  isFreshSession(idHash: string | undefined): Promise<boolean>;
  /**
   * Checks a long random secret that is not a user's password, and limits guesses by address. Throws
   * `too_many_attempts`.
   */
  weighSecret(name: string, ip: string, isRight: () => boolean): Promise<boolean>;
  /** Replaces the user's system access token without a name. */
  renewAccessToken(userId: number, language: Language): Promise<string>;
  createAccessToken(
    userId: number,
    made: NewAccessToken,
    language: Language,
  ): ReturnType<typeof createAccessToken>;
  listAccessTokens(userId: number): Promise<AccessTokenData[]>;
  endAccessToken(userId: number, id: number): Promise<void>;
  sessions: Sessions;
}

export function createAuth(given: AuthDeps): Auth {
  const { db, settings, passwords, clock } = given;
  const sessions = createSessions(db, clock);
  const lockout = createLockout(clock);
  const passwordLoginEnabled = (): boolean => settings.get('PasswordLoginEnabled');
  const deps = { ...given, sessions, lockout, passwordLoginEnabled };
  return {
    sessions,
    bySession: (value) => sessions.find(value),
    byAccessToken: (token) => findByAccessToken(deps, token),
    signIn: (credentials, place) => signIn(deps, credentials, place),
    signInIdentified: (userId, place, method) => signInIdentified(deps, userId, place, method),
    finishByCode: (second, place) => finishByCode(deps, second, place),
    askForPasskey: (ticket) => askForPasskey(deps, ticket),
    finishByPasskey: (second, place) => finishByPasskey(deps, second, place),
    signInByPasskey: (shown, place) => signInByPasskey(deps, shown, place),
    async hashPassword(password) {
      await refuseCommonPassword(password);
      return passwords.hash(password);
    },
    isCurrentPassword: (userId, password, ip) => isCurrentPassword(deps, userId, password, ip),
    meetDemand: (identity, demand, proof) => meetDemand(deps, identity, demand, proof),
    owesFactor: (identity) => owesFactor(deps, identity),
    prove: (identity, proof) => prove(deps, identity, proof),
    noteNewFactor: (identity) => noteNewFactor(deps, identity),
    askProof: (identity) => askProof(deps, identity),
    proveByPasskey: (identity, shown) => proveByPasskey(deps, identity, shown),
    isFreshSession: (idHash) => isFreshSession({ db, clock }, idHash),
    weighSecret: (name, ip, isRight) =>
      checkWithLockout(lockout, { account: `secret:${name}`, ip, perAddressOnly: true }, isRight),
    renewAccessToken: (userId, language) => renewAccessToken(deps, userId, language),
    createAccessToken: (userId, made, language) => createAccessToken(deps, userId, made, language),
    listAccessTokens: (userId) => listAccessTokens(deps, userId),
    endAccessToken: (userId, id) => endAccessToken(deps, userId, id),
  };
}
