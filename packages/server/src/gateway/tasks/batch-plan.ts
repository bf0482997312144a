import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchTier, channelStatus, type PriceSnapshot, withBatchTier } from '@tollgate/contract';
import { numberOf, splice } from '../../lib/json.ts';
import { applyModelMapping } from '../../relay/outgoing.ts';
import {
  type Channel,
  type BatchesApi,
  refuse,
  RelayError,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import type { TriedIds } from '../../services/calls/routing/index.ts';
import { itemName, type ItemPrice, type NewItem } from '../../services/calls/tasks/index.ts';
import type { KeyMark } from '../../services/people/tokens/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { admit, checkRule, checkTags, pricedAdmission } from '../entrance/index.ts';
import { chooseGroup, continuedChannel, noChannel, type RouteCall, routeOf } from '../failover/index.ts';
import { callBudgets, firstHold, overriddenCall } from '../hold/index.ts';
import type { TaskDeps } from './deps.ts';

/** A call in a batch, as its caller wrote it. */
export interface BatchLine {
  /** The caller's name of it. */
  name: string;
  /** Number of its line, from 1. */
  place: number;
  /** Path of the call. */
  path: string;
  body: Buffer;
}

/** A batch as it arrived. */
export interface BatchOrder {
  /** The caller, and an empty request. */
  relayCall: RelayCall;
  api: BatchesApi['api'];
  /** The caller's key. */
  key: KeyMark;
  /** Most items. */
  maxItems: number;
  /** True if the vendor's answer about the batch has all results in it. */
  isAnsweredAtOnce?: boolean;
  /** Reads an item as a call of the caller. Throws the error that the call would get. */
  readItem(line: BatchLine): RelayCall;
}

/** A batch that is ready for its hold. */
export interface BatchPlan {
  channel: Channel;
  group: string;
  /** The calls' protocol. */
  protocol: string;
  items: NewItem[];
  prices: ItemPrice[];
  /** The most that it may cost as estimated, in quota units. */
  amount: number;
  /** Tokens in and out that its budgets in tokens hold. */
  tokens: number;
  /** Bytes of all items as the vendor gets them. */
  bytes: number;
  /** The first item as it is sent: its headers are those of the batch. Undefined if the gateway makes the calls itself. */
  first: UpstreamCall | undefined;
}

/** Text up to this number of bytes is counted; each byte of a longer batch is held as a token. */
const maxCountedBytes = 2 * 1024 * 1024;
const maxModels = 100;
/**
 * Numbers in the vectors of an answer, which take up to 21 bytes in a vendor's line of results, 32 in a call by the gateway,
 * and twice as many in Google's object. An answer that is too large to be read could not be charged.
 */
const maxNumbers = { inLine: 3_200_000, inCall: 1_000_000, inObject: 1_000_000 };
/** Dimensions of a vector whose call does not say. */
const usualDimensions = 3_072;
/** Google makes no smaller ones, whatever a call says. */
const leastDimensions = 128;
/** Items that are read before other calls get a turn. */
export const itemsInTurn = 50;

/**
 * Takes an item as the vendor of the channel gets it, and returns its bytes. `isOwn` if the gateway will make its call: then
 * it is as its caller wrote it.
 */
export type WriteItem = (
  line: BatchLine,
  body: Buffer,
  channel: Channel,
  isOwn: boolean,
) => number | Promise<number>;

/**
 * Reads all items: chooses the channel by the first one, and sums up what they may cost. Each has the checks of a call.
 * `write` gets each item as its vendor will.
 */
export async function planBatch(
  deps: TaskDeps,
  order: BatchOrder,
  lines: AsyncIterable<BatchLine> | Iterable<BatchLine>,
  write: WriteItem,
): Promise<BatchPlan> {
  const names = new Set<string>();
  let plan: BatchPlan | undefined;
  let read = 0;
  let numbers = 0;
  for await (const line of lines) {
    try {
      const name = itemName(line.name);
      if (line.name === '' || names.has(name)) throw refuse('batch_name_invalid');
      if (names.size === order.maxItems) throw refuse('batch_too_long', { most: order.maxItems });
      names.add(name);
      if (names.size % itemsInTurn === 0) await nextTurn();
      const call = order.readItem(line);
      checkItem(call, order, plan);
      read += line.body.length;
      plan = await addItem(deps, order, { line, name, call, counted: read <= maxCountedBytes }, plan, write);
      numbers = (order.isAnsweredAtOnce ? numbers : 0) + numbersIn(call, plan.first === undefined);
      const { inLine, inCall, inObject } = maxNumbers;
      const most = order.isAnsweredAtOnce ? inObject : plan.first ? inLine : inCall;
      if (numbers > most) throw refuse('batch_vectors_too_long', { most });
    } catch (error) {
      throw inLine(error, line.place);
    }
  }
  if (!plan) throw refuse('batch_empty');
  return plan;
}

/** The error of an item, with its line. */
function inLine(error: unknown, place: number): unknown {
  if (!(error instanceof RelayError)) return error;
  const { message, words } = error;
  return error.copy({
    message: `line ${place}: ${message}`,
    words: words && { zh: `第 ${place} 行：${words.zh}`, en: `line ${place}: ${words.en}` },
  });
}

function checkItem({ facts, inbound }: RelayCall, { api }: BatchOrder, plan: BatchPlan | undefined): void {
  if (facts.stream || facts.inBackground || facts.media) throw refuse('batch_item_invalid');
  if (!plan) return;
  const isOther = plan.prices[0]?.model !== facts.model || plan.protocol !== inbound.id;
  if (api === 'openai' && isOther) throw refuse('batch_models_differ');
}

/** Numbers in the vectors of the answer to a call; 0 for other calls. A vendor of `isOwn` calls may have other dimensions. */
function numbersIn({ json, inbound }: RelayCall, isOwn: boolean): number {
  if (inbound.id === 'gemini-embeddings') {
    const stated = numberOf(json['outputDimensionality'] ?? json['output_dimensionality']);
    return Math.max(stated || usualDimensions, leastDimensions);
  }
  if (inbound.id !== 'openai-embeddings') return 0;
  const { input, dimensions } = json;
  const vectors = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
  const stated = numberOf(dimensions) || usualDimensions;
  return vectors * (isOwn ? Math.max(stated, usualDimensions) : stated);
}

async function addItem(
  deps: TaskDeps,
  order: BatchOrder,
  { line, name, call, counted }: { line: BatchLine; name: string; call: RelayCall; counted: boolean },
  plan: BatchPlan | undefined,
  write: WriteItem,
): Promise<BatchPlan> {
  const { gateway } = deps;
  const { channel, group } = plan
    ? await sameChannel(deps, call, plan)
    : await chooseChannel(deps, order, call);
  const { snapshot, pricedModel } = pricedAdmission(gateway, call, group, channel);
  const isOwn = !hasBatches(deps, channel, order.api);
  const { facts } = call;
  const isKept = facts.previousResponse ?? facts.conversation ?? facts.fileIds;
  // What a vendor keeps for the caller is on one channel, and these calls go to several.
  if (isOwn && isKept !== undefined) throw refuse('batch_item_invalid');
  // The vendor of such a call gives no discount.
  const priced = isOwn ? snapshot : withBatchTier(snapshot, deps.batchFactor());
  const { priceFactor = 1 } = deps.provider(channel.type)?.batches ?? {};
  const toHold = overriddenCall(call, channel)?.toHold ?? call;
  const whole = await firstHold(gateway, toHold, snapshot, channel, counted);
  const sent = isOwn ? undefined : await writeItem(deps, call, channel);
  const next: BatchPlan = plan ?? {
    channel,
    group,
    protocol: call.inbound.id,
    items: [],
    prices: [],
    amount: 0,
    tokens: 0,
    bytes: 0,
    first: sent && { ...sent, body: Buffer.alloc(0) },
  };
  const price = {
    model: call.facts.model,
    upstreamModel: sent?.upstreamModel ?? applyModelMapping(channel.modelMapping, call.facts.model),
    pricedModel,
    snapshot: priced,
    // The tier of a price list is that of the vendor.
    ...(priced !== snapshot && { costFactor: priceFactor }),
  };
  next.items.push({
    name,
    place: line.place,
    price: placeOf(next.prices, price),
    tokens: call.facts.estimatedInputTokens,
  });
  next.amount += Math.ceil(whole.quota * (isOwn ? 1 : factorOf(priced)));
  next.tokens += whole.tokens;
  next.bytes += await write(line, sent?.body ?? call.raw, channel, isOwn);
  return next;
}

/** The index of a price, which is added if it is new. */
function placeOf(prices: ItemPrice[], price: ItemPrice): number {
  const text = JSON.stringify(price);
  const found = prices.findIndex((each) => each.model === price.model && JSON.stringify(each) === text);
  if (found >= 0) return found;
  if (prices.length === maxModels) throw refuse('batch_too_many_models', { most: maxModels });
  return prices.push(price) - 1;
}

/** The factor of items of a batch on the price of calls. */
const factorOf = ({ serviceTiers }: PriceSnapshot): number => serviceTiers?.[batchTier]?.factor ?? 1;

/** An item as its vendor gets it: with the channel's model, instructions and overrides. */
export async function writeItem(
  { gateway, provider }: TaskDeps,
  call: RelayCall,
  channel: Channel,
): Promise<UpstreamCall> {
  const sent = await gateway.prepare(call, channel);
  // An item that needs a translation cannot be sent: its result would be in another protocol.
  if (!sent || sent.local || sent.protocol !== call.inbound.id) throw refuse('batch_item_invalid');
  const model = provider(channel.type)?.batches?.modelOf?.(channel, sent.upstreamModel);
  if (model === undefined) return sent;
  return { ...sent, body: splice(sent.body, new Map([['model', JSON.stringify(model)]])) };
}

/** A channel for the first item: the one with what it refers to, or one that has batches. */
async function chooseChannel(
  deps: TaskDeps,
  { api }: BatchOrder,
  call: RelayCall,
): Promise<{ channel: Channel; group: string }> {
  const { gateway } = deps;
  const { caller } = call;
  const groups = admit(gateway, call);
  const hasOwn = (channel: Channel): boolean => hasBatches(deps, channel, api);
  const has = (channel: Channel): boolean => hasOwn(channel) || mayBeOwn(deps, call, channel, api);
  const bound = await continuedChannel(gateway, call, groups);
  const group = bound?.group ?? chooseGroup(gateway, call, groups);
  checkTags(gateway, call, group);
  const channel =
    bound?.channel ??
    (caller.pinnedChannelId > 0
      ? pinned(gateway, call)
      : (foreseen(gateway, call, group, hasOwn) ?? foreseen(gateway, call, group, has)));
  if (!channel) throw withoutChannel(gateway, call, group, has);
  if (!has(channel)) throw refuse('api_not_implemented');
  return { channel, group };
}

/** The reason why no channel takes a batch: a rule, a missing price, or that none has batches. Throws or returns it. */
function withoutChannel(
  gateway: GatewayDeps,
  call: RelayCall,
  group: string,
  has: (channel: Channel) => boolean,
): RelayError {
  const { model } = call.facts;
  const all = gateway.routing.candidates(group, model).flatMap(({ channels }) => channels);
  const capable = all.find(has);
  if (!capable) return all.length === 0 ? noChannel(gateway, group, model) : refuse('api_not_implemented');
  checkRule(call.caller, capable, model);
  pricedAdmission(gateway, call, group, capable);
  return noChannel(gateway, group, model);
}

/** True if the vendor of a channel has batches of this shape. */
const hasBatches = ({ provider }: TaskDeps, { type }: Channel, api: BatchesApi['api']): boolean =>
  provider(type)?.batches?.api === api;

/** True if the gateway may work through a batch on a channel, call by call. */
const mayBeOwn = (deps: TaskDeps, call: RelayCall, channel: Channel, api: BatchesApi['api']): boolean => {
  const mayBe = deps.ownBatchCalls() > 0 && api !== 'gemini';
  return mayBe && deps.gateway.vendorProtocol(call, channel) !== undefined;
};

export function foreseen(
  gateway: GatewayDeps,
  call: RouteCall,
  group: string,
  has: (channel: Channel) => boolean,
  tried: TriedIds = new Set(),
): Channel | undefined {
  const route = routeOf(gateway, call, group);
  // The reason is shown nowhere.
  const bars = (channel: Channel) => route.bars(channel) ?? (has(channel) ? undefined : 'unpriced');
  return gateway.routing.foresee({ ...route, bars }, tried) ?? undefined;
}

function pinned({ routing }: GatewayDeps, { caller, facts }: RelayCall): Channel {
  const routed = routing.byId(caller.pinnedChannelId);
  if (!routed) throw refuse('pinned_channel_unknown');
  if (routed.status !== channelStatus.enabled) throw refuse('channel_disabled');
  checkRule(caller, routed.channel, facts.model);
  return routing.withKey(routed.channel);
}

/** The channel of the batch for a further item. Throws if it does not serve it. */
async function sameChannel(
  { gateway }: TaskDeps,
  call: RelayCall,
  plan: BatchPlan,
): Promise<{ channel: Channel; group: string }> {
  const { channel, group, prices } = plan;
  const { model } = call.facts;
  const groups = admit(gateway, call);
  const bound = await continuedChannel(gateway, call, groups);
  const isElsewhere =
    bound && (bound.channel.id !== channel.id || bound.channel.chosenKey?.id !== channel.chosenKey?.id);
  const serves = (): boolean =>
    gateway.routing
      .candidates(group, model)
      .some(({ channels }) => channels.some(({ id }) => id === channel.id));
  const isNew = prices.every((price) => price.model !== model);
  if (isElsewhere || (isNew && !serves())) throw refuse('batch_item_elsewhere', { model });
  // All items are held for on the budgets of the first one.
  const budgetsOf = (name = model) => String(callBudgets(gateway, call.caller, group, name));
  if (isNew && budgetsOf() !== budgetsOf(prices[0]?.model)) throw refuse('batch_budgets_differ', { model });
  return { channel, group };
}
