import { AppError } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate, openStore, logs, quotaData, type Store, teamMembers, users } from '../../../store/index.ts';
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

  it('of all users are by model and hour and name no user', async () => {
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
        team_quota: 0,
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
        team_quota: 0,
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

  it('of one user include what teams paid for them, which was not their money', async () => {
    const call = {
      ...logs.blank,
      content: '',
      username: 'ann',
      user_id: 11,
      type: 2,
      model_name: 'gpt-4o',
      created_at: start + 1_800,
    };
    await logs.insert(store.db, [
      { ...call, quota: 3, team_id: 4 },
      { ...call, quota: 1, team_id: 5 },
      // Excluded rows: the user's own money, another hour, another person, and a row that is not a call.
      { ...call, quota: 1 },
      { ...call, quota: 4, team_id: 4, created_at: start + hour },
      { ...call, quota: 7, team_id: 4, user_id: 12 },
      { ...call, quota: 2, team_id: 4, type: 5 },
    ]);
    await teamMembers.create(store.db, { team_id: 4, user_id: 11, role: 1, joined_time: 1 });
    const parts = async () => {
      const rows = await sums.own(11, start, start + hour - 1);
      return rows.map((row) => [row.model_name, row.quota, row.team_quota]);
    };
    expect(await parts()).toEqual([
      ['gpt-4o', 5, 4],
      ['o1', 5, 0],
    ]);
    expect(await sums.own(11, start, 0)).toMatchObject([{ team_quota: 4 }, {}, { team_quota: 4 }]);
  });

  it('of a tag are of the calls with it: all, those of a name, or one’s own', async () => {
    const call = { ...logs.blank, content: '', type: 2, model_name: 'gpt-4o', tags: '{"team":"a"}' };
    await logs.insert(store.db, [
      { ...call, user_id: 11, username: 'ann', created_at: start + 9, quota: 3 },
      { ...call, user_id: 12, username: 'bob', created_at: start + 8, quota: 4, team_id: 5 },
    ]);
    const row = { created_at: start, model_name: 'gpt-4o', user_id: 0 };
    expect(await sums.ofAll(start, 0, 'team=a')).toMatchObject([{ ...row, quota: 7, team_quota: 0 }]);
    expect(await sums.own(12, start, 0, 'team=a')).toMatchObject([{ ...row, quota: 4, team_quota: 4 }]);
    expect(await sums.own(11, start, 0, 'team=b')).toEqual([]);
    expect(await sums.ofAll(start, 0, 'a b')).toEqual([]);
    const id = await users.create(store.db, { account_id: 1, username: 'cat', created_time: 1 });
    await logs.insert(store.db, [{ ...call, user_id: id, username: 'cat', created_at: start, quota: 2 }]);
    expect(await sums.ofUsername('cat', start, 0, 'team=a')).toMatchObject([{ ...row, quota: 2 }]);
  });

  it('of oneself cover a month at most', async () => {
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
