import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';

/** The sealed text of a stored key; undefined if there is none. */
export const find = async (db: Db, name: string): Promise<string | undefined> =>
  (await db.selectFrom('kept_keys').select('key_sealed').where('name', '=', name).executeTakeFirst())
    ?.key_sealed;

/** Stores a key once: of concurrent attempts, one gets true. */
export const keep = (db: Db, name: string, sealed: string): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('kept_keys').values({ name, key_sealed: sealed }), ['name']);
