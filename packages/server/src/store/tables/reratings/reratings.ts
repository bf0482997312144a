import { sql, type Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { ReratingTable } from '../../schema/money.ts';
import { countOf, type Slice } from '../shared.ts';

export type ReratingRow = Selectable<ReratingTable>;

/** Additions of a step to the sums of a correction. */
export type ReratingGrowth = Partial<
  Pick<
    ReratingRow,
    | 'corrected_rows'
    | 'same_rows'
    | 'given_back'
    | 'collected'
    | 'uncollected'
    | 'left_rows'
    | 'left_quota'
    | 'apart_rows'
    | 'not_taken_back'
  >
>;

/** Stores a new correction and returns its id. Violates the unique key while another is running. */
export const create = (db: Db, row: Omit<ReratingRow, 'id'>): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('reratings').values(row));

export const find = (db: Db, id: number): Promise<ReratingRow | undefined> =>
  db.selectFrom('reratings').selectAll().where('id', '=', id).executeTakeFirst();

/** The correction that is running or being undone. */
export const underWay = (db: Db): Promise<ReratingRow | undefined> =>
  db.selectFrom('reratings').selectAll().where('under_way', '=', 0).executeTakeFirst();

const listed = [
  'id',
  'state',
  'reason',
  'actor_id',
  'collect',
  'selection',
  'options',
  'first_log',
  'last_log',
  'position',
  'corrected_rows',
  'same_rows',
  'given_back',
  'collected',
  'uncollected',
  'left_rows',
  'left_quota',
  'apart_rows',
  'created_at',
  'finished_at',
  'revert_reason',
  'reverted_at',
  'not_taken_back',
] as const;

/** A row without its prices, which may be large. */
export type ListedRerating = Pick<ReratingRow, (typeof listed)[number]> & { actor_name: string | null };

const named = (db: Db) =>
  db
    .selectFrom('reratings')
    .leftJoin('users', 'users.id', 'reratings.actor_id')
    .select(listed.map((column) => `reratings.${column}` as const))
    .select('users.username as actor_name');

/** One page, newest first, and the total number. */
export async function list(
  db: Db,
  { offset, limit }: Slice,
): Promise<{ total: number; items: ListedRerating[] }> {
  const { total } = await db
    .selectFrom('reratings')
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await named(db).orderBy('reratings.id', 'desc').limit(limit).offset(offset).execute();
  return { total: Number(total), items };
}

export const findListed = (db: Db, id: number): Promise<ListedRerating | undefined> =>
  named(db).where('reratings.id', '=', id).executeTakeFirst();

/** Changes a correction that is in one of these states; false if it is in another one by now. */
export async function moveOn(
  db: Db,
  id: number,
  from: readonly string[],
  change: Partial<Omit<ReratingRow, 'id'>>,
): Promise<boolean> {
  const query = db.updateTable('reratings').set(change).where('id', '=', id).where('state', 'in', from);
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

/**
 * Moves a correction from one position to the next and adds to its sums; false if another process has done this step
 * already, or the state has changed. The first statement of a step: only the process for which it succeeds does the
 * rest.
 */
export async function advance(
  db: Db,
  { id, state, position }: Pick<ReratingRow, 'id' | 'state' | 'position'>,
  to: number,
): Promise<boolean> {
  const query = db
    .updateTable('reratings')
    .set({ position: to })
    .where('id', '=', id)
    .where('state', '=', state)
    .where('position', '=', position);
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

/** Adds to the sums of a correction. */
export async function grow(db: Db, id: number, growth: ReratingGrowth): Promise<void> {
  const set = Object.entries(growth)
    .filter(([, value]) => value !== 0)
    .map(([column, value]) => sql`${sql.ref(column)} = ${sql.ref(column)} + ${value}`);
  if (set.length > 0) await sql`update reratings set ${sql.join(set)} where id = ${id}`.execute(db);
}
