import type { LogData } from '@tollgate/contract';

/** Separate counts of text and audio tokens of a call. */
interface SoundTokens {
  textInput: number;
  textOutput: number;
  audioInput: number;
  audioOutput: number;
}

/** A task, from the log rows of its charge and its refund. */
export interface LoggedTask {
  id: string;
  isDrawing: boolean;
  action: string;
  count: number;
  factor: number;
  /** Charged seconds of video; 0 if the price is not per second. */
  seconds: number;
  /** For a refund: the charged amount in quota units, and the reason. */
  charged: number;
  reason: string;
}

/** Something that an application sold. */
interface LoggedSale {
  /** Id of its hold. */
  id: string;
  description: string;
  /** Quota units that were held. */
  held: number;
}

/** A correction of a charge, from its log row. */
interface LoggedCorrection {
  id: number;
  /** The original charge, in quota units. */
  charged: number;
  /** True if an earlier correction was undone. */
  isUndone: boolean;
}

/** Fields of a row's `other` that the console shows (docs/compatibility.md#log-row) beside the receipt. */
export interface LogOther {
  modelRatio: number | null;
  /** US dollars per call; null when tokens are priced. */
  modelPrice: number | null;
  groupRatio: number | null;
  cachedTokens: number;
  /** Input tokens written to the vendor's cache. */
  writtenTokens: number;
  /** Milliseconds; null without a first byte. */
  firstTokenMs: number | null;
  /** Total milliseconds; null on rows with whole seconds only. */
  totalMs: number | null;
  upstreamModel: string | null;
  /** The model name of the charged price, if it differs from the caller's. */
  pricedModel: string | null;
  /** Tried channels, in order; only for administrators. */
  channels: string[];
  /** True for a response of a realtime session. */
  isRealtime: boolean;
  /** The request id of the session; null if the row does not have it. */
  session: string | null;
  /** True for audio input or output. */
  hasAudio: boolean;
  /** Set if text and audio tokens were reported separately. */
  sound: SoundTokens | null;
  /** True for image tokens. */
  hasImageTokens: boolean;
  /** The task of an asynchronous call; null for other calls. */
  task: LoggedTask | null;
  /** What an application sold; null for calls of models. */
  sale: LoggedSale | null;
  /** The correction of a charge that the row books; null for other rows. */
  correction: LoggedCorrection | null;
  /** Images made, and the factor of their size and quality on the price of each; null for other calls. */
  images: { count: number; factor: number } | null;
  /** True if the texts of the call are captured. */
  isCaptured: boolean;
  /** Name of the guard hook that has replaced texts of the request. */
  replacedBy: string | null;
  /** The share of its price that a tool's server reported as its cost; null for other calls. */
  tool: { factor: number } | null;
  /** Charged part of the price of an answer from the cache; null for other calls. */
  cacheShare: number | null;
  webSearches: number;
  fileSearches: number;
  /** True if the usage was not reported and is an estimate. */
  isEstimated: boolean;
  /** True if there was no price and the fallback ratio applied. */
  isUnpriced: boolean;
  /** True when the caller spoke Anthropic's protocol. */
  isClaude: boolean;
  reasoningEffort: string | null;
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const numberOf = (value: unknown): number => numberOrNull(value) ?? 0;
const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

function parse(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Separate text and audio counts; null for rows without them. */
const soundOf = (other: Fields): SoundTokens | null =>
  'audio_input' in other || 'audio_output' in other
    ? {
        textInput: numberOf(other.text_input),
        textOutput: numberOf(other.text_output),
        audioInput: numberOf(other.audio_input),
        audioOutput: numberOf(other.audio_output),
      }
    : null;

/** Older refund rows have no platform; songs and videos are recognized by their few actions. */
const isDrawing = (platform: string | null, action: string): boolean =>
  platform === null ? /^[A-Z_]+$/.test(action) && !['MUSIC', 'LYRICS'].includes(action) : platform === 'mj';

function taskOf(other: Fields): LoggedTask | null {
  const id = textOrNull(other.task_id);
  if (id === null) return null;
  const action = textOrNull(other.task_action) ?? '';
  return {
    id,
    isDrawing: isDrawing(textOrNull(other.task_platform), action),
    action,
    count: numberOrNull(other.call_count) ?? 1,
    factor: numberOrNull(other.call_factor) ?? 1,
    seconds: numberOf(other.task_seconds),
    charged: numberOf(other.charged),
    reason: textOrNull(other.reason) ?? '',
  };
}

function saleOf({ sale }: Fields): LoggedSale | null {
  const id = isObject(sale) ? textOrNull(sale.id) : null;
  if (!isObject(sale) || id === null) return null;
  return { id, description: textOrNull(sale.description) ?? '', held: numberOf(sale.held) };
}

function correctionOf({ rerating: id, charged, undone }: Fields): LoggedCorrection | null {
  return typeof id === 'number' ? { id, charged: numberOf(charged), isUndone: undone === true } : null;
}

/** Reads `other`; rows of other programs and versions may lack any field. */
export function readOther(text: string): LogOther {
  const other = parse(text);
  const price = numberOrNull(other.model_price);
  const firstToken = numberOrNull(other.frt);
  const task = taskOf(other);
  // Search units of a reranking are calls without a factor.
  const tool = other.tool === true ? { factor: numberOrNull(other.call_factor) ?? 1 } : null;
  const factor = (task ?? tool) ? null : numberOrNull(other.call_factor);
  const admin = isObject(other.admin_info) ? other.admin_info.use_channel : undefined;
  return {
    modelRatio: numberOrNull(other.model_ratio),
    modelPrice: price !== null && price >= 0 ? price : null,
    groupRatio: numberOrNull(other.group_ratio),
    cachedTokens: numberOf(other.cache_tokens),
    writtenTokens: numberOf(other.cache_creation_tokens),
    firstTokenMs: firstToken !== null && firstToken >= 0 ? firstToken : null,
    totalMs: numberOrNull(other.total_ms),
    upstreamModel: other.is_model_mapped === true ? textOrNull(other.upstream_model_name) : null,
    pricedModel: textOrNull(other.priced_model),
    channels: Array.isArray(admin) ? admin.map(String) : [],
    isRealtime: other.ws === true,
    session: textOrNull(other.realtime_session),
    hasAudio: other.audio === true,
    sound: soundOf(other),
    hasImageTokens: other.image === true,
    task,
    sale: saleOf(other),
    correction: correctionOf(other),
    images: factor === null ? null : { count: numberOrNull(other.call_count) ?? 1, factor },
    isCaptured: other.captured === true,
    replacedBy: textOrNull(other.replaced_by),
    tool,
    cacheShare: numberOrNull(other.answer_cache_ratio),
    webSearches: numberOf(other.web_search_call_count),
    fileSearches: numberOf(other.file_search_call_count),
    isEstimated: other.usage_source === 'estimated',
    isUnpriced: other.price_unset === true,
    isClaude: other.claude === true,
    reasoningEffort: textOrNull(other.reasoning_effort),
  };
}

const known = new WeakMap<LogData, LogOther>();

/** `readOther` of a row, parsed once for all of its cells: rows never change. */
export function otherOf(row: LogData): LogOther {
  const before = known.get(row);
  if (before) return before;
  const other = readOther(row.other);
  known.set(row, other);
  return other;
}
