import { describe, expect, it } from 'vitest';
import { type LogRow, showLog, showOwnLog } from './view.ts';

const row: LogRow = {
  id: 5_000_123,
  user_id: 3,
  created_at: 1_700_000_000,
  type: 2,
  content: 'x',
  username: 'ann',
  token_name: 't',
  model_name: 'gpt-4o',
  quota: 17,
  prompt_tokens: 10,
  completion_tokens: 2,
  use_time: 1,
  is_stream: 1,
  channel_id: 9,
  token_id: 4,
  group: 'default',
  other: '{"frt":12,"admin_info":{"use_channel":["9"]},"model_ratio":1}',
  request_id: 'r',
  team_id: 0,
  cost: null,
  tags: null,
};

describe('a log row', () => {
  it('shows everything to administrators, under the names of the API', () => {
    expect(showLog(row, { channel: 'main', team: '' })).toMatchObject({
      id: 5_000_123,
      channel: 9,
      channel_name: 'main',
      is_stream: true,
      other: row.other,
    });
  });

  it('hides from its user what is for operators', () => {
    const shown = showOwnLog(row, '');
    expect(shown).toMatchObject({ id: 5_000_123 % 1024, channel_name: '', quota: 17, request_id: 'r' });
    expect(JSON.parse(shown.other)).toEqual({ frt: 12, model_ratio: 1 });
  });

  it('hides an `other` that has admin_info in broken JSON', () => {
    expect(showOwnLog({ ...row, other: '{"admin_info":' }, '').other).toBe('');
    expect(showOwnLog({ ...row, other: '["admin_info"]' }, '').other).toBe('');
  });
});
