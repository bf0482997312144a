import { AppError } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate, openStore, quotaData, type Store, users } from '../../store/index.ts';
import { createQuotaSums, type QuotaSums } from './index.ts';

const hour = 3_600;
const start = 1_700_000_000 - (1_700_000_000 % hour);

describe('dashboard sums', () => {
  let store: Store;
  let now: number;
  let sums: QuotaSums;

  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    now = start + hour;
    sums = createQuotaSums({ db: store.db, clock: () => now * 1000 });
    const row = { model_name: 'gpt-4o', created_at: start, token_used: 10, count: 1, quota: 5 };
    await quotaData.add(store.db, [
      { ...row, user_id: 11, username: 'ann' },
      { ...row, user_id: 12, username: 'bob', quota: 7 },
      { ...row, user_id: 11, username: 'ann', created_at: start + hour },
      { ...row, user_id: 11, username: 'ann', model_name: 'o1' },
    ]);
    return () => store.close();
  });

  it('of all users go by model and hour and name nobody', async () => {
    expect(await sums.ofAll(start, start)).toEqual([
      {
        id: 0,
        user_id: 0,
        username: '',
        model_name: 'gpt-4o',
        created_at: start,
        token_used: 20,
        count: 2,
        quota: 12,
      },
      {
        id: 0,
        user_id: 0,
        username: '',
        model_name: 'o1',
        created_at: start,
        token_used: 10,
        count: 1,
        quota: 5,
      },
    ]);
    expect(await sums.ofAll(start, 0)).toHaveLength(3);
  });

  it('of a name are that user’s rows, none for an unknown name', async () => {
    const id = await users.create(store.db, { account_id: 1, username: 'cat', created_time: 1 });
    await quotaData.add(store.db, [
      {
        user_id: id,
        username: 'cat',
        model_name: 'o1',
        created_at: start,
        token_used: 1,
        count: 1,
        quota: 1,
      },
    ]);
    expect((await sums.ofUsername('cat', start, 0)).map(({ user_id }) => user_id)).toEqual([id]);
    expect(await sums.ofUsername('nobody', start, 0)).toEqual([]);
  });

  it('of oneself reach back a month at most', async () => {
    expect(await sums.own(12, start, start + hour)).toMatchObject([{ username: 'bob', quota: 7 }]);
    expect(await sums.own(12, start, start + 2_592_000)).toHaveLength(1);
    const refused = await Promise.resolve()
      .then(() => sums.own(12, start, start + 2_592_001))
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect((refused as AppError).message).toBe('时间跨度不能超过 1 个月');
    expect(await sums.own(12, start, 0)).toHaveLength(1);
    now = start + 2_592_001;
    expect(() => sums.own(12, start, 0)).toThrow('时间跨度不能超过 1 个月');
  });
});
