import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum of each figure of the bench. */
interface Budgets {
  /** Ratio of Tollgate's processor time to that of others in the same windows, by case. */
  ratioToNginx: Record<string, number>;
  ratioToMoney: Record<string, number>;
  /** Ratio of the proxy that only holds and settles to the bare proxy. */
  moneyToNode: Record<string, number>;
  translatedToPassed: number;
  meterShareOfCall: number;
  /** Cost of a choice among many channels, as a multiple of its cost among few. */
  choiceGrowth: number;
  tracesShareOfCall: number;
  /** At the end of an answer, in milliseconds, beyond the time of settlement in the same run. */
  addedMsBesideMoney: { p50: number; p99: number };
  /** Cost of a call with large amounts, as a multiple of its cost with small ones. */
  growth: number;
  bytesPerStream: number;
  logPageMs: number;
  /** With ten million rows. */
  longLogPageMs: number;
  idleMegabytes: number;
  /** From the start of the process, with compiled files kept. */
  firstAnswerMs: number;
  openTasks: { coreShare: number; megabytes: number };
}

export const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8')) as Budgets;
