import { sql } from 'kysely';
import { announceAtCommit, dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { batches } from './shared.ts';

/** The row that counts. Its lock lasts until the commit, so versions become visible in their order and none is missed. */
const COUNTER = '';

/**
 * Marks a change (`options`, `channels`, `token:17` …) for the other processes on this database. Run it in the
 * transaction of the change as its last statement, because concurrent marks wait for each other. PostgreSQL and the
 * first process of workers announce it with the commit (`Store.listen`); all others find it by polling.
 */
export async function mark(db: Db, names: readonly string[]): Promise<void> {
  const { upsert, incoming, announceChange } = dialectOf(db);
  await db
    .insertInto('change_marks')
    .values({ name: COUNTER, version: 1 })
    .modifyEnd(upsert(['name'], { version: sql<number>`${sql.ref('change_marks.version')} + 1` }))
    .execute();
  const version = await latest(db);
  for (const part of batches([...new Set(names)])) {
    await db
      .insertInto('change_marks')
      .values(part.map((name) => ({ name, version })))
      .modifyEnd(upsert(['name'], { version: incoming('version') }))
      .execute();
  }
  await announceChange?.(db);
  announceAtCommit(db);
}

/** The version of the newest change; 0 before the first. Read it first, then query changes `since`. */
export async function latest(db: Db): Promise<number> {
  const row = await db
    .selectFrom('change_marks')
    .select('version')
    .where('name', '=', COUNTER)
    .executeTakeFirst();
  return row?.version ?? 0;
}

/**
 * The version of the newest change, and the names of the changes after `version`. If the newest version is below that
 * one, the database has lost changes: a lagging standby took over, or a backup was restored.
 */
export async function since(db: Db, version: number): Promise<{ latest: number; names: string[] }> {
  const marks = db.selectFrom('change_marks').selectAll();
  const rows = await marks
    .where('version', '>', version)
    .where('name', '!=', COUNTER)
    .unionAll(marks.where('name', '=', COUNTER))
    .execute();
  const counter = rows.find(({ name }) => name === COUNTER);
  return {
    latest: counter?.version ?? 0,
    names: rows.filter((row) => row !== counter).map(({ name }) => name),
  };
}

/**
 * Writes one small row durably; throws if the database is locked, full, read-only or unavailable. Its version is
 * negative, so that queries for changes never return it.
 */
export async function proveWritable(db: Db, unixSeconds: number): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('change_marks')
    .values({ name: 'writable', version: -unixSeconds })
    .modifyEnd(upsert(['name'], { version: incoming('version') }))
    .execute();
}
