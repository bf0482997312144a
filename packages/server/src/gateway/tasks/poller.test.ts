import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTasks } from '../../services/calls/tasks/index.ts';
import { openTaskWorld, type TaskWorld } from '../../testing/upstream/tasks/task-world.ts';
import { TaskPoller } from './poller.ts';

let world: TaskWorld;
beforeEach(async () => {
  world = await openTaskWorld();
});
afterEach(async () => {
  expect(await world.gate.findings()).toEqual([]);
  await world.close();
});

const polls = (): string[][] =>
  world.vendor.requests.flatMap(({ path, body }) =>
    path.includes('list-by-condition') || path === '/suno/fetch' ? [body.ids as string[]] : [],
  );
const draw = () => world.call('/mj/submit/imagine', { prompt: 'a cat' });
const rows = () => world.gate.core.store.db.selectFrom('tasks').selectAll().orderBy('id').execute();
const makeDue = () =>
  world.gate.core.store.db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0).execute();

/** Poller of another process on the same database. */
function neighbour(): TaskPoller {
  const { core, relay } = world.gate;
  const tasks = createTasks({
    ...core,
    db: core.store.db,
    node: 'neighbour',
    logsConsumption: () => true,
    sumsHourly: () => true,
    showQuota: String,
  });
  return new TaskPoller({ ...relay.house.routes.tasks, tasks });
}

describe('with two processes', () => {
  it('one polls a channel, and the other one takes over when it stops', async () => {
    const [ours, other] = [world.gate.relay.house.poller, neighbour()];
    await draw();
    await draw();
    await makeDue();
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    world.vendor.polled = () => {
      asked.resolve();
      return goOn.promise;
    };
    const first = ours.run();
    await asked.promise;
    // The tasks are due for the whole time of the vendor's response.
    await other.run();
    expect(polls()).toHaveLength(1);
    expect(polls()[0]).toHaveLength(2);
    goOn.resolve();
    await first;
    await makeDue();
    await other.run();
    expect(polls()).toHaveLength(1);
    await ours.close();
    await other.run();
    expect(polls()).toHaveLength(2);
    await makeDue();
    await ours.run();
    expect(polls()).toHaveLength(2);
  });

  it('each polls its own channels only', async () => {
    const other = neighbour();
    await draw();
    await makeDue();
    await other.run();
    await world.call('/suno/submit/music', { prompt: 'a march' });
    await makeDue();
    await world.gate.relay.house.poller.run();
    await makeDue();
    await other.run();
    const paths = world.vendor.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === '/suno/fetch')).toHaveLength(1);
    expect(paths.filter((path) => path.includes('list-by-condition'))).toHaveLength(2);
  });
});

it('a new task is polled soon, and less often the older it is', async () => {
  await draw();
  const pauses: number[] = [];
  for (const age of [0, 3_000, 10_000, 20_000, 60_000, 700_000]) {
    const submitTime = Date.now() - age;
    await world.gate.core.store.db.updateTable('tasks').set({ submit_time: submitTime }).execute();
    await world.poll();
    const [row] = await rows();
    pauses.push(row!.next_poll - submitTime - age);
  }
  for (const [index, due] of [2, 2, 5, 10, 15, 60].entries()) {
    expect(pauses[index]! / 1_000).toBeGreaterThanOrEqual(due);
    expect(pauses[index]! / 1_000).toBeLessThan(due + 8);
  }
});

it('the deadline of a task counts from its submission, however busy the process is between two looks at its clock', async () => {
  await world.close();
  let now = Date.now();
  world = await openTaskWorld({}, () => (now += 7));
  await draw();
  const [drawing] = await rows();
  expect(drawing!.deadline - drawing!.submit_time).toBe(3_600_000);
});

describe('a vendor that does not answer', () => {
  it('is polled less often each time, and at the usual interval once it answers', async () => {
    await draw();
    world.vendor.pollStatus = 503;
    const pauses: number[] = [];
    for (let failures = 1; failures <= 8; failures += 1) {
      await world.poll();
      const [row] = await rows();
      expect(row).toMatchObject({ poll_failures: failures, state: 'submitted' });
      pauses.push(Math.round((row!.next_poll - Date.now()) / 1_000));
    }
    for (const [index, due] of [30, 60, 120, 240, 300, 300, 300, 300].entries())
      expect(Math.abs(pauses[index]! - due)).toBeLessThan(10);
    world.vendor.pollStatus = 200;
    await world.poll();
    const [row] = await rows();
    expect(row?.poll_failures).toBe(0);
    expect(row!.next_poll - Date.now()).toBeLessThan(17_000);
    expect((await world.gate.readBalance(world.caller)).balance).toBe(950_000);
  });

  it('until the deadline of a task has the task failed and its charge given back', async () => {
    await draw();
    await world.call('/suno/submit/music', { prompt: 'a march' });
    const { db } = world.gate.core.store;
    const [drawing, song] = await rows();
    expect(drawing!.deadline - drawing!.submit_time).toBe(3_600_000);
    expect(song!.deadline - song!.submit_time).toBe(24 * 3_600_000);
    await db.updateTable('tasks').set({ deadline: Date.now() }).execute();
    await world.poll();
    expect(await rows()).toMatchObject([
      { state: 'failed', quota: 0, next_poll: 0 },
      { state: 'failed', quota: 0, next_poll: 0 },
    ]);
    expect(polls()).toEqual([]);
    expect((await world.gate.readBalance(world.caller)).balance).toBe(1_000_000);
  });
});

it('a task that cannot be stored does not delay the others, and is tried again later', async () => {
  await draw();
  await draw();
  await draw();
  const { db } = world.gate.core.store;
  const [first] = await rows();
  const name = sql.lit(first!.id);
  await sql`create trigger broken before update on tasks when old.id = ${name} and new.state = 'failed'
    begin select raise(abort, 'broken'); end`.execute(db);
  for (const id of world.vendor.tasks.keys())
    world.vendor.tasks.set(id, { id, status: 'FAILURE', failReason: 'no' });
  await world.poll();
  expect(await rows()).toMatchObject([
    { state: 'submitted', quota: 50_000, poll_failures: 1 },
    { state: 'failed', quota: 0 },
    { state: 'failed', quota: 0 },
  ]);
  await sql`drop trigger broken`.execute(db);
  await world.poll();
  expect((await rows()).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  expect((await world.gate.readBalance(world.caller)).balance).toBe(1_000_000);
});
