import type { Selectable, SelectQueryBuilder } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { startingWith } from '../like.ts';
import type { Database } from '../schema/index.ts';
import type { RedemptionTable } from '../schema/money.ts';
import { batches, countOf, directionOf, idOf, type Slice } from './shared.ts';

export type RedemptionRow = Selectable<RedemptionTable>;
export type NewRedemption = Pick<
  RedemptionRow,
  'user_id' | 'key_hash' | 'key_sealed' | 'name' | 'quota' | 'created_time'
> & { expired_time?: number; use_within_days?: number };
export type RedemptionChange = Partial<
  Pick<RedemptionRow, 'name' | 'quota' | 'status' | 'expired_time' | 'use_within_days'>
>;

const UNUSED = 1;
const USED = 3;

/** Makes codes, all or none if run in a transaction. */
export async function create(db: Db, codes: readonly NewRedemption[]): Promise<void> {
  const blank = {
    status: UNUSED,
    expired_time: 0,
    use_within_days: 0,
    redeemed_time: 0,
    used_user_id: 0,
    deleted_at: null,
  };
  for (const part of batches(codes)) {
    await db
      .insertInto('redemptions')
      .values(part.map((code) => ({ ...blank, ...code })))
      .execute();
  }
}

const alive = (db: Db): SelectQueryBuilder<Database, 'redemptions', RedemptionRow> =>
  db.selectFrom('redemptions').selectAll().where('deleted_at', 'is', null);

export const find = (db: Db, id: number): Promise<RedemptionRow | undefined> =>
  alive(db).where('id', '=', id).executeTakeFirst();

export const findByHash = (db: Db, keyHash: string): Promise<RedemptionRow | undefined> =>
  alive(db).where('key_hash', '=', keyHash).executeTakeFirst();

export interface RedemptionSearch extends Slice {
  /** '' for all. */
  keyword: string;
  /** Newest first if absent. */
  sort?: { by: keyof RedemptionRow; descending: boolean } | undefined;
}

/** Codes with the keyword as id or as the start of the name. */
export async function search(
  db: Db,
  { keyword, offset, limit, sort = { by: 'id', descending: true } }: RedemptionSearch,
): Promise<{ rows: RedemptionRow[]; total: number }> {
  const { like } = dialectOf(db);
  const id = idOf(keyword);
  let matching = alive(db);
  if (keyword !== '') {
    matching = matching.where((eb) =>
      eb.or([...(id === undefined ? [] : [eb('id', '=', id)]), like(eb.ref('name'), startingWith(keyword))]),
    );
  }
  const rows = await matching
    .orderBy(sort.by, directionOf(sort))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await matching
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}

/** Changes an unused code: a used one is history. False if there is no such code. */
export async function update(db: Db, id: number, change: RedemptionChange): Promise<boolean> {
  const result = await db
    .updateTable('redemptions')
    .set(change)
    .where('id', '=', id)
    .where('status', '!=', USED)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/**
 * Takes a code for a user. One statement decides: of any number of concurrent attempts, one gets true. Credit the quota
 * in the same transaction.
 */
export async function use(db: Db, id: number, userId: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable('redemptions')
    .set({ status: USED, used_user_id: userId, redeemed_time: now })
    .where('id', '=', id)
    .where('status', '=', UNUSED)
    .where((eb) => eb.or([eb('expired_time', '=', 0), eb('expired_time', '>', now)]))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Marks unusable codes as deleted: used, disabled or expired. Returns the number. */
export async function softDeleteInvalid(db: Db, now: number): Promise<number> {
  const result = await db
    .updateTable('redemptions')
    .set({ deleted_at: now })
    .where((eb) =>
      eb.or([
        eb('status', '!=', UNUSED),
        eb.and([eb('expired_time', '>', 0), eb('expired_time', '<=', now)]),
      ]),
    )
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result);
}

/** Marks a code as deleted; false if it does not exist. */
export async function softDelete(db: Db, id: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable('redemptions')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}
