import { askPendingOrders } from './ask-pending-orders.ts';
import { checkBooks } from './check-books.ts';
import { expireAudit, expireLogs } from './expire-rows.ts';
import { forgetOldCalls } from './forget-old-calls.ts';
import { moveLogs, sumLogHours } from './log-upkeep.ts';
import { makeBackup } from './make-backup.ts';
import type { JobParts, MakeJob } from './parts.ts';
import { pollTasks } from './poll-tasks.ts';
import { recoverHolds } from './recover-holds.ts';
import { recoverOthers } from './recover-others.ts';
import type { Job } from './runner.ts';
import { renewDefaults } from './renew-defaults.ts';
import { rerateCharges } from './rerate-charges.ts';
import { sweepFailures } from './sweep-failures.ts';
import { sweepCodes, sweepFactors, sweepRounds, sweepSessions } from './sweep-sign-ins.ts';
import { testChannels } from './test-channels.ts';
import { updateBalances } from './update-balances.ts';

/** All recurring jobs of the process: a file and a line here for each job. */
const jobs: readonly MakeJob<keyof JobParts>[] = [
  sweepSessions,
  sweepCodes,
  sweepRounds,
  sweepFactors,
  recoverHolds,
  recoverOthers,
  checkBooks,
  renewDefaults,
  forgetOldCalls,
  expireAudit,
  sumLogHours,
  moveLogs,
  expireLogs,
  sweepFailures,
  askPendingOrders,
  pollTasks,
  rerateCharges,
  testChannels,
  updateBalances,
  makeBackup,
];

/** The jobs of a worker: the others run in the process that started it. */
export const workerJobs = (parts: Pick<JobParts, 'failures' | 'ledger' | 'log' | 'settings'>): Job[] =>
  [recoverHolds, sweepFailures, renewDefaults].flatMap((make) => make(parts) ?? []);

/** The jobs of this process. */
export const processJobs = (parts: JobParts): Job[] => jobs.flatMap((make) => make(parts) ?? []);
