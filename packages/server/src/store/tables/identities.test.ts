import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import type { Store } from '../index.ts';
import { add, find, ofUsers, remove, removeAll } from './identities.ts';
import { add as begin, take } from './sign-in-starts.ts';

eachDialect('identities', ({ open, openAgain }) => {
  let stores: Store[];
  const github = { provider: 'github', subject: '42' };
  beforeEach(async () => {
    stores = [await open(), await openAgain()];
  });
  const closeAll = () => Promise.all(stores.map((store) => store.close()));

  it('belong to one user, however many claim them at once', async () => {
    const tries = Array.from({ length: 20 }, (_, i) =>
      add(stores[i % 2]!.db, { ...github, user_id: i, created_time: 1 }),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect(await find(stores[0]!.db, { ...github, provider: 'oidc' })).toBeUndefined();
    await closeAll();
  });

  it('are deleted by provider or all at once', async () => {
    const { db } = stores[0]!;
    for (const provider of ['github', 'oidc', 'wechat'])
      await add(db, { provider, subject: 'x', user_id: 7, created_time: 1 });
    await add(db, { ...github, user_id: 8, created_time: 1 });
    expect(await remove(db, 7, 'oidc')).toBe(true);
    expect(await remove(db, 7, 'oidc')).toBe(false);
    expect((await ofUsers(db, [7, 8])).map(({ provider }) => provider)).toEqual([
      'github',
      'github',
      'wechat',
    ]);
    await removeAll(db, 7);
    expect(await ofUsers(db, [7])).toEqual([]);
    expect(await ofUsers(db, [])).toEqual([]);
    await closeAll();
  });

  it('a sign-in flow is ended by one of several concurrent requests, and not after its expiry', async () => {
    const start = { browser_hash: 'b', provider: 'github', user_id: 0, aff_code: '', expires_time: 1_000 };
    const { db } = stores[0]!;
    for (const state_hash of ['a', 'late']) expect(await begin(db, { ...start, state_hash })).toBe(true);
    expect(await begin(db, { ...start, state_hash: 'a' })).toBe(false);
    const ends = await Promise.all(Array.from({ length: 10 }, (_, i) => take(stores[i % 2]!.db, 'a', 999)));
    expect(ends.filter(Boolean)).toHaveLength(1);
    expect(await take(db, 'late', 1_000)).toBeUndefined();
    await closeAll();
  });
});
