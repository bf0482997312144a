import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { armFaults, type FaultPoint } from '../../../../lib/fault-point.ts';
import { eachDialect } from '../../../../store/each-dialect.ts';
import {
  archivedUpTo,
  ArchiveUnavailable,
  bookWindows,
  logChanges,
  archiveMarks,
  logMoves,
  logs,
  migrate,
  openStore,
  personalData,
  SqliteLedger,
  type Store,
} from '../../../../store/index.ts';
import { everyRead } from '../../../../testing/log-archive/every-read.ts';
import { Opened } from '../../../../testing/log-archive/open-pair.ts';
import { LogPair } from '../../../../testing/log-archive/pair.ts';

const hour = 3600;
const points: readonly FaultPoint[] = ['log-copied', 'log-cut-moved', 'log-compared', 'log-changes-made'];

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('charge' as const),
      back: fc.oneof(fc.constant(0), fc.nat(8 * hour)),
      row: fc.record({
        quota: fc.nat(900),
        user_id: fc.constantFrom(1, 2),
        username: fc.constantFrom('ann', 'bob'),
        model_name: fc.constantFrom('a', 'b', 'ab'),
        channel_id: fc.constantFrom(1, 2),
        group: fc.constantFrom('default', 'vip'),
        team_id: fc.constantFrom(0, 0, 7),
        token_id: fc.constantFrom(5, 6),
        token_name: fc.constantFrom('k', 'l'),
        prompt_tokens: fc.nat(50),
        is_stream: fc.constantFrom(0, 1),
        cost: fc.constantFrom(null, 3),
        other: fc.constantFrom('{}', '{"upstream_model_name":"x","cache_tokens":2}'),
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('refund' as const, 'correct' as const),
      which: fc.nat(),
      quota: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), back: fc.nat(6 * hour) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.nat(2 * hour) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('round' as const, 'settle' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('die' as const), point: fc.constantFrom(...points) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('sum' as const, 'sumMain' as const) }) },
  // Dies in the step with that number; 0 for none.
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('return' as const), diesIn: fc.nat(2) }) },
);
/** The test compares reads after these steps. */
const comparedAfter: ReadonlySet<string> = new Set(['round', 'die', 'delete', 'return', 'sum', 'sumMain']);

type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

async function take(pair: LogPair, step: Step): Promise<void> {
  const { requestIds } = pair;
  if (step.kind === 'charge') await pair.charge({ ...step.row, created_at: pair.now - step.back });
  else if (step.kind === 'refund' || step.kind === 'correct') {
    const requestId = requestIds[step.which % Math.max(1, requestIds.length)];
    if (requestId !== undefined) await pair[step.kind](requestId, step.quota);
  } else if (step.kind === 'delete') await pair.delete(pair.now - step.back);
  else if (step.kind === 'pass') pair.now += step.seconds;
  else if (step.kind === 'sum') {
    await pair.settle();
    await pair.sumUp();
  } else if (step.kind === 'return') await bringBack(pair, step.diesIn);
  else if (step.kind === 'die') await die(pair, step.point);
  else await pair[step.kind]();
}

/** A round that ends at a point, as if the process were killed there. Then another process starts. */
async function die(pair: LogPair, point: FaultPoint): Promise<void> {
  armFaults([{ point, action: 'throw', number: 1 }]);
  await pair.round();
  armFaults([{ point, action: 'throw', number: 1e9 }]);
  pair.restart();
}

/** All processes end, all or some rows are moved back, and a new process moves them again. */
async function bringBack(pair: LogPair, diesIn: number): Promise<void> {
  if (!(await archiveMarks.hasCut(pair.moved.db))) return;
  if (diesIn > 0) armFaults([{ point: 'log-returned', action: 'throw', number: diesIn }]);
  await pair.bringBack().catch((error: Error) => {
    if (!error.message.startsWith('fault ')) throw error;
  });
  if (diesIn > 0) armFaults([{ point: 'log-returned', action: 'throw', number: 1e9 }]);
  pair.restart();
}

async function compare(pair: LogPair): Promise<void> {
  const { now, requestIds } = pair;
  const read = (store: Store) => everyRead(store.db, { now, requestIds, ledgerFrom: pair.ledgerFrom(store) });
  expect(await read(pair.moved)).toEqual(await read(pair.plain));
}

const opened = new Opened();
afterAll(() => opened.close());

const row: Omit<Extract<Step, { kind: 'charge' }>['row'], 'quota'> = {
  user_id: 1,
  username: 'ann',
  model_name: 'a',
  channel_id: 1,
  group: 'vip',
  token_id: 5,
  team_id: 7,
  token_name: 'k',
  prompt_tokens: 9,
  is_stream: 1,
  cost: 3,
  other: '{}',
};

/** Each possible event, at the moments that matter. */
const story: Step[] = [
  { kind: 'charge', back: 0, row: { ...row, quota: 40 } },
  { kind: 'charge', back: 3 * hour, row: { ...row, quota: 30, username: 'bob', team_id: 0 } },
  { kind: 'sumMain' },
  { kind: 'round' },
  { kind: 'pass', seconds: 121 },
  { kind: 'die', point: 'log-copied' },
  { kind: 'round' },
  { kind: 'pass', seconds: 121 },
  { kind: 'die', point: 'log-cut-moved' },
  // Both rows are read from the archive and are still in the main database.
  { kind: 'sumMain' },
  { kind: 'refund', which: 0, quota: 15 },
  { kind: 'settle' },
  { kind: 'sum' },
  // Now they are only in the archive.
  { kind: 'refund', which: 1, quota: 5 },
  { kind: 'correct', which: 1, quota: 25 },
  { kind: 'die', point: 'log-changes-made' },
  { kind: 'settle' },
  { kind: 'sum' },
  { kind: 'charge', back: 0, row: { ...row, quota: 7 } },
  { kind: 'delete', back: 2 * hour },
  { kind: 'charge', back: 0, row: { ...row, quota: 9 } },
  { kind: 'charge', back: 0, row: { ...row, quota: 11 } },
  { kind: 'settle' },
  { kind: 'sum' },
  { kind: 'refund', which: 2, quota: 4 },
  { kind: 'return', diesIn: 1 },
  { kind: 'return', diesIn: 0 },
];

async function expectSame(pair: LogPair, all: readonly Step[]): Promise<void> {
  await pair.reset();
  for (const step of all) {
    await take(pair, step);
    if (!pair.isLate && comparedAfter.has(step.kind)) await compare(pair);
  }
  await pair.settle();
  await compare(pair);
  expect(await pair.moved.db.selectFrom('logs').select('id').execute()).toEqual([]);
  expect(await pair.moved.db.selectFrom('log_changes').select('id').execute()).toEqual([]);
}

eachDialect('a log whose rows move to another database', ({ kind, open, url }) => {
  beforeAll(async () => {
    await open();
  }, 60_000);

  it.each([
    ['main', kind === 'sqlite' ? 4 : 2],
    ['archive', 1],
  ] as const)(
    'answers every read as before, with this database as the %s',
    async (side, numRuns) => {
      const other = await opened.file('other.db');
      const pair = await (side === 'main' ? opened.pair(url(), other) : opened.pair(other, url()));
      const stories = fc.array(steps, { minLength: 6, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(stories, (all) => expectSame(pair, all)),
        { numRuns, examples: [[story]], endOnFailure: true },
      );
      // Only the injected faults failed.
      expect(pair.warnings.filter(({ err }) => !err.message.startsWith('fault '))).toEqual([]);
    },
    120_000,
  );
});

/** Lists show the row of 6 and its refund, and report missing older rows. Sums would be too low, so they fail. */
async function expectNewestAlone(db: Store['db'], now: number): Promise<void> {
  const page = await logs.list(db, {}, { offset: 0, limit: 10 });
  expect(page).toMatchObject({ rows: [{ quota: 2 }, { quota: 6 }], exact: false, olderMissing: true });
  await expect(logs.stat(db, {}, now)).rejects.toThrow(ArchiveUnavailable);
  await expect(logs.search(db, { keyword: '2', limit: 5 })).rejects.toThrow(ArchiveUnavailable);
  // An export of personal data is complete, or it fails.
  const mine = personalData.log(db, { userId: 1, after: 0, at: 0, limit: 9 });
  await expect(mine).rejects.toThrow(ArchiveUnavailable);
}

describe('moving rows of the log', () => {
  it('moves them to the archive once they and the readings are old enough', async () => {
    const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
    await pair.charge({ quota: 5 });
    const { db, archive } = pair.moved;
    const counts = async () => [
      (await db.selectFrom('logs').selectAll().execute()).length,
      (await archive!.db.selectFrom('logs').selectAll().execute()).length,
      (await archivedUpTo(db)) > 0,
    ];
    await pair.round();
    pair.now += 60;
    await pair.round();
    expect(await counts()).toEqual([1, 0, false]);
    pair.now += 61;
    await pair.round();
    expect(await counts()).toEqual([1, 1, true]);
    pair.now += 60;
    await pair.round();
    expect(await counts()).toEqual([1, 1, true]);
    pair.now += 61;
    await pair.round();
    expect(await counts()).toEqual([0, 1, true]);
    expect(pair.warnings).toEqual([]);
  });

  it('moves them although no process lives for two minutes', async () => {
    const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
    await pair.charge({ quota: 5 });
    const { db, archive } = pair.moved;
    for (let minute = 0; minute < 40; minute += 1) {
      pair.restart();
      await pair.round();
      pair.now += 60;
    }
    expect([await logMoves.newestId(db), (await logMoves.newestId(archive!.db)) > 0]).toEqual([0, true]);
    expect(pair.warnings).toEqual([]);
  });

  it('delays neither calls nor money while the archive does not answer, and readers get an error', async () => {
    const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
    const { db, archive } = pair.moved;
    const requestId = await pair.charge({ quota: 5 });
    await pair.settle();
    await archive!.db.destroy();
    await archive!.reports.destroy();
    await pair.charge({ quota: 6 });
    await pair.refund(requestId, 2);
    pair.now += 121;
    await pair.round();
    await pair.round();
    expect(await logChanges.countPending(db)).toBe(1);
    expect(pair.warnings).toHaveLength(1);
    await expectNewestAlone(db, pair.now);
    expect(await logs.consumptionIfKnown(db, requestId)).toBeUndefined();
    expect((await bookWindows.faultsWithin(db, { after: 0, upTo: 1e9 })).mislogged).toEqual([]);
    expect(await pair.waiting()).toEqual({ rows: 2, oldestSeconds: 121 });
    const cut = await archivedUpTo(db);
    expect(await logMoves.countWaiting(db, cut, pair.now - 121)).toBe(0);
    expect(await logMoves.countWaiting(db, cut, pair.now, 1)).toBe(1);
  });

  it('reports rows in the archive where it is not configured any more', async () => {
    const url = await opened.file('main.db');
    const pair = await opened.pair(url, await opened.file('log.db'));
    await pair.charge({ quota: 5 });
    await pair.settle();
    await pair.charge({ quota: 6 });
    await pair.refund(pair.requestIds[1]!, 2);
    const alone = await opened.store({ url });
    await expectNewestAlone(alone.db, pair.now);
    await expect(logs.find(alone.db, 1)).rejects.toThrow(ArchiveUnavailable);
    await expect(logs.deleteSome(alone.db, { from: 0, before: pair.now }, 10)).rejects.toThrow(
      ArchiveUnavailable,
    );
  });

  it('does not begin in a database that has the log of another site', async () => {
    const logUrl = await opened.file('log.db');
    const first = await opened.pair(await opened.file('main.db'), logUrl);
    await first.charge({ quota: 5 });
    await first.settle();
    const main = await opened.store({ url: await opened.file('second.db'), logUrl });
    await migrate(main);
    const second = new LogPair(first.plain, main);
    await second.charge({ quota: 6 });
    await second.settle();
    expect(second.warnings).toEqual([
      {
        err: expect.objectContaining({
          message: expect.stringMatching(/name an empty database/) as string,
        }) as Error,
      },
    ]);
    expect(await archivedUpTo(main.db)).toBe(0);
    const foreign = await opened.store({
      url: await opened.file('third.db'),
      logUrl: await opened.file('foreign.db'),
    });
    await migrate(foreign);
    await sql`create table logs (id integer primary key)`.execute(foreign.archive!.db);
    const third = new LogPair(first.plain, foreign);
    await third.round();
    expect(third.warnings).toEqual(second.warnings);
    expect((await logs.list(main.db, {}, { offset: 0, limit: 10 })).rows).toMatchObject([{ quota: 6 }]);
  });

  it('stops a process that moves rows after its lease', async () => {
    const { db } = (await opened.pair(await opened.file('main.db'), await opened.file('log.db'))).moved
      .archive!;
    const late = await archiveMarks.beginEpoch(db);
    const epoch = await archiveMarks.beginEpoch(db);
    await expect(archiveMarks.inEpoch(db, late, () => Promise.resolve())).rejects.toThrow(
      archiveMarks.EpochEnded,
    );
    expect(await archiveMarks.inEpoch(db, epoch, () => Promise.resolve('written'))).toBe('written');
  });

  it('applies the corrections of settlements in groups, too', async () => {
    const pair = await opened.pair(await opened.file('main.db'), await opened.file('log.db'));
    const { db, sqlite } = pair.moved;
    const requestId = await pair.charge({ quota: 5 });
    await pair.settle();
    const none = {
      accounts: [],
      tokens: [],
      members: [],
      budgets: new Set<never>(),
      holds: [],
      entries: [],
      logs: [],
    };
    const maps = { reached: new Map(), users: new Map(), channels: new Map(), hours: new Map() };
    const corrections = [{ requestId, quota: 9, log: null }];
    await sqlite!.exclusive((raw) =>
      new SqliteLedger().write(raw, { ...none, ...maps, corrections, keyedCalls: new Map() }),
    );
    expect(await logs.findConsumption(db, requestId)).toMatchObject({ quota: 5 });
    await pair.round();
    expect(await logs.findConsumption(db, requestId)).toMatchObject({ quota: 9 });
  });

  it('requires another database than the main one', async () => {
    const url = await opened.file('main.db');
    await expect(openStore({ url, logUrl: url })).rejects.toThrow(/names the main database itself/);
    await expect(openStore({ url, logUrl: 'sqlite::memory:' })).rejects.toThrow(/in memory/);
    const server = 'postgres://a:b@db.example/tollgate';
    await expect(
      openStore({ url: server, logUrl: 'postgresql://c:d@DB.example:5432/tollgate?sslmode=require' }),
    ).rejects.toThrow(/names the main database itself/);
  });
});
