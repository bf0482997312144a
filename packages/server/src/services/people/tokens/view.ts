import { type TokenData, tokenStatus } from '@tollgate/contract';
import type { tokens } from '../../../store/index.ts';

/**
 * The state of a token at `now` (Unix seconds). Expiry and exhaustion are read off the token itself, so that a later
 * date or more quota alone brings it back; stored is only what its owner switched.
 */
export function statusOf(row: tokens.TokenRow, now: number): number {
  if (row.status !== tokenStatus.enabled) return row.status;
  if (row.expired_time !== -1 && row.expired_time <= now) return tokenStatus.expired;
  if (row.unlimited_quota === 0 && row.remain_quota <= 0) return tokenStatus.exhausted;
  return tokenStatus.enabled;
}

/** A token as its owner sees it; `key` is the whole key where they may see that. */
export const showToken = (row: tokens.TokenRow, now: number, key = row.key_hint): TokenData => ({
  id: row.id,
  user_id: row.user_id,
  key,
  status: statusOf(row, now),
  name: row.name,
  created_time: row.created_time,
  accessed_time: row.accessed_time,
  expired_time: row.expired_time,
  remain_quota: row.remain_quota,
  unlimited_quota: row.unlimited_quota === 1,
  model_limits_enabled: row.model_limits_enabled === 1,
  model_limits: row.model_limits,
  allow_ips: row.allow_ips,
  used_quota: row.used_quota,
  group: row.group,
  DeletedAt: row.deleted_at,
});
