import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { countOf } from './shared.ts';

/** Begins the renewal of a key; false while another process renews it. Times are Unix ms. */
export async function begin(
  db: Db,
  keyHash: string,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const taken = await db
    .updateTable('key_renewals')
    .set({ until })
    .where('key_hash', '=', keyHash)
    .where('until', '<=', now)
    .executeTakeFirstOrThrow();
  if (countOf(taken) > 0) return true;
  return dialectOf(db).insertIfNew(db.insertInto('key_renewals').values({ key_hash: keyHash, until }), [
    'key_hash',
  ]);
}

/** Ends the renewal of a key, after success or failure. */
export async function end(db: Db, keyHash: string): Promise<void> {
  await db.deleteFrom('key_renewals').where('key_hash', '=', keyHash).execute();
}
