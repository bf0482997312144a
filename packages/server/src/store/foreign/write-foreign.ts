import { sql } from 'kysely';
import { openStore } from '../open.ts';

/** For tests: runs statements on a database that is not ours, one after the other. */
export async function writeForeign(url: string, statements: readonly string[]): Promise<void> {
  const store = await openStore({ url, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
  try {
    for (const statement of statements) await sql.raw(statement).execute(store.db);
    // A file without a journal beside it, as after a stop of the other program.
    if (store.kind === 'sqlite') await sql.raw('pragma journal_mode = delete').execute(store.db);
  } finally {
    await store.close();
  }
}
