import {
  atTier,
  counter,
  inputTokens,
  outputTokens,
  type ReportedUsage,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import {
  isFilled,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  parseObject,
} from '../../../lib/json.ts';
import type { EventCursor } from '../../../lib/sse/index.ts';
import {
  addMember,
  type AnswerWire,
  contentIn,
  JsonPass,
  lastEventIn,
  pass,
  StreamPass,
  type StreamWire,
  type TextReader,
  type Verdict,
} from '../../streams/index.ts';
import type { AnswerPipe, AnswerSetup, RelayError, UncountedEnd } from '../../types/index.ts';
import { readErrorObject, statusInside, upstreamFailure } from './error.ts';

const errorKey = Buffer.from('"error"');
/** Suffix of usage counters: a vendor may send only one of them. */
const usageKey = Buffer.from('_tokens"');
/**
 * Parts of `[DONE]`, of `error` as a key or an event's name, and of the counters of a usage, short and with rare first
 * letters.
 */
const markers = ['DONE]', 'rror', 'kens"'].map((mark) => Buffer.from(mark));

/**
 * The usage object of a chunk or answer, with the service tier that it reports; in streams Groq keeps it under
 * `x_groq`, Moonshot in the last choice.
 */
export function usageIn(body: JsonObject): JsonObject | undefined {
  const usage = plainUsageIn(body);
  const { service_tier: tier } = body;
  // Nearly every answer is of the standard tier, and its usage needs no change.
  return usage && typeof tier === 'string' && tier !== 'default' ? { ...usage, service_tier: tier } : usage;
}

function plainUsageIn(body: JsonObject): JsonObject | undefined {
  if (isObject(body.usage)) return body.usage;
  if (isObject(body.x_groq) && isObject(body.x_groq.usage)) return body.x_groq.usage;
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
  return isObject(choice) && isObject(choice.usage) ? choice.usage : undefined;
}

/** True for a finish reason that ends a choice. Until its end some vendors write '' or the word "null". */
export const namesEnd = (reason: Json | undefined): reason is string =>
  typeof reason === 'string' && reason !== '' && reason !== 'null';

/** For answers with only the vendor's usage to count. */
export const readUsageOnly: TextReader = (body, sink) => {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
};

/** The error inside an event or answer with a success status. */
export function failureIn(body: JsonObject, secrets: readonly string[] = []): RelayError | undefined {
  // Cloudflare's errors are a list.
  const error = body.error ?? (body.success === false ? objectsIn(body.errors)[0] : undefined);
  if (error === undefined || error === null || error === false || error === '') return undefined;
  const status = statusInside({ error });
  const words = typeof error === 'string' ? error : JSON.stringify(error);
  return readErrorObject({ error }, status, secrets) ?? upstreamFailure(status, words, secrets);
}

/** The stream of the OpenAI family: data events, `[DONE]` at the end, an `error` member or event for failures. */
function openaiStreamWire(
  { readText, list, mediaMarks }: OpenaiAnswers,
  secrets: readonly string[],
): StreamWire {
  return {
    markers,
    ...(mediaMarks && { mediaMarks }),
    readText,
    examine: (event) => examine(event, secrets),
    isContent: contentIn((body) => hasEntries(body, list)),
  };
}

/** True if the list of an answer has content. A choice that only begins (`role`) has none yet. */
function hasEntries(body: JsonObject, list: string): boolean {
  const entries = body[list];
  if (list !== 'choices') return Array.isArray(entries) && entries.length > 0;
  return objectsIn(entries).some((choice) => {
    const { role: _, ...rest } = objectOf(choice.delta ?? choice.message);
    return isFilled(rest) || isFilled(choice.text) || isFilled(choice.finish_reason);
  });
}

function examine(event: EventCursor, secrets: readonly string[]): Verdict {
  const data = event.data();
  if (!data) return pass;
  if (data.length <= 8 && data.toString().trim() === '[DONE]') return { kind: 'end' };
  const isError = event.name === 'error';
  if (!isError && !data.includes(errorKey) && !data.includes(usageKey)) return pass;
  const body = parseObject(data);
  if (isError) return { kind: 'error', error: namedError(body, data, secrets), raw: body && usageIn(body) };
  if (!body) return pass;
  const failure = failureIn(body, secrets);
  if (failure) return { kind: 'error', error: failure, raw: usageIn(body) };
  const raw = usageIn(body);
  if (!raw) return pass;
  const isOnlyUsage = Array.isArray(body.choices) && body.choices.length === 0;
  return { kind: isOnlyUsage ? 'usage-only' : 'usage', raw };
}

/** An event named `error`, with any data. */
export function namedError(
  body: JsonObject | undefined,
  data: Buffer,
  secrets: readonly string[],
): RelayError {
  const reported = body && failureIn(body, secrets);
  const words = typeof body?.message === 'string' ? body.message : data.toString('utf8', 0, 2_000);
  return reported ?? upstreamFailure(502, words, secrets);
}

/** Form of the answers of one of OpenAI's calls. */
interface OpenaiAnswers {
  /** The member that every answer has: `choices`, `data`, `results`. */
  list: string;
  readText: TextReader;
  hasText: boolean;
  /** As `StreamWire.mediaMarks`. */
  mediaMarks?: readonly Buffer[];
}

/** Opens the reader of an answer of the OpenAI family that passes to a caller of the same protocol. */
export function openOpenaiPipe(answers: OpenaiAnswers, setup: AnswerSetup): AnswerPipe {
  const { secrets, hideUsage, contentType } = setup;
  if (setup.kind === 'stream') {
    return new StreamPass('text/event-stream', {
      wire: openaiStreamWire(answers, secrets),
      hideUsage,
      readUsage: readOpenaiUsage,
      secrets,
    });
  }
  const wire: AnswerWire = {
    isAnswer: (body) => Array.isArray(body[answers.list]),
    hasContent: (body) => hasEntries(body, answers.list),
    readFailure: (body) => failureIn(body, secrets) ?? refusalIn(body, secrets),
    readText: answers.readText,
    hasText: answers.hasText,
  };
  return new JsonPass(contentType, { wire, readUsage: readOpenaiUsage, rewrite: setup.rewrite });
}

/** MiniMax answers 200 with its own status inside. */
function refusalIn(body: JsonObject, secrets: readonly string[]): RelayError | undefined {
  const status = isObject(body.base_resp) ? body.base_resp : {};
  if (typeof status.status_code !== 'number' || status.status_code === 0) return undefined;
  const words = typeof status.status_msg === 'string' ? status.status_msg : '';
  return upstreamFailure(502, `${words} (${status.status_code})`, secrets);
}

const part = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Takes at most the rest of a total, so that overlapping counters never add up to more than it. */
class Remainder {
  left: number;
  constructor(total: number) {
    this.left = total;
  }
  take(wanted: number): number {
    const taken = Math.min(wanted, this.left);
    this.left -= taken;
    return taken;
  }
}

/**
 * Reads the usage object of the OpenAI family (`prompt_tokens`, `completion_tokens`, and `input_tokens`,
 * `output_tokens` if a vendor uses those) into disjoint counters. undefined when it reports nothing.
 *
 * - `prompt_tokens` includes cached, written, image and audio tokens; DeepSeek names the cached ones
 *   `prompt_cache_hit_tokens`, Hugging Face and others put `cached_tokens` at the top. Some vendors report details that
 *   exceed the total (Grok on Azure: 161 cached of 10): the total is charged, so details are reduced to fit.
 * - Voyage's embeddings and rerankers report only a total, which is input. Without a prompt, it is the total minus the
 *   completion.
 * - Mistral names cached tokens `num_cached_tokens`, at the top, or `prompt_token_details` (without an s).
 * - OpenRouter counts tokens of Gemini's own cache as read and as written at once: written are then none.
 * - `completion_tokens` includes reasoning and audio, except where `total_tokens` shows that it does not: xAI and
 *   Gemini leave reasoning out, Mistral leaves audio input out of `prompt_tokens`.
 * - Perplexity names cached tokens like Anthropic. Its former deep research counts its reasoning and the pages it cites
 *   beside both, at the top; the pages are input.
 * - The cost that OpenRouter, Perplexity and xAI report is included; with the operator's own vendor key at OpenRouter
 *   (`is_byok`) the vendor's part is added.
 * - A cached image token is counted once, as cached (docs/compatibility.md#deliberate-differences, fault 8).
 */
export function readOpenaiUsage(raw: JsonObject): ReportedUsage | undefined {
  const completionTokens = counter(raw.completion_tokens ?? raw.output_tokens);
  const totalTokens = counter(raw.total_tokens);
  const reportedPrompt = counter(raw.prompt_tokens ?? raw.input_tokens);
  // Without a count of the prompt it is the total minus the rest.
  const promptTokens = reportedPrompt > 0 ? reportedPrompt : Math.max(0, totalTokens - completionTokens);
  if (promptTokens + completionTokens + totalTokens === 0) return undefined;
  const inside = part(
    raw.prompt_tokens_details ??
      raw.input_tokens_details ??
      raw.input_token_details ??
      raw.prompt_token_details,
  );
  const out = part(raw.completion_tokens_details ?? raw.output_tokens_details);
  const uncounted = new Remainder(Math.max(0, totalTokens - promptTokens - completionTokens));
  const audioInput = counter(inside.audio_tokens);
  // Mistral reports the seconds of a transcription; only the total has its tokens.
  const isHeard = counter(raw.prompt_audio_seconds) > 0;
  const heard = isHeard ? uncounted.left : audioInput > promptTokens ? audioInput : 0;
  const audioBeside = uncounted.take(heard);
  const research = readResearch(raw);
  const read = readInput(raw, inside, promptTokens, audioInput, audioBeside);
  const written = readOutput(out, completionTokens, uncounted.left);
  // Field by field: a spread of both would take longer than the rest of the reading.
  const usage: ReportedUsage = usageOf({
    input: read.input + research.cited,
    cacheRead: read.cacheRead,
    cacheWrite5m: read.cacheWrite5m,
    imageInput: read.imageInput,
    audioInput: read.audioInput,
    output: written.output,
    reasoning: written.reasoning + research.reasoning,
    imageOutput: written.imageOutput,
    audioOutput: written.audioOutput,
    webSearchCalls: readSearches(raw),
  });
  const cost = readCost(raw);
  if (cost !== undefined) usage.reportedCost = cost;
  if (promptTokens === 0 && (raw.prompt_tokens ?? raw.input_tokens) === 0) usage.hasNoInput = true;
  return raw.service_tier === undefined ? usage : atTier(usage, raw.service_tier);
}

/** xAI counts dollars in these. */
const ticksPerDollar = 1e10;

/** The cost of the call in US dollars, as reported by the vendor. */
function readCost(raw: JsonObject): number | undefined {
  if (raw.cost === undefined && raw.cost_in_usd_ticks === undefined) return undefined;
  if (typeof raw.cost_in_usd_ticks === 'number') return amount(raw.cost_in_usd_ticks / ticksPerDollar);
  const cost = amount(isObject(raw.cost) ? raw.cost.total_cost : raw.cost);
  if (cost === undefined || raw.is_byok !== true) return cost;
  return cost + (amount(part(raw.cost_details).upstream_inference_cost) ?? 0);
}

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

function readInput(
  raw: JsonObject,
  inside: JsonObject,
  promptTokens: number,
  audioInput: number,
  audioBeside: number,
): Pick<Usage, 'cacheRead' | 'cacheWrite5m' | 'audioInput' | 'imageInput' | 'input'> {
  const prompt = new Remainder(promptTokens);
  const cached =
    counter(inside.cached_tokens) ||
    counter(inside.cache_read_input_tokens) ||
    counter(raw.prompt_cache_hit_tokens) ||
    counter(raw.cached_tokens) ||
    counter(raw.num_cached_tokens);
  const cacheRead = prompt.take(cached);
  const written = counter(inside.cache_write_tokens ?? inside.cache_creation_input_tokens);
  const isReadToo = cached > 0 && written > prompt.left;
  const cacheWrite5m = isReadToo ? 0 : prompt.take(written);
  const audio = audioBeside > 0 ? audioBeside : prompt.take(audioInput);
  const imageInput = prompt.take(counter(inside.image_tokens));
  return { cacheRead, cacheWrite5m, audioInput: audio, imageInput, input: prompt.left };
}

function readOutput(
  out: JsonObject,
  completionTokens: number,
  beside: number,
): Pick<Usage, 'reasoning' | 'audioOutput' | 'imageOutput' | 'output'> {
  const reported = counter(out.reasoning_tokens);
  const all = new Remainder(completionTokens + beside);
  const reasoning = all.take(reported > 0 ? reported : beside);
  const audioOutput = all.take(counter(out.audio_tokens));
  const imageOutput = all.take(counter(out.image_tokens));
  return { reasoning, audioOutput, imageOutput, output: all.left };
}

/** Counters of Perplexity's deep research only: other vendors with reasoning at the top include it in the total. */
function readResearch(raw: JsonObject): { cited: number; reasoning: number } {
  const isResearch = raw.citation_tokens !== undefined && raw.num_search_queries !== undefined;
  return isResearch
    ? { cited: counter(raw.citation_tokens), reasoning: counter(raw.reasoning_tokens) }
    : { cited: 0, reasoning: 0 };
}

/** Searches that OpenRouter or Perplexity ran for the model. */
const readSearches = (raw: JsonObject): number =>
  counter(part(raw.server_tool_use_details ?? raw.server_tool_use).web_search_requests) ||
  (raw.num_search_queries === undefined ? readRequestFee(raw) : counter(raw.num_search_queries));

/**
 * Searches of a Perplexity answer without their number. Perplexity charges a fee per answer, by context size, which is
 * the price of one search; a reported fee of 0 is no search.
 */
const readRequestFee = (raw: JsonObject): number =>
  typeof raw.search_context_size === 'string' && part(raw.cost).request_cost !== 0 ? 1 : 0;

/** The usage that was counted here: a chunk before the end marker of a stream, a member of a whole answer. */
export function addOpenaiUsage({ tail, isStream, before, usage, source }: UncountedEnd): Buffer | undefined {
  const prompt = inputTokens(usage);
  const completion = outputTokens(usage);
  const told = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    source,
  };
  if (!isStream) return addMember(tail, 'usage', told);
  const { id, object, created, model } = lastEventIn(before) ?? lastEventIn(tail) ?? {};
  const chunk = { ...defined({ id, object, created, model }), choices: [], usage: told };
  const end = Math.max(tail.lastIndexOf('data: [DONE]'), tail.lastIndexOf('data:[DONE]'));
  const at = end < 0 ? tail.length : end;
  return Buffer.concat([
    tail.subarray(0, at),
    Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`),
    tail.subarray(at),
  ]);
}

const defined = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
