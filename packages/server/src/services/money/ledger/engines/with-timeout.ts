import { timeoutAfterReads } from '../../../../lib/processes/timeout-after-reads.ts';
import { LedgerUnavailable } from '../plan/types.ts';

/** Timeout in ms of database operations of a new call during an outage; then 503. */
export const newCallWaitMs = 2_000;

/** Waits for `work` at most `ms`, then throws LedgerUnavailable; the work itself continues. */
export async function withTimeout<T>(work: Promise<T>, ms = newCallWaitMs): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancelTimeout = timeoutAfterReads(ms, () =>
    late.reject(new LedgerUnavailable(new Error(`no answer within ${ms} ms`))),
  );
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancelTimeout();
  }
}
