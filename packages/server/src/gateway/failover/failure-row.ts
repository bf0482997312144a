import { logType } from '@tollgate/contract';
import type { RelayError } from '../../relay/types/index.ts';
import type { LogEntry } from '../../services/upkeep/logs/index.ts';
import { channelsAsked } from './failover.ts';
import { publicError } from './refuse-call.ts';
import type { FailedExchange, FailedTries } from '../call/index.ts';

/**
 * The log row of a call that failed (type 5). Its message, code and status are those of the caller's answer.
 * `admin_info`, which is hidden from users, has the upstream's real error and the tried channels.
 *
 * @param now - Unix ms
 */
export function failureRow(
  { requestId, path, caller, facts, askedGroup, startedAt, tags }: FailedExchange,
  error: RelayError,
  failed: FailedTries | undefined,
  now: number,
): LogEntry {
  const { id = 0, name = '', type = 0 } = failed?.channel ?? {};
  const tries = failed?.tries ?? [];
  const shown = publicError(error, channelsAsked(tries));
  const isOther = shown.message !== error.message || shown.status !== error.status;
  const other = {
    error_type: shown.type,
    error_code: shown.code,
    status_code: shown.status,
    channel_id: id,
    channel_name: name,
    channel_type: type,
    request_path: path,
    ...(caller.team && { team: caller.team.name }),
    total_ms: Math.max(0, now - startedAt),
    admin_info: {
      use_channel: tries.map(({ channelId }) => String(channelId)),
      tries,
      ...(isOther && { error: { status: error.status, code: error.code, message: error.message } }),
    },
  };
  return {
    type: logType.error,
    created_at: Math.floor(now / 1000),
    user_id: caller.userId,
    username: caller.username,
    content: shown.message,
    token_name: caller.tokenName,
    token_id: caller.tokenId,
    model_name: facts.model,
    group: failed?.channel.inGroup ?? (askedGroup || caller.tokenGroup || caller.userGroup),
    use_time: Math.max(0, Math.floor((now - startedAt) / 1000)),
    is_stream: facts.stream ? 1 : 0,
    channel_id: id,
    other: JSON.stringify(other),
    request_id: requestId,
    team_id: caller.team?.id ?? 0,
    tags: tags ? JSON.stringify(tags) : null,
  };
}
