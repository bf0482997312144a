import { addMember, changeLastEvent } from '../../streams/index.ts';
import type { UncountedEnd } from '../../types/index.ts';
import {
  atTier,
  counter,
  inputTokens,
  outputTokens,
  type ReportedUsage,
  type Usage,
  type UsageCounter,
  usageOf,
} from '@tollgate/contract';
import { writeTier } from './tier.ts';
import { isFilled, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Passes over the text that the vendor charges separately from the answer and omits from the totals. */
const chargedSeparately = new Set<unknown>(['compaction', 'advisor_message']);

/**
 * Anthropic's usage object in disjoint counters; undefined without output (that of `message_start`) or without any
 * figures.
 *
 * - `input_tokens` excludes cache reads and writes.
 * - `output_tokens` includes thinking; newer models also report it in `output_tokens_details`.
 * - `iterations` lists the passes of one answer; those of compaction and of an advisor model are charged but not
 *   contained in the totals, so they are added (the advisor's at the price of the requested model).
 */
export function readAnthropicUsage(raw: JsonObject): ReportedUsage | undefined {
  if (typeof raw.output_tokens !== 'number') return undefined;
  const total: ReportedUsage = usageOf({
    ...readInput(raw),
    ...readOutput(raw),
    webSearchCalls: readSearches(raw),
  });
  for (const pass of Array.isArray(raw.iterations) ? raw.iterations : []) {
    if (isObject(pass) && chargedSeparately.has(pass.type))
      add(total, { ...readInput(pass), ...readOutput(pass) });
  }
  if (raw.input_tokens === 0 && inputTokens(total) === 0) total.hasNoInput = true;
  const isEmpty = inputTokens(total) + outputTokens(total) + total.webSearchCalls === 0;
  return isEmpty ? undefined : atTier(total, raw.service_tier);
}

/** Input and searches so far, as a stream reports them before the output. */
export function readAnthropicInput(raw: JsonObject): Usage | undefined {
  const usage = usageOf({ ...readInput(raw), webSearchCalls: readSearches(raw) });
  return inputTokens(usage) + usage.webSearchCalls === 0 ? undefined : usage;
}

function readInput(raw: JsonObject): Partial<Usage> {
  const byDuration = part(raw.cache_creation);
  const cacheWrite1h = counter(byDuration.ephemeral_1h_input_tokens);
  const reported5m = counter(byDuration.ephemeral_5m_input_tokens);
  // The excess of the total over its parts was written with the default duration.
  const rest = counter(raw.cache_creation_input_tokens) - reported5m - cacheWrite1h;
  return {
    input: counter(raw.input_tokens),
    cacheRead: counter(raw.cache_read_input_tokens),
    cacheWrite5m: reported5m + Math.max(0, rest),
    cacheWrite1h,
  };
}

function readOutput(raw: JsonObject): Partial<Usage> {
  const all = counter(raw.output_tokens);
  const reasoning = Math.min(all, counter(part(raw.output_tokens_details).thinking_tokens));
  return { output: all - reasoning, reasoning };
}

/** True for a block that begins a search, which the vendor charges for. */
export const isSearch = ({ type, name }: JsonObject): boolean =>
  type === 'server_tool_use' && name === 'web_search';

const readSearches = (raw: JsonObject): number => counter(part(raw.server_tool_use).web_search_requests);

function add(total: Usage, more: Partial<Usage>): void {
  for (const [name, value] of Object.entries(more) as [UsageCounter, number][]) total[name] += value;
}

/** Input counters of a usage. */
const inputFields = new Set([
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
]);

/**
 * Collects the usage of a stream: `message_start` has the input, `message_delta` the sums so far. Sums never shrink: a
 * delta with only the output may have zeros for the rest, which are ignored. A delta with some of the input has all of
 * it.
 */
export class UsageParts {
  private raw: JsonObject = {};
  private searches = 0;

  start(usage: Json | undefined): JsonObject {
    // The output reported here is only the first tokens; an input of 0 means unknown.
    const { output_tokens: _, ...input } = part(usage);
    if (input.input_tokens === 0) delete input.input_tokens;
    this.raw = { ...this.raw, ...input };
    return this.raw;
  }

  /** A search begins, which the sums have only at the end. */
  search(): JsonObject {
    this.searches += 1;
    return { ...this.raw, server_tool_use: { web_search_requests: this.searches } };
  }

  delta(usage: Json | undefined): JsonObject {
    const reported = Object.entries(part(usage)).filter(([, value]) => value !== null);
    const knowsInput = reported.some(([name, value]) => inputFields.has(name) && isFilled(value));
    const written = reported.filter(
      ([name, value]) =>
        isFilled(value) || !isFilled(this.raw[name]) || (knowsInput && inputFields.has(name)),
    );
    this.raw = { ...this.raw, ...Object.fromEntries(written) };
    return this.raw;
  }
}

/** Our counters as Anthropic's usage object; undefined is written as zeros. */
export function writeAnthropicUsage(usage: Usage = usageOf(), serviceTier?: string): JsonObject {
  const tier = writeTier(serviceTier);
  return {
    input_tokens: usage.input + usage.imageInput + usage.audioInput,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: outputTokens(usage),
    output_tokens_details: usage.reasoning > 0 ? { thinking_tokens: usage.reasoning } : null,
    server_tool_use:
      usage.webSearchCalls > 0 ? { web_search_requests: usage.webSearchCalls, web_fetch_requests: 0 } : null,
    service_tier: tier ?? null,
    inference_geo: null,
    speed: null,
  };
}

/** Writes the usage counted here into the event with the finish reason, or into a whole answer. */
export function addAnthropicUsage({ tail, isStream, usage, source }: UncountedEnd): Buffer | undefined {
  const told = { ...writeAnthropicUsage(usage), source };
  if (!isStream) return addMember(tail, 'usage', told);
  return changeLastEvent(tail, (data) =>
    data.type === 'message_delta' ? { ...data, usage: told } : undefined,
  );
}
