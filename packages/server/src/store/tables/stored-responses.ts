import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { StoredResponseTable } from '../schema/calls.ts';
import { batches, countOf } from './shared.ts';

export type StoredResponseRow = Selectable<StoredResponseTable>;

/** Stores channels of responses; an existing name gets the new channel. Names must differ. */
export async function note(db: Db, rows: readonly StoredResponseRow[]): Promise<void> {
  const { incoming, upsert } = dialectOf(db);
  for (const part of batches(rows)) {
    await db
      .insertInto('stored_responses')
      .values(part)
      .modifyEnd(
        upsert(['name'], {
          channel_id: incoming('channel_id'),
          key_id: incoming<string>('key_id'),
          at: incoming('at'),
        }),
      )
      .execute();
  }
}

export const find = (db: Db, name: string): Promise<StoredResponseRow | undefined> =>
  db.selectFrom('stored_responses').selectAll().where('name', '=', name).executeTakeFirst();

export async function remove(db: Db, name: string): Promise<void> {
  await db.deleteFrom('stored_responses').where('name', '=', name).execute();
}

/** Deletes the responses from before a moment; returns their number. */
export async function removeBefore(db: Db, before: number): Promise<number> {
  return countOf(await db.deleteFrom('stored_responses').where('at', '<', before).executeTakeFirstOrThrow());
}
