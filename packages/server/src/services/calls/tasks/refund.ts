import { keptText, logType } from '@tollgate/contract';
import { refundUsage, type Refunded, type VerbContext } from '../../money/ledger/index.ts';
import type { SettlementLog } from '../../money/ledger/index.ts';
import { logs } from '../../../store/index.ts';
import { routingName } from '../routing/index.ts';
import type { Task } from './types.ts';

/** Facts for the rows of a refund. */
export interface RefundDeps {
  logsConsumption(): boolean;
  sumsHourly(): boolean;
  /** Formats an amount as text. */
  showQuota(amount: number): string;
}

/** The amount to return, and the reason. */
export interface Refund {
  /** Quota units; the whole charge if absent. */
  amount?: number;
  reason: string;
}

/**
 * Refunds a task's charge in the transaction that ends its row, once per task. The refund is partial if less was
 * produced than was charged.
 */
export async function refundTask(
  deps: RefundDeps,
  context: VerbContext,
  task: Task,
  { amount, reason }: Refund,
): Promise<Refunded> {
  const back = amount ?? task.quota;
  const { settledAt, username } = task.bill;
  const hourly = { modelName: routingName(task.model), username, at: settledAt };
  // The row of the charge has the vendor's cost; 0 here marks the cost as known.
  const charged = await logs.consumptionIfKnown(context.db, task.requestId);
  // A refund is logged if its charge was, regardless of the present setting.
  const isLogged = charged !== undefined || deps.logsConsumption();
  const cost = typeof charged?.cost === 'number' ? 0 : null;
  return refundUsage(context, {
    txn: `task:${task.taskId}:${amount === undefined ? 'refund' : 'less'}`,
    requestId: task.requestId,
    amount: back,
    log: isLogged
      ? refundRow(deps, context, task, { back, reason, isWhole: amount === undefined, cost })
      : null,
    hourly: isLogged && deps.sumsHourly() ? hourly : null,
  });
}

/** The log row: the refunded amount, the task and charge, and the prices of the charge. */
function refundRow(
  deps: RefundDeps,
  context: VerbContext,
  task: Task,
  { back, reason, isWhole, cost }: { back: number; reason: string; isWhole: boolean; cost: 0 | null },
): SettlementLog {
  const { bill } = task;
  const values = { task: task.taskId, amount: deps.showQuota(back) };
  const other = {
    task_id: task.taskId,
    task_platform: task.platform,
    task_action: task.action,
    model_price: bill.snapshot.modelPrice,
    group_ratio: bill.snapshot.groupRatio,
    call_count: bill.extras.calls ?? 1,
    call_factor: bill.extras.factor ?? 1,
    refund_of: task.requestId,
    charged: task.quota,
    reason,
    ...(bill.team && { team: bill.team.name }),
  };
  return {
    user_id: task.userId,
    created_at: context.at,
    type: logType.refund,
    content: keptText(isWhole ? 'taskRefunded' : 'taskPaidLess', values),
    username: bill.username,
    token_name: bill.tokenName,
    model_name: routingName(task.model),
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: Math.max(0, context.at - Math.floor(task.submitTime / 1000)),
    is_stream: 0,
    channel_id: task.channelId,
    token_id: bill.tokenId,
    group: bill.group,
    other: JSON.stringify(other),
    request_id: task.requestId,
    team_id: bill.team?.id ?? 0,
    cost,
    tags: bill.tags ? JSON.stringify(bill.tags) : null,
  };
}
