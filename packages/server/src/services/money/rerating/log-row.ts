import { logType } from '@tollgate/contract';
import type { logs } from '../../../store/index.ts';
import type { SettlementLog } from '../ledger/index.ts';

type LogRow = NonNullable<Awaited<ReturnType<typeof logs.find>>>;

interface Correction {
  reratingId: number;
  reason: string;
  isUndoing: boolean;
  /** Unix seconds. */
  at: number;
}

/**
 * The additional row of a corrected charge: the amount (negative if returned) and the reason. It has the request id of
 * the charge, whose own row does not change. Its cost is 0, or null if the cost of the charge is unknown.
 */
export function correctionRow(charge: LogRow, moved: number, correction: Correction): SettlementLog {
  const { reratingId, reason, isUndoing, at } = correction;
  const { team } = JSON.parse(charge.other) as { team?: string };
  return {
    user_id: charge.user_id,
    created_at: at,
    type: logType.refund,
    content: reason,
    username: charge.username,
    token_name: charge.token_name,
    model_name: charge.model_name,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: 0,
    channel_id: charge.channel_id,
    token_id: charge.token_id,
    group: charge.group,
    other: JSON.stringify({
      rerating: reratingId,
      correction_of: charge.request_id,
      charged: charge.quota,
      reason,
      ...(isUndoing && { undone: true }),
      ...(team !== undefined && { team }),
    }),
    request_id: charge.request_id,
    team_id: charge.team_id,
    cost: charge.cost === null ? null : 0,
    tags: charge.tags,
  };
}
