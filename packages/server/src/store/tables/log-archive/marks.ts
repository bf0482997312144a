import { sql } from 'kysely';
import { dialectOf, inTransaction } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';

/** Name of the cut in the change marks. Its version is negative, so that queries for changes never return it. */
export const CUT = 'log-archive';

// The epoch of the archive, in its change marks; grows with each round of moving.
const EPOCH = 'log-archive-epoch';

// A number that a main database and its archive have in common.
const PAIR = 'log-archive-pair';

/**
 * The cut: log rows up to this id are read from the archive. 0 before the first move. Rows up to it may remain in the
 * main database for a while, and no longer count there.
 */
export async function archivedUpTo(db: Db): Promise<number> {
  const row = await db
    .selectFrom('change_marks')
    .select('version')
    .where('name', '=', CUT)
    .executeTakeFirst();
  return row ? 0 - row.version : 0;
}

/** The same under a lock, so that it does not change until the transaction ends. */
export async function lockArchivedUpTo(db: Db): Promise<number> {
  const query = db.selectFrom('change_marks').select('version').where('name', '=', CUT);
  const row = await dialectOf(db).lockRows(query).executeTakeFirst();
  return row ? 0 - row.version : 0;
}

/** Advances the cut, which starts at 0; false if another process has advanced it meanwhile. */
export async function moveCut(db: Db, from: number, to: number): Promise<boolean> {
  const { insertIfNew } = dialectOf(db);
  if (from === 0)
    await insertIfNew(db.insertInto('change_marks').values({ name: CUT, version: 0 }), ['name']);
  const moved = await db
    .updateTable('change_marks')
    .set({ version: 0 - to })
    .where('name', '=', CUT)
    .where('version', '=', 0 - from)
    .executeTakeFirstOrThrow();
  return moved.numUpdatedRows > 0n;
}

/** The number of the pair that a database belongs to; undefined if it has none. */
export async function findPair(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('change_marks')
    .select('version')
    .where('name', '=', PAIR)
    .executeTakeFirst();
  return row && 0 - row.version;
}

/** Makes a database one of a pair. */
export async function setPair(db: Db, number: number): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('change_marks')
    .values({ name: PAIR, version: 0 - number })
    .modifyEnd(upsert(['name'], { version: incoming('version') }))
    .execute();
}

/** Begins a new epoch of writes to an archive: writers of earlier epochs are refused. Returns the epoch, which every write names. */
export async function beginEpoch(archive: Db): Promise<number> {
  return inTransaction(archive, async (trx) => {
    await trx
      .insertInto('change_marks')
      .values({ name: EPOCH, version: -1 })
      .modifyEnd(
        dialectOf(trx).upsert(['name'], { version: sql<number>`${sql.ref('change_marks.version')} - 1` }),
      )
      .execute();
    const row = await trx
      .selectFrom('change_marks')
      .select('version')
      .where('name', '=', EPOCH)
      .executeTakeFirstOrThrow();
    return 0 - row.version;
  });
}

/** Another process is moving rows now. */
export class EpochEnded extends Error {}

/** Writes to the archive in one transaction. Throws EpochEnded, and nothing is written, once another epoch has begun. */
export function inEpoch<T>(archive: Db, epoch: number, work: (trx: Db) => Promise<T>): Promise<T> {
  return inTransaction(archive, async (trx) => {
    const query = trx.selectFrom('change_marks').select('version').where('name', '=', EPOCH);
    // Locked, so that the next epoch starts after this write.
    const row = await dialectOf(trx).lockRows(query).executeTakeFirst();
    if (row?.version !== 0 - epoch) throw new EpochEnded('another process moves the rows of the log now');
    return work(trx);
  });
}

// Ids seen by a round, for later processes.
const SEEN = {
  newest: 'log-archive-seen-row',
  cut: 'log-archive-seen-cut',
  at: 'log-archive-seen-at',
} as const;

/** The newest row and the cut, as read by a round; `at` in Unix seconds. */
export interface Sighting {
  newest: number;
  cut: number;
  at: number;
}

/** The stored sighting; undefined for none. */
export async function keptSighting(db: Db): Promise<Sighting | undefined> {
  const names = Object.values(SEEN);
  const rows = await db.selectFrom('change_marks').selectAll().where('name', 'in', names).execute();
  const found = new Map(rows.map(({ name, version }) => [name, 0 - version]));
  const [newest, cut, at] = names.map((name) => found.get(name));
  return newest === undefined || cut === undefined || at === undefined ? undefined : { newest, cut, at };
}

/** Stores a sighting; replaces the last one. */
export async function keepSighting(db: Db, { newest, cut, at }: Sighting): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('change_marks')
    .values([
      { name: SEEN.newest, version: 0 - newest },
      { name: SEEN.cut, version: 0 - cut },
      { name: SEEN.at, version: 0 - at },
    ])
    .modifyEnd(upsert(['name'], { version: incoming('version') }))
    .execute();
}

/** Deletes it: rows are returned, and stored cuts are no longer valid. */
export async function forgetSighting(db: Db): Promise<void> {
  await db.deleteFrom('change_marks').where('name', 'in', Object.values(SEEN)).execute();
}

/** Deletes the mark that rows have been moved from here. */
export async function forgetCut(db: Db): Promise<void> {
  await db.deleteFrom('change_marks').where('name', 'in', [CUT, PAIR]).execute();
}

/** True if rows of the log have ever been moved from here, or a move has begun. */
export async function hasCut(db: Db): Promise<boolean> {
  const row = await db.selectFrom('change_marks').select('name').where('name', '=', CUT).executeTakeFirst();
  return row !== undefined;
}
