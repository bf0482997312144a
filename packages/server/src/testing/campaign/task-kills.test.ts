import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelInput } from '@tollgate/contract';
import { closeCore, openCore } from '../../boot/core.ts';
import { readEnv } from '../../boot/env.ts';
import type { FaultPoint } from '../../lib/fault-point.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkBooks } from '../../services/ledger/index.ts';
import { accounts, openStore, type Store } from '../../store/index.ts';
import { addCaller, type TestCaller } from '../gateway-harness.ts';
import { testEngine } from '../test-engine.ts';
import { type FakeTasks, startFakeTasks } from '../upstream/tasks/fake-tasks.ts';
import { type Child, EndedEarly, startChild } from './child.ts';

// Rows T1 to T4 of docs/reliability.md. Each process takes up the database that the last one left.

/** $0.1 in quota units. */
const price = 50_000;
/** A process has the tasks that it polls for so long, by its own clock. */
const leaseMs = 61_000;
/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;

let dataDir: string;
let env: Record<string, string>;
let vendor: FakeTasks;
let store: Store;
let caller: TestCaller;
/** The balance as it must be. */
let balance = 5_000_000;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-task-kills-'));
  env = {
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    SECRET_KEY: 'a campaign master key of 32 characters',
    HTTP_ENGINE: testEngine,
  };
  vendor = await startFakeTasks();
  const core = await openCore(readEnv({ ...env, LOG_LEVEL: 'error' }));
  const channel = { type: 36, name: 'songs', key: 'suno-secret', models: 'suno_music', base_url: vendor.url };
  await core.channels.create(channelInput.parse(channel));
  caller = await addCaller(core, { balance, allowance: balance, group: 'default' });
  await closeCore(core);
  store = await openStore({ url: '', dataDir });
});
afterAll(async () => {
  await store.close();
  await vendor.close();
  await rm(dataDir, { recursive: true, force: true });
});

const startArmed = (point: FaultPoint): Promise<Child> => startChild({ ...env, FAULTS: `${point}:kill:1` });

async function ask(child: Child, path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await fetch(child.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as JsonObject;
}

const submit = (child: Child): Promise<JsonObject> => ask(child, '/suno/submit/music', { prompt: 'a march' });

/** The newest task, as its row says. */
const newest = () =>
  store.db.selectFrom('tasks').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();

/** Runs out the time that a dead process had taken tasks for. */
const endLeases = () =>
  store.db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0).execute();

/** What the vendor says of its newest task, which is due. */
async function report(update: JsonObject): Promise<void> {
  const id = [...vendor.tasks.keys()].at(-1) ?? '';
  vendor.tasks.set(id, { ...vendor.tasks.get(id), ...update });
  await endLeases();
}

async function stop(child: Child): Promise<void> {
  child.kill('SIGTERM');
  expect((await child.ended).code, child.printed()).toBe(0);
}

/** It died of its fault point, and not of anything else. */
async function expectKilled(child: Child): Promise<void> {
  expect((await child.ended).signal, child.printed()).toBe('SIGKILL');
}

/** Polls come every three seconds. */
async function untilState(state: string): Promise<void> {
  await expect.poll(async () => (await newest()).state, { timeout: 60_000 }).toBe(state);
}

const submissions = (): number => vendor.requests.filter(({ path }) => path.includes('/submit/')).length;

/** What the ledger and the log have of the newest task: its charges and what was given back. */
async function entries() {
  const { request_id: id, task_id: taskId } = await newest();
  const ledger = await store.db
    .selectFrom('ledger')
    .select(['kind', 'account_delta'])
    .where('txn', 'in', [id, `task:${taskId}:refund`])
    .orderBy('id')
    .execute();
  const rows = await store.db
    .selectFrom('logs')
    .select(['type', 'quota'])
    .where('request_id', '=', id)
    .execute();
  return { ledger: ledger.map(({ kind, account_delta }) => [kind, account_delta]), rows: rows.length };
}

/** Nothing is held, the caller has what is due, and the books agree with themselves. */
async function expectWholeBooks(): Promise<void> {
  expect(await accounts.find(store.db, caller.accountId)).toMatchObject({ balance, held: 0 });
  expect(await store.db.selectFrom('holds').selectAll().execute()).toEqual([]);
  expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
}

const charged = ['usage', -price];
const givenBack = ['refund', price];

/** A process that dies while it submits a song; the caller hears nothing. */
async function dieSubmitting(point: FaultPoint): Promise<void> {
  const child = await startArmed(point);
  await expect(submit(child)).rejects.toThrow('fetch failed');
  await expectKilled(child);
}

/** What the owner of the newest task reads of it. */
async function statusRead(child: Child): Promise<unknown> {
  const { task_id: id } = await newest();
  const { data } = await ask(child, `/suno/fetch/${id}`);
  return (data as JsonObject).status;
}

/** The newest task came to nothing: nobody asked a vendor again, and nothing was ever taken. */
async function expectFree(child: Child): Promise<void> {
  expect(await newest()).toMatchObject({ state: 'failed', quota: 0, vendor_id: '', next_poll: 0 });
  expect(await statusRead(child)).toBe('FAILURE');
  expect(await entries()).toEqual({ ledger: [], rows: 0 });
  await expectWholeBooks();
}

describe('a process that dies while it submits a song', { timeout: slowMs }, () => {
  it.each([
    ['task-held', 0],
    ['task-asked', 1],
    ['task-in-transaction', 1],
  ] as const)(
    'at %s: the task has failed and is free at the next start; the vendor was asked %i times',
    async (point, asked) => {
      const before = submissions();
      await dieSubmitting(point);
      expect(await newest()).toMatchObject({ state: 'submitting', vendor_id: '', quota: price });
      const child = await startChild(env);
      await expectFree(child);
      await stop(child);
      expect(submissions() - before).toBe(asked);
    },
  );

  it('and again while it gives the hold back at its next start: it is given back once', async () => {
    await dieSubmitting('task-held');
    const ended = await startArmed('task-refunding').catch((error: unknown) => error);
    expect(ended).toBeInstanceOf(EndedEarly);
    expect(ended).toHaveProperty('ending.signal', 'SIGKILL');
    expect(await newest()).toMatchObject({ state: 'submitting' });
    const child = await startChild(env);
    await expectFree(child);
    await stop(child);
  });

  it('at task-accepted: the song is charged once, and told when it is there', async () => {
    const before = submissions();
    await dieSubmitting('task-accepted');
    balance -= price;
    const child = await startChild(env);
    expect(await newest()).toMatchObject({ state: 'submitted', quota: price });
    await report({ status: 'SUCCESS', progress: '100%', data: [{ id: 'clip' }] });
    await untilState('succeeded');
    expect(await statusRead(child)).toBe('SUCCESS');
    await stop(child);
    expect(await entries()).toEqual({ ledger: [charged], rows: 1 });
    await expectWholeBooks();
    expect(submissions() - before).toBe(1);
  });
});

/** A process that takes a song and dies while it polls for it. */
async function diePolling(point: FaultPoint, update: JsonObject): Promise<void> {
  const child = await startArmed(point);
  await submit(child);
  balance -= price;
  await report(update);
  await expectKilled(child);
}

/** Nothing of the poll is written, and the task is due again within a minute. */
async function expectUndone(): Promise<void> {
  const row = await newest();
  expect(row).toMatchObject({ state: 'submitted', quota: price });
  expect(row.next_poll).toBeGreaterThan(0);
  expect(row.next_poll).toBeLessThanOrEqual(Date.now() + leaseMs);
  expect(await entries()).toEqual({ ledger: [charged], rows: 1 });
  await expectWholeBooks();
}

/** The next process ends the task; its price is back once. */
async function expectGivenBack(): Promise<void> {
  const child = await startChild(env);
  await untilState('failed');
  expect(await statusRead(child)).toBe('FAILURE');
  await stop(child);
  expect(await newest()).toMatchObject({ quota: 0, next_poll: 0 });
  expect(await entries()).toEqual({ ledger: [charged, givenBack], rows: 2 });
  await expectWholeBooks();
}

const failure = { status: 'FAILURE', fail_reason: 'no' };

describe('a process that dies while it polls for a song', { timeout: slowMs }, () => {
  it('at task-polled: another one hears that it is there', async () => {
    await diePolling('task-polled', { status: 'SUCCESS', progress: '100%', data: [{ id: 'clip' }] });
    await expectUndone();
    await endLeases();
    const child = await startChild(env);
    await untilState('succeeded');
    expect(await statusRead(child)).toBe('SUCCESS');
    await stop(child);
    expect(await entries()).toEqual({ ledger: [charged], rows: 1 });
    await expectWholeBooks();
  });

  it('at task-refunding: nothing was given back, and the next poll gives it back once', async () => {
    await diePolling('task-refunding', failure);
    await expectUndone();
    await endLeases();
    balance += price;
    await expectGivenBack();
    expect((await newest()).finish_time).toBeGreaterThan(0);
  });

  it('at task-refunded: all of it was given back, and is not again', async () => {
    await diePolling('task-refunded', failure);
    balance += price;
    expect(await entries()).toEqual({ ledger: [charged, givenBack], rows: 2 });
    await expectGivenBack();
  });
});
