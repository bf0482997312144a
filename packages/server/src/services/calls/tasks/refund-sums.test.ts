import { logFilters } from '@tollgate/contract';
import { deepEqual } from 'node:assert/strict';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { channels, migrate, type Store } from '../../../store/index.ts';
import { createAudit } from '../../site/audit/index.ts';
import { checkBooks } from '../../money/ledger/index.ts';
import { addMember, addTeam } from '../../money/ledger/testing/team-bed.ts';
import {
  addChannel,
  addPerson,
  bill,
  readFigures,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from '../../money/ledger/testing/test-bed.ts';
import { createLogHours, createLogs, type LogHours, type Logs } from '../../upkeep/logs/index.ts';
import {
  createQuotaSums,
  createUsageSummaries,
  type QuotaSums,
  type UsageSummaries,
} from '../metering/index.ts';
import { buildPrice } from '../../../testing/build-price.ts';
import { createTasks, type Tasks } from './tasks.ts';
import type { Task } from './types.ts';

const prices = buildPrice({
  mode: 'call',
  modelRatio: 0,
  completionRatio: 0,
  modelPrice: 0.1,
  quotaPerUnit: 500,
});

/** Settlement time of test bills (Unix seconds). */
const settledAt = 1_700_000_000;
const day = 86_400;

eachDialect('what was spent', ({ open }) => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  let tasks: Tasks;
  let logs: Logs;
  let hours: LogHours;
  let summaries: UsageSummaries;
  let quotaSums: QuotaSums;
  let channelId: number;
  let now: number;
  let isLogged: boolean;
  beforeEach(async () => {
    now = settledAt * 1_000;
    isLogged = true;
    const clock = () => now;
    store = await open();
    const { db } = store;
    ledger = openLedger(store);
    const words = { logsConsumption: () => isLogged, sumsHourly: () => true, showQuota: String };
    tasks = createTasks({ db, ledger, clock, node: 'one', ...words });
    const audit = createAudit({ db, reports: db, clock });
    logs = createLogs({ reports: db, db, audit, clock, channelName: () => '' });
    hours = createLogHours({ db, reports: db, clock });
    summaries = createUsageSummaries({ reports: db, errorsLogged: () => true, isPriced: () => false });
    quotaSums = createQuotaSums({ db, clock });
    channelId = await addChannel(store);
    return async () => {
      deepEqual(await checkBooks(db), []);
      await ledger.close();
    };
  });

  /** A paid task with this duration in seconds. */
  const paid = async (payer: Person, amount: number, seconds: number): Promise<Task> => {
    const task = await tasks.begin({
      platform: 'video',
      action: 'generate',
      model: 'm',
      request: {},
      bill: {
        username: payer.username,
        tokenId: payer.tokenId,
        tokenName: 'token',
        team: payer.teamId === undefined ? null : { id: payer.teamId, name: 'team' },
        group: 'default',
        snapshot: prices,
        extras: {},
        settledAt,
        seconds,
      },
      hold: holdRequest(payer, unique('request'), amount),
      limitMs: day * 1_000,
    });
    const settlement = bill(payer, task.requestId, amount, channelId);
    const accepted = { vendorId: unique('vendor'), upstreamModel: 'm', settlement, nextPoll: now + 1 };
    return (await tasks.accept(task, { ...accepted, update: { state: 'submitted' } })).task;
  };

  /** All figures of a person's spending, each as one number. */
  const spent = async (person: Person): Promise<Record<string, number>> => {
    const { username, teamId = 0, userId } = person;
    const questions = {
      person: { username },
      'channel, of a person': { channel: channelId, username },
      'model, of a person': { model_name: 'm', username },
      'key, of a person': { token_name: 'token', username },
      'group, of a person': { group: 'default', username },
      'before a refund came': { username, end_timestamp: settledAt + 60 },
      'paid by people': { payer: 'user', username },
      'paid by teams': { payer: 'team', username },
      'a pattern': { model_name: 'm%', username },
      // Sums over all users; no other test adds to them.
      all: {},
      channel: { channel: channelId },
      team: { payer: String(teamId || 9_999_999) },
    };
    const found: Record<string, number> = {};
    for (const [name, some] of Object.entries(questions)) {
      const sum = await logs.stat(logFilters.parse(some));
      found[name] = sum.quota - sum.refunded;
      found[`${name}, by teams`] = sum.team_quota - sum.team_refunded;
    }
    const { tokens } = await summaries.ofAll(0, 0, username);
    found['top tokens'] = tokens.reduce((all, { quota }) => all + quota, 0);
    const span = [settledAt - 3_600, settledAt + 3_600] as const;
    const chart = await quotaSums.ofUsername(username, ...span);
    found['chart'] = chart.reduce((all, { quota }) => all + quota, 0);
    found['chart, by teams'] = chart.reduce((all, { team_quota: quota }) => all + quota, 0);
    const all = await quotaSums.ofAll(...span);
    found['chart of all'] = all.reduce((sum, { quota }) => sum + quota, 0);
    const { used, tokenUsed, balance } = await readFigures(store, person);
    Object.assign(found, { used, tokenUsed, balance });
    const users = await store.db.selectFrom('users').select('id').where('id', '=', userId).execute();
    expect(users).toHaveLength(1);
    const row = await channels.find(store.db, channelId);
    found['channel used'] = row?.used_quota ?? -1;
    return found;
  };

  const people = async (): Promise<Person[]> => {
    const team = await addTeam(store, ledger, { balance: 1_000 });
    return [
      await addPerson(store, ledger, { balance: 1_000, allowance: 800 }),
      await addMember(store, ledger, team, { limit: 600 }),
    ];
  };

  it('is the same in every sum after a task that was refunded as before it, whenever it failed', async () => {
    for (const person of await people()) {
      await paid(person, 70, 10);
      const before = await spent(person);
      expect(before).toMatchObject({ person: 70, all: before['chart of all'], chart: 70, 'top tokens': 70 });
      const [early, late] = [await paid(person, 50, 10), await paid(person, 30, 10)];
      expect(await spent(person)).toMatchObject({ person: 150, chart: 150, 'top tokens': 150 });
      now += 60_000;
      await tasks.fail(early, 'no');
      // A day later its hour is over and is part of the hourly sums.
      now += day * 1_000;
      await hours.work(Infinity);
      // The refund of a logged charge is logged in a row, even if call logging is now off.
      isLogged = false;
      await tasks.fail(late, 'no');
      isLogged = true;
      expect(await spent(person)).toEqual(before);
      await hours.work(Infinity);
      expect(await spent(person)).toEqual(before);
      now = settledAt * 1_000;
    }
  });

  it('counts the charge of a task that came out shorter, also when its row is deleted', async () => {
    const [person] = await people();
    await tasks.advance(await paid(person!, 100, 10), { state: 'succeeded', seconds: 4 }, 0);
    expect(await spent(person!)).toMatchObject({ person: 40, chart: 40, 'top tokens': 40, used: 40 });
    now += 2 * day * 1_000;
    await hours.work(Infinity);
    await logs.remove(settledAt + day);
    expect(await spent(person!)).toMatchObject({
      person: 40,
      channel: 40,
      all: 40,
      chart: 40,
      'a pattern': 0,
    });
    expect(await hours.check()).toEqual([]);
  });

  it('is right for refunds from before charges had them on their own rows', async () => {
    const [person] = await people();
    await tasks.fail(await paid(person!, 50, 10), 'no');
    now += day * 1_000;
    await hours.work(Infinity);
    // Former schema: the index of margins has no refund column.
    const dropped = store.db.schema.dropIndex('logs_margin');
    await (store.kind === 'mysql' ? dropped.on('logs') : dropped).execute();
    await store.db.schema.createIndex('logs_margin').on('logs').column('created_at').execute();
    for (const [table, column] of [
      ['logs', 'refunded'],
      ['log_hours', 'refunded'],
      ['log_hours', 'team_refunded'],
    ] as const)
      await store.db.schema.alterTable(table).dropColumn(column).execute();
    await sql`delete from migrations where name in ('0021-log-refunds', '0024-margin-refunds')`.execute(
      store.db,
    );
    await migrate(store);
    expect(await spent(person!)).toMatchObject({ person: 0, channel: 0, all: 0, 'top tokens': 0 });
    await hours.work(Infinity);
    expect(await spent(person!)).toMatchObject({ person: 0, channel: 0, all: 0, 'top tokens': 0 });
  });

  it('keeps the sum of charges of the original API, beside the refunds', async () => {
    const [person] = await people();
    await tasks.fail(await paid(person!, 50, 10), 'no');
    const { quota, refunded } = await logs.stat(logFilters.parse({ username: person!.username }));
    expect({ quota, refunded }).toEqual({ quota: 50, refunded: 50 });
  });
});
