import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { ProcessLink } from '../lib/processes/process-link.ts';
import { KnownProviders } from '../services/people/oauth/index.ts';
import { eachDialect } from '../store/each-dialect.ts';
import { changeMarks, inTransaction } from '../store/index.ts';
import { openLinkedCore } from '../testing/gateway-harness.ts';
import { linkedPair } from '../testing/linked/linked-pair.ts';
import { type ChangeFollower, followChanges } from './changes.ts';
import { type Core, optionsMark } from './core.ts';
import { readEnv } from './env.ts';

eachDialect('a worker is told of changes', ({ kind, open, url }) => {
  let folder: string;
  let linked: Awaited<ReturnType<typeof openLinkedCore>>;
  let worker: Core;
  let first: Core;
  const followers: ChangeFollower[] = [];
  /** Nobody looks by the clock here. */
  const follow = async (core: Core): Promise<ChangeFollower> => {
    const known = new KnownProviders({ ...core, db: core.store.db });
    const follower = await followChanges(core, known, { isAlone: false });
    followers.push(follower);
    return follower;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-pushed-'));
    await (await open()).close();
    linked = await openLinkedCore(
      readEnv({
        DATA_DIR: folder,
        DATABASE_URL: url(),
        LOG_LEVEL: 'silent',
        SECRET_KEY: 'k'.repeat(32),
      }),
    );
    ({ core: worker, first } = linked);
    await follow(worker);
    await follow(first);
    // What the worker asks now is heard, or answered, after that it follows.
    await changeMarks.proveWritable(worker.store.db, 1);
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    for (const follower of followers) await follower.close();
    await linked.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('and has them in force when the one who made them goes on', async () => {
    for (const name of ['one', 'two', 'three']) {
      await first.settings.set('SystemName', name);
      expect(worker.settings.get('SystemName')).toBe(name);
    }
  });

  it.runIf(kind === 'sqlite')('as the first process is of its own, without being waited for', async () => {
    await worker.settings.set('SystemName', 'of a worker');
    await expect.poll(() => first.settings.get('SystemName')).toBe('of a worker');
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
    const { share, announce } = first.store;
    const leave = await (share ?? announce)!(links[0]);
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
    // It reads at its own pace, while this clock stands still.
    await followers[0]!.look();
    expect(worker.settings.get('SystemName')).toBe('frozen');
    leave();
    // No timer runs any more.
    await first.settings.set('SystemName', 'gone');
    expect(worker.settings.get('SystemName')).toBe('gone');
  });
});
