import type { Log } from '../lib/log.ts';
import type { Probe } from '../gateway/index.ts';
import type { Auth } from '../services/auth/index.ts';
import type { Finding, Recovery } from '../services/ledger/index.ts';
import type { Payments } from '../services/payments/index.ts';
import { askPendingOrders } from './ask-pending-orders.ts';
import type { Job } from './runner.ts';

export interface HouseJobsDeps {
  sessions: Pick<Auth['sessions'], 'sweep'>;
  payments: Pick<Payments, 'askPending'>;
  probe: Pick<Probe, 'testAll' | 'updateBalances'>;
  /** Ends holds of processes that died. */
  recover(): Promise<Recovery>;
  checkBooks(): Promise<Finding[]>;
  /** Forgets named calls (Idempotency-Key) that are old or too many. */
  forgetOldCalls(): Promise<void>;
  /** CHANNEL_TEST_FREQUENCY and CHANNEL_UPDATE_FREQUENCY, in minutes; 0 for never. */
  testMinutes: number;
  balanceMinutes: number;
  log: Log;
}

const minute = 60_000;

/** For whom the timed test of channels is logged: root, the first user. */
const tester = { userId: 1, username: 'root', group: 'default' };

const sweepSessions = ({ sessions }: HouseJobsDeps): Job => ({
  name: 'sweep-sessions',
  everyMs: 60 * minute,
  async run() {
    await sessions.sweep();
  },
});

const recoverHolds = (deps: HouseJobsDeps): Job => ({
  name: 'recover-holds',
  everyMs: minute,
  async run() {
    const recovery = await deps.recover();
    if (recovery.settled + recovery.released > 0)
      deps.log.warn({ recovery }, 'ended holds of a process that died');
  },
});

const forgetOldCalls = (deps: HouseJobsDeps): Job => ({
  name: 'forget-old-calls',
  everyMs: 10 * minute,
  run: () => deps.forgetOldCalls(),
});

/** The invariants of money.md as a query, again and again: a difference is an alarm, whatever caused it. */
const checkBooks = (deps: HouseJobsDeps): Job => ({
  name: 'check-books',
  everyMs: 10 * minute,
  async run() {
    const findings = await deps.checkBooks();
    if (findings.length > 0) deps.log.error({ findings }, 'THE BOOKS DO NOT AGREE: please report this');
  },
});

const testChannels = ({ probe, testMinutes }: HouseJobsDeps): Job => ({
  name: 'test-channels',
  everyMs: testMinutes * minute,
  run: () => probe.testAll(tester).done,
});

const updateBalances = ({ probe, balanceMinutes }: HouseJobsDeps): Job => ({
  name: 'update-balances',
  everyMs: balanceMinutes * minute,
  run: () => probe.updateBalances(),
});

/** Everything the process does by itself: one line a job. */
export const houseJobs = (deps: HouseJobsDeps): Job[] => [
  sweepSessions(deps),
  recoverHolds(deps),
  checkBooks(deps),
  forgetOldCalls(deps),
  askPendingOrders(deps.payments),
  ...(deps.testMinutes > 0 ? [testChannels(deps)] : []),
  ...(deps.balanceMinutes > 0 ? [updateBalances(deps)] : []),
];
