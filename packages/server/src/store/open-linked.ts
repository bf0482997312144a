import { Kysely } from 'kysely';
import type { ProcessLink } from '../lib/processes/process-link.ts';
import { dialectOf } from './db.ts';
import { sqliteDialectOn } from './drivers/sqlite-driver.ts';
import { openForReading, SqliteFile } from './drivers/sqlite-file.ts';
import { SqliteReaders, sqliteReaderDialect } from './drivers/sqlite-reader.ts';
import type { Database } from './schema/index.ts';
import { LinkedDriver } from './linked/linked-driver.ts';
import { followThrough } from './linked/change-notices.ts';

interface LinkedOptions {
  path: string;
  /** The process that has the file open for writing, and offers to write. */
  writer: ProcessLink;
  busyWaitMs: number;
  reportTimeoutMs: number;
}

/** Opens a SQLite file that another process of Tollgate writes: this one can only read it. */
export function openLinked({ path, writer, busyWaitMs, reportTimeoutMs }: LinkedOptions) {
  const file = new SqliteFile(path, openForReading(path), busyWaitMs);
  const db = new Kysely<Database>({ dialect: sqliteDialectOn(() => new LinkedDriver(file, writer)) });
  const readers = new SqliteReaders(path, reportTimeoutMs);
  const reports = new Kysely<Database>({ dialect: sqliteReaderDialect(readers) });
  const listen = followThrough(writer);
  const close = async (): Promise<void> => {
    await readers.close();
    await db.destroy();
    await file.close();
  };
  return { kind: 'sqlite' as const, db, reports, dialect: dialectOf(db), listen, close };
}
