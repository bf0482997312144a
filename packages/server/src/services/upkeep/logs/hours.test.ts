import { logFilters, logType, testTokenName } from '@tollgate/contract';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import {
  type Db,
  ledger,
  logHourMarks,
  logHours as sums,
  logs as logRows,
  modelCharges,
} from '../../../store/index.ts';
import { createAudit } from '../../site/audit/index.ts';
import { createLogHours, createLogs, type LogEntry, type LogHours, type Logs } from './index.ts';

const hour = 3600;
/** A row without a team has sums of all kinds except one. */
const kindsOfOne = 8;
/** The start of a day. */
const start = 1_700_006_400;

/** The test's own record of a charge, kept after the deletion of its row. */
interface Charge {
  requestId: string;
  at: number;
  quota: number;
  /** Amount refunded, or charged in addition. */
  refunded: number;
  user: number;
  name: string;
  model: string;
  channel: number;
  group: string;
  key: string;
  token: number;
  team: number;
  /** State of a deleted row in the sums: kept only if its hour was summed before. */
  isGone: boolean;
  isKept: boolean;
}

const one = <T>(values: readonly T[]) => fc.constantFrom(...values);
const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('charge' as const),
      back: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8 * hour })),
      quota: fc.integer({ min: 0, max: 1_000 }),
      user: one([1, 2]),
      name: one(['ann', 'bob']),
      model: one(['a', 'b', 'A']),
      channel: one([1, 2]),
      group: one(['default', 'vip']),
      key: one(['k', testTokenName]),
      // The playground has no key.
      token: one([5, 5, 0]),
      team: one([0, 0, 7]),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      which: fc.nat(),
      quota: fc.integer({ min: -200, max: 900 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('test' as const), back: fc.nat(4 * hour) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('correct' as const), which: fc.nat(), quota: fc.nat(500) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      back: fc.nat(9 * hour),
      rows: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      seconds: fc.oneof(fc.nat(20 * 60), fc.nat(2 * hour)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sum' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const) }) },
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

eachDialect('sums of the log by the hour', ({ open, openAgain }) => {
  let db: Db;
  let logs: Logs;
  let hours: LogHours;
  let now: number;
  let charges: Charge[];

  beforeEach(async () => {
    await begin(await open());
  });
  const begin = async (store: { db: Db }) => {
    ({ db } = store);
    now = start + 20 * hour;
    charges = [];
    for (const table of ['logs', 'log_hours', 'log_hour_marks', 'change_marks'] as const)
      await db.deleteFrom(table).execute();
    const clock = () => now * 1000;
    const audit = createAudit({ db, reports: db, clock });
    logs = createLogs({ reports: db, db, audit, clock, channelName: () => '' });
    hours = createLogHours({ db, reports: db, clock });
  };

  const write = (some: Partial<LogEntry>) =>
    logs.write({ type: logType.consume, user_id: 1, username: 'ann', content: '', ...some });

  const take = async (step: Step): Promise<void> => {
    if (step.kind === 'charge') await charge(step);
    else if (step.kind === 'refund') await refund(step.which, step.quota);
    else if (step.kind === 'test')
      await write({ created_at: now - step.back, quota: 900, token_name: testTokenName, model_name: 'a' });
    else if (step.kind === 'correct') await correct(step.which, step.quota);
    else if (step.kind === 'delete') await remove(now - step.back, step.rows);
    else if (step.kind === 'pass') now += step.seconds;
    else if (step.kind === 'sum') await hours.work(Infinity);
    else await hours.rebuild();
  };

  const charge = async ({ back, ...rest }: Extract<Step, { kind: 'charge' }>) => {
    const row: Charge = {
      ...rest,
      requestId: `r${charges.length}`,
      at: now - back,
      refunded: 0,
      isGone: false,
      isKept: false,
    };
    charges.push(row);
    const marks = await db.selectFrom('log_hour_marks').select('id').execute();
    await write({
      request_id: row.requestId,
      created_at: row.at,
      quota: row.quota,
      user_id: row.user,
      username: row.name,
      model_name: row.model,
      channel_id: row.channel,
      group: row.group,
      // A key may have any name, also the name of test calls. Test calls have no key.
      token_id: row.key === testTokenName ? 5 : row.token,
      token_name: row.key,
      team_id: row.team,
    });
    if (back > 0) return;
    // A row in time leaves no mark. By the machine's clock all of these rows are late.
    const known = marks.map(({ id }) => id);
    let left = db.deleteFrom('log_hour_marks').where('hour', '=', row.at - (row.at % hour));
    if (known.length > 0) left = left.where('id', 'not in', known);
    await left.execute();
  };

  const correct = async (which: number, quota: number) => {
    const row = charges[which % Math.max(1, charges.length)];
    if (!row) return;
    await ledger.correctLogs(db, [{ requestId: row.requestId, quota, log: null }]);
    if (!row.isGone) row.quota = quota;
  };

  const refund = async (which: number, quota: number) => {
    const row = charges[which % Math.max(1, charges.length)];
    if (!row) return;
    const { requestId, model } = row;
    await logRows.refund(db, [{ requestId, quota }]);
    await write({ type: logType.refund, created_at: now, quota, model_name: model, request_id: requestId });
    if (!row.isGone) row.refunded += quota;
  };

  const remove = async (before: number, most: number) => {
    const until = await logHourMarks.summedUntil(db);
    await logs.remove(before, most);
    const rows = await db
      .selectFrom('logs')
      .select('request_id')
      .where('type', '=', logType.consume)
      .execute();
    const left = new Set(rows.map((row) => row.request_id));
    for (const row of charges) {
      if (row.isGone || left.has(row.requestId)) continue;
      row.isGone = true;
      row.isKept = row.at < until;
    }
  };

  /** Expected sums: existing rows, and deleted rows in whole hours of the period. */
  const expected = (is: (row: Charge) => boolean, from: number, to: number) => {
    const counted = charges.filter((row) => {
      if (!is(row)) return false;
      if (!row.isGone) return row.at >= from && row.at <= to;
      const itsHour = row.at - (row.at % hour);
      return row.isKept && itsHour >= from && itsHour + hour - 1 <= to;
    });
    const sum = (some: readonly Charge[], of: 'quota' | 'refunded') =>
      some.reduce((all, row) => all + row[of], 0);
    const byTeams = counted.filter(({ team }) => team !== 0);
    return {
      quota: sum(counted, 'quota'),
      team_quota: sum(byTeams, 'quota'),
      refunded: sum(counted, 'refunded'),
      team_refunded: sum(byTeams, 'refunded'),
    };
  };

  const questions: readonly [Record<string, unknown>, (row: Charge) => boolean][] = [
    [{}, () => true],
    [{ username: 'bob' }, ({ name }) => name === 'bob'],
    [{ username: 'nobody' }, () => false],
    [{ model_name: 'a' }, ({ model }) => model === 'a'],
    [{ channel: 2 }, ({ channel }) => channel === 2],
    [{ group: 'vip' }, ({ group }) => group === 'vip'],
    [{ token_name: testTokenName }, ({ key }) => key === testTokenName],
    [{ payer: '7' }, ({ team }) => team === 7],
    [{ payer: 'team' }, ({ team }) => team !== 0],
    [{ payer: 'user', channel: 1 }, ({ team, channel }) => team === 0 && channel === 1],
  ];

  const ownQuestions: typeof questions = [
    [{}, () => true],
    [{ model_name: 'a', payer: 'user' }, ({ model, team }) => model === 'a' && team === 0],
  ];

  const compare = async (from: number, to: number) => {
    for (const [some, is] of questions) {
      const filters = logFilters.parse({ ...some, start_timestamp: from, end_timestamp: to });
      const { rpm: _rpm, tpm: _tpm, ...charged } = await logs.stat(filters);
      const last = to === 0 ? Infinity : to;
      expect([some, charged]).toEqual([some, expected(is, from, last)]);
    }
    for (const [some, is] of ownQuestions) {
      const filters = logFilters.parse({ ...some, start_timestamp: from, end_timestamp: to });
      const { rpm: _rpm, tpm: _tpm, ...own } = await logs.ownStat(2, filters);
      const isOwn = (row: Charge) => row.user === 2 && is(row);
      expect([some, own]).toEqual([some, expected(isOwn, from, to === 0 ? Infinity : to)]);
    }
    const end = to === 0 ? 4_000_000_000 : to;
    const byModel = (of: (is: (row: Charge) => boolean) => number) =>
      ['a', 'b', 'A'].flatMap((model) => {
        const quota = of((row) => row.model === model);
        return quota === 0 ? [] : [{ model, quota }];
      });
    const sorted = (found: Awaited<ReturnType<typeof modelCharges>>) =>
      byModel((is) => found.find(({ model }) => is({ model } as Charge))?.quota ?? 0);
    expect(sorted(await modelCharges(db, { userId: 2, start: from, end }))).toEqual(
      byModel((is) => expected((row) => row.user === 2 && row.team === 0 && is(row), from, end).quota),
    );
    // Charges of a team are those of existing rows.
    expect(sorted(await modelCharges(db, { teamId: 7, start: from, end }))).toEqual(
      byModel((is) => expected((row) => row.team === 7 && !row.isGone && is(row), from, end).quota),
    );
  };

  it('are those of the rows, whatever is written, corrected and deleted in any order', async () => {
    const store = await openAgain();
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { minLength: 5, maxLength: 30 }),
        fc.nat(30 * hour),
        fc.nat(30 * hour),
        async (some, from, length) => {
          await begin(store);
          for (const step of some) await take(step);
          const spans = () => [
            [0, 0],
            [start + from, start + from + length],
            // Within the partly summed hour, and to the end of the day as in the console's query.
            [start + from, now - 20 * 60],
            [now - 2 * hour, now + hour],
          ];
          for (const [first, last] of spans()) await compare(first!, last!);
          await hours.work(Infinity);
          for (const [first, last] of spans()) await compare(first!, last!);
          expect(await logHourMarks.markedBefore(db, await logHourMarks.summedUntil(db))).toEqual([]);
        },
      ),
      { numRuns: 4 },
    );
  }, 60_000);

  it('keep the charge of a correction of a free call when its row is deleted', async () => {
    await write({ request_id: 'free', created_at: start + 10, quota: 0 });
    await logRows.refund(db, [{ requestId: 'free', quota: -3 }]);
    await hours.work(Infinity);
    await logs.remove(now, 10);
    expect(await logs.stat(logFilters.parse({}))).toMatchObject({ quota: 0, refunded: -3 });
    await hours.work(Infinity);
    expect(await logs.stat(logFilters.parse({}))).toMatchObject({ quota: 0, refunded: -3 });
  });

  it('are read from sums alone once their hours are over, and from rows where a row came late', async () => {
    await write({ created_at: start + 10, quota: 5 });
    await hours.work(Infinity);
    // A sum that matches no row shows the source of an answer.
    await db.updateTable('log_hours').set({ quota: 1_000 }).execute();
    expect((await logs.stat(logFilters.parse({}))).quota).toBe(1_000);
    expect((await logs.stat(logFilters.parse({ model_name: '%', username: 'ann' }))).quota).toBe(5);
    await write({ created_at: start + 20, quota: 2 });
    expect((await logs.stat(logFilters.parse({}))).quota).toBe(7);
    await hours.work(Infinity);
    expect((await logs.stat(logFilters.parse({}))).quota).toBe(7);
    await db.updateTable('log_hours').set({ quota: 1_000 }).execute();
    expect((await logs.stat(logFilters.parse({}))).quota).toBe(1_000);
  });

  it('are not overwritten by the slower of two processes', async () => {
    await write({ created_at: start + 10, quota: 5 });
    const first = {
      from: 0,
      to: start + 300,
      sums: await sums.sumPart(db, { from: start, to: start + 300 }),
    };
    expect(await sums.addToHour(db, first)).toBe(true);
    expect(await sums.addToHour(db, first)).toBe(false);
    const marks = await logHourMarks.findMarks(db, start);
    const anew = { hour: start, sums: first.sums, marks, until: start + 300 };
    // In the meantime, another part of the hour was added to the sums.
    await write({ created_at: start + 310, quota: 2 });
    const second = { from: start + 300, to: start + 600 };
    expect(await sums.addToHour(db, { ...second, sums: await sums.sumPart(db, second) })).toBe(true);
    expect(await sums.putHour(db, anew)).toBe(false);
    expect(await sums.ofHour(db, start)).toMatchObject(Array(kindsOfOne).fill({ quota: 7 }));
    expect(await hours.work(Infinity)).toBeGreaterThan(0);
    expect(await sums.putHour(db, { ...anew, until: await logHourMarks.summedUntil(db) })).toBe(false);
  });

  it('are read from sums up to some minutes ago, within an hour too', async () => {
    now = start + 50 * 60;
    await write({ created_at: start + 10, quota: 5 });
    await hours.work(Infinity);
    const until = await logHourMarks.summedUntil(db);
    expect(until).toBeGreaterThanOrEqual(now - 20 * 60);
    expect(until).toBeLessThan(now);
    await db.updateTable('log_hours').set({ quota: 1_000 }).execute();
    await write({ created_at: until, quota: 2 });
    await db.deleteFrom('log_hour_marks').execute();
    const filter = (end: number) => logFilters.parse({ start_timestamp: start, end_timestamp: end });
    expect((await logs.stat(filter(0))).quota).toBe(1_002);
    expect((await logs.stat(filter(now))).quota).toBe(1_002);
    expect((await logs.stat(filter(until - 1))).quota).toBe(1_000);
    // A period that ends before the summed part of the hour is read from rows.
    expect((await logs.stat(filter(until - 2))).quota).toBe(5);
  });

  it('are checked against the rows', async () => {
    now = start + 5 * hour;
    await write({ created_at: start + 4 * hour - 10, quota: 5, model_name: 'a' });
    await hours.work(Infinity);
    now = start + 4 * hour + 900;
    const looked = async () => {
      const found: string[] = [];
      for (let run = 0; run < 48; run += 1) {
        found.push(...(await hours.check()));
        now += 600;
      }
      return found;
    };
    expect(await looked()).toEqual([]);
    await db
      .updateTable('log_hours')
      .set({ quota: 6 })
      .where('name', '=', 'a')
      .where('kind', '=', sums.sumKinds.model)
      .execute();
    expect(await looked()).toEqual([`log_hours ${start + 3 * hour}: 3 0 a: the rows say 5`]);
  });

  it('find the former owner of a name that is no longer in use', async () => {
    await write({ created_at: start + 10, user_id: 9, username: 'former', content: 'found' });
    const list = async () =>
      (await logs.list(logFilters.parse({ username: 'former' }), { page: 1, pageSize: 5 })).items;
    expect(await list()).toMatchObject([{ content: 'found' }]);
    await hours.work(Infinity);
    expect(await list()).toMatchObject([{ content: 'found' }]);
    await write({ created_at: now, user_id: 10, username: 'former', content: 'another' });
    expect((await list()).map(({ content }) => content)).toEqual(['another', 'found']);
    expect(await logRows.list(db, { username: 'nobody' }, { offset: 0, limit: 5 })).toMatchObject({
      rows: [],
    });
  });
});
