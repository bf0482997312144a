import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import type { Store } from '../index.ts';
import { claim, forget, removeBefore, since } from './notice-counts.ts';

eachDialect('notices counted for all processes', ({ open, openAgain }) => {
  let stores: Store[];
  const limit = { count: 3, windowMs: 1_000 };
  const start = 1_790_000_000_000;
  beforeEach(async () => {
    stores = [await open(), await openAgain()];
  });

  /** Many attempts at once, alternating between both processes; returns the number of allowed ones. */
  const crowd = async (now: number): Promise<number> => {
    const tries = Array.from({ length: 40 }, (_, i) => claim(stores[i % 2]!.db, 'seven:low', limit, now));
    return (await Promise.all(tries)).filter(Boolean).length;
  };

  it('are allowed up to the limit in each window, in all processes together', async () => {
    expect(await crowd(start)).toBe(3);
    expect(await crowd(start + 999)).toBe(0);
    expect(await since(stores[0]!.db, 'seven:low')).toBe(start);
    expect(await crowd(start + 1_000)).toBe(3);
    // A clock that is set back starts a new window and does not block notices for hours.
    expect(await crowd(start - 50_000)).toBe(3);
    for (const store of stores) await store.close();
  });

  it('are deleted by name, and when they are old', async () => {
    const { db } = stores[0]!;
    for (const name of ['a', 'b']) await claim(db, name, { count: 1, windowMs: 1_000 }, start);
    await forget(db, 'a');
    expect(await claim(db, 'a', { count: 1, windowMs: 1_000 }, start + 1)).toBe(true);
    await removeBefore(db, start + 1);
    expect(await since(db, 'b')).toBeUndefined();
    expect(await since(db, 'a')).toBe(start + 1);
    expect(await claim(db, 'c', { count: 0, windowMs: 1_000 }, start)).toBe(false);
    for (const store of stores) await store.close();
  });
});
