import type { NewLog } from '../store/tables/logs/logs.ts';

/** A charged call of streamed chat. `rest` overrides fields. */
export const logRow = (rest: Partial<NewLog> = {}): NewLog => ({
  user_id: 11,
  created_at: 1_000,
  type: 2,
  content: '',
  username: 'ann',
  token_name: 'main',
  model_name: 'gpt-4o',
  quota: 5,
  prompt_tokens: 3,
  completion_tokens: 4,
  use_time: 1,
  is_stream: 1,
  channel_id: 1,
  token_id: 1,
  group: 'default',
  other: '{}',
  request_id: 'r',
  team_id: 0,
  cost: null,
  tags: null,
  ...rest,
});
