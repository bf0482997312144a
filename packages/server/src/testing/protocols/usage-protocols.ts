import { counter, type Usage } from '@tollgate/contract';
import { type JsonObject, objectOf, objectsIn } from '../../lib/json.ts';
import { readGeminiUsage } from '../../relay/families/google/index.ts';
import { readOpenaiUsage } from '../../relay/families/openai/index.ts';
import { readAnthropicUsage } from '../../relay/protocols/anthropic-messages/usage.ts';
import { readConverseUsage } from '../../relay/protocols/bedrock-converse/read.ts';
import { readCohereUsage } from '../../relay/protocols/cohere-chat/read.ts';
import { readAudioUsage } from '../../relay/protocols/openai-audio/wire.ts';
import { readImagesUsage } from '../../relay/protocols/openai-images/wire.ts';
import { readResponsesUsage, usageIn } from '../../relay/protocols/openai-responses/usage.ts';
import type { ProtocolId } from '../../relay/types/index.ts';
import type { UsageRow } from './recordings.ts';

/** Usage from a vendor's own fields, added up independently of Tollgate's readers. */
export interface Reported {
  input: number;
  output: number;
  /** Undefined if the vendor reports none. */
  total: number | undefined;
  /** Part of the input: read from the cache. */
  cached: number;
  /** Part of the output: thinking. */
  reasoning: number;
}

/** Usage of a protocol: Tollgate's reader, and the independent sum. */
export interface UsageProtocol {
  read(raw: JsonObject): Usage | undefined;
  reported(raw: JsonObject): Reported;
}

const sum = (raw: JsonObject, ...names: string[]): number =>
  names.reduce((total, name) => total + counter(raw[name]), 0);
const totalIn = (raw: JsonObject, name: string): number | undefined =>
  raw[name] === undefined ? undefined : counter(raw[name]);

function reportedByOpenai(raw: JsonObject): Reported {
  const inside = objectOf(raw.prompt_tokens_details ?? raw.input_tokens_details);
  const out = objectOf(raw.completion_tokens_details ?? raw.output_tokens_details);
  return {
    input: sum(raw, 'prompt_tokens', 'input_tokens'),
    output: sum(raw, 'completion_tokens', 'output_tokens'),
    total: totalIn(raw, 'total_tokens'),
    cached: counter(
      inside.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens ?? raw.num_cached_tokens,
    ),
    reasoning: counter(out.reasoning_tokens),
  };
}

/** Passes that are charged but not in the totals, by Anthropic's own documentation. */
const beside = (raw: JsonObject): JsonObject[] =>
  objectsIn(raw.iterations).filter(({ type }) => type === 'compaction' || type === 'advisor_message');

function reportedByAnthropic(raw: JsonObject): Reported {
  const parts = [raw, ...beside(raw)];
  const over = (...names: string[]): number => parts.reduce((total, part) => total + sum(part, ...names), 0);
  return {
    input: over('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
    output: over('output_tokens'),
    total: undefined,
    cached: over('cache_read_input_tokens'),
    reasoning: counter(objectOf(raw.output_tokens_details).thinking_tokens),
  };
}

const reportedByGemini = (raw: JsonObject): Reported => ({
  input: sum(raw, 'promptTokenCount', 'toolUsePromptTokenCount'),
  output: sum(raw, 'candidatesTokenCount', 'thoughtsTokenCount'),
  total: totalIn(raw, 'totalTokenCount'),
  cached: counter(raw.cachedContentTokenCount),
  reasoning: counter(raw.thoughtsTokenCount),
});

/** Billed units. Cohere does not charge for its own instructions, so only cached tokens beyond them count. */
function reportedByCohere(raw: JsonObject): Reported {
  const [billed, tokens] = [objectOf(raw.billed_units), objectOf(raw.tokens)];
  const input = counter(billed.input_tokens);
  const unpaid = Math.max(0, sum(tokens, 'input_tokens', 'image_tokens') - input);
  return {
    input,
    output: counter(billed.output_tokens),
    total: undefined,
    cached: Math.max(0, counter(raw.cached_tokens) - unpaid),
    reasoning: counter(tokens.reasoning_tokens),
  };
}

const reportedByBedrock = (raw: JsonObject): Reported => {
  const cached = counter(raw.cacheReadInputTokens ?? raw.cacheReadInputTokenCount);
  return {
    input:
      sum(raw, 'inputTokens') + cached + counter(raw.cacheWriteInputTokens ?? raw.cacheWriteInputTokenCount),
    output: sum(raw, 'outputTokens'),
    total: totalIn(raw, 'totalTokens'),
    cached,
    reasoning: 0,
  };
};

const openai: UsageProtocol = { read: readOpenaiUsage, reported: reportedByOpenai };
/** Read as part of a response, which also contains the calls of charged tools. */
const responses: UsageProtocol = {
  read: (raw) => readResponsesUsage(usageIn({ usage: raw }) ?? raw),
  reported: reportedByOpenai,
};
const gemini: UsageProtocol = { read: readGeminiUsage, reported: reportedByGemini };

/** Every protocol with a usage reader in Tollgate. */
export const usageProtocols = {
  'openai-chat': openai,
  'openai-completions': openai,
  'openai-embeddings': openai,
  'openai-images': { read: readImagesUsage, reported: reportedByOpenai },
  'openai-audio': { read: readAudioUsage, reported: reportedByOpenai },
  'openai-responses': responses,
  'openai-compact': responses,
  'cohere-rerank': openai,
  'bedrock-converse': { read: (raw) => readConverseUsage(raw), reported: reportedByBedrock },
  'anthropic-messages': { read: readAnthropicUsage, reported: reportedByAnthropic },
  gemini,
  'gemini-embeddings': gemini,
  'cohere-chat': { read: readCohereUsage, reported: reportedByCohere },
} as const satisfies Partial<Record<ProtocolId, UsageProtocol>>;

/** The id of one of these protocols. */
export type UsageProtocolName = keyof typeof usageProtocols;

/** Protocol by the path of the call. The first match applies. */
const spokenAt: [path: RegExp, name: UsageProtocolName][] = [
  [/\/messages$/, 'anthropic-messages'],
  // Claude on Bedrock answers InvokeModel in Anthropic's format.
  [/\/model\/[^/]*anthropic\.[^/]+\/invoke$/, 'anthropic-messages'],
  // Amazon's own models use Converse's token fields there.
  [/\/converse$|\/model\/[^/]*nova[^/]*\/invoke$/, 'bedrock-converse'],
  [/:(stream)?generateContent$/i, 'gemini'],
  [/:(batchE|e)mbedContents?$/, 'gemini-embeddings'],
  [/\/chat\/completions$/, 'openai-chat'],
  [/^\/models\/[^/]+\/completions$|\/models\/chat\/completions$/, 'openai-chat'],
  [/\/completions$/, 'openai-completions'],
  [/\/responses(\/|$)/, 'openai-responses'],
  [/\/v2\/embed$|\/embeddings$/, 'openai-embeddings'],
  [/\/images(\/|$)/, 'openai-images'],
  [/\/audio\/transcriptions$/, 'openai-audio'],
  [/\/rerank$/, 'cohere-rerank'],
  [/\/v2\/chat$/, 'cohere-chat'],
];

/** Calls that Tollgate does not support, and the reason why it has no reader for their usage. */
const notCarried: [path: RegExp, reason: string][] = [
  [/\/cachedContents(\/|$)/, 'a prompt that is stored and asked for later: no answer, charged by the hour'],
  [/\/batches(\/|$)/, 'a batch: its calls report their usage one by one in a file'],
  [/\/videos(\/|$)/, 'a video: priced by its seconds, not by tokens'],
  [/\/v1\/chat$/, 'Cohere’s first version, in which nobody is asked'],
  [/sagemaker.*\/invoke$/, 'a model of the customer’s own at Bedrock, in a protocol of its own'],
];

/** Path of the call that a usage object belongs to. */
export const pathOf = ({ url }: Pick<UsageRow, 'url'>): string =>
  decodeURIComponent(url)
    .replace(/^https?:\/\/[^/]+|^<\w+>/, '')
    .replace(/\?.*$/, '');

/** The protocol of a recorded usage object, or the reason for a missing reader; null if unknown. */
export function usageProtocolOf(row: UsageRow): { name: UsageProtocolName } | { reason: string } | null {
  const path = pathOf(row);
  const reason = notCarried.find(([pattern]) => pattern.test(path))?.[1];
  if (reason !== undefined) return { reason };
  const name = spokenAt.find(([pattern]) => pattern.test(path))?.[1];
  return name === undefined ? null : { name };
}
