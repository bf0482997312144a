import type { Db } from '../dialects/types.ts';
import { dialectOf } from '../db.ts';

const prefix = 'node:';

/**
 * A heartbeat of one process, stored among the change marks. It counts down from zero: queries for changes look for
 * versions above a known one, and never return it.
 */
export async function write(db: Db, node: string, count: number): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('change_marks')
    .values({ name: prefix + node, version: -count })
    .modifyEnd(upsert(['name'], { version: incoming('version') }))
    .execute();
}

/** The count of the last heartbeat of each of these processes; one without any is absent. */
export async function lastCounts(db: Db, nodes: readonly string[]): Promise<Map<string, number>> {
  if (nodes.length === 0) return new Map();
  const rows = await db
    .selectFrom('change_marks')
    .selectAll()
    .where(
      'name',
      'in',
      nodes.map((node) => prefix + node),
    )
    .execute();
  return new Map(rows.map(({ name, version }) => [name.slice(prefix.length), -version]));
}

/** The count of the last heartbeat of every process, including dead ones. */
export async function all(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('change_marks')
    .selectAll()
    .where('name', 'like', `${prefix}%`)
    .where('version', '<', 0)
    .execute();
  return new Map(rows.map(({ name, version }) => [name.slice(prefix.length), -version]));
}

/** Deletes the heartbeat of a process that has ended. */
export async function forget(db: Db, node: string): Promise<void> {
  await db
    .deleteFrom('change_marks')
    .where('name', '=', prefix + node)
    .execute();
}
