import type { Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { ReceiptKeyTable } from '../../schema/money.ts';

export type ReceiptKeyRow = Selectable<ReceiptKeyTable>;

/** All keys, the oldest first: the last one signs. */
export const list = (db: Db): Promise<ReceiptKeyRow[]> =>
  db.selectFrom('receipt_keys').selectAll().orderBy('serial').execute();

/** Adds a key with the next serial; false if another process was faster. */
export const add = (db: Db, key: ReceiptKeyRow): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('receipt_keys').values(key), ['serial']);
