import type { Db } from '../dialects/types.ts';
import { dialectOf } from '../db.ts';

const prefix = 'node:';

/**
 * A sign of life of one process, kept among the change marks. Counted downwards from zero: those who ask what changed
 * look for versions above one they know, and never see it.
 */
export async function beat(db: Db, node: string, count: number): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('change_marks')
    .values({ name: prefix + node, version: -count })
    .modifyEnd(upsert(['name'], { version: incoming('version') }))
    .execute();
}

/** The last sign of each of these processes; one that never gave any is absent. */
export async function lastBeats(db: Db, nodes: readonly string[]): Promise<Map<string, number>> {
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

/** The last sign of every process that left one, the dead among them. */
export async function all(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('change_marks')
    .selectAll()
    .where('name', 'like', `${prefix}%`)
    .where('version', '<', 0)
    .execute();
  return new Map(rows.map(({ name, version }) => [name.slice(prefix.length), -version]));
}

/** A process that ended in good order leaves nothing behind. */
export async function forget(db: Db, node: string): Promise<void> {
  await db
    .deleteFrom('change_marks')
    .where('name', '=', prefix + node)
    .execute();
}
