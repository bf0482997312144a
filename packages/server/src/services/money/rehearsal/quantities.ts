import {
  atTier,
  type PriceExtras,
  pricedName,
  recomputeQuota,
  type SearchKind,
  searchKinds,
  type Term,
  type Usage,
  type UsageCounter,
  usageOf,
  usageCounters,
  usualSearchSize,
  webSearchPriceFor,
} from '@tollgate/contract';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { PricedRow } from '../../../store/index.ts';
import { type PlainLines, readPlainLines } from './plain-lines.ts';

/** Reason why a row is not priced again. */
export type UnpricedReason =
  /** It has no lines: it was imported, or is older than receipts. */
  | 'no_terms'
  /** A crash left it without lines. */
  | 'crash'
  /** The sum of its lines differs from the charge. */
  | 'unexplained'
  /** Nothing was charged for it, regardless of its usage. */
  | 'uncharged'
  /** It returns an earlier charge. */
  | 'refund'
  /** A task that is running, or was refunded. */
  | 'task_open'
  /** An application has set its amount. */
  | 'sale'
  /** Its searches were priced by a table that no longer exists. */
  | 'tool_price'
  /** Priced per call, and the row does not have the number. */
  | 'calls_unknown'
  /** The draft would refuse it. */
  | 'unpriced';

/** Usage of a call by its row. */
export interface Quantities {
  usage: Usage;
  /** Calls and factor if a price per call was charged for several. */
  extras: PriceExtras | undefined;
  searchKind: SearchKind;
  /** Amount of its original bill. */
  billed: number;
  /** True if tokens were priced. */
  byTokens: boolean;
  task: 'none' | 'task' | 'drawing';
  /** True if it was served without a price of its own. */
  unset: boolean;
  /** True if the vendor counted, false if Tollgate did. */
  reported: boolean;
  /** The model name with the charged price, if it is not the row's model. */
  pricedModel?: string;
  /** The caller's group, if it differs from the used group. */
  userGroup?: string;
  /** The ceiling that the caller set, in quota units. */
  maxCost?: number;
  /** Set for a stored answer: the charged part of its price, in percent. */
  cacheShare?: number;
  /** Set for a call in a batch: the factor of its price. */
  batchFactor?: number;
}

const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** Reads a row's quantities from its terms and fields; returns the reason if they are incomplete. */
export function readQuantities(row: PricedRow): Quantities | UnpricedReason {
  const plain = readPlainLines(row.other);
  const quantities = plain ? ofPlain(row, plain) : readWhole(row);
  if (typeof quantities === 'string') return quantities;
  if (row.quota > quantities.billed) return 'unexplained';
  return row.quota === 0 && quantities.billed > 0 ? 'uncharged' : quantities;
}

/** Copied field by field: a spread would cost more than the rest of the function. */
const ofPlain = (row: PricedRow, { usage, billed, reported }: PlainLines): Quantities => ({
  usage,
  extras: undefined,
  searchKind: usualSearchSize,
  billed,
  byTokens: true,
  task: 'none',
  unset: false,
  reported,
});

/** Any row: of calls, tasks, tools, or without lines. */
function readWhole(row: PricedRow): Quantities | UnpricedReason {
  const other = parse(row.other);
  const receipt = other?.['receipt'];
  if (!other || !isObject(receipt) || !Array.isArray(receipt['terms']))
    return other?.['end_reason'] === 'crash' ? 'crash' : 'no_terms';
  if (isObject(other['sale'])) return 'sale';
  const terms = receipt['terms'] as unknown as Term[];
  const billed = sumOf(terms, receipt['minimum'] === 1 ? 1 : 0);
  if (billed === null) return 'unexplained';
  const byTokens = typeof other['model_price'] !== 'number' || other['model_price'] < 0;
  const usage = byTokens ? usageOfTerms(terms) : usageOfFields(row, other);
  if (!usage) return 'unexplained';
  const { user_group: userGroup, priced_model: pricedModel, max_cost: maxCost } = other;
  const { answer_cache_ratio: share, batch_id: batch } = other;
  const isMapped = typeof pricedModel === 'string';
  const searchKind = searchKindIn(isMapped ? pricedModel : row.model_name, usage, other);
  if (!searchKind) return 'tool_price';
  return {
    usage: atTier(usage, other['service_tier']),
    extras: extrasOf(other),
    searchKind,
    billed,
    byTokens,
    task: taskOf(other),
    unset: other['price_unset'] === true,
    reported: other['usage_source'] === 'upstream',
    ...(isMapped && { pricedModel }),
    ...(typeof userGroup === 'string' && { userGroup }),
    ...(typeof maxCost === 'number' && { maxCost }),
    ...(typeof share === 'number' && { cacheShare: Math.round(share * 100) }),
    ...(typeof batch === 'string' && { batchFactor: batchFactorOf(other) }),
  };
}

/** Sum of the lines; null if they cannot be read. */
function sumOf(terms: Term[], minimum: 0 | 1): number | null {
  try {
    return recomputeQuota({ terms, minimum });
  } catch {
    return null;
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const counters: ReadonlySet<string> = new Set(usageCounters);

/** For prices per token, every counter above 0 has a line. */
function usageOfTerms(terms: readonly Term[]): Usage | undefined {
  const usage = usageOf();
  for (const { what, count } of terms) {
    if (!counters.has(what) || !Number.isSafeInteger(count) || count < 0) return undefined;
    usage[what as UsageCounter] = count;
  }
  return usage;
}

/** Calls at a price per call have no token lines: each class has a field, and plain tokens are the rest. */
function usageOfFields(row: PricedRow, other: JsonObject): Usage | undefined {
  const usage = usageOf({
    cacheRead: numberOf(other['cache_tokens']),
    cacheWrite5m: numberOf(other['cache_creation_tokens_5m']),
    cacheWrite1h: numberOf(other['cache_creation_tokens_1h']),
    imageInput: numberOf(other['image_input']),
    audioInput: numberOf(other['audio_input']),
    reasoning: numberOf(other['reasoning_tokens']),
    imageOutput: numberOf(other['image_output']),
    audioOutput: numberOf(other['audio_output']),
    webSearchCalls: numberOf(other['web_search_call_count']),
    fileSearchCalls: numberOf(other['file_search_call_count']),
    containers: numberOf(other['container_count']),
  });
  const { cacheRead, cacheWrite5m, cacheWrite1h, imageInput, audioInput } = usage;
  usage.input = row.prompt_tokens - cacheRead - cacheWrite5m - cacheWrite1h - imageInput - audioInput;
  usage.output = row.completion_tokens - usage.reasoning - usage.imageOutput - usage.audioOutput;
  return usage.input < 0 || usage.output < 0 ? undefined : usage;
}

function extrasOf(other: JsonObject): PriceExtras | undefined {
  const { call_count: calls, call_factor: factor } = other;
  if (typeof calls !== 'number') return undefined;
  return { calls, ...(typeof factor === 'number' && { factor }) };
}

/** A price per call has no tiers, but its own factor. */
function batchFactorOf({ service_tier_ratio: tier, call_factor: factor }: JsonObject): number {
  if (typeof tier === 'number') return tier;
  return typeof factor === 'number' ? factor : 1;
}

/** The kind of a search is not on the row, but its price is. */
function searchKindIn(model: string, usage: Usage, other: JsonObject): SearchKind | undefined {
  if (usage.webSearchCalls === 0) return usualSearchSize;
  const name = pricedName(model);
  return [usualSearchSize, ...searchKinds].find(
    (kind) => webSearchPriceFor(name, kind) === other['web_search_price'],
  );
}

function taskOf({ task_id: id, task_platform: platform }: JsonObject): Quantities['task'] {
  if (typeof id !== 'string') return 'none';
  return platform === 'mj' ? 'drawing' : 'task';
}
