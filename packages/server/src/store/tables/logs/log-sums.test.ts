import { beforeAll, expect, it } from 'vitest';
import type { Db } from '../../dialects/types.ts';
import { eachDialect } from '../../each-dialect.ts';
import * as accounts from '../accounts.ts';
import * as logSums from './log-sums.ts';
import * as logs from './logs.ts';
import type { NewLog } from './logs.ts';
import * as users from '../users.ts';
import { logRow } from '../../../testing/log-row.ts';

const row = (rest: Partial<NewLog> = {}): NewLog =>
  logRow({ user_id: 90, username: 'bob', quota: 10, is_stream: 0, ...rest });

eachDialect('sums over the log', ({ open }) => {
  let db: Db;
  let alice: number;
  beforeAll(async () => {
    ({ db } = await open());
    const accountId = await accounts.create(db);
    alice = await users.create(db, { account_id: accountId, username: 'alice', created_time: 1 });
    const hers = { user_id: alice, username: 'alice', token_id: 7 };
    await logs.insert(db, [
      row({ created_at: 10, ...hers, quota: 5, is_stream: 1, other: 'first' }),
      row({ created_at: 20, ...hers, quota: 6, is_stream: 1, other: 'second' }),
      row({ created_at: 20, ...hers, quota: 7, token_name: 'renamed' }),
      row({ created_at: 30, quota: 100 }),
      row({ created_at: 40, quota: 0, type: 5 }),
      row({ created_at: 40, quota: 900, type: 1 }),
      row({ created_at: 50, ...hers, quota: 1, is_stream: 1, other: 'third' }),
    ]);
  });

  it('are by model and hour of the calls with a tag, minus refunds and with the part that teams paid', async () => {
    const tags = '{"team":"a"}';
    const call = row({ user_id: 91, username: 'cy', tags, created_at: 7_200 });
    await logs.insert(db, [
      call,
      { ...call, created_at: 10_799, quota: 4, team_id: 3 },
      { ...call, created_at: 10_800, quota: 6, model_name: 'o1' },
      { ...call, tags: '{"team":"b"}' },
      { ...call, tags: null },
      { ...call, type: 5, quota: 0 },
    ]);
    const ofTag = { userId: 91, tags: [{ name: 'team', value: 'a' }] };
    expect(await logSums.byModelAndHour(db, ofTag)).toEqual([
      { model_name: 'gpt-4o', created_at: 7_200, count: 2, token_used: 14, quota: 14, team_quota: 4 },
      { model_name: 'o1', created_at: 10_800, count: 1, token_used: 7, quota: 6, team_quota: 0 },
    ]);
    expect(await logSums.byModelAndHour(db, { ...ofTag, end: 10_799 })).toHaveLength(1);
    expect(await logSums.newestTags(db, { userId: 91 }, { window: 10, limit: 10 })).toHaveLength(4);
    expect(await logSums.newestTags(db, { userId: 90 }, { window: 10, limit: 10 })).toEqual([]);
    await db.deleteFrom('logs').where('user_id', '=', 91).execute();
  });

  it('name the tokens that consumed most, each under the names on its rows', async () => {
    const all = await logSums.topTokens(db, {}, 10);
    expect(all).toEqual([
      {
        token_id: 1,
        token_name: 'main',
        user_id: 90,
        username: 'bob',
        team_id: 0,
        count: 1,
        token_used: 7,
        quota: 100,
      },
      {
        token_id: 7,
        token_name: 'main',
        user_id: alice,
        username: 'alice',
        team_id: 0,
        count: 3,
        token_used: 21,
        quota: 12,
      },
      {
        token_id: 7,
        token_name: 'renamed',
        user_id: alice,
        username: 'alice',
        team_id: 0,
        count: 1,
        token_used: 7,
        quota: 7,
      },
    ]);
    expect(await logSums.topTokens(db, {}, 1)).toHaveLength(1);
  });

  it('respect the given time and user', async () => {
    const of = async (filter: logSums.SumFilter) =>
      (await logSums.topTokens(db, filter, 10)).map(({ token_name, quota }) => [token_name, quota]);
    expect(await of({ start: 20, end: 30, userId: alice })).toEqual([
      ['renamed', 7],
      ['main', 6],
    ]);
    expect(await of({ username: 'alice', start: 50 })).toEqual([['main', 1]]);
    expect(await of({ username: 'nobody' })).toEqual([]);
  });

  it('count the rows of one type', async () => {
    expect(await logSums.countOfType(db, {}, 2)).toBe(5);
    expect(await logSums.countOfType(db, { start: 20, end: 40 }, 2)).toBe(3);
    expect(await logSums.countOfType(db, {}, 5)).toBe(1);
    expect(await logSums.countOfType(db, { userId: alice }, 5)).toBe(0);
  });

  it('begin where no more rows than the bound follow, and include whole seconds', async () => {
    expect(await logSums.sinceFor(db, { start: 3 }, 7)).toBe(3);
    expect(await logSums.sinceFor(db, {}, 7)).toBe(0);
    expect(await logSums.sinceFor(db, { start: 3 }, 6)).toBe(11);
    // The fifth newest row is one of two in second 20: both are left out.
    expect(await logSums.sinceFor(db, {}, 5)).toBe(21);
    expect(await logSums.sinceFor(db, { userId: alice }, 1)).toBe(21);
  });

  it('find the newest streams among the newest calls', async () => {
    const found = async (window: number, limit: number, filter: logSums.SumFilter = {}) =>
      (await logSums.newestStreams(db, filter, { window, limit })).toSorted();
    expect(await found(100, 2)).toEqual(['second', 'third']);
    expect(await found(2, 10)).toEqual(['third']);
    expect(await found(100, 10, { end: 15 })).toEqual(['first']);
    expect(await found(100, 10, { userId: 90 })).toEqual([]);
  });
});
