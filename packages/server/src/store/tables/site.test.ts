import { beforeEach, expect, it } from 'vitest';
import { inTransaction } from '../db.ts';
import { eachDialect } from '../each-dialect.ts';
import type { Db } from '../dialects/types.ts';
import * as changeMarks from './change-marks.ts';
import * as options from './options.ts';
import * as sessions from './sessions.ts';
import * as setups from './setups.ts';

eachDialect('options', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });

  it('replace earlier values', async () => {
    await options.put(db, 'SystemName', 'One');
    await options.put(db, 'SystemName', '二');
    await options.put(db, 'About', 'x'.repeat(100_000));
    expect(await options.find(db, 'SystemName')).toEqual({ key: 'SystemName', value: '二' });
    expect((await options.all(db)).map(({ key }) => key)).toEqual(['About', 'SystemName']);
    expect((await options.find(db, 'About'))?.value).toHaveLength(100_000);
    await options.remove(db, 'About');
    expect(await options.find(db, 'About')).toBeUndefined();
  });

  it('are set for the first time by one of several concurrent writers', async () => {
    const won = await Promise.all(['a', 'b', 'c'].map((text) => options.putIfNew(db, 'Secret', text)));
    expect(won.filter(Boolean)).toHaveLength(1);
    const kept = ['a', 'b', 'c'][won.indexOf(true)];
    expect(await options.find(db, 'Secret')).toEqual({ key: 'Secret', value: kept });
  });

  it('are committed or rolled back with their transaction', async () => {
    await expect(
      inTransaction(db, async (trx) => {
        await options.put(trx, 'A', '1');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await options.all(db)).toEqual([]);
    await inTransaction(db, async (trx) => {
      await options.put(trx, 'A', '1');
      await options.put(trx, 'B', '2');
    });
    expect(await options.all(db)).toHaveLength(2);
  });
});

eachDialect('setups', ({ open }) => {
  it('happen once', async () => {
    const { db } = await open();
    expect(await setups.find(db)).toBeUndefined();
    const won = await Promise.all([setups.create(db, 'v1', 10), setups.create(db, 'v1', 10)]);
    expect(won.toSorted()).toEqual([false, true]);
    expect(await setups.find(db)).toEqual({ id: 1, version: 'v1', initialized_at: 10 });
  });
});

eachDialect('sessions', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
    for (const [hash, user, expires] of [
      ['a', 1, 100],
      ['b', 1, 200],
      ['c', 2, 300],
    ] as const) {
      await sessions.create(db, {
        id_hash: hash.repeat(64),
        user_id: user,
        created_time: 1,
        seen_time: expires,
        expires_time: expires,
        proven_time: 0,
        ip: '::1',
        user_agent: 'test',
      });
    }
  });

  it('are found, prolonged and listed', async () => {
    await sessions.touch(db, 'a'.repeat(64), 250, 1000);
    expect(await sessions.find(db, 'a'.repeat(64))).toMatchObject({ seen_time: 250, expires_time: 1000 });
    expect(await sessions.find(db, 'z'.repeat(64))).toBeUndefined();
    expect((await sessions.list(db, 1)).map(({ id_hash: hash }) => hash[0])).toEqual(['a', 'b']);
  });

  it('end one by one, all of a user’s, or when they expire', async () => {
    expect(await sessions.removeExpired(db, 100)).toBe(1);
    expect(await sessions.remove(db, 'a'.repeat(64))).toBe(false);
    expect(await sessions.removeAll(db, 1, 'b'.repeat(64))).toBe(0);
    expect(await sessions.removeAll(db, 1)).toBe(1);
    expect(await sessions.remove(db, 'c'.repeat(64))).toBe(true);
  });
});

eachDialect('change marks', ({ open }) => {
  it('report to each process what changed since it last asked', async () => {
    const { db } = await open();
    expect(await changeMarks.latest(db)).toBe(0);
    await inTransaction(db, (trx) => changeMarks.mark(trx, ['options', 'token:1']));
    const first = await changeMarks.latest(db);
    await inTransaction(db, (trx) => changeMarks.mark(trx, ['token:1', 'token:1']));
    const names = async (version: number): Promise<string[]> =>
      (await changeMarks.since(db, version)).names.toSorted();
    expect(await names(0)).toEqual(['options', 'token:1']);
    expect(await names(first)).toEqual(['token:1']);
    expect(await names(await changeMarks.latest(db))).toEqual([]);
  });

  it('become visible in the order of their versions, under concurrent marks', async () => {
    const { db } = await open();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => inTransaction(db, (trx) => changeMarks.mark(trx, [`user:${i}`]))),
    );
    const marks = await db.selectFrom('change_marks').select('version').where('name', '!=', '').execute();
    const versions = marks.map(({ version }) => version).toSorted((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect((await changeMarks.since(db, 0)).latest).toBe(20);
  });
});
