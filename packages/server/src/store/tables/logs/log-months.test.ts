import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { nextMonth } from '../../../lib/clock.ts';
import { logRow } from '../../../testing/log-row.ts';
import type { Db } from '../../dialects/types.ts';
import { eachDialect, freshServer, missingServer } from '../../each-dialect.ts';
import { migrate } from '../../migrate.ts';
import { migrations } from '../../migrations/index.ts';
import { openStore } from '../../open.ts';
import { addToHour, sumKinds, sumPart } from './hours/sums.ts';
import { mark, moveOn, summedUntil } from './hours/marks.ts';
import { countBefore, deleteSome, dropMonths, insert, makeMonths, stat } from './logs.ts';

const hour = 3600;
const first = nextMonth(Math.floor(Date.now() / 1000));
const [second, third] = [nextMonth(first), nextMonth(first, 2)];

/** One charge in each of the months before `first`, of `first` and of `second`, and a late one in the last. */
const times = [first - 2 * hour, first + hour, first + 30 * hour, second + hour];

async function fill(db: Db): Promise<void> {
  await makeMonths(db, second);
  await insert(
    db,
    times.map((created_at, at) => logRow({ created_at, quota: 10 ** at, request_id: `r${at}` })),
  );
}

/** Sums the hours of the rows, as the job does. */
async function sumAll(db: Db): Promise<void> {
  for (const at of times) {
    const from = at - (at % hour);
    await moveOn(db, await summedUntil(db), from);
    await addToHour(db, { from, to: from + hour, sums: await sumPart(db, { from, to: from + hour }) });
  }
  await moveOn(db, await summedUntil(db), third);
  await db.deleteFrom('log_hour_marks').execute();
}

const readHours = (db: Db) =>
  db
    .selectFrom('log_hours')
    .select(['hour', 'gone', 'quota'])
    .where('kind', '=', sumKinds.all)
    .orderBy('hour')
    .execute();

/** A row of a version without tags. */
const formerRow = (createdAt: number) => {
  const { tags: _, ...row } = logRow({ created_at: createdAt });
  return row;
};

const partitions = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'logs'::regclass`.execute(db);
  return rows.map(({ name }) => name).toSorted();
};

const nameOf = (month: number) =>
  `logs_${new Date(month * 1000).toISOString().slice(0, 7).replace('-', '_')}`;

eachDialect('months of the log', ({ open }) => {
  it('go with their rows alone, and what they charged stays in the sums', async () => {
    const { db } = await open();
    await fill(db);
    const tagged = times.map((created_at) => logRow({ created_at, quota: 0, tags: '{"team":"a"}' }));
    await insert(db, tagged);
    await sumAll(db);
    const before = await stat(db, {}, third);
    let deleted = await dropMonths(db, second);
    for (let found = -1; found !== 0; deleted += found)
      found = (await deleteSome(db, { from: 0, before: second }, 10)).rows;
    expect(deleted).toBe(6);
    const left = await db.selectFrom('log_tags').select('created_at').execute();
    expect(left).toEqual([{ created_at: times.at(-1) }]);
    expect(await countBefore(db, third)).toBe(2);
    expect(await stat(db, {}, third)).toEqual(before);
    expect((await readHours(db)).filter(({ quota }) => quota > 0).map(({ gone }) => gone)).toEqual([
      1, 1, 1, 0,
    ]);
  });
});

const missing = missingServer('postgres');
describe.skipIf(missing !== undefined)(
  `partitions of the log on PostgreSQL${missing ? ` (${missing})` : ''}`,
  () => {
    const openFresh = async (upTo = migrations.length) => {
      const store = await openStore({ url: await freshServer('postgres') });
      await migrate(store, { migrations: migrations.slice(0, upTo) });
      return store;
    };

    it('of summed months are dropped at once, and others stay', async () => {
      await using store = { ...(await openFresh()), [Symbol.asyncDispose]: () => store.close() };
      const { db } = store;
      await fill(db);
      const all = await partitions(db);
      expect(all).toEqual(
        ['logs_before', 'logs_later', ...[0, 1, 2, 3].map((m) => nameOf(nextMonth(first, m)))].toSorted(),
      );
      expect(await dropMonths(db, third)).toBe(0);
      await sumAll(db);
      await mark(db, [first + hour - ((first + hour) % hour)]);
      expect(await dropMonths(db, third)).toBe(2);
      expect(await partitions(db)).toEqual(
        all.filter((name) => ![nameOf(second), 'logs_before'].includes(name)),
      );
      await db.deleteFrom('log_hour_marks').execute();
      expect(await dropMonths(db, third)).toBe(2);
      // A row is written even if the partition of its time no longer exists.
      await insert(db, [logRow({ created_at: 1_000 })]);
      expect(await countBefore(db, third)).toBe(1);
    });

    it('wait for nobody for long: a report that reads the log keeps them until the next time', async () => {
      await using store = { ...(await openFresh()), [Symbol.asyncDispose]: () => store.close() };
      const { db } = store;
      await fill(db);
      await sumAll(db);
      await db.transaction().execute(async (report) => {
        await countBefore(report, third);
        expect(await dropMonths(db, first)).toBe(0);
      });
      expect(await dropMonths(db, first)).toBe(1);
    });

    it('take in rows that were written before they were made', async () => {
      await using store = { ...(await openFresh()), [Symbol.asyncDispose]: () => store.close() };
      const { db } = store;
      await insert(db, [logRow({ created_at: third + 5, request_id: 'early', tags: '{"team":"a"}' })]);
      const rowsOfTag = () => db.selectFrom('log_tags').select(['name', 'value', 'created_at']).execute();
      expect(await rowsOfTag()).toHaveLength(1);
      await makeMonths(db, third);
      await makeMonths(db, third);
      const { rows } = await sql<{ name: string }>`
      select tableoid::regclass::text as name from logs where request_id = 'early'`.execute(db);
      expect(rows).toEqual([{ name: nameOf(third) }]);
      expect(await rowsOfTag()).toEqual([{ name: 'team', value: 'a', created_at: third + 5 }]);
      await db.deleteFrom('logs').execute();
      expect(await rowsOfTag()).toEqual([]);
    });

    it('come to a log of an older version, with its rows, its indexes and the next id', async () => {
      const upTo = migrations.findIndex(({ name }) => name.endsWith('-log-months'));
      await using store = { ...(await openFresh(upTo)), [Symbol.asyncDispose]: () => store.close() };
      const { db } = store;
      // A row from a time when a clock was wrong.
      const late = nextMonth(first, 7);
      await db
        .insertInto('logs')
        .values([1_000, first - 5, late].map(formerRow))
        .execute();
      await db.deleteFrom('logs').where('created_at', '=', late).execute();
      await db
        .insertInto('logs')
        .values([formerRow(late), formerRow(2_000)])
        .execute();
      await db.deleteFrom('logs').where('created_at', '=', 2_000).execute();
      const indexes = async (table: string) => {
        const { rows } = await sql<{ definition: string }>`
        select indexdef as definition from pg_indexes where tablename = ${table}`.execute(db);
        return rows.map(({ definition }) => definition.slice(definition.indexOf('('))).toSorted();
      };
      const before = await indexes('logs');
      await migrate(store);
      expect((await indexes('logs')).filter((one) => one !== '(id, created_at)')).toEqual(
        before.filter((one) => one !== '(id)'),
      );
      expect(await indexes('logs_before')).toEqual(await indexes('logs'));
      await insert(db, [logRow({ created_at: 3_000 })]);
      const rows = await db.selectFrom('logs').select(['id', 'created_at']).orderBy('id').execute();
      expect(rows.map(({ created_at }) => created_at)).toEqual([1_000, first - 5, late, 3_000]);
      expect(rows.at(-1)?.id).toBeGreaterThan(5);
      await migrate(store);
    });
  },
);
