import {
  type Access,
  AppError,
  accessRole,
  proofSeconds,
  type Reauthentication,
  role,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../lib/clock.ts';
import { type Db, sessions } from '../../store/index.ts';
import { type Factors, isProtected } from '../factors/index.ts';
import type { Settings } from '../settings/index.ts';
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

/** What a call asks of its caller beside their role. */
export interface Demand {
  access: Access;
  reauthenticate?: Reauthentication | undefined;
}

/** Until when a session's owner need not prove themselves again; 0 for now. */
const provenUntil = ({ credential }: Identity): number =>
  credential.kind === 'session' && credential.provenTime > 0 ? credential.provenTime + proofSeconds : 0;

/** True when an administrator must set a factor up before anything else (option AdminSecondFactorRequired). */
export async function owesFactor(
  { settings, factors }: Pick<ProofDeps, 'settings' | 'factors'>,
  { actor }: Identity,
): Promise<boolean> {
  if (actor.role < role.admin || !settings.get('AdminSecondFactorRequired')) return false;
  return !isProtected(await factors.owned(actor.id));
}

/**
 * Lets a call through that its caller's role admits, or refuses. Administration is closed to an administrator who owes a
 * second factor. Where a call asks once more who calls, a factor proves it for a while in its session; accounts without
 * one give their password with the call. An access token cannot touch a device: it passes where only accounts with a
 * factor are asked, and is refused where everybody is, if its owner has one. Throws `second_factor_required`,
 * `verify_again`, what `confirmPassword` throws.
 */
export async function meetDemand(
  deps: ProofDeps,
  identity: Identity,
  { access, reauthenticate }: Demand,
  given: { password: string; ip: string },
): Promise<void> {
  if (accessRole[access] >= role.admin && (await owesFactor(deps, identity))) {
    throw new AppError('second_factor_required');
  }
  if (reauthenticate === undefined || provenUntil(identity) > seconds(deps.clock)) return;
  const isGuarded = isProtected(await deps.factors.owned(identity.actor.id));
  if (reauthenticate === 'with-factor' && (!isGuarded || identity.credential.kind === 'access-token')) return;
  if (isGuarded) throw new AppError('verify_again');
  await confirmPassword(deps, identity, given.password, given.ip);
}

/** The name of the session that is to be proven. Throws `access_token_not_supported`: programs have none. */
export function sessionOf({ credential }: Identity): string {
  if (credential.kind !== 'session') throw new AppError('access_token_not_supported');
  return credential.idHash;
}

/** Notes that a session's owner proved who they are; answers until when that counts. */
async function noteProof({ db, clock }: Pick<ProofDeps, 'db' | 'clock'>, session: string): Promise<number> {
  const now = seconds(clock);
  await sessions.noteProof(db, session, now);
  return now + proofSeconds;
}

/**
 * Proves once more who calls: by a code, by the password where the account has no factor, or by a passkey that answered
 * a moment ago. Answers until when it counts.
 */
export async function prove(
  deps: ProofDeps,
  identity: Identity,
  { method, code, ip }: { method: '2fa' | 'passkey' | 'password'; code: string; ip: string },
): Promise<number> {
  const session = sessionOf(identity);
  if (method === '2fa') await deps.factors.checkCode(identity.actor.id, code);
  else {
    const isGuarded = isProtected(await deps.factors.owned(identity.actor.id));
    const until = provenUntil(identity);
    if (isGuarded && method === 'passkey' && until > seconds(deps.clock)) return until;
    // A password is what the first step was about: it does not stand for the second.
    if (isGuarded || method === 'passkey') throw new AppError('verify_again');
    await confirmPassword(deps, identity, code, ip);
  }
  return noteProof(deps, session);
}

/** Anyone who just set a factor up has shown it: that counts like a proof. */
export async function noteNewFactor(
  deps: Pick<ProofDeps, 'db' | 'clock'>,
  { credential }: Identity,
): Promise<void> {
  if (credential.kind === 'session') await noteProof(deps, credential.idHash);
}

/** Proves it by a passkey that was asked for with `askProof`. Throws `passkey_refused`. */
export async function proveByPasskey(
  deps: ProofDeps,
  identity: Identity,
  shown: Parameters<Factors['answerPasskey']>[1],
): Promise<void> {
  const session = sessionOf(identity);
  await deps.factors.answerPasskey(questionOf(identity, session), shown);
  await noteProof(deps, session);
}

/** Asks for a passkey of the one who calls. */
export const askProof = (
  { factors }: Pick<ProofDeps, 'factors'>,
  identity: Identity,
): Promise<Record<string, unknown>> => factors.askPasskey(questionOf(identity, sessionOf(identity)));

const questionOf = ({ actor }: Identity, browser: string) =>
  ({ purpose: 'proof', browser, userId: actor.id }) as const;
