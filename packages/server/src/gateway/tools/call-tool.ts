import {
  type Bill,
  channelStatus,
  type PriceExtras,
  type PriceSnapshot,
  prepareSnapshot,
  price,
  usageOf,
} from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { transportFailure } from '../../lib/outbound/transport-failure.ts';
import { pricedModel } from '../../relay/outgoing.ts';
import { type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import type { TriedIds } from '../../services/calls/routing/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import { pricedPerCall } from '../../services/money/pricing/index.ts';
import { type Caller, callInLog, type EndReason, type GatewayDeps, type RelayCall } from '../call/index.ts';
import {
  admit,
  admitRate,
  checkRule,
  checkTags,
  countSuccess,
  enterRun,
  ruleBar,
  ruleBarsAll,
} from '../entrance/index.ts';
import { type Failed, type FailoverOutcome, tryChannels } from '../failover/index.ts';
import { holdRequest, quotaRefusal, readCeiling, tooLow } from '../hold/index.ts';
import { book, servedFacts } from '../settle/index.ts';
import type { ToolProgress, ToolServers } from '../upstream/index.ts';

/** Dependencies of calls of tools. */
export interface ToolDeps {
  gateway: GatewayDeps;
  servers: ToolServers;
  /** True for a channel whose models are the tools of a server. */
  isToolServer(channel: Pick<Channel, 'type'>): boolean;
}

/** A requested call of a tool. */
export interface ToolOrder {
  /** `arguments` and other members of the request, as the caller sent them. */
  params: JsonObject;
  onProgress: ((progress: ToolProgress) => void) | undefined;
  /** Aborted if the caller cancels the call. */
  cancelled: AbortSignal;
}

/** A call that was charged: the result of its tool, or why nobody waits for it any longer. */
export interface CalledTool {
  result: JsonObject | undefined;
  endReason: EndReason;
  charged: number;
}

interface ToolPrice {
  pricedModel: string;
  snapshot: PriceSnapshot;
  bill: Bill;
}

const oneCall: PriceExtras = { calls: 1 };

/**
 * The price of a tool on a channel: the price per call of its name. Where calls without a price are served, it is free;
 * a price by tokens is none.
 */
function toolPrice(
  { pricing }: Pick<GatewayDeps, 'pricing'>,
  { acceptUnsetPrice: acceptUnset, userGroup }: Caller,
  group: string,
  model: string,
  channel: Channel,
): ToolPrice | RelayError {
  const name = pricedModel(channel, model);
  const found = pricing.snapshot(name, group, { acceptUnset, userGroup });
  if ('refusal' in found) return refuse(found.refusal, { model: name });
  const snapshot = found.unset
    ? prepareSnapshot({ ...found, mode: 'call', modelPrice: 0 })
    : pricedPerCall(found, false);
  if (!snapshot) return refuse('model_price_error', { model: name });
  return { pricedModel: name, snapshot, bill: price(usageOf(), snapshot, oneCall) };
}

/** The cost in US dollars that a server reports with a result, at most the price; undefined without a usable one. */
function reportedCost(result: JsonObject): number | undefined {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  const cost = isObject(meta['cost']) ? meta['cost']['usd'] : meta['cost'];
  const dollars = typeof cost === 'string' && /^\d{1,9}(\.\d{1,24})?$/.test(cost) ? Number(cost) : cost;
  return typeof dollars === 'number' && Number.isFinite(dollars) && dollars >= 0 ? dollars : undefined;
}

/** Decimal places of a factor of a price. */
const factorDigits = 9;

/** What a result costs of the held price: the share that its server reports, and never more than all of it. */
function chargedPart({ modelPrice }: PriceSnapshot, dollars: number | undefined): PriceExtras {
  if (dollars === undefined || dollars >= modelPrice) return oneCall;
  if (dollars === 0) return { calls: 0 };
  return { calls: 1, factor: Number((dollars / modelPrice).toFixed(factorDigits)) };
}

interface ChannelQuery {
  group: string;
  tried: TriedIds;
  /** The name with the held price: a channel with another price is not tried. */
  priced?: string;
}

/** The next channel of a group that has the tool; undefined if there is none. */
function toolChannel(
  deps: ToolDeps,
  caller: Caller,
  model: string,
  { group, tried, priced }: ChannelQuery,
): Channel | undefined {
  const { routing } = deps.gateway;
  const isBarred = (channel: Channel): boolean => {
    if (!deps.isToolServer(channel)) return true;
    const found = toolPrice(deps.gateway, caller, group, model, channel);
    return found instanceof RelayError || (priced !== undefined && priced !== found.pricedModel);
  };
  const bars = (channel: Channel) => ruleBar(caller, channel) ?? (isBarred(channel) ? 'unpriced' : undefined);
  return routing.foresee({ group, model, bars }, tried) ?? undefined;
}

/** The channel of the first attempt. Throws the reason if there is none. */
function firstChannel(deps: ToolDeps, { caller, facts: { model } }: RelayCall, group: string): Channel {
  const { gateway } = deps;
  const pinned = caller.pinnedChannelId;
  if (pinned > 0) {
    const routed = gateway.routing.byId(pinned);
    if (!routed) throw refuse('pinned_channel_unknown');
    if (routed.status !== channelStatus.enabled) throw refuse('channel_disabled');
    checkRule(caller, routed.channel, model);
    if (!deps.isToolServer(routed.channel)) throw refuse('tool_not_found', { tool: model });
    return gateway.routing.withKey(routed.channel);
  }
  const found = toolChannel(deps, caller, model, { group, tried: new Set() });
  if (found) return found;
  const outside = ruleBarsAll(gateway.routing, caller, group, model);
  const has = gateway.routing
    .candidates(group, model)
    .flatMap(({ channels }) => channels)
    .find((channel) => deps.isToolServer(channel));
  const unpriced = has && toolPrice(gateway, caller, group, model, has);
  throw outside ?? (unpriced instanceof RelayError ? unpriced : refuse('tool_not_found', { tool: model }));
}

/** A call of a tool while it runs. */
class RunningTool {
  isDraining = false;
  index = -1;
  endReason: EndReason = 'complete';
  private readonly controller = new AbortController();

  constructor({ running }: Pick<GatewayDeps, 'running'>, { client }: RelayCall, cancelled: AbortSignal) {
    // The tool may have an effect: it goes on without its caller, and costs what it costs.
    client.onClose(() => {
      if (this.index < 0 || this.isDraining) return;
      if (running.takeDrain()) this.isDraining = true;
      else this.end('client_gone');
    });
    const cancel = (): void => this.end('client_gone');
    if (cancelled.aborted) cancel();
    else cancelled.addEventListener('abort', cancel, { once: true });
    running.add(this);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(reason: EndReason): void {
    if (this.endReason === 'complete') this.endReason = reason;
    this.controller.abort();
  }
}

/** A server has answered, or its caller has cancelled the call. */
interface Accepted {
  kind: 'accepted';
  result: JsonObject | undefined;
  upstreamModel: string;
}

/**
 * One call of a tool: admit → price → hold → try channels → settle. Its price is held before its server is asked, and
 * is charged for a result; a server that reports a lower cost is believed. Throws the error; then nothing was charged.
 */
export async function callTool(deps: ToolDeps, relayCall: RelayCall, order: ToolOrder): Promise<CalledTool> {
  const { gateway } = deps;
  const { caller, facts, requestId } = relayCall;
  const { model } = facts;
  const groups = admit(gateway, relayCall);
  const serves = (group: string) =>
    toolChannel(deps, caller, model, { group, tried: new Set() }) !== undefined;
  const group = groups.find(serves) ?? groups[0] ?? '';
  checkTags(gateway, relayCall, group);
  await admitRate(gateway.rate, caller, group);
  const first = firstChannel(deps, relayCall, group);
  const priced = toolPrice(gateway, caller, group, model, first);
  if (priced instanceof RelayError) throw priced;
  if (gateway.forbiddenWord(relayCall) !== undefined) throw refuse('sensitive_words_detected');
  // Even a free tool is refused on an empty balance, as any free call.
  const amount = Math.max(1, priced.bill.quota);
  const ceiling = readCeiling(gateway, relayCall.req);
  if (ceiling !== undefined && amount > ceiling) throw tooLow(gateway, ceiling, amount);
  faultPoint('before-hold');
  const ofRun = await enterRun(gateway, relayCall);
  const admission = { group, snapshot: priced.snapshot, pricedModel: priced.pricedModel };
  const asked = { ...holdRequest(gateway, relayCall, admission, first, ofRun), amount };
  const waiting = { payer: asked, caller: relayCall.res };
  const held = await gateway.ledger
    .whenReleased(waiting, async () => gateway.ledger.reserve(asked))
    .catch((error: unknown) => {
      throw error instanceof InsufficientQuota ? quotaRefusal(gateway, error, caller, 'tool') : error;
    });
  relayCall.trace?.held(held.amount);
  faultPoint('hold-taken');
  const running = new RunningTool(gateway, relayCall, order.cancelled);
  try {
    await held.durable.catch((error: unknown) => {
      throw error instanceof InsufficientQuota ? quotaRefusal(gateway, error, caller, 'tool') : error;
    });
    faultPoint('hold-durable');
    const tried = await askServers(deps, { relayCall, order, group, first, priced, running });
    const { channel, tries, result } = tried;
    const dollars = result.result && reportedCost(result.result);
    const extras = chargedPart(priced.snapshot, dollars);
    const endedAt = gateway.clock();
    const facts: ConsumeFacts = {
      ...servedFacts({
        relayCall,
        admission,
        channelId: channel.id,
        tries,
        upstreamModel: result.upstreamModel,
      }),
      model,
      isStream: false,
      isTool: true,
      usage: usageOf(),
      usageSource: 'upstream',
      reportedCost: dollars,
      bill: price(usageOf(), priced.snapshot, extras),
      extras,
      endReason: running.endReason,
      maxCost: ceiling,
      firstByteAt: endedAt,
      endedAt,
    };
    const { charged } = await book(gateway, relayCall, facts);
    if (running.endReason === 'complete') countSuccess(gateway.rate, caller, group);
    return { result: result.result, endReason: running.endReason, charged };
  } catch (error) {
    await gateway.ledger.release(requestId).catch((cause: unknown) => {
      gateway.log.error({ ...callInLog(relayCall), cause }, 'a hold could not be released; recovery will');
    });
    throw error;
  } finally {
    gateway.running.delete(running);
  }
}

interface HeldCall {
  relayCall: RelayCall;
  order: ToolOrder;
  group: string;
  first: Channel;
  priced: ToolPrice;
  running: RunningTool;
}

/** Tries channels until a server answers. A call that a tool may have begun is never sent a second time. */
function askServers(deps: ToolDeps, held: HeldCall): Promise<FailoverOutcome<Accepted>> {
  const { relayCall, group, first, priced, running } = held;
  const { caller, facts, json } = relayCall;
  let mayHaveRun = false;
  return tryChannels<Accepted>(deps.gateway, {
    call: relayCall,
    asked: json,
    traced: { kind: 'tool', model: facts.model, stream: false },
    first,
    tokens: 0,
    async attempt(channel) {
      const asked = { isSent: false };
      const tried = await askServer(deps, held, channel, asked);
      mayHaveRun = tried.kind === 'failed' && asked.isSent && !isSurelyRefused(tried.error);
      return tried;
    },
    next: (tried) =>
      mayHaveRun || running.signal.aborted
        ? undefined
        : toolChannel(deps, caller, facts.model, { group, tried, priced: priced.pricedModel }),
    isPinned: caller.pinnedChannelId > 0,
    retries: deps.gateway.retryTimes(),
  });
}

/** Failures that show that the server did not take the request. */
function isSurelyRefused({ code, status, cause }: RelayError): boolean {
  if (code === 'no_free_connection') return true;
  if (code !== 'do_request_failed')
    return status === 401 || status === 403 || status === 404 || status === 429;
  return notConnected.has(transportFailure(cause));
}
const notConnected: ReadonlySet<string> = new Set(['refused', 'not_found', 'tls', 'address_forbidden']);

/** The answer of one server; every failure is an error of the call, so that its hold is released. */
async function askServer(
  { gateway, servers }: ToolDeps,
  { relayCall, order, running }: HeldCall,
  channel: Channel,
  asked: { isSent: boolean },
): Promise<Accepted | Failed> {
  const { req, trace, facts } = relayCall;
  let upstreamModel = facts.model;
  try {
    upstreamModel = await servers.ownName(channel, facts.model);
    trace?.asks(channel.baseUrl, upstreamModel);
    const { bodyTimeoutMs, deadlineMs } = gateway.timeouts(false, upstreamModel);
    const call = { channel, callerHeaders: req.headers, traceHeaders: trace?.headers };
    const result = await servers.inSession(call, (session) => {
      faultPoint('upstream-asked');
      asked.isSent = true;
      return session
        .request({
          method: 'tools/call',
          params: { ...order.params, name: upstreamModel },
          timeoutMs: deadlineMs || bodyTimeoutMs,
          onProgress: order.onProgress,
          signal: running.signal,
        })
        .then((answer) => session.withoutSecrets(answer));
    });
    return { kind: 'accepted', result, upstreamModel };
  } catch (cause) {
    // A process that stops has no answer, which is not the caller's doing.
    if (running.endReason === 'shutdown') return { kind: 'failed', error: refuse('shutting_down') };
    if (running.signal.aborted && asked.isSent) return { kind: 'accepted', result: undefined, upstreamModel };
    if (running.signal.aborted) return { kind: 'failed', error: refuse('tool_unanswered') };
    const isUnknown =
      asked.isSent &&
      cause instanceof RelayError &&
      cause.code === 'do_request_failed' &&
      !isSurelyRefused(cause);
    if (cause instanceof RelayError && !isUnknown) return { kind: 'failed', error: cause };
    gateway.log.warn({ channel: channel.id, err: cause }, 'the answer of a tool server could not be read');
    return { kind: 'failed', error: refuse('tool_unanswered', {}, { cause }) };
  }
}
