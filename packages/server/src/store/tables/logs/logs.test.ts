import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../each-dialect.ts';
import type { Db } from '../../dialects/types.ts';
import * as accounts from '../accounts.ts';
import * as logs from './logs.ts';
import type { LogFilter, NewLog } from './logs.ts';
import * as users from '../users.ts';
import { logRow } from '../../../testing/log-row.ts';

const row = (rest: Partial<NewLog> = {}): NewLog =>
  logRow({ user_id: 1, username: 'alice', quota: 10, is_stream: 0, ...rest });

eachDialect('the log list', ({ open }) => {
  let db: Db;
  beforeAll(async () => {
    ({ db } = await open());
    const accountId = await accounts.create(db);
    const alice = await users.create(db, { account_id: accountId, username: 'alice', created_time: 1 });
    // created_at distinguishes the rows.
    await logs.insert(db, [
      row({ created_at: 1, user_id: alice, request_id: 'first' }),
      row({ created_at: 2, user_id: alice, type: 1, content: '通过兑换码充值 1' }),
      row({ created_at: 3, user_id: 90, username: 'bob', token_id: 2, token_name: 'other', channel_id: 7 }),
      row({ created_at: 4, user_id: 90, username: 'bob', model_name: 'claude-3_5', group: 'vip' }),
      row({ created_at: 5, user_id: 91, username: 'gone', model_name: 'gpt-4o-mini', type: 5 }),
      row({ created_at: 5, user_id: 91, username: 'gone', model_name: 'gpt-4o-mini', request_id: 'tie' }),
    ]);
  });
  const times = async (filter: LogFilter, offset = 0, limit = 10): Promise<number[]> =>
    (await logs.list(db, filter, { offset, limit })).rows.map((one) => one.created_at);

  it('is newest first, page by page', async () => {
    expect(await times({})).toEqual([5, 5, 4, 3, 2, 1]);
    expect(await times({}, 4, 2)).toEqual([2, 1]);
    expect(await times({}, 6, 2)).toEqual([]);
    const { rows } = await logs.list(db, {}, { offset: 0, limit: 2 });
    expect(rows[0]?.id).toBeGreaterThan(rows[1]?.id ?? 0);
    expect(rows[0]).toMatchObject({ request_id: 'tie', quota: 10, other: '{}' });
  });

  it.each<[string, LogFilter, number[]]>([
    ['type', { type: 1 }, [2]],
    ['a rare type and more', { type: 5, modelName: 'gpt-4o-mini', group: 'default' }, [5]],
    ['consumption', { type: 2 }, [5, 4, 3, 1]],
    ['time', { start: 2, end: 4 }, [4, 3, 2]],
    ['user id', { userId: 90 }, [4, 3]],
    ['the name of a user', { username: 'alice' }, [2, 1]],
    ['the name of a user who is gone', { username: 'gone' }, [5, 5]],
    ['the name of nobody', { username: 'nobody' }, []],
    ['token', { tokenId: 2 }, [3]],
    ['token name', { tokenName: 'other' }, [3]],
    ['channel', { channelId: 7 }, [3]],
    ['channel and user', { channelId: 7, userId: 91 }, []],
    ['model', { modelName: 'gpt-4o' }, [3, 2, 1]],
    ['model pattern', { modelName: 'gpt-4o%' }, [5, 5, 3, 2, 1]],
    ['model pattern in which _ stands for itself', { modelName: '%3_5' }, [4]],
    ['model pattern of one character', { modelName: '%-3%5%' }, []],
    ['group', { group: 'vip' }, [4]],
    ['request', { requestId: 'first' }, [1]],
    ['requests whose name begins alike', { requestId: 'fir%' }, [1]],
    ['a beginning in which % and _ stand for themselves', { requestId: 'f%s_%' }, []],
    ['a beginning and more', { requestId: 't%', modelName: 'gpt-4o-mini', type: 2 }, [5]],
    ['words of SQL', { modelName: "%' or '1'='1" }, []],
  ])('filters by %s', async (_name, filter, expected) => {
    expect(await times(filter)).toEqual(expected);
    const page = await logs.list(db, filter, { offset: 0, limit: 1 });
    expect(page).toMatchObject({ total: expected.length, exact: true });
  });

  it('is searched by type or by the start of the content', async () => {
    const found = async (keyword: string, userId?: number): Promise<number[]> => {
      const who = userId === undefined ? {} : { userId };
      return (await logs.search(db, { keyword, ...who, limit: 100 })).map((one) => one.created_at);
    };
    expect(await found('1')).toEqual([2]);
    expect(await found('通过')).toEqual([2]);
    expect(await found('兑换码')).toEqual([]);
    expect(await found('通过', 90)).toEqual([]);
    expect(await found('%')).toEqual([]);
  });

  it('shows the holder of a token its use', async () => {
    const rows = await logs.ofToken(db, 1, 2);
    expect(rows.map((one) => one.created_at)).toEqual([5, 5]);
  });
});

eachDialect('log sums', ({ open }) => {
  it('count consumption alone: quota in the given time, rpm and tpm in the last minute', async () => {
    const { db } = await open();
    const now = 100_000;
    await logs.insert(db, [
      row({ created_at: now - 60, quota: 1 }),
      row({ created_at: now - 59, quota: 20 }),
      row({ created_at: now, quota: 300, user_id: 2, model_name: 'o3' }),
      row({ created_at: now, quota: 4000, type: 1 }),
      // A channel test, whose price is charged to no user. The other row is a user's token with the same name.
      row({ created_at: now, quota: 50_000, token_id: 0, token_name: '模型测试' }),
      row({ created_at: now - 100, quota: 0, token_id: 3, token_name: '模型测试' }),
    ]);
    expect(await logs.stat(db, {}, now)).toEqual({
      quota: 321,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 2,
      tpm: 14,
    });
    // The sum covers the filtered rows; the rates always cover calls.
    expect(await logs.stat(db, { type: 2 }, now)).toEqual({
      quota: 321,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 2,
      tpm: 14,
    });
    expect(await logs.stat(db, { type: 1 }, now)).toEqual({
      quota: 0,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 2,
      tpm: 14,
    });
    expect(await logs.stat(db, { start: now - 60, end: now - 60 }, now)).toEqual({
      quota: 1,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 2,
      tpm: 14,
    });
    expect(await logs.stat(db, { userId: 2 }, now)).toEqual({
      quota: 300,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 1,
      tpm: 7,
    });
    expect(await logs.stat(db, { modelName: 'o%' }, now)).toEqual({
      quota: 300,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 1,
      tpm: 7,
    });
    expect(await logs.stat(db, { userId: 9 }, now)).toEqual({
      quota: 0,
      team_quota: 0,
      refunded: 0,
      team_refunded: 0,
      rpm: 0,
      tpm: 0,
    });
  });
});

eachDialect('a long log', ({ kind, open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
    const many = Array.from({ length: 12_000 }, (_, i) =>
      row({ created_at: i, group: i < 10 ? 'old' : 'new' }),
    );
    await logs.insert(db, many);
  });

  it('is counted up to a bound, reports that, and still has a next page', async () => {
    const all = await logs.list(db, {}, { offset: 0, limit: 10 });
    expect(all).toMatchObject({ total: 10_010, exact: false });
    const later = await logs.list(db, {}, { offset: 5_000, limit: 10 });
    expect(later).toMatchObject({ total: 12_000, exact: true });
    expect(later.rows[0]?.created_at).toBe(6_999);
    const between = await logs.list(db, {}, { offset: 1_000, limit: 10 });
    expect(between).toMatchObject({ total: 11_010, exact: false });
    const last = await logs.list(db, {}, { offset: 11_990, limit: 10 });
    expect(last).toMatchObject({ total: 12_000, exact: true });
    const beyond = await logs.list(db, {}, { offset: 13_000, limit: 10 });
    expect(beyond).toMatchObject({ rows: [], total: 12_000, exact: true });
  });

  it('is searched beyond the first step for older rows', async () => {
    const page = await logs.list(db, { group: 'old' }, { offset: 0, limit: 10 });
    expect(page.rows.map((one) => one.created_at)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(page).toMatchObject({ total: 10, exact: true });
    expect(await logs.list(db, { group: 'none' }, { offset: 0, limit: 10 })).toEqual({
      rows: [],
      total: 0,
      exact: true,
      olderMissing: false,
    });
  });

  // Enough rows that no search of one index reaches its end. Only a file accepts them in seconds.
  it.runIf(kind === 'sqlite')(
    'is searched by every index that has few matching rows',
    async () => {
      await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 201000)
      insert into logs (user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens,
        completion_tokens, use_time, is_stream, channel_id, token_id, "group", other, request_id)
      select 77, 20000 + i, 2, '', 'busy', 'main', 'often', 1, 1, 1, 1, 0, 1, 1, 'default', '{}', '' from n`.execute(
        db,
      );
      await logs.insert(db, [row({ user_id: 77, created_at: 15_000, model_name: 'seldom' })]);
      const page = await logs.list(db, { userId: 77, modelName: 'seldom' }, { offset: 0, limit: 10 });
      expect(page).toMatchObject({ rows: [{ created_at: 15_000 }], total: 1, exact: true });
      const none = await logs.list(db, { userId: 77, modelName: 'never' }, { offset: 0, limit: 10 });
      expect(none).toMatchObject({ rows: [], total: 0, exact: true });
    },
    60_000,
  );

  it('loses exactly the rows before a given time', async () => {
    expect(await logs.countBefore(db, 1_234)).toBe(1_234);
    const steps: number[] = [];
    for (let from = 0; steps.at(-1) !== 234;) {
      const { rows, last } = await logs.deleteSome(db, { from, before: 1_234 }, 500);
      steps.push(rows);
      from = last;
    }
    expect(steps).toEqual([500, 500, 234]);
    expect(await logs.countBefore(db, 1_234)).toBe(0);
    const { total } = await logs.list(db, {}, { offset: 5_000, limit: 10 });
    expect(total).toBe(12_000 - 1_234);
  });
});

eachDialect('a log row', ({ open }) => {
  it('is stored whatever its texts contain', async () => {
    const { db } = await open();
    const words = {
      model_name: 'm'.repeat(1_000),
      content: 'a\0b',
      username: '🙂'.repeat(300),
      other: '"\\',
    };
    await logs.insert(db, [row(words)]);
    const { rows } = await logs.list(db, {}, { offset: 0, limit: 1 });
    expect(rows[0]).toMatchObject({ model_name: 'm'.repeat(255), content: 'ab', other: '"\\' });
  });
});
