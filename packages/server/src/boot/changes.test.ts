import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { boot, type RunningSite } from './boot.ts';
import { closeCore, type Core, openCore } from './site.ts';
import { readEnv } from './env.ts';
import { type ChangeFollower, followChanges } from './changes.ts';
import { sandbox } from '../relay/providers/sandbox/index.ts';
import { KnownProviders } from '../services/people/oauth/index.ts';
import { changeMarks } from '../store/index.ts';
import { depthOf, freshServer, missingServer } from '../store/each-dialect.ts';
import { addCaller, type TestCaller } from '../testing/gateway-harness.ts';

const model = sandbox.models[0]!;
const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

const loadEnv = async (databaseUrl: string, more: Record<string, string> = {}) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-changes-'));
  directories.push(dataDir);
  return readEnv({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    SECRET_KEY: 'a test master key of 32 characters!',
    GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
    CRITICAL_RATE_LIMIT_ENABLE: 'false',
    ...more,
  });
};

/** The console of a process, used by its root. */
async function openConsoleOf(process: RunningSite) {
  let headers: Record<string, string> = { 'content-type': 'application/json' };
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${process.port}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const reply = (await answer.json()) as { success: boolean; message: string; data: unknown };
    if (!reply.success) throw new Error(`${method} ${path}: ${reply.message}`);
    return { data: reply.data, cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '' };
  };
  const password = 'a good password';
  const made = await send('POST', '/api/setup', {
    username: 'root',
    password,
    confirmPassword: password,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
    token: process.setupToken(),
    sandbox: true,
  });
  const { data, cookie } = await send('POST', '/api/user/login', { username: 'root', password });
  headers = { ...headers, cookie, 'new-api-user': String((data as { id: number }).id) };
  return {
    send: async (method: string, path: string, body?: object) => (await send(method, path, body)).data,
    key: `sk-${(made.data as { key: string }).key}`,
  };
}

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  const why = missing ? ` (${missing})` : '';
  describe.skipIf(missing !== undefined)(`two processes on ${kind}${why}`, depthOf(kind), () => {
    /** The process that receives changes, and the process that receives calls. */
    let first: RunningSite;
    let second: RunningSite;
    let root: Awaited<ReturnType<typeof openConsoleOf>>['send'];
    let rootKey: string;
    let caller: TestCaller;

    beforeAll(async () => {
      const url = await freshServer(kind);
      first = await boot(await loadEnv(url));
      // No Redis server runs here: each process counts for itself. The other settings are unaffected.
      second = await boot(await loadEnv(url, { REDIS_CONN_STRING: 'redis://127.0.0.1:1' }));
      ({ send: root, key: rootKey } = await openConsoleOf(first));
      await option('CheckSensitiveEnabled', 'false');
      await option('SensitiveWords', 'forbidden-word');
      caller = await addCaller(first.core, { balance: 1_000_000_000, allowance: null, group: 'default' });
      await vi.waitUntil(() => isUpToDate(), { timeout: 20_000, interval: 5 });
    }, 60_000);
    afterAll(async () => {
      await first.close();
      await second.close();
    });

    const option = (key: string, value: string) => root('PUT', '/api/option/', { key, value });
    const isUpToDate = async () => second.changes.seen() >= (await changeMarks.latest(first.core.store.db));

    /** Calls at the second process; returns the status and the cost. */
    async function call(): Promise<string> {
      const answer = await fetch(`http://127.0.0.1:${second.port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'forbidden-word' }] }),
      });
      await answer.text();
      return `${answer.status} ${answer.headers.get('x-tollgate-cost') ?? ''}`.trim();
    }

    /**
     * Calls at the second process without a pause during a change at the first. Returns the outcomes of the calls
     * that began before the second process applied the change, and of those that began after.
     */
    async function around(change: () => Promise<unknown>): Promise<{ before: string[]; after: string[] }> {
      const notes: { seen: number; outcome: string }[] = [];
      let isOver = false;
      const goOn = async (): Promise<void> => {
        while (!isOver) {
          const seen = second.changes.seen();
          notes.push({ seen, outcome: await call() });
        }
      };
      const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 20_000, interval: 2 });
      const callers = [goOn(), goOn(), goOn()];
      await until(() => notes.length >= 6);
      await change();
      const version = await changeMarks.latest(first.core.store.db);
      await until(() => second.changes.seen() >= version);
      const known = notes.length;
      await until(() => notes.length >= known + 9);
      isOver = true;
      await Promise.all(callers);
      const outcomes = (isAfter: boolean) => [
        ...new Set(notes.filter(({ seen }) => seen >= version === isAfter).map(({ outcome }) => outcome)),
      ];
      return { before: outcomes(false), after: outcomes(true) };
    }

    it('begin with what others changed while they started, and see a price that changes', async () => {
      expect(second.core.settings.get('SensitiveWords')).toEqual(['forbidden-word']);
      const { before, after } = await around(() => option('ModelRatio', JSON.stringify({ [model]: 5_000 })));
      expect(before[0]).toMatch(/^200 \d+$/);
      expect(after).toHaveLength(1);
      expect(after[0]).toMatch(/^200 \d{4,}$/);
      expect(before).not.toContain(after);
    });

    it('an option', async () => {
      const { before, after } = await around(() => option('CheckSensitiveEnabled', 'true'));
      expect(before[0]).toMatch(/^200/);
      expect(after).toEqual(['400']);
      await option('CheckSensitiveEnabled', 'false');
    });

    it('a channel', async () => {
      const [channel] = (await root('GET', '/api/channel/')) as { id: number }[];
      const { after } = await around(() => root('PUT', '/api/channel/', { id: channel!.id, status: 2 }));
      expect(after).toEqual(['503']);
      const back = await around(() => root('PUT', '/api/channel/', { id: channel!.id, status: 1 }));
      expect(back.after).toHaveLength(1);
      expect(back.after[0]).toMatch(/^200/);
    });

    it('a ban', async () => {
      const manage = (action: string) => root('POST', '/api/user/manage', { id: caller.userId, action });
      const { after } = await around(() => manage('disable'));
      expect(after).toEqual(['403']);
      expect((await around(() => manage('enable'))).after[0]).toMatch(/^200/);
    });

    it('a key that is switched off', async () => {
      const [token] = (await root('GET', '/api/token/')) as { id: number }[];
      caller = { ...caller, key: rootKey };
      const status = (to: number) =>
        root('PUT', '/api/token/?status_only=true', { id: token!.id, status: to, status_only: true });
      const { before, after } = await around(() => status(2));
      expect(before[0]).toMatch(/^200/);
      expect(after).toEqual(['401']);
    });
  });
}

describe('a process that looks without being told', () => {
  let first: Core;
  let second: Core;
  let follower: ChangeFollower;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-changes-'));
    directories.push(folder);
    const url = `sqlite:${join(folder, 'shared.db')}`;
    first = await openCore(await loadEnv(url));
    second = await openCore(await loadEnv(url));
  });
  afterAll(async () => {
    await follower.close();
    await closeCore(second);
    await closeCore(first);
  });
  const follow = () =>
    followChanges(second, new KnownProviders({ ...second, db: second.store.db }), { isAlone: false });

  it('has in force what was changed between its start and the first look', async () => {
    await first.settings.set('SystemName', 'first');
    expect(second.settings.get('SystemName')).not.toBe('first');
    follower = await follow();
    expect(second.settings.get('SystemName')).toBe('first');
    expect(follower.seen()).toBe(await changeMarks.latest(first.store.db));
  });

  it('has seen a change when it is in force, and not when reading it failed', async () => {
    await first.settings.set('SystemName', 'second');
    const seen = follower.seen();
    const reading = vi.spyOn(second.settings, 'reload').mockRejectedValueOnce(new Error('no'));
    await expect(follower.look()).rejects.toThrow('no');
    expect([follower.seen(), second.settings.get('SystemName')]).toEqual([seen, 'first']);
    await follower.look();
    expect([follower.seen(), second.settings.get('SystemName')]).toEqual([seen + 1, 'second']);
    reading.mockRestore();
  });

  it('reads everything again when the counter went backwards, as after a failover to a server that was behind', async () => {
    const { db } = first.store;
    await first.settings.set('SystemName', 'third');
    await follower.look();
    // Marks that a standby does not have, and the entries of their calls.
    await db.updateTable('change_marks').set({ version: 1 }).where('name', '=', '').execute();
    await db.updateTable('change_marks').set({ version: 1 }).where('version', '>', 1).execute();
    await db.updateTable('options').set({ value: 'before' }).where('key', '=', 'SystemName').execute();
    await follower.look();
    expect([follower.seen(), second.settings.get('SystemName')]).toEqual([1, 'before']);
    await first.settings.set('SystemName', 'after');
    await follower.look();
    expect([follower.seen(), second.settings.get('SystemName')]).toEqual([2, 'after']);
  });
});
