import type { Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { SignInProviderTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type SignInProviderRow = Selectable<SignInProviderTable>;

/** Every provider, in the order of their buttons. */
export const all = (db: Db): Promise<SignInProviderRow[]> =>
  db.selectFrom('sign_in_providers').selectAll().orderBy('position').orderBy('slug').execute();

export const find = (db: Db, slug: string): Promise<SignInProviderRow | undefined> =>
  dialectOf(db)
    .lockRows(db.selectFrom('sign_in_providers').selectAll().where('slug', '=', slug))
    .executeTakeFirst();

/** Adds a provider; false if the slug exists. */
export const add = (db: Db, row: SignInProviderRow): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('sign_in_providers').values(row), ['slug']);

export async function update(
  db: Db,
  slug: string,
  change: Partial<Omit<SignInProviderRow, 'slug'>>,
): Promise<void> {
  await db.updateTable('sign_in_providers').set(change).where('slug', '=', slug).execute();
}

/** Removes a provider; false if there was none. */
export async function remove(db: Db, slug: string): Promise<boolean> {
  const result = await db.deleteFrom('sign_in_providers').where('slug', '=', slug).executeTakeFirstOrThrow();
  return countOf(result) > 0;
}
