import { randomBytes } from 'node:crypto';
import { AppError, type ShownCredential } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { type Db, signInTickets, type users } from '../../../store/index.ts';
import { type Factors, isProtected } from '../factors/index.ts';
import { openSession, type OpenSessionDeps, type SignInMethod } from './open-session.ts';
import type { Place } from './sessions.ts';
import { findEnabled, type SignedInWith } from './signed-in.ts';

/** The first step succeeded and a second one is required: the cookie's value for the browser. */
interface SecondStepDue {
  ticket: string;
  authenticator: boolean;
  passkey: boolean;
}

/** Result of a first step: a session, or a second step. */
export type FirstStep = SignedInWith | SecondStepDue;

/** Time limit of the second step. */
const ticketSeconds = 600;

export interface SecondStepDeps extends OpenSessionDeps {
  db: Db;
  factors: Factors;
}

/** Opens a session after the first step, or requires the second: the only way from a correct password to a session. */
export async function completeFirstStep(
  deps: SecondStepDeps,
  user: users.UserRow,
  place: Place,
  method: string,
): Promise<FirstStep> {
  const { db, factors, clock } = deps;
  const owned = await factors.owned(user.id);
  if (!isProtected(owned)) return openSession(deps, user, place, { method, second: '' });
  const ticket = randomBytes(32).toString('base64url');
  await signInTickets.add(db, {
    ticket_hash: sha256(ticket),
    user_id: user.id,
    method,
    expires_time: seconds(clock) + ticketSeconds,
  });
  return { ticket, authenticator: owned.authenticator, passkey: owned.passkeys > 0 };
}

/** The pending second step of a browser. Throws `second_step_over`. */
async function findStep(
  { db, clock }: SecondStepDeps,
  ticket: string,
): Promise<signInTickets.SignInTicketRow> {
  const row = ticket === '' ? undefined : await signInTickets.find(db, sha256(ticket), seconds(clock));
  if (!row) throw new AppError('second_step_over');
  return row;
}

/** Opens the session of a ticket, once. Throws `second_step_over`, `user_banned`. */
async function finish(
  deps: SecondStepDeps,
  { ticket_hash: hash, user_id: userId, method }: signInTickets.SignInTicketRow,
  second: SignInMethod['second'],
  place: Place,
): Promise<SignedInWith> {
  const user = await findEnabled(deps.db, userId);
  if (!(await signInTickets.take(deps.db, hash))) throw new AppError('second_step_over');
  return openSession(deps, user, place, { method, second });
}

/** Completes a sign-in by a code of the app or a recovery code. Throws the errors of `checkCode` and `finish`. */
export async function finishByCode(
  deps: SecondStepDeps,
  { ticket, code }: { ticket: string; code: string },
  place: Place,
): Promise<SignedInWith> {
  const step = await findStep(deps, ticket);
  await deps.factors.checkCode(step.user_id, code);
  return finish(deps, step, 'code', place);
}

/** Creates a passkey challenge for the user who completed the first step. */
export async function askForPasskey(deps: SecondStepDeps, ticket: string): Promise<Record<string, unknown>> {
  const { user_id: userId } = await findStep(deps, ticket);
  return deps.factors.askPasskey({ purpose: 'second-step', browser: ticket, userId });
}

/** Completes a sign-in by a passkey of that user. */
export async function finishByPasskey(
  deps: SecondStepDeps,
  { ticket, shown }: { ticket: string; shown: ShownCredential },
  place: Place,
): Promise<SignedInWith> {
  const step = await findStep(deps, ticket);
  const { user_id: userId } = step;
  await deps.factors.answerPasskey({ purpose: 'second-step', browser: ticket, userId }, shown);
  return finish(deps, step, 'passkey', place);
}

/** Signs in with a passkey only: a device and its user verification are two factors in one. */
export async function signInByPasskey(
  deps: SecondStepDeps,
  { browser, shown }: { browser: string; shown: ShownCredential },
  place: Place,
): Promise<SignedInWith> {
  const userId = await deps.factors.answerPasskey({ purpose: 'sign-in', browser, userId: 0 }, shown);
  const user = await findEnabled(deps.db, userId);
  return openSession(deps, user, place, { method: 'passkey', second: 'passkey' });
}
