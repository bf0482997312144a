import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { SetupTable } from '../schema/site.ts';

export type SetupRow = Selectable<SetupTable>;

/** The site's set-up; undefined before the first start is finished. */
export const find = (db: Db): Promise<SetupRow | undefined> =>
  db.selectFrom('setups').selectAll().orderBy('id').executeTakeFirst();

/** Stores once that the site is set up: the row has the fixed id 1, so of concurrent attempts, one gets true. */
export const create = (db: Db, version: string, now: number): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('setups').values({ id: 1, version, initialized_at: now }), ['id']);
