import {
  type Bill,
  inputTokens,
  logType,
  outputTokens,
  type PriceExtras,
  type PriceSnapshot,
  type Term,
  type Usage,
} from '@tollgate/contract';
import type { LogTable } from '../../store/index.ts';
import { routingName } from '../routing/index.ts';

/** A consumption row without its id and charge, which the ledger fills in as it settles. */
export type ConsumeRow = Omit<LogTable, 'id' | 'quota'>;

/** One try on one channel. */
interface TriedChannel {
  channelId: number;
  ms: number;
  /** Error code and status of a try that failed; absent for the one that answered. */
  reason?: string;
  status?: number;
}

/** All that a consumption row is made of. Times are Unix milliseconds. */
export interface ConsumeFacts {
  requestId: string;
  userId: number;
  username: string;
  /** 0 for the playground. */
  tokenId: number;
  tokenName: string;
  /** The group whose ratio and channels applied. */
  group: string;
  /** The model as the caller named it: what is billed and shown. */
  model: string;
  /** The model sent upstream. */
  upstreamModel: string;
  isStream: boolean;
  /** The channel that answered. */
  channelId: number;
  /** Every try in order, the last one answered. */
  tries: readonly TriedChannel[];
  usage: Usage;
  /** Whether the vendor reported the usage, we counted what was delivered, or had to guess it. */
  usageSource: 'upstream' | 'counted' | 'estimated';
  bill: Bill;
  /** Images that a price per call was charged for, and the factor of their size and quality. */
  extras?: PriceExtras | undefined;
  snapshot: PriceSnapshot;
  /** Why the answer ended: complete, client_gone, … */
  endReason: string;
  reasoningEffort?: string | undefined;
  /** True when the caller spoke Anthropic's language. */
  isClaude?: boolean;
  /** The request id of the realtime session that this response was a part of. */
  realtimeSession?: string;
  startedAt: number;
  /** 0 when no byte came. */
  firstByteAt: number;
  endedAt: number;
}

/** What `frt` says when no first byte was seen (wire-facts 6.5). */
const noFirstByte = -1000;

/**
 * The consumption row of a call (wire-facts 6.5). Pure. `other` carries every term of the charge, so that it can be
 * computed again to the unit from the row alone (`checkBill` in the contract).
 */
export function buildConsumeLog(facts: ConsumeFacts): ConsumeRow {
  const { usage } = facts;
  const words = wordsOf(facts.snapshot);
  const tokens = inputTokens(usage) + outputTokens(usage);
  return {
    user_id: facts.userId,
    created_at: Math.floor(facts.endedAt / 1000),
    type: logType.consume,
    content: tokens === 0 ? `${words.content}（可能是上游超时）` : words.content,
    username: facts.username,
    token_name: facts.tokenName,
    // GPTs of OpenAI's store are one model in logs and sums (wire-facts 6.5).
    model_name: routingName(facts.model),
    prompt_tokens: inputTokens(usage),
    completion_tokens: outputTokens(usage),
    // A clock that was set back must not show a negative duration (faults.md H1).
    use_time: Math.max(0, Math.floor((facts.endedAt - facts.startedAt) / 1000)),
    is_stream: facts.isStream ? 1 : 0,
    channel_id: facts.channelId,
    token_id: facts.tokenId,
    group: facts.group,
    other: otherOf(facts, words),
    request_id: facts.requestId,
  };
}

/** True when the call moves used_quota and request_count: calls that used nothing do not (wire-facts 6.3). */
export const countsAsUse = (facts: Pick<ConsumeFacts, 'usage' | 'bill'>): boolean =>
  facts.bill.quota > 0 || inputTokens(facts.usage) + outputTokens(facts.usage) > 0;

/** What the hourly sums of the dashboard take from a call. */
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

/** What rows say of a price. Made once for each, because prices are shared by calls and numbers are dear to write. */
interface PriceWords {
  content: string;
  /** The beginning of `other`, up to the number of cached tokens: the ratios. */
  beforeCached: string;
  /** From there to the time of the first byte. */
  beforeFirstByte: string;
}

const knownWords = new WeakMap<PriceSnapshot, PriceWords>();

function wordsOf(snapshot: PriceSnapshot): PriceWords {
  let words = knownWords.get(snapshot);
  if (!words) {
    words = writeWords(snapshot);
    // A snapshot that could still change is not remembered.
    if (Object.isFrozen(snapshot)) knownWords.set(snapshot, words);
  }
  return words;
}

function writeWords(snapshot: PriceSnapshot): PriceWords {
  const group = snapshot.groupRatio.toFixed(2);
  const ratios = {
    model_ratio: snapshot.modelRatio,
    group_ratio: snapshot.groupRatio,
    completion_ratio: snapshot.completionRatio,
    model_price: snapshot.mode === 'call' ? snapshot.modelPrice : -1,
  };
  return {
    content:
      snapshot.mode === 'call'
        ? `模型价格 ${snapshot.modelPrice.toFixed(2)}，分组倍率 ${group}`
        : `模型倍率 ${snapshot.modelRatio.toFixed(2)}，补全倍率 ${snapshot.completionRatio.toFixed(2)}，分组倍率 ${group}`,
    beforeCached: `${JSON.stringify(ratios).slice(0, -1)},"cache_tokens":`,
    beforeFirstByte: `,"cache_ratio":${JSON.stringify(snapshot.cacheRatio)},"frt":`,
  };
}

/**
 * The `other` of wire-facts 6.5; `receipt`, `usage_source`, `end_reason`, `total_ms` and `admin_info.tries` are ours.
 * Put together from texts: what every row has is numbers and words of our own, and `JSON.stringify` would take longer
 * for them than the rest of the settlement.
 */
function otherOf(facts: ConsumeFacts, { beforeCached, beforeFirstByte }: PriceWords): string {
  const { bill, usage } = facts;
  const frt = facts.firstByteAt === 0 ? noFirstByte : Math.max(0, facts.firstByteAt - facts.startedAt);
  const total = Math.max(0, facts.endedAt - facts.startedAt);
  const rare = mayBeRare(facts) ? JSON.stringify(rareOf(facts)) : '{}';
  return (
    `${beforeCached}${usage.cacheRead}${beforeFirstByte}${frt},"total_ms":${total}${endText(facts)}` +
    `${termTexts(bill.terms)}],"minimum":${bill.minimum}},"admin_info":{"use_channel":[` +
    `${channelTexts(facts.tries)}],"tries":[${tryTexts(facts.tries)}]}` +
    (rare === '{}' ? '}' : `,${rare.slice(1)}`)
  );
}

/** From the source of the usage to the lines of the receipt: one text for a call that went as calls go. */
const endText = ({ usageSource, endReason }: ConsumeFacts): string =>
  usageSource === 'upstream' && endReason === 'complete'
    ? ',"usage_source":"upstream","end_reason":"complete","receipt":{"terms":['
    : `,"usage_source":"${usageSource}","end_reason":${JSON.stringify(endReason)},"receipt":{"terms":[`;

/** Loops and not `map` and `join`: the lists are of one or two, and lists of their texts would be most of the work. */
function termTexts(terms: readonly Term[]): string {
  let texts = '';
  for (const { what, count, unit, amount } of terms) {
    texts += `${texts === '' ? '' : ','}{"what":"${what}","count":${count},"unit":"${unit}","amount":"${amount}"}`;
  }
  return texts;
}

function channelTexts(tries: readonly TriedChannel[]): string {
  let texts = '';
  for (const { channelId } of tries) texts += `${texts === '' ? '"' : ',"'}${channelId}"`;
  return texts;
}

function tryTexts(tries: readonly TriedChannel[]): string {
  let texts = '';
  for (const tried of tries) texts += texts === '' ? tryText(tried) : `,${tryText(tried)}`;
  return texts;
}

/** A vendor may have worded why a try failed. */
const tryText = (tried: TriedChannel): string =>
  tried.reason === undefined && tried.status === undefined
    ? `{"channelId":${tried.channelId},"ms":${tried.ms}}`
    : JSON.stringify(tried);

/** False where `rareOf` has nothing to say, as it has of nearly every call: then no object is made to find that out. */
const mayBeRare = (facts: ConsumeFacts): boolean =>
  facts.extras !== undefined ||
  facts.snapshot.unset ||
  facts.isClaude === true ||
  facts.reasoningEffort !== undefined ||
  facts.upstreamModel !== facts.model ||
  facts.realtimeSession !== undefined ||
  rareCount(facts.usage) > 0;

const rareCount = (usage: Usage): number =>
  usage.reasoning +
  usage.cacheWrite5m +
  usage.cacheWrite1h +
  usage.imageInput +
  usage.imageOutput +
  usage.audioInput +
  usage.audioOutput +
  usage.webSearchCalls +
  usage.fileSearchCalls;

/** Members that most rows do not have. */
function rareOf(facts: ConsumeFacts): Record<string, unknown> {
  const { snapshot, usage } = facts;
  const other: Record<string, unknown> = {};
  if (facts.extras) {
    other.call_count = facts.extras.calls;
    other.call_factor = facts.extras.factor;
  }
  if (snapshot.unset) other.price_unset = true;
  if (facts.isClaude) other.claude = true;
  if (facts.reasoningEffort !== undefined) other.reasoning_effort = facts.reasoningEffort;
  if (facts.upstreamModel !== facts.model) {
    other.is_model_mapped = true;
    other.upstream_model_name = facts.upstreamModel;
  }
  addRareClasses(other, usage, snapshot);
  if (facts.realtimeSession !== undefined) {
    other.ws = true;
    other.realtime_session = facts.realtimeSession;
    addAudio(other, usage, snapshot);
  }
  return other;
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
}

/** Text and sound apart: of calls that have both, and of every response of a realtime session (wire-facts 6.5). */
function addAudio(other: Record<string, unknown>, usage: Usage, snapshot: PriceSnapshot): void {
  other.audio_input = usage.audioInput;
  other.audio_output = usage.audioOutput;
  other.text_input = usage.input + usage.cacheRead;
  other.text_output = usage.output + usage.reasoning;
  other.audio_ratio = snapshot.audioRatio;
  other.audio_completion_ratio = snapshot.audioCompletionRatio;
}
