import { expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { logs } from '../../../store/index.ts';
import { deleteRows } from './deletion.ts';

const blank = { ...logs.blank, content: '', type: 2, user_id: 1, username: 'ann' };

eachDialect('deletion of old rows', ({ open }) => {
  it('also deletes rows that were written while it ran', async () => {
    const { db } = await open();
    const row = (created_at: number) => ({ ...blank, created_at });
    await logs.insert(
      db,
      Array.from({ length: 450 }, (_, second) => row(1_000 + second)),
    );
    let late = 0;
    const sleep = async () => {
      if (late < 2) await logs.insert(db, [row(500 + (late += 1))]);
    };
    expect(await deleteRows({ db, sleep, loopShare: () => 0 }, { before: 1_440 })).toBe(442);
    expect(await logs.countBefore(db, 1_440)).toBe(0);
    expect(await logs.countBefore(db, 2_000)).toBe(10);
  });

  it('deletes no more rows than its limit', async () => {
    const { db } = await open();
    const row = { ...blank, created_at: 10 };
    await logs.insert(
      db,
      Array.from({ length: 410 }, () => row),
    );
    const now = { db, sleep: async () => {}, loopShare: () => 0 };
    expect(await deleteRows(now, { before: 20, rows: 405 })).toBe(405);
    expect(await logs.countBefore(db, 20)).toBe(5);
  });
});
