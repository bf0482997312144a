import { LedgerUnavailable, type Settled, type Settlement } from '../../services/money/ledger/index.ts';
import { toRelayError } from '../failover/index.ts';
import { type Journey, settlementFailed } from '../journey/index.ts';
import type { SettleDeps } from './settle-deps.ts';

/**
 * A settlement that took too long stays queued and is charged when the database is back. The caller of a call with an
 * Idempotency-Key gets an error now and finds the answer later, so that a repetition is not charged again. Throws for all other calls.
 */
export async function settledLate(
  deps: SettleDeps,
  journey: Journey,
  booking: Settlement,
  cause: unknown,
): Promise<Settled> {
  await settlementFailed(journey, cause).catch((reason: unknown) => {
    const { relayCall } = journey;
    if (!(reason instanceof LedgerUnavailable)) throw reason;
    if (!relayCall.answerLater?.(toRelayError(deps.log, relayCall, reason))) throw reason;
  });
  await deps.ledger.flush();
  // It is settled by now: this reads what was charged.
  return deps.ledger.settle(booking);
}
