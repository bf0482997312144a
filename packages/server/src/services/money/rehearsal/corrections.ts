import { logType } from '@tollgate/contract';
import { type Db, type PricedRow, type ReratedCharge, reratingRows, tasks } from '../../../store/index.ts';
import type { CorrectedCharge } from './reprice.ts';

/** Facts about rows that are not in the rows. */
export interface Corrections {
  /** Present state of corrected charges, by the row's id. */
  corrected: ReadonlyMap<number, CorrectedCharge>;
  /** Earlier corrections, by the row's id, the oldest first. */
  before: ReadonlyMap<number, readonly ReratedCharge[]>;
}

const taskName = /"task_id":"(\w{1,64})"/;

/** Looks up the corrections of rows, which are in the order of their ids. */
export async function readCorrections(db: Db, rows: readonly PricedRow[]): Promise<Corrections> {
  const [first, last] = [rows[0], rows.at(-1)];
  const before = new Map<number, ReratedCharge[]>();
  if (!first || !last) return { corrected: new Map(), before };
  for (const charge of await reratingRows.ofLogs(db, first.id, last.id)) {
    const known = before.get(charge.log_id);
    if (known) known.push(charge);
    else before.set(charge.log_id, [charge]);
  }
  const corrected = new Map<number, CorrectedCharge>();
  for (const { id, quota } of rows) {
    const charges = before.get(id);
    if (charges) corrected.set(id, correctedCharge(quota, charges));
  }
  return { corrected, before };
}

/** An undone correction counts by the bill before it; what could not be taken back is written off. */
function correctedCharge(quota: number, charges: readonly ReratedCharge[]): CorrectedCharge {
  const charged = charges.reduce((sum, { moved, undone }) => sum + moved + undone, quota);
  const last = charges.findLast(({ state }) => state === 'applied');
  return { charged, billed: last ? last.bill : charges[0]!.billed_before };
}

/** Ids of the rows with a task that runs, was refunded, or no longer exists. */
export async function openTasks(db: Db, rows: readonly PricedRow[]): Promise<Set<number>> {
  const named = new Map<number, string>();
  const charges = new Map<number, number>();
  for (const { id, type, quota, other } of rows) {
    const task =
      type === logType.consume && other.includes('"task_id":"') ? taskName.exec(other)?.[1] : undefined;
    if (task === undefined) continue;
    named.set(id, task);
    charges.set(id, quota);
  }
  if (named.size === 0) return new Set();
  const states = await tasks.findStates(db, [...named.values()]);
  const isOver = (id: number, task: string): boolean => {
    const found = states.get(task);
    return found?.state === 'succeeded' && found.quota === charges.get(id);
  };
  return new Set([...named].filter(([id, task]) => !isOver(id, task)).map(([id]) => id));
}
