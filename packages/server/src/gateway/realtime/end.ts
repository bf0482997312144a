import { type Frame, isSendable } from '../../lib/websocket/frame-socket.ts';
import { redact } from '../../lib/scrub.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import type { EndReason } from '../call/index.ts';
import { ceilingReached } from '../hold/index.ts';

/** End reason of a session; stored on the log row of the response that was cut. */
export type SessionEndReason = EndReason | 'refused' | 'idle';

/** End of a session as its caller sees it. */
export interface Closing {
  reason: SessionEndReason;
  /** Sent as an event before the close; absent if there is nothing to explain. */
  error?: RelayError;
  /** RFC 6455, 7.4.1. */
  code: number;
  words: string;
}

/** The balance, the key's allowance or the member's limit is used up. */
export const outOfQuota = (error?: RelayError): Closing => ({
  reason: 'quota_exhausted',
  error: error ?? refuse('insufficient_user_quota'),
  code: 1008,
  words: 'insufficient_user_quota',
});

/** The session would cost more than its caller allows. */
export const atCeiling = (error = ceilingReached()): Closing => ({
  reason: 'ceiling_reached',
  error,
  code: 1008,
  words: 'max_cost_reached',
});

/** This caller may not continue: key disabled, limits reached, a forbidden word. */
export const refused = (error: RelayError): Closing => ({
  reason: 'refused',
  error,
  code: 1008,
  words: error.code,
});

/** An internal failure: the ledger, or a defect. */
export const failed = (error: RelayError): Closing => ({
  reason: error.code === 'ledger_unavailable' ? 'ledger_unavailable' : 'upstream_broken',
  error,
  code: 1011,
  words: error.code,
});

/** The upstream disconnected within a response, or timed out. */
export const brokenOff = (error: RelayError): Closing => ({
  reason: 'upstream_broken',
  error,
  code: 1011,
  words: 'upstream_broken',
});

/** The upstream closed the connection within a response. An error event before it explains the reason. */
export function disconnected(code: number, words: string, hasErrorEvent: boolean): Closing {
  if (!hasErrorEvent) return brokenOff(refuse('session_broken_off'));
  return { reason: 'upstream_error', code: isSendable(code) ? code : 1011, words };
}

/** The process stops; 1012 asks clients to reconnect. */
export const shuttingDown = (): Closing => ({
  reason: 'shutdown',
  error: refuse('shutting_down'),
  code: 1012,
  words: 'shutting_down',
});

/** No events for `idleMs`. */
export const idleTimeout = (): Closing => ({
  reason: 'idle',
  error: refuse('session_idle'),
  code: 1001,
  words: 'session_idle',
});

/** Error codes of holds: the balance, the key's allowance or the member's limit does not cover it. */
const holdRefusals: ReadonlySet<string> = new Set([
  'insufficient_user_quota',
  'pre_consume_token_quota_failed',
  'token_exhausted',
  'member_limit_reached',
]);

const budgetRefusals = new Set<RelayError['code']>([
  'budget_reached',
  'token_budget_reached',
  'run_reached',
  'run_calls_reached',
]);

/** Maps a failure to the end of a session: out of quota, refused, or an internal failure. */
export function closingFor(error: RelayError): Closing {
  if (error.code === 'max_cost_reached' || error.code === 'max_cost_too_low') return atCeiling(error);
  if (budgetRefusals.has(error.code))
    return { reason: 'budget_reached', error, code: 1008, words: error.code };
  if (holdRefusals.has(error.code)) return outOfQuota(error);
  return error.blame === 'caller' ? refused(error) : failed(error);
}

/** An upstream's error event without the channel's secrets; the same frame if it contains none. */
export function withoutSecrets(frame: Frame, secrets: readonly string[]): Frame {
  const text = frame.data.toString();
  const clean = redact(text, secrets);
  return clean === text ? frame : { ...frame, data: Buffer.from(clean) };
}
