import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectOf, inTransaction } from './db.ts';
import { eachDialect } from './each-dialect.ts';
import type { Db } from './dialects/types.ts';
import type { Store } from './open.ts';
import * as options from './tables/options.ts';

const entry = (txn: string, accountDelta: number, outsideDelta: number) => ({
  txn,
  kind: 'adjust',
  at: 1,
  account_id: 1,
  user_id: 1,
  token_id: 0,
  channel_id: 0,
  account_delta: accountDelta,
  reward_delta: 0,
  writeoff_delta: 0,
  outside_delta: outsideDelta,
  token_delta: 0,
  member_id: 0,
  member_delta: 0,
  actor_id: 0,
  note: '',
  budgets: '',
});

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

eachDialect('the database itself', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });

  it('refuses to change or delete what is in the ledger', async () => {
    await db
      .insertInto('ledger')
      .values(entry('t1', 5, -5))
      .execute();
    await expect(db.updateTable('ledger').set({ note: 'x' }).execute()).rejects.toThrow('append-only');
    await expect(db.deleteFrom('ledger').execute()).rejects.toThrow('append-only');
    expect(await db.selectFrom('ledger').select('note').execute()).toEqual([{ note: '' }]);
  });

  it('refuses a ledger row that does not sum to zero, or whose name exists', async () => {
    expect(
      await failure(
        db
          .insertInto('ledger')
          .values(entry('t1', 5, -4))
          .execute(),
      ),
    ).toBeInstanceOf(Error);
    await db
      .insertInto('ledger')
      .values(entry('t1', 5, -5))
      .execute();
    const error = await failure(
      db
        .insertInto('ledger')
        .values(entry('t1', 1, -1))
        .execute(),
    );
    expect(dialectOf(db).isUniqueViolation(error)).toBe(true);
  });

  it.each(['balance', 'held'] as const)(
    'keeps %s from falling below zero under any statement',
    async (column) => {
      await db.insertInto('accounts').values({ balance: 10, held: 10 }).execute();
      await expect(
        db
          .updateTable('accounts')
          .set({ [column]: -1 })
          .execute(),
      ).rejects.toThrow(column);
      await expect(
        db
          .updateTable('accounts')
          .set((eb) => ({ [column]: eb(column, '-', 11) }))
          .execute(),
      ).rejects.toThrow(column);
      expect(await db.selectFrom('accounts').select(column).executeTakeFirst()).toEqual({ [column]: 10 });
    },
  );

  it('gives back the largest safe integer exactly, alone and in a sum, and refuses larger ones', async () => {
    const largest = Number.MAX_SAFE_INTEGER;
    await db.insertInto('accounts').values({ balance: largest, held: 0 }).execute();
    const read = await db
      .selectFrom('accounts')
      .select((eb) => ['balance', eb.fn.sum<number>('balance').as('sum')])
      .groupBy('balance')
      .executeTakeFirstOrThrow();
    expect(read).toEqual({ balance: largest, sum: largest });
    await expect(
      db
        .updateTable('accounts')
        .set((eb) => ({ balance: eb('balance', '+', 1) }))
        .execute(),
    ).rejects.toThrow('balance');
    await expect(
      db
        .updateTable('accounts')
        .set({ balance: 2 ** 53 })
        .execute(),
    ).rejects.toThrow('2^53');
  });

  it('never gets a value that a driver would misread', async () => {
    for (const value of [
      new Date() as unknown,
      { toString: () => '1' },
      [1],
      undefined,
      Number.NaN,
      1e308 * 10,
    ]) {
      const query = db
        .selectFrom('options')
        .selectAll()
        .where('key', '=', sql<string>`${value}`);
      await expect(query.execute()).rejects.toThrow(/stored|holds/);
    }
  });

  it('lets one of two conditional debits win', async () => {
    await db.insertInto('accounts').values({ balance: 100, held: 0 }).execute();
    const debit = async (): Promise<bigint> => {
      const result = await db
        .updateTable('accounts')
        .set((eb) => ({ balance: eb('balance', '-', 60) }))
        .where('balance', '>=', 60)
        .executeTakeFirstOrThrow();
      return result.numUpdatedRows;
    };
    expect((await Promise.all([debit(), debit()])).toSorted()).toEqual([0n, 1n]);
  });

  it('counts the rows an update found, whether or not it changed them', async () => {
    await db.insertInto('accounts').values({ balance: 7, held: 0 }).execute();
    const result = await db.updateTable('accounts').set({ balance: 7 }).executeTakeFirstOrThrow();
    expect(result.numUpdatedRows).toBe(1n);
  });

  it('groups times by hours, days and weeks that start on Monday', async () => {
    const { timeBucket } = dialectOf(db);
    // 2026-11-21 13:14:15 UTC, a Saturday.
    const at = 1_795_266_855;
    await db.insertInto('setups').values({ version: '', initialized_at: at }).execute();
    const bucket = async (unit: 'hour' | 'day' | 'week', offset = 0): Promise<string> => {
      const row = await db
        .selectFrom('setups')
        .select((eb) => timeBucket(eb.ref('initialized_at'), unit, offset).as('start'))
        .executeTakeFirstOrThrow();
      return new Date(row.start * 1000).toISOString();
    };
    expect(await bucket('hour')).toBe('2026-11-21T13:00:00.000Z');
    expect(await bucket('day')).toBe('2026-11-21T00:00:00.000Z');
    expect(await bucket('week')).toBe('2026-11-16T00:00:00.000Z');
    expect(await bucket('day', 8 * 3600)).toBe('2026-11-20T16:00:00.000Z');
  });
});

eachDialect('transactions', ({ open, openAgain }) => {
  it('that cross each other keep the sum: those rolled back for it are run again', async () => {
    const { db } = await open();
    for (let i = 0; i < 4; i += 1)
      await db.insertInto('accounts').values({ balance: 1000, held: 0 }).execute();
    const ids = (await db.selectFrom('accounts').select('id').orderBy('id').execute()).map(({ id }) => id);
    const move = (from: number, to: number): Promise<void> =>
      inTransaction(db, async (trx) => {
        for (const [id, change] of [
          [from, -1],
          [to, 1],
        ] as const) {
          const { balance } = await dialectOf(trx)
            .lockRows(trx.selectFrom('accounts').select('balance').where('id', '=', id))
            .executeTakeFirstOrThrow();
          await trx
            .updateTable('accounts')
            .set({ balance: balance + change })
            .where('id', '=', id)
            .execute();
        }
      });
    // Each pair in both directions: the classic cause of a deadlock.
    const moves = Array.from({ length: 12 }, (_, i) => {
      const from = ids[i % 4] ?? 0;
      const to = ids[(i + 1 + (i % 3)) % 4] ?? 0;
      return i % 2 === 0 ? move(from, to) : move(to, from);
    });
    await Promise.all(moves);
    const { sum } = await db
      .selectFrom('accounts')
      .select((eb) => eb.fn.sum<number>('balance').as('sum'))
      .executeTakeFirstOrThrow();
    expect(sum).toBe(4000);
  });

  it('inside another are part of it', async () => {
    const { db } = await open();
    const work = inTransaction(db, async (outer) => {
      await inTransaction(outer, (inner) => options.put(inner, 'a', '1'));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await options.all(db)).toEqual([]);
  });

  it('do not retry permanent failures', async () => {
    const { db } = await open();
    let runs = 0;
    const work = inTransaction(db, async (trx) => {
      runs += 1;
      await trx.insertInto('options').values({ key: 'a', value: '1' }).execute();
      await trx.insertInto('options').values({ key: 'a', value: '2' }).execute();
    });
    expect(dialectOf(db).isUniqueViolation(await failure(work))).toBe(true);
    expect(runs).toBe(1);
    expect(await options.all(db)).toEqual([]);
  });

  it('are seen by another store on the same database once they are committed', async () => {
    const { db } = await open();
    const other = await openAgain();
    await inTransaction(db, async (trx) => {
      await options.put(trx, 'a', '1');
      expect(await options.all(other.db)).toEqual([]);
      expect(await options.all(other.reports)).toEqual([]);
    });
    expect(await options.all(other.db)).toHaveLength(1);
    expect(await options.all(other.reports)).toHaveLength(1);
  });
});

eachDialect('reports', ({ open, openAgain }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  it('are read while a transaction is open', async () => {
    await inTransaction(store.db, async (trx) => {
      await options.put(trx, 'a', '1');
      expect(await options.all(store.reports)).toEqual([]);
    });
    expect(await options.all(store.reports)).toEqual([{ key: 'a', value: '1' }]);
  });

  it('are each answered, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const { rows } = await sql<{ n: number }>`select ${sql.lit(i)} as n`.execute(store.reports);
        return rows[0]?.n;
      }),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('answer with the same helpers, types and errors', async () => {
    expect(dialectOf(store.reports).kind).toBe(store.kind);
    await expect(sql`select * from nowhere`.execute(store.reports)).rejects.toThrow(/nowhere/);
    const { rows } = await sql<{ n: number }>`select count(*) as n from options`.execute(store.reports);
    expect(rows.map(({ n }) => n)).toEqual([0]);
  });

  it('end when they take too long, and the next one works', async () => {
    // A join of a table with itself, repeated many times: minutes of work for any database.
    await store.db
      .insertInto('options')
      .values(Array.from({ length: 300 }, (_, i) => ({ key: String(i), value: '' })))
      .execute();
    const endless = sql`select count(*) from options a, options b, options c, options d, options e
      where concat(a.value, b.value, c.value, d.value, e.value) <> ''`;
    // Long enough for the next query to be answered, even if a new thread must start on a busy machine.
    const hasty = await openAgain({ reportTimeoutMs: 3_000 });
    await expect(endless.execute(hasty.reports)).rejects.toThrow(
      /more than 3000 ms|timeout|interrupted|time/,
    );
    expect(await options.all(hasty.reports)).toHaveLength(300);
    await hasty.close();
  });
});

describe('a store in memory', () => {
  it('reads reports from its one connection', async () => {
    const { openStore } = await import('./open.ts');
    const store = await openStore({ url: 'sqlite::memory:' });
    expect(store.reports).toBe(store.db);
    await store.close();
    await expect(sql`select 1`.execute(store.db)).rejects.toThrow('not open');
  });
});
