import { keptText, usageOf } from '@tollgate/contract';
import type { Settlement } from '../../services/money/ledger/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import type { Task } from '../../services/calls/tasks/index.ts';
import type { AttemptRecord } from '../call/index.ts';
import { bookingOf, servedFacts } from '../settle/index.ts';
import type { TaskCall, TaskDeps, TaskOrder } from './deps.ts';
import type { TaskPrice } from './price.ts';

/** Facts of a task after its vendor has accepted it. */
export interface TakenTask {
  call: TaskCall;
  order: TaskOrder;
  task: Task;
  group: string;
  price: TaskPrice;
  upstreamModel: string;
  channelId: number;
  tries: readonly AttemptRecord[];
}

/** The settlement of a task, with a log row that explains its price. */
export function taskSettlement(
  { gateway }: Pick<TaskDeps, 'gateway'>,
  { call, order, task, price }: TakenTask,
  facts: ConsumeFacts,
): Settlement {
  const settlement = bookingOf(gateway, facts, call.keyed);
  if (!settlement.log) return settlement;
  const { snapshot, extras } = price;
  const content = keptText('taskPrice', {
    price: snapshot.modelPrice.toFixed(2),
    group: snapshot.groupRatio.toFixed(2),
    action: order.action,
    task: task.taskId,
  });
  const other = {
    ...(JSON.parse(settlement.log.other) as object),
    task_id: task.taskId,
    task_platform: order.platform,
    task_action: order.action,
    ...(order.seconds !== undefined && { task_seconds: order.seconds }),
    call_count: extras.calls ?? 1,
    call_factor: extras.factor ?? 1,
  };
  return { ...settlement, log: { ...settlement.log, content, other: JSON.stringify(other) } };
}

/** The data of a task's log row. `now` is in Unix ms. */
export function taskFacts(now: number, taken: TakenTask): ConsumeFacts {
  const { call, order, group, price } = taken;
  return {
    ...servedFacts({ ...taken, relayCall: call, admission: { ...price, group } }),
    model: order.model,
    isStream: false,
    usage: usageOf(),
    usageSource: 'upstream',
    bill: price.bill,
    // If the vendor does not charge for it, it costs nothing.
    ...(order.isFree && { cost: 0 }),
    extras: price.extras,
    endReason: 'complete',
    firstByteAt: 0,
    endedAt: now,
  };
}
