import type { Selectable } from 'kysely';
import type { Db } from '../dialects/types.ts';
import type { BatchItemTable } from '../schema/calls.ts';
import { batches } from './shared.ts';

export type BatchItemRow = Selectable<BatchItemTable>;

/** Stores the items of a batch. */
export async function create(db: Db, items: readonly Omit<BatchItemRow, 'id' | 'charged'>[]): Promise<void> {
  for (const some of batches(items))
    await db
      .insertInto('batch_items')
      .values(some.map((item) => ({ ...item, charged: 0 })))
      .execute();
}

/** The items of a batch with these names that are not charged. */
export async function findOpen(db: Db, taskId: number, names: readonly string[]): Promise<BatchItemRow[]> {
  const found: BatchItemRow[] = [];
  for (const some of batches(names))
    found.push(
      ...(await db
        .selectFrom('batch_items')
        .selectAll()
        .where('task_id', '=', taskId)
        .where('name', 'in', some)
        .where('charged', '=', 0)
        .execute()),
    );
  return found;
}

/**
 * Marks items as charged and returns the ids of those that were not. The caller has locked the row of their batch, so that
 * nobody else decides at the same time.
 */
export async function markCharged(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const open = await db
    .selectFrom('batch_items')
    .select('id')
    .where('id', 'in', ids)
    .where('charged', '=', 0)
    .execute();
  const due = open.map(({ id }) => id);
  if (due.length > 0)
    await db.updateTable('batch_items').set({ charged: 1 }).where('id', 'in', due).execute();
  return new Set(due);
}

/** Deletes the items of a batch that is over. */
export async function removeAll(db: Db, taskId: number): Promise<void> {
  await db.deleteFrom('batch_items').where('task_id', '=', taskId).execute();
}
