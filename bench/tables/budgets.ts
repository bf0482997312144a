import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What each figure of the bench is to be at most. */
interface Budgets {
  /** Processor time of Tollgate by that of others in the same windows, by case. */
  ratioToNginx: Record<string, number>;
  ratioToMoney: Record<string, number>;
  /** Of the proxy that only holds and settles, by that of the bare proxy. */
  moneyToNode: Record<string, number>;
  translatedToPassed: number;
  meterShareOfCall: number;
  tracesShareOfCall: number;
  /** At the end of an answer, in milliseconds, beyond what money alone adds in the same run. */
  addedMsBesideMoney: { p50: number; p99: number };
  /** What a call costs with much of everything, times what it costs with little. */
  growth: number;
  bytesPerStream: number;
  logPageMs: number;
  /** Of ten million rows. */
  longLogPageMs: number;
  idleMegabytes: number;
  /** From the start of the process, with compiled files kept. */
  firstAnswerMs: number;
  openTasks: { coreShare: number; megabytes: number };
}

export const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8')) as Budgets;
