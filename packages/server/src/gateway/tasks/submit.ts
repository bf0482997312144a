import { faultPoint } from '../../lib/fault-point.ts';
import { applyModelMapping } from '../../relay/outgoing.ts';
import { type AcceptedTask, type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import type { NewTask, Task } from '../../services/calls/tasks/index.ts';
import { admit, admitRate, checkTags, enterRun, readTags } from '../entrance/index.ts';
import { callBudgets, readCeiling, quotaRefusal, tooLow } from '../hold/index.ts';
import { type Failed, type FailoverOutcome, tryChannels } from '../failover/index.ts';
import { askVendor, withoutSecrets } from './ask-vendor.ts';
import { channelFor, chooseGroup, firstChannel, requireVendor } from './choose.ts';
import type { TaskCall, TaskDeps, TaskOrder } from './deps.ts';
import { type TaskPrice, taskPrice } from './price.ts';
import { taskFacts, taskSettlement } from './settlement.ts';

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

/** A vendor has accepted the task. */
interface Accepted {
  kind: 'accepted';
  accepted: AcceptedTask;
  upstreamModel: string;
}

/**
 * Submits one new task: admit → price → hold and row → try channels → settle and store the vendor's id.
 * The row is written before a vendor is called, so that after a kill at any point it shows what to do. Throws the
 * error; then nothing was charged.
 */
export async function submitTask(deps: TaskDeps, asked: TaskCall, wanted: TaskOrder): Promise<Submitted> {
  const { gateway, tasks } = deps;
  const call = withTags(asked, wanted);
  const { caller } = call;
  const group = groupOf(deps, call, wanted);
  if (wanted.isRateCounted) await admitRate(gateway.rate, caller, group);
  if (gateway.forbiddenWord({ json: wanted.asked }) !== undefined) throw refuse('sensitive_words_detected');
  const { first, order, price } = plan(deps, call, wanted, group);
  faultPoint('before-hold');
  const ofRun = await enterRun(gateway, call);
  const task = await begin(deps, call, newTask(deps, { call, order, price, group, first, ofRun }));
  call.trace?.held(price.bill.quota);
  faultPoint('task-held');
  const taken = await submitToChannels(deps, { call, order, group, first, task, price });
  faultPoint('task-asked');
  const { channel, tries } = taken;
  const { accepted, upstreamModel } = taken.result;
  const served = {
    call,
    order,
    task,
    group,
    price,
    upstreamModel,
    channelId: channel.id,
    tries,
  };
  const facts = taskFacts(gateway.clock(), served);
  const done = await tasks.accept(task, {
    vendorId: accepted.vendorId,
    upstreamModel,
    update: accepted.update,
    settlement: taskSettlement(deps, served, facts),
    keyId: channel.chosenKey?.id,
    nextPoll: gateway.clock() + firstPollMs,
  });
  faultPoint('task-accepted');
  if (call.keyed) deps.onBegun(call.requestId);
  deps.onSettled(call, done.settled, facts);
  return { task: done.task, accepted, charged: done.settled.charged };
}

/** The present price of a task: nothing is held, and no vendor is called. Throws the error. */
export const quoteTask = (deps: TaskDeps, call: TaskCall, wanted: TaskOrder): TaskPrice =>
  plan(deps, call, wanted, groupOf(deps, withTags(call, wanted), wanted)).price;

const withTags = (call: TaskCall, { asked }: TaskOrder): TaskCall => ({
  ...call,
  tags: readTags(call, asked),
});

function groupOf(deps: TaskDeps, call: TaskCall, order: TaskOrder): string {
  const { caller, askedGroup, tags } = call;
  const groups = admit(deps.gateway, { caller, askedGroup, facts: { model: order.model } });
  const group = groups.length === 1 ? groups[0]! : chooseGroup(deps, call, order, groups);
  checkTags(deps.gateway, { caller, tags }, group);
  return group;
}

/** The first channel, the exact request, and the price. */
function plan(deps: TaskDeps, call: TaskCall, wanted: TaskOrder, group: string) {
  const first = firstChannel(deps, call, wanted, group);
  const order: TaskOrder = { ...wanted, ...wanted.measure?.(requireVendor(deps, wanted, first)) };
  const price = taskPrice(deps.gateway, call.caller, group, order, first);
  if (price instanceof RelayError) throw price;
  const ceiling = readCeiling(deps.gateway, call.req) ?? Infinity;
  if (price.bill.quota > ceiling) throw tooLow(deps.gateway, ceiling, price.bill.quota);
  return { first, order, price };
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
  /** The budgets of its run. */
  ofRun: readonly number[] | undefined;
}

function newTask({ gateway }: TaskDeps, { call, order, price, group, first, ofRun }: TaskPlan): NewTask {
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
      ...(call.tags && { tags: call.tags }),
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
      budgets: callBudgets(gateway, caller, group, model, ofRun),
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
  price: TaskPrice;
}

/** Tries channels, if the platform allows that; releases the hold if none accepts the task. */
async function submitToChannels(
  deps: TaskDeps,
  { call, order, group, first, task, price }: HeldTask,
): Promise<FailoverOutcome<Accepted>> {
  try {
    return await tryChannels(deps.gateway, {
      call,
      asked: order.asked,
      traced: { kind: 'task', model: order.model, stream: false },
      first,
      tokens: 0,
      attempt: (channel) => submitTo(deps, order, channel, call.trace),
      next: (tried) =>
        channelFor(deps, call, { order, group, tried, refusals: [], pricedModel: price.pricedModel }),
      isPinned: order.channelId !== undefined || call.caller.pinnedChannelId > 0,
      retries: order.mayFailOver ? deps.gateway.retryTimes() : 0,
    });
  } catch (failure) {
    await deps.tasks.refuse(task);
    throw failure;
  }
}

/** The answer of one channel. Every failure is an error of the call, so that its hold is released. */
async function submitTo(
  deps: TaskDeps,
  order: TaskOrder,
  channel: Channel,
  trace: TaskCall['trace'],
): Promise<Accepted | Failed> {
  const failed = (error: RelayError): Failed => ({ kind: 'failed', error });
  const provider = deps.provider(channel.type);
  if (!provider) return failed(refuse('task_channel_without'));
  try {
    const upstreamModel = applyModelMapping(channel.modelMapping, order.model);
    const tools = deps.toolsFor(provider, channel);
    const exchange = order.ask({ provider, channel, tools, upstreamModel });
    if (!exchange) return failed(refuse('task_channel_without'));
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
      ? failed(withoutSecrets(read, provider, channel))
      : { kind: 'accepted', accepted: read, upstreamModel };
  } catch (cause) {
    if (cause instanceof RelayError) return failed(withoutSecrets(cause, provider, channel));
    deps.gateway.log.error({ channel: channel.id, err: cause }, 'a vendor could not be asked for a task');
    return failed(refuse('internal_error'));
  }
}
