import {
  askPendingOrders,
  checkBooks,
  lookAfterPlans,
  mailStatements,
  noticeExpiries,
  recoverHolds,
  recoverOthers,
  renewDefaults,
  rerateCharges,
  sealReceipts,
  settleExpired,
  sumLedgerMonths,
  topUpAutomatically,
} from './money.ts';
import {
  expireAudit,
  announceRetirements,
  findAlarms,
  warnOfBudgets,
  sendAlarms,
  expireLogs,
  moveLogs,
  sumLogHours,
  makeBackup,
  sweepFailures,
} from './upkeep.ts';
import {
  countAttempts,
  expireChannelHealth,
  forgetOldCalls,
  pollTasks,
  releaseExpiredSales,
  testChannels,
  updateBalances,
} from './calls.ts';
import type { JobParts, MakeJob } from './parts.ts';
import type { Job } from './runner.ts';
import { sweepCodes, sweepFactors, sweepRounds, sweepSessions } from './people.ts';

/** All recurring jobs of the process: one line for each job, which is in the file of its group of services. */
const jobs: readonly MakeJob<keyof JobParts>[] = [
  sweepSessions,
  sweepCodes,
  sweepRounds,
  sweepFactors,
  recoverHolds,
  recoverOthers,
  settleExpired,
  noticeExpiries,
  checkBooks,
  sumLedgerMonths,
  mailStatements,
  sealReceipts,
  renewDefaults,
  forgetOldCalls,
  expireAudit,
  sumLogHours,
  moveLogs,
  expireLogs,
  sweepFailures,
  countAttempts,
  expireChannelHealth,
  askPendingOrders,
  lookAfterPlans,
  topUpAutomatically,
  pollTasks,
  releaseExpiredSales,
  rerateCharges,
  testChannels,
  updateBalances,
  makeBackup,
  announceRetirements,
  findAlarms,
  warnOfBudgets,
  sendAlarms,
];

/** The jobs of a worker: the others run in the process that started it. */
export const workerJobs = (
  parts: Pick<JobParts, 'attempts' | 'failures' | 'ledger' | 'log' | 'settings'>,
): Job[] => [recoverHolds, sweepFailures, countAttempts, renewDefaults].flatMap((make) => make(parts) ?? []);

/** The jobs of this process. */
export const processJobs = (parts: JobParts): Job[] => jobs.flatMap((make) => make(parts) ?? []);
