import type { Selectable } from 'kysely';
import type { Db } from '../dialects/types.ts';
import type { BatchItemTable } from '../schema/calls.ts';
import { batches, countOf } from './shared.ts';

export type BatchItemRow = Selectable<BatchItemTable>;

/** Stores the items of a batch. */
export async function create(
  db: Db,
  items: readonly Omit<BatchItemRow, 'id' | 'due_at' | 'tries'>[],
): Promise<void> {
  for (const some of batches(items))
    await db
      .insertInto('batch_items')
      .values(some.map((item) => ({ ...item, due_at: 0, tries: 0 })))
      .execute();
}

/** The items of a batch with these names that are not charged. */
export const findOpen = (db: Db, taskId: number, names: readonly string[]): Promise<BatchItemRow[]> =>
  db.selectFrom('batch_items').selectAll().where('task_id', '=', taskId).where('name', 'in', names).execute();

/** Claims the next due item of a batch until a moment (Unix ms); undefined without one. No two processes get the same. */
export async function claim(
  db: Db,
  taskId: number,
  now: number,
  until: number,
): Promise<BatchItemRow | undefined> {
  for (;;) {
    const item = await db
      .selectFrom('batch_items')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!item || (await setDue(db, item, { due_at: until, tries: item.tries })))
      return item && { ...item, due_at: until };
  }
}

/** Sets the next attempt of an item, if nobody else has since. */
export async function setDue(
  db: Db,
  { id, due_at: before }: Pick<BatchItemRow, 'id' | 'due_at'>,
  change: Pick<BatchItemRow, 'due_at' | 'tries'>,
): Promise<boolean> {
  const query = db.updateTable('batch_items').set(change).where('id', '=', id).where('due_at', '=', before);
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

/** Some of the items of a batch that are not charged. */
export const rest = (db: Db, taskId: number, limit: number): Promise<BatchItemRow[]> =>
  db
    .selectFrom('batch_items')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Number of the items of a batch that are not charged. */
export async function countOpen(db: Db, taskId: number): Promise<number> {
  const { items } = await db
    .selectFrom('batch_items')
    .select((e) => e.fn.countAll<number>().as('items'))
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow();
  return Number(items);
}

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
