import {
  type Bill,
  inputTokens,
  keptText,
  logType,
  outputTokens,
  type PriceExtras,
  type PriceSnapshot,
  type Tags,
  type Usage,
} from '@tollgate/contract';
import type { SettlementLog } from '../../money/ledger/index.ts';
import { routingName } from '../routing/index.ts';

/** A consumption row without id and charge, which the ledger fills in at settlement. */
export type ConsumeRow = SettlementLog;

/** One attempt on one channel. */
interface TriedChannel {
  channelId: number;
  ms: number;
  /** The used key of a channel with several. */
  key?: { id: string } | undefined;
  /** Error code and status of a failed attempt; absent for a successful one. */
  reason?: string;
  status?: number;
}

/** The answer of a call, for its signed receipt. A name that the vendor did not send is ''. */
export interface BoundAnswer {
  /** The vendor's id of the answer, the model that it names, and its fingerprint. */
  id: string;
  model: string;
  fingerprint: string;
  /** Number and SHA-256 (hex) of the bytes of the body; 0 and '' if they are not known. */
  bytes: number;
  sha256: string;
}

/** The data of a consumption row. Times are Unix milliseconds. */
export interface ConsumeFacts {
  requestId: string;
  userId: number;
  username: string;
  /** 0 for the playground. */
  tokenId: number;
  tokenName: string;
  /** The team that paid; absent if the user paid. */
  team?: { id: number; name: string } | null;
  /** The group with the ratio and channels of the call. */
  group: string;
  /** The user's own group, which may have a special ratio in the used group. */
  userGroup?: string;
  /** The model by the caller's name: shown, and billed unless `pricedModel` differs. */
  model: string;
  /** The model sent upstream. */
  upstreamModel: string;
  /** The model name with the charged price, if it may differ from the caller's. */
  pricedModel?: string | undefined;
  /** Name of the budget that had no room for the caller's model. */
  cheaperBy?: string | undefined;
  isStream: boolean;
  /** True for a call of a tool, which has no tokens. */
  isTool?: true;
  /** The channel that answered. */
  channelId: number;
  /** All attempts in order; the last one answered. */
  tries: readonly TriedChannel[];
  usage: Usage;
  /** Source of the usage: reported by the vendor, counted by Tollgate from the delivered output, or estimated. */
  usageSource: 'upstream' | 'counted' | 'estimated';
  /** The usage that the vendor produced, if it differs from the charged usage; null if unknown. */
  made?: Usage | null | undefined;
  /** Cost of the call in US dollars, reported by the vendor. */
  reportedCost?: number | undefined;
  bill: Bill;
  /** The number of images of a price per call, and the factor of their size and quality. */
  extras?: PriceExtras | undefined;
  snapshot: PriceSnapshot;
  /** End reason of the answer: complete, client_gone, … */
  endReason: string;
  /** Maximum charge set by the caller, in quota units. */
  maxCost?: number | undefined;
  reasoningEffort?: string | undefined;
  /** True if the caller's protocol was Anthropic's. */
  isClaude?: boolean;
  /** The batch of this call: its id, and the caller's name of the item. */
  batch?: { id: string; item: string };
  /** The request id of the realtime session of this response. */
  realtimeSession?: string;
  tags?: Tags | undefined;
  startedAt: number;
  /** 0 without a first byte. */
  firstByteAt: number;
  endedAt: number;
  /** Operator's cost of the call in quota units, if the cost prices do not give it. */
  cost?: number;
  /** Name of the guard hook that has replaced texts of the request. */
  replacedBy?: string | undefined;
  /** True if the texts of the call are captured. */
  isCaptured?: boolean | undefined;
  /** Set for a stored answer: the part of the price that `bill` has, in percent. */
  cacheShare?: number;
  /** Set while the site signs receipts. */
  answer?: BoundAnswer | undefined;
}

/** Value of `frt` if there was no first byte (docs/compatibility.md#log-row). */
const noFirstByte = -1000;

/**
 * The consumption row of a call (docs/compatibility.md#log-row). Pure. `other` has every term of the charge, so that
 * it can be recomputed to the unit from the row (`checkBill` in the contract).
 *
 * @param cost - Cost of the call for the operator, in quota units; null if unknown
 */
export function buildConsumeLog(facts: ConsumeFacts, cost: number | null = null): ConsumeRow {
  const { usage } = facts;
  const price = priceInWords(facts.snapshot);
  const tokens = inputTokens(usage) + outputTokens(usage);
  return {
    user_id: facts.userId,
    created_at: Math.floor(facts.endedAt / 1000),
    type: logType.consume,
    content: tokens === 0 && !facts.isTool ? keptText('nothingUsed', { price }) : price,
    username: facts.username,
    token_name: facts.tokenName,
    // GPTs of OpenAI's store are one model in logs and sums (docs/compatibility.md#log-row).
    model_name: routingName(facts.model),
    prompt_tokens: inputTokens(usage),
    completion_tokens: outputTokens(usage),
    // After the clock was set back, the duration must not be negative.
    use_time: Math.max(0, Math.floor((facts.endedAt - facts.startedAt) / 1000)),
    is_stream: facts.isStream ? 1 : 0,
    channel_id: facts.channelId,
    token_id: facts.tokenId,
    group: facts.group,
    other: otherOf(facts),
    request_id: facts.requestId,
    team_id: facts.team?.id ?? 0,
    cost,
    tags: facts.tags === undefined ? null : JSON.stringify(facts.tags),
  };
}

/**
 * True if the call changes used_quota and request_count: calls without usage do not (docs/compatibility.md#charge).
 */
export const countsAsUse = (facts: Pick<ConsumeFacts, 'usage' | 'bill'>): boolean =>
  facts.bill.quota > 0 || inputTokens(facts.usage) + outputTokens(facts.usage) > 0;

/** The values of a call for the dashboard's hourly sums. */
export function hourlyOf(facts: ConsumeFacts): {
  modelName: string;
  username: string;
  tokens: number;
  at: number;
} {
  return {
    modelName: routingName(facts.model),
    username: facts.username,
    tokens: inputTokens(facts.usage) + outputTokens(facts.usage),
    at: Math.floor(facts.endedAt / 1000),
  };
}

const prices = new WeakMap<PriceSnapshot, string>();

/** The price as text, as the log shows it. A price stays the same object until an option changes. */
function priceInWords(snapshot: PriceSnapshot): string {
  const known = prices.get(snapshot);
  if (known !== undefined) return known;
  const text = writePrice(snapshot);
  prices.set(snapshot, text);
  return text;
}

function writePrice(snapshot: PriceSnapshot): string {
  const group = snapshot.groupRatio.toFixed(2);
  return snapshot.mode === 'call'
    ? keptText('pricePerCall', { price: snapshot.modelPrice.toFixed(2), group })
    : keptText('pricePerToken', {
        model: snapshot.modelRatio.toFixed(2),
        completion: snapshot.completionRatio.toFixed(2),
        group,
      });
}

/** The members of `other` that every row has, in order; `addRare` adds the others. */
interface CommonOther extends Record<string, unknown> {
  model_ratio: number;
  group_ratio: number;
  completion_ratio: number;
  model_price: number;
  cache_tokens: number;
  cache_ratio: number;
  frt: number;
  total_ms: number;
  usage_source: ConsumeFacts['usageSource'];
  end_reason: string;
  receipt: Pick<Bill, 'terms' | 'minimum'>;
  admin_info: { use_channel: string[]; tries: readonly TriedChannel[] };
}

/**
 * The `other` of docs/compatibility.md#log-row; `receipt`, `usage_source`, `end_reason`, `total_ms` and
 * `admin_info.tries` are additions of Tollgate.
 */
function otherOf(facts: ConsumeFacts): string {
  const { bill, snapshot, tries, usage } = facts;
  const other: CommonOther = {
    model_ratio: snapshot.modelRatio,
    group_ratio: snapshot.groupRatio,
    completion_ratio: snapshot.completionRatio,
    model_price: snapshot.mode === 'call' ? snapshot.modelPrice : -1,
    cache_tokens: usage.cacheRead,
    cache_ratio: snapshot.cacheRatio,
    frt: facts.firstByteAt === 0 ? noFirstByte : Math.max(0, facts.firstByteAt - facts.startedAt),
    total_ms: Math.max(0, facts.endedAt - facts.startedAt),
    usage_source: facts.usageSource,
    end_reason: facts.endReason,
    receipt: { terms: bill.terms, minimum: bill.minimum },
    admin_info: { use_channel: tries.map(({ channelId }) => String(channelId)), tries },
  };
  addRare(other, facts);
  return JSON.stringify(other);
}

/** Members that most rows do not have. */
function addRare(other: Record<string, unknown>, facts: ConsumeFacts): void {
  const { snapshot, usage } = facts;
  if (facts.team) other.team = facts.team.name;
  if (facts.extras) {
    other.call_count = facts.extras.calls;
    other.call_factor = facts.extras.factor;
  }
  if (facts.isTool) other.tool = true;
  if (snapshot.unset) other.price_unset = true;
  if (facts.userGroup !== undefined && facts.userGroup !== facts.group) other.user_group = facts.userGroup;
  if (facts.maxCost !== undefined) other.max_cost = facts.maxCost;
  if (facts.isClaude) other.claude = true;
  if (facts.reasoningEffort !== undefined) other.reasoning_effort = facts.reasoningEffort;
  if (facts.upstreamModel !== facts.model) {
    other.is_model_mapped = true;
    other.upstream_model_name = facts.upstreamModel;
  }
  if ((facts.pricedModel ?? facts.model) !== facts.model) other.priced_model = facts.pricedModel;
  if (facts.cheaperBy !== undefined) other.cheaper_by = facts.cheaperBy;
  if (facts.isCaptured) other.captured = true;
  if (facts.replacedBy !== undefined) other.replaced_by = facts.replacedBy;
  if (facts.answer) other.answer = facts.answer;
  if (facts.cacheShare !== undefined) other.answer_cache_ratio = facts.cacheShare / 100;
  addTiers(other, facts);
  addRareClasses(other, usage, snapshot);
  if (facts.batch) {
    other.batch_id = facts.batch.id;
    other.batch_item = facts.batch.item;
  }
  if (facts.realtimeSession !== undefined) {
    other.ws = true;
    other.realtime_session = facts.realtimeSession;
    addAudio(other, usage, snapshot);
  }
}

/** The reported tier, and the price factors of the call's tiers. */
function addTiers(other: Record<string, unknown>, { usage, bill }: ConsumeFacts): void {
  if (usage.tier !== undefined) other.service_tier = usage.tier;
  if (!bill.tiers) return;
  const { context, service } = bill.tiers;
  if (context) {
    other.context_above = context.above;
    other.context_input_ratio = context.input;
    other.context_output_ratio = context.output;
  }
  if (service) {
    other.service_tier_ratio = service.factor;
    if (service.cacheRead !== undefined) other.service_tier_cache_ratio = service.cacheRead;
  }
}

/** Classes of tokens and calls that most requests do not have. */
function addRareClasses(other: Record<string, unknown>, usage: Usage, snapshot: PriceSnapshot): void {
  if (usage.reasoning > 0) other.reasoning_tokens = usage.reasoning;
  if (usage.cacheWrite5m + usage.cacheWrite1h > 0) {
    other.cache_creation_tokens = usage.cacheWrite5m + usage.cacheWrite1h;
    other.cache_creation_ratio = snapshot.cacheWriteRatio;
    other.cache_creation_tokens_5m = usage.cacheWrite5m;
    other.cache_creation_tokens_1h = usage.cacheWrite1h;
    other.cache_creation_ratio_1h = snapshot.cacheWrite1hRatio;
  }
  if (usage.imageInput + usage.imageOutput > 0) {
    other.image = true;
    other.image_ratio = snapshot.imageRatio;
    other.image_input = usage.imageInput;
    other.image_output = usage.imageOutput;
    if (snapshot.imageCompletionRatio !== undefined)
      other.image_completion_ratio = snapshot.imageCompletionRatio;
  }
  if (usage.audioInput + usage.audioOutput > 0) {
    other.audio = true;
    addAudio(other, usage, snapshot);
  }
  if (usage.webSearchCalls > 0) {
    other.web_search = true;
    other.web_search_call_count = usage.webSearchCalls;
    other.web_search_price = snapshot.webSearchPrice;
  }
  if (usage.fileSearchCalls > 0) {
    other.file_search = true;
    other.file_search_call_count = usage.fileSearchCalls;
    other.file_search_price = snapshot.fileSearchPrice;
  }
  if (usage.containers > 0) {
    other.container_count = usage.containers;
    other.container_price = snapshot.containerPrice ?? 0;
  }
}

/**
 * Text and audio tokens separately: for calls with both, and for every response of a realtime session
 * (docs/compatibility.md#log-row).
 */
function addAudio(other: Record<string, unknown>, usage: Usage, snapshot: PriceSnapshot): void {
  other.audio_input = usage.audioInput;
  other.audio_output = usage.audioOutput;
  other.text_input = usage.input + usage.cacheRead;
  other.text_output = usage.output + usage.reasoning;
  other.audio_ratio = snapshot.audioRatio;
  other.audio_completion_ratio = snapshot.audioCompletionRatio;
}
