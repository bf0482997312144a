import { deepEqual } from 'node:assert/strict';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { tasks as rows } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { checkBooks, InsufficientQuota } from '../../money/ledger/index.ts';
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
import { isOver, moves, states } from './states.ts';
import { buildPrice } from '../../../testing/build-price.ts';
import { createTasks, type NewTask, TaskLost, type Tasks } from './tasks.ts';
import type { Task } from './types.ts';

const prices = buildPrice({
  mode: 'call',
  modelRatio: 0,
  completionRatio: 0,
  modelPrice: 0.1,
  quotaPerUnit: 500,
});

eachDialect('tasks', ({ open }) => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  let tasks: Tasks;
  let person: Person;
  let channelId: number;
  let now: number;
  const serve = (node: string): Tasks =>
    createTasks({
      db: store.db,
      ledger,
      clock: () => now,
      node,
      logsConsumption: () => true,
      sumsHourly: () => true,
      showQuota: String,
    });
  beforeEach(async () => {
    now = 1_700_000_000_000;
    store = await open();
    ledger = openLedger(store);
    tasks = serve('one');
    channelId = await addChannel(store);
    person = await addPerson(store, ledger, { balance: 100, allowance: 80 });
    return async () => {
      deepEqual(await checkBooks(store.db), []);
      await ledger.close();
    };
  });

  const asked = (payer = person, amount = 50, seconds?: number): NewTask => ({
    platform: 'mj',
    action: 'IMAGINE',
    model: 'm',
    request: { prompt: 'a cat' },
    bill: {
      username: payer.username,
      tokenId: payer.tokenId,
      tokenName: 'token',
      team: null,
      group: 'default',
      snapshot: prices,
      extras: {},
      settledAt: 0,
      ...(seconds !== undefined && { seconds }),
    },
    hold: holdRequest(payer, unique('request'), amount),
    limitMs: 3_600_000,
  });
  const accept = (task: Task, vendorId = unique('vendor'), payer = person) =>
    tasks.accept(task, {
      vendorId,
      upstreamModel: 'm',
      update: { state: 'submitted' },
      settlement: bill(payer, task.requestId, task.quota, channelId),
      nextPoll: now + 1,
    });
  const running = async (payer = person): Promise<Task> =>
    (await accept(await tasks.begin(asked(payer)))).task;
  const refunds = () =>
    store.db.selectFrom('logs').select(['quota', 'content', 'other']).where('type', '=', 6).execute();

  it('hold what they may cost, and are charged in the step that stores the vendor’s id', async () => {
    const task = await tasks.begin(asked());
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 50 });
    await accept(task);
    expect(await readFigures(store, person)).toMatchObject({ balance: 50, held: 0, remain: 30, requests: 1 });
    expect(await tasks.findOwn(person.userId, task.taskId)).toMatchObject({ state: 'submitted', quota: 50 });
  });

  it('are not found by an id that no database can store', async () => {
    expect(await tasks.find('task\0')).toBeUndefined();
    expect(await tasks.findOwn(1, '\0')).toBeUndefined();
    expect(await tasks.findMany(1, ['a\0b', 'c'])).toEqual([]);
    expect(await tasks.hint(1, '\0')).toBe(0);
  });

  it('are not begun without the balance for them', async () => {
    await expect(tasks.begin(asked(person, 101))).rejects.toThrow(InsufficientQuota);
    expect(await tasks.page({ platforms: ['mj'] }, { offset: 0, limit: 10 })).toEqual([]);
  });

  it('cost nothing and leave no row where their vendor refuses them', async () => {
    await tasks.refuse(await tasks.begin(asked()));
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 0 });
    expect(await tasks.page({ platforms: ['mj'] }, { offset: 0, limit: 10 })).toEqual([]);
  });

  it('give back everything once when they fail, with a log row that has the reason', async () => {
    const task = await running();
    const ends = await Promise.all([1, 2, 3, 4].map(() => tasks.fail(task, 'not allowed')));
    expect(ends.filter(Boolean)).toHaveLength(1);
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, remain: 80, used: 0 });
    const [row, ...others] = await refunds();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ quota: 50 });
    expect(JSON.parse(row?.other ?? '')).toMatchObject({
      task_id: task.taskId,
      refund_of: task.requestId,
      reason: 'not allowed',
      model_price: 0.1,
    });
  });

  it('move no money when they succeed, and cannot fail after that', async () => {
    const task = await running();
    expect(await tasks.advance(task, { state: 'succeeded', result: { url: 'x' } }, 0)).toBe(true);
    expect(await tasks.fail(task, 'late')).toBe(false);
    expect(await readFigures(store, person)).toMatchObject({ balance: 50 });
    expect(await tasks.find(task.taskId)).toMatchObject({ state: 'succeeded', progress: 100, quota: 50 });
  });

  it('are charged for the seconds that were made, and get the rest back once', async () => {
    const begun = await tasks.begin(asked(person, 50, 10));
    const { task } = await accept(begun);
    const end = { state: 'succeeded', seconds: 4 } as const;
    expect(await Promise.all([tasks.advance(task, end, 0), tasks.advance(task, end, 0)])).toContain(false);
    expect(await readFigures(store, person)).toMatchObject({ balance: 80 });
    expect(await tasks.find(task.taskId)).toMatchObject({ quota: 20 });
  });

  it('of a process that died while it submitted them fail and are free; those of others are left alone', async () => {
    const ours = await tasks.begin(asked());
    const theirs = await serve('two').begin(asked(person, 30));
    expect(await tasks.recover()).toBe(1);
    expect(await tasks.find(ours.taskId)).toMatchObject({ state: 'failed' });
    expect(await tasks.find(theirs.taskId)).toMatchObject({ state: 'submitting' });
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 30 });
    await expect(accept(ours)).rejects.toThrow(TaskLost);
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 30 });
  });

  it('of a channel are due for one process at a time, until it releases them or dies', async () => {
    await running();
    await accept(await tasks.begin(asked(person, 10)));
    now += 10;
    const other = serve('two');
    const both = await Promise.all([tasks.due(10), other.due(10)]);
    expect(new Set(both.map(({ length }) => length))).toEqual(new Set([0, 2]));
    const [first, second] = both[0].length > 0 ? [tasks, other] : [other, tasks];
    now += 40_000;
    expect(await second.due(10)).toEqual([]);
    expect(await first.due(10)).toHaveLength(2);
    // The poll extended its lease, which ends a minute later.
    now += 59_000;
    expect(await second.mayPoll(channelId)).toBe(false);
    now += 2_000;
    expect(await second.due(10)).toHaveLength(2);
    expect(await first.mayPoll(channelId)).toBe(false);
    expect(await first.due(10)).toEqual([]);
    await first.stopPolling();
    expect(await first.due(10)).toEqual([]);
    await second.stopPolling();
    expect(await first.due(10)).toHaveLength(2);
  });

  it('are polled at once when a vendor notifies, and then no more often than usual', async () => {
    const task = await tasks.begin(asked());
    await accept(task, 'vendor-7');
    now += 10;
    const [due] = await tasks.due(10);
    await tasks.postpone([due!], now + 500_000, false);
    expect(await tasks.hint(person.userId + 1, 'vendor-7')).toBe(0);
    expect(await tasks.hint(person.userId, 'vendor-7')).toBe(1);
    expect(await tasks.due(10)).toHaveLength(1);
  });

  it('advance together by an answer about many, and finished ones stay finished', async () => {
    const one = await running();
    const two = (await accept(await tasks.begin(asked(person, 10)))).task;
    await tasks.fail(two, 'no');
    const update = { state: 'in_progress', progress: 40 } as const;
    await tasks.recordProgress(
      [one, two].map((task) => ({ task, update })),
      now + 5_000,
    );
    expect(await tasks.find(one.taskId)).toMatchObject({ state: 'in_progress', progress: 40 });
    expect(await tasks.find(two.taskId)).toMatchObject({ state: 'failed', reason: 'no' });
    await tasks.recordProgress([{ task: one, update: { state: 'failed' } }], now);
    expect(await tasks.find(one.taskId)).toMatchObject({ state: 'in_progress' });
  });

  it('are found by their owner alone', async () => {
    const { taskId } = await running();
    expect(await tasks.findOwn(person.userId + 1, taskId)).toBeUndefined();
    expect(await tasks.findMany(person.userId + 1, [taskId])).toEqual([]);
    expect(await tasks.findMany(person.userId, [taskId, 'unknown'])).toHaveLength(1);
  });

  it('of a team give back to wallet and limit', async () => {
    const team = await addTeam(store, ledger, { balance: 100 });
    const member = await addMember(store, ledger, team, { limit: 60 });
    const { task } = await accept(await tasks.begin(asked(member)), 'v', member);
    await tasks.fail(task, 'no');
    expect(await readFigures(store, member)).toMatchObject({ balance: 100, held: 0 });
  });

  describe('move by their table of states', () => {
    it.each(states.flatMap((from) => states.map((to) => ({ from, to }))))(
      '$from → $to',
      async ({ from, to }) => {
        const task = await tasks.begin(asked());
        if (from !== 'submitting') await accept(task);
        await rows.moveOn(store.db, task.id, states, { state: from });
        const before = await readFigures(store, person);
        const held = await tasks.find(task.taskId);
        const isMove = moves[from].includes(to) && (from !== 'submitting' || to === 'failed');
        expect(await tasks.advance(held!, { state: to }, now + 5)).toBe(isMove);
        const after = await readFigures(store, person);
        expect((await tasks.find(task.taskId))?.state).toBe(isMove ? to : from);
        // Only the failure of a task moves money.
        const isFailure = isMove && to === 'failed';
        expect(after).toMatchObject(isFailure ? { balance: 100, held: 0 } : before);
        const [row] = await store.db.selectFrom('tasks').select('next_poll').execute();
        expect(row?.next_poll === 0).toBe(isMove && isOver(to));
      },
    );
  });
});
