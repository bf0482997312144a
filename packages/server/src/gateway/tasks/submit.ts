import { faultPoint } from '../../lib/fault-point.ts';
import { applyModelMapping } from '../../relay/model-mapping.ts';
import { type AcceptedTask, type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import { InsufficientQuota } from '../../services/ledger/index.ts';
import { mayRetry } from '../../services/routing/index.ts';
import type { NewTask, Task } from '../../services/tasks/index.ts';
import { admit, admitRate } from '../entrance/index.ts';
import { quotaRefusal } from '../hold/index.ts';
import { FailedCall, type Try } from '../failover/index.ts';
import { askVendor, withoutSecrets } from './ask-vendor.ts';
import { channelFor, firstChannel, makerOf } from './choose.ts';
import type { Caller } from '../call/index.ts';
import type { TaskCall, TaskDeps, TaskOrder } from './deps.ts';
import { type TaskPrice, taskPrice } from './price.ts';
import { taskSettlement } from './settlement.ts';

/** A vendor may think so long about whether it takes a task. */
const submitTimeoutMs = 60_000;
/** The first look at a task that was taken. */
const firstPollMs = 2_000;

/** A task that its vendor has taken. */
export interface Submitted {
  task: Task;
  /** As the vendor answered. */
  accepted: AcceptedTask;
  /** Quota units. */
  charged: number;
}

/** The channel that took a task, and the tries that led to it. */
interface Accepted {
  channel: Channel;
  accepted: AcceptedTask;
  upstreamModel: string;
  tries: Try[];
}

/**
 * The journey of a new task: admit → price → hold and row → ask channels → settle and write down the vendor's name. The
 * row stands before a vendor is asked, so that a kill at any point leaves something that says what to do. Throws the
 * refusal; then nothing was taken.
 */
export async function submitTask(deps: TaskDeps, call: TaskCall, wanted: TaskOrder): Promise<Submitted> {
  const { gateway, tasks } = deps;
  const { caller } = call;
  const group = groupOf(deps, call, wanted);
  if (wanted.isRateCounted) await admitRate(gateway.rate, caller, group);
  if (gateway.forbiddenWord({ json: wanted.asked }) !== undefined) throw refuse('sensitive_words_detected');
  const { first, order, price } = plan(deps, call, wanted, group);
  faultPoint('before-hold');
  const task = await begin(
    deps,
    call.caller,
    newTask({ call, order, price, group, first, now: gateway.clock() }),
  );
  call.trace?.held(price.bill.quota);
  faultPoint('task-held');
  const taken = await askChannels(deps, { call, order, group, first, task });
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

/** What a task would cost at this moment: nothing is held, and no vendor is asked. Throws the refusal. */
export const quoteTask = (deps: TaskDeps, call: TaskCall, wanted: TaskOrder): TaskPrice =>
  plan(deps, call, wanted, groupOf(deps, call, wanted)).price;

const groupOf = ({ gateway }: TaskDeps, { caller, askedGroup }: TaskCall, { model }: TaskOrder): string =>
  admit(gateway, { caller, askedGroup, facts: { model } });

/** Who is asked first, for what exactly, and at which price. */
function plan(deps: TaskDeps, call: TaskCall, wanted: TaskOrder, group: string) {
  const first = firstChannel(deps, call, wanted, group);
  const order: TaskOrder = { ...wanted, ...wanted.measure?.(makerOf(deps, wanted, first)) };
  return { first, order, price: taskPrice(deps.gateway, call.caller, group, order) };
}

async function begin({ tasks, gateway }: TaskDeps, caller: Caller, task: NewTask): Promise<Task> {
  try {
    return await tasks.begin(task);
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    throw quotaRefusal(gateway, error, task.hold.amount, caller, 'task');
  }
}

interface Planned {
  call: TaskCall;
  order: TaskOrder;
  price: TaskPrice;
  group: string;
  first: Channel;
  now: number;
}

function newTask({ call, order, price, group, first, now }: Planned): NewTask {
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
    deadline: now + order.limitMs,
  };
}

/** A task that is held for and offered to vendors. */
interface Offer {
  call: TaskCall;
  order: TaskOrder;
  group: string;
  first: Channel;
  task: Task;
}

/** Asks one channel after the other, as far as the platform allows; gives the hold back where none takes the task. */
async function askChannels(deps: TaskDeps, { call, order, group, first, task }: Offer): Promise<Accepted> {
  const { gateway, tasks } = deps;
  const tried = new Set<number>();
  const tries: Try[] = [];
  let left = order.mayFailOver ? gateway.retryTimes() : 0;
  for (let channel: Channel | undefined = first; ;) {
    const startedAt = gateway.clock();
    call.trace?.tryBegins({ channel, kind: 'task', model: order.model, stream: false });
    const answer = await askOne(deps, order, channel, call.trace);
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

/** One channel's answer. Whatever goes wrong on the way is an error of the call, so that its hold is given back. */
async function askOne(
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
