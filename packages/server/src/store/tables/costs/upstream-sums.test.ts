import { logType, testTokenName } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { eachDialect } from '../../each-dialect.ts';
import { insert, remove, find, list } from './usage-reports.ts';
import * as logs from '../logs/logs.ts';
import { upstreamSums } from './upstream-sums.ts';

const day = 86_400;

eachDialect('sums of what was sent to vendors', ({ open }) => {
  const row = (fields: Partial<logs.NewLog>): logs.NewLog => ({
    ...logs.blank,
    user_id: 7,
    username: 'ann',
    content: '',
    token_name: '',
    created_at: day,
    type: logType.consume,
    model_name: 'fast',
    channel_id: 1,
    prompt_tokens: 10,
    completion_tokens: 2,
    ...fields,
  });

  it('are by day, channel and both names of the model; tests of channels are included', async () => {
    const { db } = await open();
    const mapped = JSON.stringify({ cache_tokens: 4, upstream_model_name: 'gpt-4o' });
    await logs.insert(db, [
      row({ other: mapped, cost: 5 }),
      row({ other: mapped, created_at: 2 * day - 1, token_name: testTokenName, cost: null }),
      row({ other: mapped, channel_id: 2, cost: 1 }),
      row({ other: '{"cache_tokens":1}', cost: 2 }),
      row({ other: '', cost: 3, created_at: 2 * day }),
      row({ other: mapped, cost: 9, channel_id: 3 }),
      row({ other: mapped, type: logType.refund, cost: 0 }),
      row({ other: mapped, created_at: day - 1 }),
      row({ other: mapped, created_at: 3 * day }),
    ]);
    const found = await upstreamSums(db, { channels: [1, 2], start: day, end: 3 * day });
    const base = { model: 'fast', channel: 1, day, unknown_calls: 0 };
    const one = { ...base, upstream: 'fast', calls: 1, input: 10, output: 2 };
    expect(found.toSorted((a, b) => b.cost - a.cost || b.calls - a.calls)).toEqual([
      { ...base, upstream: 'gpt-4o', calls: 2, input: 20, cached: 8, output: 4, cost: 5, unknown_calls: 1 },
      { ...one, day: 2 * day, cached: 0, cost: 3 },
      { ...one, cached: 1, cost: 2 },
      { ...one, channel: 2, upstream: 'gpt-4o', cached: 4, cost: 1 },
    ]);
  });

  it('are beside reports, which are listed without their content, the newest first', async () => {
    const { db } = await open();
    const report = {
      source: 'csv',
      name: 'a.csv',
      channels: '[1]',
      start_time: 0,
      end_time: day,
      created_at: 5,
      line_count: 1,
      content: '[["…"]]',
    };
    const first = await insert(db, report);
    const second = await insert(db, { ...report, name: 'b.csv' });
    expect((await list(db, 10)).map(({ id }) => id)).toEqual([second, first]);
    expect(JSON.stringify(await list(db, 1))).not.toContain('…');
    expect(await find(db, first)).toEqual({ id: first, ...report });
    expect([await remove(db, first), await remove(db, first)]).toEqual([true, false]);
    expect((await list(db, 10)).map(({ name }) => name)).toEqual(['b.csv']);
  });
});
