import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import type { Store } from '../index.ts';
import { countTry, find, put, removeExpired, use } from './mail-codes.ts';

eachDialect('codes by mail, for all processes', ({ open, openAgain }) => {
  let stores: Store[];
  const name = { purpose: 'verify', email: 'ann@example.com' };
  const code = { ...name, code_hash: 'a'.repeat(64), expires_time: 1_000 };
  beforeEach(async () => {
    stores = [await open(), await openAgain()];
    await put(stores[0]!.db, code);
  });

  /** Many attempts at once, alternating between both processes; returns the number of true results. */
  const crowd = async (what: (store: Store) => Promise<boolean>): Promise<number> => {
    const all = Array.from({ length: 20 }, (_, i) => what(stores[i % 2]!));
    return (await Promise.all(all)).filter(Boolean).length;
  };

  it('can be tried as often as the limit allows, and not after their expiry', async () => {
    expect(await crowd(({ db }) => countTry(db, name, { tries: 5, now: 999 }))).toBe(5);
    expect(await countTry(stores[0]!.db, name, { tries: 9, now: 1_000 })).toBe(false);
    expect(await countTry(stores[0]!.db, { ...name, purpose: 'reset' }, { tries: 5, now: 1 })).toBe(false);
    for (const store of stores) await store.close();
  });

  it('are used by one of several concurrent requests', async () => {
    expect(await crowd(({ db }) => use(db, code))).toBe(1);
    expect(await find(stores[0]!.db, name)).toBeUndefined();
    for (const store of stores) await store.close();
  });

  it('are replaced by a newer one, with its own tries', async () => {
    const { db } = stores[0]!;
    await countTry(db, name, { tries: 1, now: 1 });
    await put(db, { ...code, code_hash: 'b'.repeat(64), expires_time: 2_000 });
    expect(await use(db, code)).toBe(false);
    expect(await countTry(db, name, { tries: 1, now: 1_500 })).toBe(true);
    expect(await removeExpired(db, 1_999)).toBe(0);
    expect(await removeExpired(db, 2_000)).toBe(1);
    for (const store of stores) await store.close();
  });
});
