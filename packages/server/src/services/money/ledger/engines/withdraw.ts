import type { Batch } from './batch.ts';
import type { Books, Changes } from '../plan/books.ts';
import { releaseOp, type SettleOp } from '../plan/ops.ts';
import { perform } from '../plan/plan.ts';
import { unsettle } from '../plan/plan-settle.ts';

/**
 * Removes the holds of an unwritten batch with all dependent changes: nothing was delivered for such a hold, and its
 * caller gets `refusal`. Settlements of written holds stay. Returns the request ids of the removed holds.
 */
export function withdrawHolds(books: Books, batch: Batch, refusal: Error): Set<string> {
  const withdrawn = new Set<string>();
  const settled: SettleOp[] = [];
  for (const op of batch.ops) {
    if (op.kind === 'settle' && op.by) {
      settled.push(op);
      op.by.error = refusal;
    } else if (op.kind === 'reserve' && books.holds.get(op.requestId)?.by === op) {
      perform(books, batch.changes, releaseOp(op.requestId, undefined));
      op.error = refusal;
    } else continue;
    withdrawn.add(op.requestId);
  }
  undo(books, batch.changes, settled);
  // A repeated hold returns its first result; a released hold has nothing left.
  batch.ops = batch.ops.filter(({ kind, requestId }) => kind !== 'reserve' && !withdrawn.has(requestId));
  return withdrawn;
}

/** Undoes settlements: entries, log rows and totals are removed, and the money is returned. */
function undo(books: Books, changes: Changes, settled: readonly SettleOp[]): void {
  const ops = new Map(settled.map((op) => [op.requestId, op]));
  keepOnly(changes.entries, (entry) => {
    const op = ops.get(entry.txn);
    if (op) unsettle(books, changes, op, entry);
    return !op;
  });
  keepOnly(changes.logs, ({ log }) => !ops.has(log.request_id));
  for (const [id, { quota, requests }] of changes.users)
    if (quota === 0 && requests === 0) changes.users.delete(id);
  for (const [id, quota] of changes.channels) if (quota === 0) changes.channels.delete(id);
  for (const [key, { count, quota, tokens }] of changes.hours)
    if (count === 0 && quota === 0 && tokens === 0) changes.hours.delete(key);
}

function keepOnly<T>(list: T[], isKept: (item: T) => boolean): void {
  let kept = 0;
  for (const item of list) if (isKept(item)) list[(kept += 1) - 1] = item;
  list.length = kept;
}
