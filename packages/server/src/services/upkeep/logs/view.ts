import type { LogData } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import type { LogTable } from '../../../store/index.ts';

/** A stored log row. */
export type LogRow = Omit<LogTable, 'id' | 'refunded'> & { id: number };

/** The present names of a row's channel and team, which may have been renamed; '' for none. */
interface Names {
  channel: string;
  team: string;
}

/** A row in an administrator's view. */
export const showLog = (row: LogRow, { channel, team }: Names): LogData => ({
  id: row.id,
  user_id: row.user_id,
  created_at: row.created_at,
  type: row.type,
  content: row.content,
  username: row.username,
  token_name: row.token_name,
  model_name: row.model_name,
  quota: row.quota,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  use_time: row.use_time,
  is_stream: row.is_stream !== 0,
  channel: row.channel_id,
  channel_name: channel,
  token_id: row.token_id,
  group: row.group,
  other: row.other,
  request_id: row.request_id,
  team_id: row.team_id,
  team_name: team,
  tags: row.tags ?? '',
});

/**
 * Ids of rows are shown to users modulo this, so that they do not reveal how busy the site is
 * (docs/compatibility.md#log-row).
 */
const idMask = 1024;

/** A row for its own user: without the operators' part of `other`, the channel's name and the true id. */
export const showOwnLog = (row: LogRow, team: string): LogData => ({
  ...showLog(row, { channel: '', team }),
  id: row.id % idMask,
  other: withoutAdminInfo(row.other),
});

/** For a failed call, users see their own error; its channel is for operators only. */
const operatorsOnly = ['admin_info', 'channel_name', 'channel_type'] as const;

/** `other` without the operators' part; text that cannot be parsed is withheld. */
function withoutAdminInfo(other: string): string {
  if (!operatorsOnly.some((name) => other.includes(name))) return other;
  try {
    const value: unknown = JSON.parse(other);
    if (!isObject(value)) return '';
    for (const name of operatorsOnly) delete value[name];
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
