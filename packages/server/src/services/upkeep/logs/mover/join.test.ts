import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { eachDialect } from '../../../../store/each-dialect.ts';
import { archivedUpTo, logs, migrate, openStore, schemaState } from '../../../../store/index.ts';
import { migrationsUpTo } from '../../../../testing/released/index.ts';
import { createLogMover } from '../index.ts';

eachDialect('the database of the log', ({ openBlank, url }) => {
  /** A main database with a row. Its archive is the database at `url`. */
  const openBoth = async () => {
    const store = await openStore({ url: 'sqlite::memory:', logUrl: url() });
    await migrate(store);
    await logs.insert(store.db, [
      { ...logs.blank, user_id: 1, username: 'ann', content: '', type: 2, created_at: 100, quota: 5 },
    ]);
    let now = 1_700_000_000_000;
    const warnings: string[] = [];
    const log = { info: () => {}, warn: ({ err }: { err?: Error }) => warnings.push(err?.message ?? '') };
    const clock = () => now;
    const { db, archive } = store;
    const mover = createLogMover({ db, archive: archive!, clock, sleep: async () => {}, log });
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await mover.work(60_000);
      now += 121_000;
    }
    return { store, warnings };
  };

  it('of an earlier release is migrated before rows move to it', async () => {
    const blank = await openBlank();
    await migrate(blank, { migrations: migrationsUpTo('0021-log-refunds') });
    const { store, warnings } = await openBoth();
    try {
      expect(warnings).toEqual([]);
      expect(await schemaState(store.archive!)).toBe('current');
      expect(await archivedUpTo(store.db)).toBe(1);
      expect((await logs.stat(store.db, {}, 1)).quota).toBe(5);
    } finally {
      await store.close();
    }
  });

  it('of a later release is left as it is, and rows stay in the main database', async () => {
    const blank = await openBlank();
    await migrate(blank);
    await sql`insert into migrations (name, steps, applied_at) values ('9999-of-tomorrow', 1, 1)`.execute(
      blank.db,
    );
    const { store, warnings } = await openBoth();
    try {
      expect(warnings).toEqual([expect.stringMatching(/newer|9999-of-tomorrow/)]);
      expect(await archivedUpTo(store.db)).toBe(0);
      expect((await logs.list(store.db, {}, { offset: 0, limit: 5 })).rows).toHaveLength(1);
    } finally {
      await store.close();
    }
  });
});
