import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { openCache } from '../cache/index.ts';
import type { ProcessLink } from '../lib/processes/process-link.ts';
import { KnownProviders } from '../services/people/oauth/index.ts';
import { eachServer } from '../store/each-dialect.ts';
import { changeMarks, inTransaction } from '../store/index.ts';
import { linkedPair } from '../testing/linked/linked-pair.ts';
import { type ChangeFollower, followChanges } from './changes.ts';
import { closeCore, type Core, openCore, optionsMark } from './site.ts';
import { readEnv } from './env.ts';
import { serveWorker } from './workers/pool.ts';

eachServer('a worker is told of changes', ({ open, url }) => {
  let folder: string;
  let worker: Core;
  let first: Core;
  let leaveWorker: () => void;
  const followers: ChangeFollower[] = [];
  /** No follower in these tests polls by a timer. */
  const follow = async (core: Core): Promise<ChangeFollower> => {
    const known = new KnownProviders({ ...core, db: core.store.db });
    const follower = await followChanges(core, known, { isAlone: false });
    followers.push(follower);
    return follower;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-pushed-'));
    await (await open()).close();
    const env = readEnv({
      DATA_DIR: folder,
      DATABASE_URL: url(),
      LOG_LEVEL: 'silent',
      SECRET_KEY: 'k'.repeat(32),
    });
    first = await openCore(env);
    const { links } = linkedPair();
    const cache = await openCache({ redisUrl: '', clock: first.clock, onError: () => undefined });
    leaveWorker = serveWorker(links[0], { ...first, cache });
    worker = await openCore(env, undefined, { node: 'a worker#w1', first: links[1] });
    await follow(worker);
    await follow(first);
    // The worker's later requests are answered after its request to follow.
    await changeMarks.proveWritable(worker.store.db, 1);
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    for (const follower of followers) await follower.close();
    await closeCore(worker);
    leaveWorker();
    await closeCore(first);
    await rm(folder, { recursive: true, force: true });
  });

  it('and has them in force when the one who made them goes on', async () => {
    for (const name of ['one', 'two', 'three']) {
      await first.settings.set('SystemName', name);
      expect(worker.settings.get('SystemName')).toBe(name);
    }
  });

  it('and of none that was undone', async () => {
    const reload = vi.spyOn(worker.settings, 'reload');
    const undone = inTransaction(first.store.db, async (db) => {
      await changeMarks.mark(db, [optionsMark]);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await inTransaction(first.store.db, (db) => changeMarks.latest(db));
    expect(reload).not.toHaveBeenCalled();
    reload.mockRestore();
  });

  it('while one that is frozen is waited for half a second, and one that is gone not at all', async () => {
    const { links } = linkedPair();
    const leave = first.store.announce!(links[0]);
    const asked = Promise.withResolvers<void>();
    const frozen: ProcessLink = links[1];
    frozen.offer('store:changed', () => {
      asked.resolve();
      return new Promise(() => undefined);
    });
    await frozen.ask('store:follow');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isDone = false;
    const change = first.settings.set('SystemName', 'frozen').then(() => (isDone = true));
    await asked.promise;
    vi.advanceTimersByTime(499);
    expect(isDone).toBe(false);
    vi.advanceTimersByTime(1);
    await change;
    // The worker reads at its own pace; the fake clock does not advance.
    await followers[0]!.look();
    expect(worker.settings.get('SystemName')).toBe('frozen');
    leave();
    // No timer is active.
    await first.settings.set('SystemName', 'gone');
    expect(worker.settings.get('SystemName')).toBe('gone');
  });
});
