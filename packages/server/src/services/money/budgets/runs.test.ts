import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { runs as rows, type Store } from '../../../store/index.ts';
import { createLedger, type Ledger } from '../ledger/index.ts';
import { createRuns, type Runs } from './runs.ts';
import { createLog } from '../../../lib/log.ts';

const day = 86_400;

eachDialect('runs', ({ kind, open, openAgain }) => {
  let store: Store;
  let now: number;
  const closings: (() => Promise<void>)[] = [];
  const openRuns = (on: Store, node: string): Runs => {
    const ledger: Ledger = createLedger({
      store: on,
      log: createLog('silent'),
      clock: () => now * 1_000,
      node,
    });
    closings.push(() => ledger.close());
    return createRuns({
      db: on.db,
      ledger,
      audit: { record: async () => undefined },
      clock: () => now * 1_000,
    });
  };
  beforeEach(async () => {
    store = await open();
    now = 1_790_000_000;
    return async () => {
      for (const close of closings.splice(0)) await close();
    };
  });

  it('begin once, also if two processes get their first calls at the same time', async () => {
    const one = openRuns(store, 'one');
    const two = kind === 'sqlite' ? one : openRuns(await openAgain(), 'two');
    const all = await Promise.all(
      Array.from({ length: 24 }, async (_, n) =>
        (n % 2 ? one : two).enter(7, { path: `big/part-${n % 6}`, amount: 5, calls: 3, ttl: 60 }),
      ),
    );
    expect(new Set(all.map(([root]) => root)).size).toBe(1);
    expect(new Set(all.map(([, part]) => part)).size).toBe(6);
    const [big, part] = await rows.find(store.db, 7, ['big', 'big/part-0']);
    expect(big).toMatchObject({ mode: 'soft', parent: 0, window_end: now + 7 * day });
    expect(part).toMatchObject({
      mode: 'hard',
      amount: 5,
      max_calls: 3,
      parent: big!.id,
      window_end: now + 60,
    });
    expect(await one.peek(7, { path: 'big/unknown' })).toEqual([big!.id]);
    expect(await one.peek(8, { path: 'big' })).toEqual([]);
  });

  it('get a key of their own once, and end with it', async () => {
    const one = openRuns(store, 'one');
    const two = kind === 'sqlite' ? one : openRuns(await openAgain(), 'two');
    const maker = { id: 3, name: 'maker' };
    const key = (n: number) => ({ hash: `hash-${n}`, hint: 'runA…xyz1', maker, models: ['a', 'b'] });
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, async (_, n) =>
        (n % 2 ? one : two).open(7, { path: 'top/made', amount: 5, ttl: 60 }, key(n)),
      ),
    );
    const outcomes = all.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code));
    expect(outcomes.filter((each) => each !== 'run_exists')).toEqual([now + 60]);
    const [made] = await rows.find(store.db, 7, ['top/made']);
    expect(made).toMatchObject({ mode: 'hard', amount: 5, token_id: 3, key_models: 'a,b' });
    expect(await rows.findByKey(store.db, made!.key_hash!)).toMatchObject({ run: 'top/made' });
    expect(await rows.ofKey(store.db, { user_id: 7, id: 3 }, now, 9)).toHaveLength(1);
    const within = { path: 'top/made/part', within: 'top/made' };
    expect(await one.enter(7, within)).toHaveLength(3);
    expect(await two.close(7, 'top/made', { ...maker, id: 4 })).toBe(false);
    expect(await two.close(7, 'top/made', maker)).toBe(true);
    one.forget();
    await expect((async () => one.enter(7, within))()).rejects.toMatchObject({ code: 'run_ended' });
    // A removed run of a key is not begun again by its calls.
    await expect((async () => one.enter(7, { path: 'gone', within: 'gone' }))()).rejects.toMatchObject({
      code: 'run_ended',
    });
    expect(await rows.ofKey(store.db, { user_id: 7, id: 3 }, now, 9)).toEqual([]);
  });

  it('end, and are removed a month later: then their name begins a new one', async () => {
    const runs = openRuns(store, 'one');
    const [first] = await runs.enter(7, { path: 'short', ttl: 60 });
    now += 60;
    await expect((async () => runs.enter(7, { path: 'short' }))()).rejects.toMatchObject({
      code: 'run_ended',
    });
    now += 31 * day;
    await runs.enter(7, { path: 'another' });
    const [second] = await runs.enter(7, { path: 'short' });
    expect(second).not.toBe(first);
  });
});
