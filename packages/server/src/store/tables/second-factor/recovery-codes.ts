import type { Db } from '../../dialects/types.ts';
import { countOf } from '../shared.ts';

/** Stores new codes; former codes of the same kind are no longer valid. */
export async function replace(
  db: Db,
  userId: number,
  hashes: readonly string[],
  { active }: { active: boolean },
): Promise<void> {
  const flag = active ? 1 : 0;
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).where('active', '=', flag).execute();
  const rows = hashes.map((hash) => ({ user_id: userId, code_hash: hash, active: flag }));
  if (rows.length > 0) await db.insertInto('recovery_codes').values(rows).execute();
}

/** Activates the waiting codes in place of the active ones; changes nothing if none wait. */
export async function activate(db: Db, userId: number): Promise<void> {
  const waiting = await db
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('user_id', '=', userId)
    .where('active', '=', 0)
    .execute();
  if (waiting.length === 0) return;
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).where('active', '=', 1).execute();
  await db.updateTable('recovery_codes').set({ active: 1 }).where('user_id', '=', userId).execute();
}

/** Uses a code; of concurrent attempts, one gets true. */
export async function use(db: Db, userId: number, hash: string): Promise<boolean> {
  const result = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('active', '=', 1)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Number of active codes. */
export async function count(db: Db, userId: number): Promise<number> {
  const { total } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .where('active', '=', 1)
    .executeTakeFirstOrThrow();
  return Number(total);
}

export async function removeAll(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
}
