import { type RawBuilder, sql } from 'kysely';
import { archiveOf, ArchiveUnavailable } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { archivedUpTo } from './marks.ts';

/** Rows with ids above one, up to another; an absent end is open. */
export interface IdRange {
  above?: number;
  upTo?: number;
}

/** A database with rows of the log, and the range of rows that count there. */
export interface Side {
  db: Db;
  ids: IdRange;
  /** The archive, not the main database. */
  isArchive: boolean;
  /** Rows have moved to an archive, but LOG_SQL_DSN is not set: `readOn` refuses, and `db` is not to be read. */
  isMissing?: boolean;
}

/** Databases with rows of the log: the main database first, then the archive if rows have been moved to one. */
export const findSides = async (db: Db): Promise<readonly [Side, ...Side[]]> =>
  sidesAt(db, await archivedUpTo(db));

function sidesAt(db: Db, cut: number): readonly [Side, ...Side[]] {
  if (cut === 0) return [{ db, ids: {}, isArchive: false }];
  const main = { db, ids: { above: cut }, isArchive: false };
  const archive = archiveOf(db);
  const far = { ids: { upTo: cut }, isArchive: true };
  return [main, archive ? { ...far, db: archive.reports } : { ...far, db, isMissing: true }];
}

/** Reads on one side. Throws ArchiveUnavailable if the archive does not answer, or is no longer configured. */
export async function readOn<T>(side: Side, read: (side: Side) => Promise<T>): Promise<T> {
  if (!side.isArchive) return read(side);
  if (side.isMissing) throw new ArchiveUnavailable(new Error('LOG_SQL_DSN is not set'));
  try {
    return await read(side);
  } catch (error) {
    throw new ArchiveUnavailable(error);
  }
}

/** Results of each side; the main database's first. Both read behind the same cut, so that no row counts twice. */
export async function onSides<T>(db: Db, read: (side: Side) => Promise<T>): Promise<T[]> {
  const sides = await findSides(db);
  return Promise.all(sides.map((side) => readOn(side, read)));
}

/** Maximum repetitions of a sum because rows were moved meanwhile. */
const sumTries = 4;

/**
 * The same for sums by the hour, which are not bound by ids: if the cut moved while they were read, they are read
 * again.
 * While an old log is moved without a pause the last try counts, which may be off by a batch.
 */
export async function onStillSides<T>(db: Db, read: (side: Side) => Promise<T>): Promise<T[]> {
  for (let cut = await archivedUpTo(db), tries = 1; ; tries += 1) {
    // Without an archive nothing moves.
    if (cut === 0 && !archiveOf(db)) return [await read({ db, ids: {}, isArchive: false })];
    const answers = await Promise.all(sidesAt(db, cut).map((side) => readOn(side, read)));
    const after = await archivedUpTo(db);
    if (after === cut || tries === sumTries) return answers;
    cut = after;
  }
}

/** Additional condition on rows of the log; empty if all rows count. */
export const inIdRange = ({ above, upTo }: IdRange): RawBuilder<unknown> =>
  sql`${above === undefined ? sql`` : sql`and id > ${sql.lit(above)}`} ${upTo === undefined ? sql`` : sql`and id <= ${sql.lit(upTo)}`}`;

/** Merges rows of both sides with the same key: these columns are added. */
export function addUp<Column extends string, T extends Record<Column, number>>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  columns: readonly Column[],
): T[] {
  const sums = new Map<string, T>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row));
    const grown = sum && Object.fromEntries(columns.map((column) => [column, sum[column] + row[column]]));
    sums.set(keyOf(row), { ...row, ...grown });
  }
  return [...sums.values()];
}
