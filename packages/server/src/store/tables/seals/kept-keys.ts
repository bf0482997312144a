import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';

/** The sealed text of a key that is kept; undefined where there is none. */
export const find = async (db: Db, name: string): Promise<string | undefined> =>
  (await db.selectFrom('kept_keys').select('key_sealed').where('name', '=', name).executeTakeFirst())
    ?.key_sealed;

/** Keeps a key, once: of two who try, one gets true. */
export const keep = (db: Db, name: string, sealed: string): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('kept_keys').values({ name, key_sealed: sealed }), ['name']);
