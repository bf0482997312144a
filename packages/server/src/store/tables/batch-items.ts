import type { Selectable } from 'kysely';
import type { Db } from '../dialects/types.ts';
import type { BatchItemTable } from '../schema/calls.ts';
import { batches } from './shared.ts';

export type BatchItemRow = Selectable<BatchItemTable>;

/** Stores the items of a batch. */
export async function create(db: Db, items: readonly Omit<BatchItemRow, 'id'>[]): Promise<void> {
  for (const some of batches(items)) await db.insertInto('batch_items').values(some).execute();
}

/** The items of a batch with these names that are not charged. */
export const findOpen = (db: Db, taskId: number, names: readonly string[]): Promise<BatchItemRow[]> =>
  db.selectFrom('batch_items').selectAll().where('task_id', '=', taskId).where('name', 'in', names).execute();

/**
 * Removes items that are charged now, and returns the ids of those that were not charged before. The caller has locked the
 * row of their batch, so that nobody else decides at the same time.
 */
export async function take(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const open = await db.selectFrom('batch_items').select('id').where('id', 'in', ids).execute();
  const due = open.map(({ id }) => id);
  if (due.length > 0) await db.deleteFrom('batch_items').where('id', 'in', due).execute();
  return new Set(due);
}

/** Deletes the items of a batch that is over: those without a charge. */
export async function removeAll(db: Db, taskId: number): Promise<void> {
  await db.deleteFrom('batch_items').where('task_id', '=', taskId).execute();
}
