import { beforeEach, describe, expect, it } from 'vitest';
import { logs, migrate, openStore, type Store, teams } from '../../../store/index.ts';
import { logRow } from '../../../testing/log-row.ts';
import { createUsageSummaries } from './index.ts';

describe('the summary of a period', () => {
  let store: Store;
  const summaries = (errorsLogged: boolean) =>
    createUsageSummaries({
      reports: store.reports,
      errorsLogged: () => errorsLogged,
      isPriced: (model) => model === 'gpt-4o',
    });

  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    await logs.insert(store.db, [
      logRow({ other: '{"frt":300}' }),
      logRow({ other: '{"frt":100}' }),
      logRow({ other: '{"frt":900}' }),
      // Rows without a usable time: no first byte, empty text, unreadable text, not a stream.
      logRow({ other: '{"frt":-1000}' }),
      logRow({ other: '' }),
      logRow({ is_stream: 0, other: '{"frt":1}' }),
      logRow({ type: 5, quota: 0, other: '{"status_code":502,"error_code":"do_request_failed"}' }),
      // A channel test is in the log with its price, but no user made this call or paid for it.
      logRow({ token_id: 0, token_name: '模型测试', quota: 9_999 }),
      logRow({ user_id: 12, username: 'bob', token_id: 2, created_at: 2_000, quota: 50 }),
    ]);
    return () => store.close();
  });

  it('has the median time to the first byte of streams, the calls, the failures and the tokens', async () => {
    expect(await summaries(true).own(11, 0, 0)).toEqual({
      since: 0,
      calls: 6,
      errors: 1,
      error_kinds: [{ status: 502, code: 'do_request_failed', count: 1 }],
      unpriced_models: [],
      first_token_ms: 300,
      first_token_calls: 3,
      tokens: [
        {
          token_id: 1,
          token_name: 'main',
          user_id: 11,
          username: 'ann',
          team_id: 0,
          team_name: '',
          count: 6,
          token_used: 42,
          quota: 30,
        },
      ],
      tags: [],
    });
  });

  it('is of the calls with a tag, and names the tags of all the newest calls', async () => {
    await logs.insert(store.db, [
      logRow({ tags: '{"team":"search","env":"prod"}', quota: 100 }),
      logRow({ tags: '{"team":"ads"}', quota: 40, created_at: 2_000 }),
      logRow({ tags: '{"secret":"x"}', user_id: 12, username: 'bob' }),
    ]);
    const found = summaries(true);
    expect(await found.own(11, 0, 0, 'team=search')).toMatchObject({
      calls: 1,
      tokens: [{ quota: 100 }],
      tags: ['team', 'env'],
    });
    expect(await found.ofAll(0, 0, '', 'no tag!')).toMatchObject({ calls: 0, tokens: [] });
    expect((await found.own(11, 3_000, 0)).tags).toEqual(['team', 'env']);
    expect((await found.ofAll(0, 0, '')).tags).toEqual(['team', 'env', 'secret']);
  });

  it('has the kinds of errors, the most frequent first, and counts rows that stand for many calls', async () => {
    const error = logRow({ type: 5, quota: 0, user_id: 12, username: 'bob' });
    await logs.insert(store.db, [
      { ...error, other: '{"status_code":429,"error_code":"busy"}' },
      { ...error, other: '{"status_code":403,"error_code":"insufficient_user_quota"}' },
      { ...error, other: '{"status_code":403,"error_code":"insufficient_user_quota","failed_calls":40}' },
      { ...error, other: 'no JSON' },
    ]);
    expect(await summaries(true).own(12, 0, 0)).toMatchObject({
      errors: 43,
      error_kinds: [
        { status: 403, code: 'insufficient_user_quota', count: 41 },
        { status: 429, code: 'busy', count: 1 },
        { status: 0, code: '', count: 1 },
      ],
    });
  });

  it('names the models that were refused for lack of a price, without those that have one since', async () => {
    const other = '{"status_code":400,"error_code":"model_price_error"}';
    const refused = (model_name: string, text = other) =>
      logRow({ type: 5, quota: 0, user_id: 12, username: 'bob', model_name, other: text });
    await logs.insert(store.db, [
      refused('new-a'),
      refused('new-b', other.replace('}', ',"failed_calls":7}')),
      refused('gpt-4o'),
      refused('other', '{"status_code":429,"error_code":"busy"}'),
    ]);
    expect((await summaries(true).own(12, 0, 0)).unpriced_models).toEqual([
      { model_name: 'new-b', count: 7 },
      { model_name: 'new-a', count: 1 },
    ]);
  });

  it('separates the keys that teams pay for from personal keys of the same name', async () => {
    const team = { name: 'Lab', group: 'default', account_id: 7, created_time: 1, status: 1 };
    const id = await teams.create(store.db, { ...team, owner_id: 11 });
    await logs.insert(store.db, [
      logRow({ token_id: 3, team_id: id, quota: 100 }),
      logRow({ token_id: 4, team_id: 987, quota: 90 }),
    ]);
    const { tokens } = await summaries(true).own(11, 0, 0);
    expect(tokens.map(({ token_name: key, team_id: of, team_name: name }) => [key, of, name])).toEqual([
      ['main', id, 'Lab'],
      ['main', 987, ''],
      ['main', 0, ''],
    ]);
  });

  it('has no failures where none are logged, and no waiting time where no stream began', async () => {
    expect(await summaries(false).own(12, 0, 0)).toMatchObject({
      calls: 1,
      errors: null,
      first_token_ms: null,
      first_token_calls: 0,
    });
  });

  it('of all covers every user, of a name one, within the period', async () => {
    const all = summaries(true);
    expect((await all.ofAll(0, 0, '')).tokens.map(({ username }) => username)).toEqual(['bob', 'ann']);
    expect((await all.ofAll(0, 0, 'bob')).calls).toBe(1);
    expect(await all.ofAll(1_500, 3_000, '')).toMatchObject({ since: 1_500, calls: 1, errors: 0 });
    expect(await all.ofAll(0, 999, '')).toMatchObject({ calls: 0, tokens: [] });
  });
});
