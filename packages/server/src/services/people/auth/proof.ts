import {
  type Access,
  AppError,
  accessRole,
  proofSeconds,
  type Reauthentication,
  role,
  type Route,
  scopeAdmits,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { type Db, sessions } from '../../../store/index.ts';
import { type Factors, isProtected } from '../factors/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { confirmPassword } from './confirm.ts';
import type { Lockout } from './lockout.ts';
import type { Passwords } from './password.ts';
import type { Identity } from './types.ts';

export interface ProofDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  factors: Factors;
  passwords: Passwords;
  lockout: Lockout;
  clock: Clock;
}

/** The requirements of a call besides a role. */
export interface Demand extends Pick<Route, 'method' | 'demo' | 'scope'> {
  access: Access;
  reauthenticate?: Reauthentication | undefined;
}

/** Unix seconds until which the session's identity is confirmed; 0 if it is not. */
const provenUntil = ({ credential }: Identity): number =>
  credential.kind === 'session' && credential.provenTime > 0 ? credential.provenTime + proofSeconds : 0;

/** True if an administrator must set up a second factor first (option AdminSecondFactorRequired). */
export async function owesFactor(
  { settings, factors }: Pick<ProofDeps, 'settings' | 'factors'>,
  { actor }: Identity,
): Promise<boolean> {
  if (actor.role < role.admin || !settings.get('AdminSecondFactorRequired')) return false;
  return !isProtected(await factors.owned(actor.id));
}

/**
 * Admits a call with a sufficient role, or throws. Administration is refused to an administrator who must set up a
 * second factor. If a call requires a confirmation, a factor is valid for a while in its session; users without a
 * factor send their password with the call. An access token has no device: it is accepted if only users with a factor
 * must confirm, and refused if all users must and its owner has a factor. Its scope is checked first. Throws
 * `access_token_scope`, `second_factor_required`, `verify_again`, and the errors of `confirmPassword`.
 */
export async function meetDemand(
  deps: ProofDeps,
  identity: Identity,
  { access, reauthenticate, ...call }: Demand,
  given: { password: string; ip: string },
): Promise<void> {
  const { credential } = identity;
  if (credential.kind === 'access-token' && !scopeAdmits(credential.scope, { ...call, reauthenticate }))
    throw new AppError('access_token_scope');
  if (accessRole[access] >= role.admin && (await owesFactor(deps, identity))) {
    throw new AppError('second_factor_required');
  }
  if (reauthenticate === undefined || provenUntil(identity) > seconds(deps.clock)) return;
  const isGuarded = isProtected(await deps.factors.owned(identity.actor.id));
  if (reauthenticate === 'with-factor' && (!isGuarded || identity.credential.kind === 'access-token')) return;
  if (isGuarded) throw new AppError('verify_again');
  await confirmPassword(deps, identity, given.password, given.ip);
}

/** The id of the session to confirm. Throws `access_token_not_supported`: programs have no session. */
function requireSession({ credential }: Identity): string {
  if (credential.kind !== 'session') throw new AppError('access_token_not_supported');
  return credential.idHash;
}

/** Stores a confirmation of a session's user; returns the end of its validity. */
async function noteProof({ db, clock }: Pick<ProofDeps, 'db' | 'clock'>, session: string): Promise<number> {
  const now = seconds(clock);
  await sessions.noteProof(db, session, now);
  return now + proofSeconds;
}

/**
 * Confirms the caller's identity: by a code, by the password if the account has no factor, or by a passkey that
 * answered a moment ago. Returns the end of the validity.
 */
export async function prove(
  deps: ProofDeps,
  identity: Identity,
  { method, code, ip }: { method: '2fa' | 'passkey' | 'password'; code: string; ip: string },
): Promise<number> {
  const session = requireSession(identity);
  if (method === '2fa') await deps.factors.checkCode(identity.actor.id, code);
  else {
    const isGuarded = isProtected(await deps.factors.owned(identity.actor.id));
    const until = provenUntil(identity);
    if (isGuarded && method === 'passkey' && until > seconds(deps.clock)) return until;
    // The password was the first step, so it cannot replace the second.
    if (isGuarded || method === 'passkey') throw new AppError('verify_again');
    await confirmPassword(deps, identity, code, ip);
  }
  return noteProof(deps, session);
}

/** A user who has just set up a factor has used it: that counts as a confirmation. */
export async function noteNewFactor(
  deps: Pick<ProofDeps, 'db' | 'clock'>,
  { credential }: Identity,
): Promise<void> {
  if (credential.kind === 'session') await noteProof(deps, credential.idHash);
}

/** Confirms by a passkey that was requested with `askProof`. Throws `passkey_refused`. */
export async function proveByPasskey(
  deps: ProofDeps,
  identity: Identity,
  shown: Parameters<Factors['answerPasskey']>[1],
): Promise<void> {
  const session = requireSession(identity);
  await deps.factors.answerPasskey(questionOf(identity, session), shown);
  await noteProof(deps, session);
}

/** Creates a passkey challenge for the caller. */
export const askProof = (
  { factors }: Pick<ProofDeps, 'factors'>,
  identity: Identity,
): Promise<Record<string, unknown>> => factors.askPasskey(questionOf(identity, requireSession(identity)));

const questionOf = ({ actor }: Identity, browser: string) =>
  ({ purpose: 'proof', browser, userId: actor.id }) as const;
