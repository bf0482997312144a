import type { Probe } from '../gateway/index.ts';
import type { Log } from '../lib/log.ts';
import type { Auth } from '../services/auth/index.ts';
import type { Recovery } from '../services/ledger/index.ts';
import type { FailureLog } from '../services/logs/index.ts';
import type { Payments } from '../services/payments/index.ts';
import { askPendingOrders } from './ask-pending-orders.ts';
import { checkBooks, type CheckBooksDeps } from './check-books.ts';
import { forgetOldCalls } from './forget-old-calls.ts';
import { recoverHolds, recoverOthers } from './recover-holds.ts';
import type { Job } from './runner.ts';
import { sweepFailures } from './sweep-failures.ts';
import { sweepSessions } from './sweep-sessions.ts';
import { testChannels } from './test-channels.ts';
import { updateBalances } from './update-balances.ts';

export interface HouseJobsDeps extends Omit<CheckBooksDeps, 'log'> {
  sessions: Pick<Auth['sessions'], 'sweep'>;
  payments: Pick<Payments, 'askPending'>;
  probe: Pick<Probe, 'testAll' | 'updateBalances'>;
  failures: Pick<FailureLog, 'sweep'>;
  /** Ends holds of processes that died. */
  recover(): Promise<Recovery>;
  /** Ends holds of other processes that died; absent where there are none on the same database. */
  recoverOthers: (() => Promise<Recovery>) | undefined;
  /** Forgets named calls (Idempotency-Key) that are old or too many. */
  forgetOldCalls(): Promise<void>;
  /** CHANNEL_TEST_FREQUENCY and CHANNEL_UPDATE_FREQUENCY, in minutes; 0 for never. */
  testMinutes: number;
  balanceMinutes: number;
  log: Log;
}

/** Everything the process does by itself: a file and a line here for each job. */
export const houseJobs = (deps: HouseJobsDeps): Job[] => [
  sweepSessions(deps.sessions),
  recoverHolds(() => deps.recover(), deps.log),
  ...(deps.recoverOthers ? [recoverOthers(deps.recoverOthers, deps.log)] : []),
  checkBooks(deps),
  forgetOldCalls(() => deps.forgetOldCalls()),
  sweepFailures(deps.failures),
  askPendingOrders(deps.payments),
  ...(deps.testMinutes > 0 ? [testChannels(deps.probe, deps.testMinutes)] : []),
  ...(deps.balanceMinutes > 0 ? [updateBalances(deps.probe, deps.balanceMinutes)] : []),
];
