import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channelInput } from '@tollgate/contract';
import { expect, vi } from 'vitest';
import { closeCore, openCore } from '../../../boot/site.ts';
import { readEnv } from '../../../boot/env.ts';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { checkBooks } from '../../../services/money/ledger/index.ts';
import { accounts, openStore, type Store } from '../../../store/index.ts';
import { startPostgres, type TestServer } from '../../databases.ts';
import { addCaller, type TestCaller } from '../../gateway-harness.ts';
import { testEngine } from '../../test-engine.ts';
import { type FakeTasks, startFakeTasks } from '../../upstream/tasks/fake-tasks.ts';
import { type Child, startChild } from '../child.ts';

/** $0.1 in quota units. */
export const price = 50_000;

interface Parts {
  server: TestServer | undefined;
  dirs: readonly string[];
  vendor: FakeTasks;
  store: Store;
  caller: TestCaller;
}

/**
 * A database, a vendor of songs, and processes that continue from the state of the previous one, or share it. The tests
 * of rows T1 to T5 of docs/reliability.md use it.
 */
export class KillWorld {
  readonly vendor: FakeTasks;
  private readonly parts: Parts;
  /** The expected balance of the caller. */
  balance: number;

  private constructor(parts: Parts, balance: number) {
    this.parts = parts;
    this.vendor = parts.vendor;
    this.balance = balance;
  }

  /**
   * @param further - Channels beside that of songs
   * @param settings - Their prices, and other settings
   */
  static async open(
    database: 'sqlite' | 'postgres',
    further: readonly Record<string, unknown>[] = [],
    settings: Record<string, string> = {},
  ): Promise<KillWorld> {
    const server = database === 'postgres' ? await startPostgres() : undefined;
    const url = server?.url ?? '';
    // The folder identifies the process.
    const dirs = [await newFolder(), await newFolder()];
    const vendor = await startFakeTasks();
    const core = await openCore(readEnv({ ...envOf(url, dirs[0] ?? ''), LOG_LEVEL: 'error' }));
    const songs = { type: 36, name: 'songs', key: 'suno-secret', models: 'suno_music', base_url: vendor.url };
    for (const channel of [songs, ...further]) await core.channels.create(channelInput.parse(channel));
    await core.settings.setMany(settings);
    const balance = 5_000_000;
    const caller = await addCaller(core, { balance, allowance: balance, group: 'default' });
    await closeCore(core);
    const store = await openStore({ url, dataDir: dirs[0] ?? '' });
    return new KillWorld({ server, dirs, vendor, store, caller }, balance);
  }

  /** Starts the first process, or the second one; it dies when it passes the point. */
  start(point?: FaultPoint, which: 0 | 1 = 0, more: Record<string, string> = {}): Promise<Child> {
    const { server, dirs } = this.parts;
    const env = envOf(server?.url ?? '', dirs[which] ?? '');
    return startChild({ ...env, ...more, ...(point && { FAULTS: `${point}:kill:1` }) });
  }

  async ask(
    child: Child,
    path: string,
    body?: JsonObject,
    headers: Record<string, string> = {},
    method = body ? 'POST' : 'GET',
  ): Promise<JsonObject> {
    return JSON.parse(await this.askText(child, path, body, headers, method)) as JsonObject;
  }

  async askText(
    child: Child,
    path: string,
    body?: JsonObject,
    headers: Record<string, string> = {},
    method = body ? 'POST' : 'GET',
  ): Promise<string> {
    const answer = await fetch(child.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.parts.caller.key}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  }

  /** Uploads JSON lines to Google; resolves to the name of the file. */
  async uploadLines(child: Child, lines: readonly object[]): Promise<string> {
    const description = '{"file":{"mimeType":"application/jsonl"}}';
    const texts = [description, lines.map((line) => JSON.stringify(line)).join('\n')];
    const parts = texts.map((text) => `--b\r\ncontent-type: application/json\r\n\r\n${text}\r\n`);
    const answer = await fetch(`${child.url}/upload/v1beta/files`, {
      method: 'POST',
      headers: {
        'x-goog-api-key': this.parts.caller.key,
        'x-goog-upload-protocol': 'multipart',
        'content-type': 'multipart/related; boundary=b',
      },
      body: `${parts.join('')}--b--\r\n`,
    });
    return ((await answer.json()) as { file: { name: string } }).file.name;
  }

  submit(child: Child): Promise<JsonObject> {
    return this.ask(child, '/suno/submit/music', { prompt: 'a march' });
  }

  get submissions(): number {
    return this.vendor.requests.filter(({ path }) => path.includes('/submit/')).length;
  }

  /** The newest task, from its row. */
  newest() {
    const { db } = this.parts.store;
    return db.selectFrom('tasks').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
  }

  /** Makes all tasks due and ends the polls and claims of dead processes. */
  async endLeases(): Promise<void> {
    const { db } = this.parts.store;
    await db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0).execute();
    await db.deleteFrom('change_marks').where('name', 'like', 'poll:%').execute();
    await db.updateTable('batch_items').set({ due_at: 0 }).execute();
  }

  /** Sets the vendor's status of its newest task and makes it due. */
  async report(update: JsonObject): Promise<void> {
    const { tasks } = this.vendor;
    const id = [...tasks.keys()].at(-1) ?? '';
    tasks.set(id, { ...tasks.get(id), ...update });
    const { db } = this.parts.store;
    await db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0).execute();
  }

  /** Polls are three seconds apart. */
  async untilState(state: string): Promise<void> {
    await vi.waitUntil(async () => (await this.newest()).state === state, { timeout: 60_000 });
  }

  /** Number of processes that poll. */
  async leases(): Promise<number> {
    const { db } = this.parts.store;
    return (await db.selectFrom('change_marks').select('name').where('name', 'like', 'poll:%').execute())
      .length;
  }

  /** Status of the newest task as its owner reads it. */
  async statusRead(child: Child): Promise<unknown> {
    const { task_id: id } = await this.newest();
    const { data } = await this.ask(child, `/suno/fetch/${id}`);
    return (data as JsonObject).status;
  }

  /** Entries of the newest task in the ledger and the log: its charges and refunds. */
  async entries() {
    const { db } = this.parts.store;
    const { request_id: id, task_id: taskId } = await this.newest();
    const ledger = await db
      .selectFrom('ledger')
      .select(['kind', 'account_delta'])
      .where('txn', 'in', [id, `task:${taskId}:refund`])
      .orderBy('id')
      .execute();
    const rows = await db.selectFrom('logs').select('type').where('request_id', '=', id).execute();
    return { ledger: ledger.map(({ kind, account_delta }) => [kind, account_delta]), rows: rows.length };
  }

  /** The callers' names of the items of the newest batch that have a row in the log. */
  async endedItems(): Promise<string[]> {
    const { db } = this.parts.store;
    const { request_id: id } = await this.newest();
    const rows = await db.selectFrom('logs').select('other').where('request_id', 'like', `${id}-%`).execute();
    return rows.map(({ other }) => (JSON.parse(other) as { batch_item: string }).batch_item);
  }

  /** Amounts of the charges with such a request id; the check of the books compares them with the log. */
  async chargesOf(like: string): Promise<number[]> {
    const { db } = this.parts.store;
    const rows = await db.selectFrom('ledger').select('account_delta').where('txn', 'like', like).execute();
    return rows.map(({ account_delta: delta }) => 0 - delta);
  }

  /** Figures of the caller in the books, and their errors. */
  async books() {
    const { store, caller } = this.parts;
    const { balance, held } = (await accounts.find(store.db, caller.accountId))!;
    const holds = await store.db.selectFrom('holds').selectAll().execute();
    return { balance, held, holds, findings: await checkBooks(store.db, { atRest: true }) };
  }

  async close(): Promise<void> {
    const { store, vendor, server, dirs } = this.parts;
    await store.close();
    await vendor.close();
    await server?.stop();
    for (const dir of dirs) await rm(dir, { recursive: true, force: true });
  }
}

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tollgate-task-kills-'));

const envOf = (url: string, dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  DATABASE_URL: url,
  SECRET_KEY: 'a campaign master key of 32 characters',
  HTTP_ENGINE: testEngine,
});

export async function stop(child: Child): Promise<void> {
  child.kill('SIGTERM');
  expect((await child.ended).code, child.printed()).toBe(0);
}

/** Expects that the fault point, and nothing else, killed the process. */
export async function expectKilled(child: Child): Promise<void> {
  expect((await child.ended).signal, child.printed()).toBe('SIGKILL');
}

/** Expects no holds, the due balance of the caller, and consistent books. */
export async function expectWholeBooks(world: KillWorld): Promise<void> {
  expect(await world.books()).toEqual({ balance: world.balance, held: 0, holds: [], findings: [] });
}

const charged = ['usage', -price];
const givenBack = ['refund', price];

/** Final entries of a task in the books. */
export const booked = {
  free: { ledger: [], rows: 0 },
  charged: { ledger: [charged], rows: 1 },
  refunded: { ledger: [charged, givenBack], rows: 2 },
} as const;
