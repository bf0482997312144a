import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What each figure of the bench is to be at most. */
interface Budgets {
  ratioToNginx: Record<string, number>;
  translatedToPassed: number;
  meterShareOfCall: number;
  tracesShareOfCall: number;
  /** At the end of an answer, in milliseconds, beyond what nginx adds in the same run. */
  addedP99MsBesideNginx: number;
  /** What a call costs with much of everything, times what it costs with little. */
  growth: number;
  bytesPerStream: number;
  logPageMs: number;
  /** Of ten million rows. */
  longLogPageMs: number;
  idleMegabytes: number;
  openTasks: { coreShare: number; megabytes: number };
}

export const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8')) as Budgets;
