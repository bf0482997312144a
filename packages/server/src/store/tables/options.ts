import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { OptionTable } from '../schema/site.ts';
import { countOf } from './shared.ts';

export type OptionRow = Selectable<OptionTable>;

/** All stored settings, in order of their keys. */
export const all = (db: Db): Promise<OptionRow[]> =>
  db.selectFrom('options').selectAll().orderBy('key').execute();

export const find = (db: Db, key: string): Promise<OptionRow | undefined> =>
  db.selectFrom('options').selectAll().where('key', '=', key).executeTakeFirst();

/** Saves a setting's text; replaces a former one. */
export async function put(db: Db, key: string, value: string): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('options')
    .values({ key, value })
    .modifyEnd(upsert(['key'], { value: incoming<string>('value') }))
    .execute();
}

/** Saves a setting only if it has no saved text; otherwise returns false. */
export const putIfNew = (db: Db, key: string, value: string): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('options').values({ key, value }), ['key']);

/** Deletes a setting; false if there was none, or another process deleted it. */
export async function take(db: Db, key: string): Promise<boolean> {
  const result = await db.deleteFrom('options').where('key', '=', key).executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Deletes a setting, which then has its default again. */
export async function remove(db: Db, key: string): Promise<void> {
  await db.deleteFrom('options').where('key', '=', key).execute();
}
