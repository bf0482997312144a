import { faultPoint } from '../../lib/fault-point.ts';
import { applyModelMapping } from '../../relay/model-mapping.ts';
import { type AcceptedTask, type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import { mayRetry } from '../../services/calls/routing/index.ts';
import type { NewTask, Task } from '../../services/calls/tasks/index.ts';
import { admit, admitRate } from '../entrance/index.ts';
import { quotaRefusal } from '../hold/index.ts';
import { FailedCall, type AttemptRecord } from '../failover/index.ts';
import { askVendor, withoutSecrets } from './ask-vendor.ts';
import { channelFor, firstChannel, vendorOf } from './choose.ts';
import type { TaskCall, TaskDeps, TaskOrder } from './deps.ts';
import { type TaskPrice, taskPrice } from './price.ts';
import { taskSettlement } from './settlement.ts';

/** Timeout for a vendor to accept or refuse a task. */
const submitTimeoutMs = 60_000;
/** Delay of the first poll of an accepted task. */
const firstPollMs = 2_000;

/** A task that its vendor has accepted. */
export interface Submitted {
  task: Task;
  /** The vendor's answer. */
  accepted: AcceptedTask;
  /** Quota units. */
  charged: number;
}

/** The channel that accepted a task, and the attempts before it. */
interface Accepted {
  channel: Channel;
  accepted: AcceptedTask;
  upstreamModel: string;
  tries: AttemptRecord[];
}

/**
 * Submits one new task: admit → price → hold and row → try channels → settle and store the vendor's id.
 * The row is written before a vendor is called, so that after a kill at any point it shows what to do. Throws the
 * error; then nothing was charged.
 */
export async function submitTask(deps: TaskDeps, call: TaskCall, wanted: TaskOrder): Promise<Submitted> {
  const { gateway, tasks } = deps;
  const { caller } = call;
  const group = groupOf(deps, call, wanted);
  if (wanted.isRateCounted) await admitRate(gateway.rate, caller, group);
  if (gateway.forbiddenWord({ json: wanted.asked }) !== undefined) throw refuse('sensitive_words_detected');
  const { first, order, price } = plan(deps, call, wanted, group);
  faultPoint('before-hold');
  const task = await begin(deps, call, newTask({ call, order, price, group, first }));
  call.trace?.held(price.bill.quota);
  faultPoint('task-held');
  const taken = await submitToChannels(deps, { call, order, group, first, task });
  faultPoint('task-asked');
  const { accepted, upstreamModel, channel, tries } = taken;
  const settlement = taskSettlement(deps, {
    call,
    order,
    task,
    group,
    price,
    upstreamModel,
    channelId: channel.id,
    tries,
  });
  const done = await tasks.accept(task, {
    vendorId: accepted.vendorId,
    upstreamModel,
    update: accepted.update,
    settlement,
    nextPoll: gateway.clock() + firstPollMs,
  });
  faultPoint('task-accepted');
  gateway.onTaskSettled(call, done.settled);
  return { task: done.task, accepted, charged: done.settled.charged };
}

/** The present price of a task: nothing is held, and no vendor is called. Throws the error. */
export const quoteTask = (deps: TaskDeps, call: TaskCall, wanted: TaskOrder): TaskPrice =>
  plan(deps, call, wanted, groupOf(deps, call, wanted)).price;

const groupOf = ({ gateway }: TaskDeps, { caller, askedGroup }: TaskCall, { model }: TaskOrder): string =>
  admit(gateway, { caller, askedGroup, facts: { model } });

/** The first channel, the exact request, and the price. */
function plan(deps: TaskDeps, call: TaskCall, wanted: TaskOrder, group: string) {
  const first = firstChannel(deps, call, wanted, group);
  const order: TaskOrder = { ...wanted, ...wanted.measure?.(vendorOf(deps, wanted, first)) };
  return { first, order, price: taskPrice(deps.gateway, call.caller, group, order) };
}

async function begin({ tasks, gateway }: TaskDeps, { caller, res }: TaskCall, task: NewTask): Promise<Task> {
  try {
    return await gateway.ledger.whenReleased({ payer: task.hold, caller: res }, () => tasks.begin(task));
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    throw quotaRefusal(gateway, error, caller, 'task');
  }
}

interface TaskPlan {
  call: TaskCall;
  order: TaskOrder;
  price: TaskPrice;
  group: string;
  first: Channel;
}

function newTask({ call, order, price, group, first }: TaskPlan): NewTask {
  const { caller, requestId } = call;
  const { team, username, tokenId, tokenName } = caller;
  const { platform, action, model, request, seconds } = order;
  return {
    platform,
    action,
    model,
    request,
    bill: {
      username,
      tokenId,
      tokenName,
      team: team && { id: team.id, name: team.name },
      group,
      snapshot: price.snapshot,
      extras: price.extras,
      ...(seconds !== undefined && { seconds }),
      settledAt: 0,
    },
    hold: {
      requestId,
      accountId: caller.accountId,
      userId: caller.userId,
      tokenId,
      tokenUnlimited: caller.tokenUnlimited,
      memberId: team?.memberId ?? 0,
      channelId: first.id,
      amount: price.bill.quota,
      request: '',
    },
    limitMs: order.limitMs,
  };
}

/** A task with a hold, which is offered to vendors. */
interface HeldTask {
  call: TaskCall;
  order: TaskOrder;
  group: string;
  first: Channel;
  task: Task;
}

/** Tries channels one after the other, as far as the platform allows; releases the hold if none accepts the task. */
async function submitToChannels(
  deps: TaskDeps,
  { call, order, group, first, task }: HeldTask,
): Promise<Accepted> {
  const { gateway, tasks } = deps;
  const tried = new Set<number>();
  const tries: AttemptRecord[] = [];
  let left = order.mayFailOver ? gateway.retryTimes() : 0;
  for (let channel: Channel | undefined = first; ;) {
    const startedAt = gateway.clock();
    call.trace?.tryBegins({ channel, kind: 'task', model: order.model, stream: false });
    const answer = await submitTo(deps, order, channel, call.trace);
    call.trace?.tryEnds(answer instanceof RelayError ? answer : undefined);
    const ms = gateway.clock() - startedAt;
    if (!(answer instanceof RelayError)) {
      gateway.routing.health.succeeded(channel.id);
      return { ...answer, channel, tries: [...tries, { channelId: channel.id, ms }] };
    }
    tries.push({ channelId: channel.id, ms, reason: answer.code, status: answer.status });
    if (answer.blame === 'channel') gateway.onFailure(channel, answer);
    tried.add(channel.id);
    const pinned = isPinned(call, order);
    const again: boolean = left > 0 && mayRetry(answer, { pinned, channelType: channel.type });
    const next: Channel | undefined = again
      ? channelFor(deps, call, { order, group, tried, refusals: [] })
      : undefined;
    if (!next) {
      await tasks.refuse(task);
      throw new FailedCall(answer, channel, tries);
    }
    left -= 1;
    channel = next;
  }
}

/** The answer of one channel. Every failure is an error of the call, so that its hold is released. */
async function submitTo(
  deps: TaskDeps,
  order: TaskOrder,
  channel: Channel,
  trace: TaskCall['trace'],
): Promise<Pick<Accepted, 'accepted' | 'upstreamModel'> | RelayError> {
  const provider = deps.provider(channel.type);
  if (!provider) return refuse('task_channel_without');
  try {
    const upstreamModel = applyModelMapping(channel.modelMapping, order.model);
    const tools = deps.toolsFor(provider, channel);
    const exchange = order.ask({ provider, channel, tools, upstreamModel });
    if (!exchange) return refuse('task_channel_without');
    const question = await exchange.question;
    trace?.asks(question.url, upstreamModel);
    const { status, body } = await askVendor(deps, {
      provider,
      channel,
      question,
      timeoutMs: submitTimeoutMs,
      headers: trace?.headers,
    });
    const read = exchange.read(status, body);
    return read instanceof RelayError
      ? withoutSecrets(read, provider, channel)
      : { accepted: read, upstreamModel };
  } catch (cause) {
    if (cause instanceof RelayError) return withoutSecrets(cause, provider, channel);
    deps.gateway.log.error({ channel: channel.id, err: cause }, 'a vendor could not be asked for a task');
    return refuse('internal_error');
  }
}

const isPinned = ({ caller }: TaskCall, { channelId }: TaskOrder): boolean =>
  channelId !== undefined || caller.pinnedChannelId > 0;
