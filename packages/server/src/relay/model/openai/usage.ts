import { counter, type Usage, usageOf } from '@tollgate/contract';
import { isObject, type JsonObject } from '../json.ts';

const part = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Takes at most what is left of a total, so that overlapping counters can never add up to more than it. */
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
 * `output_tokens` where a vendor uses those) into disjoint counters. undefined when it reports nothing.
 *
 * - `prompt_tokens` includes cached, written, image and audio tokens; DeepSeek names the cached ones
 *   `prompt_cache_hit_tokens`, Hugging Face and others put `cached_tokens` at the top. Some vendors report details that
 *   exceed the total (Grok on Azure: 161 cached of 10): the total is what is charged, so details are cut to fit.
 * - `completion_tokens` includes reasoning and audio, except where `total_tokens` shows that it does not: xAI and
 *   Gemini leave reasoning out, Mistral leaves audio input out of `prompt_tokens`.
 * - A cached image token is counted once, as cached (wire-facts 13, fault 8).
 */
export function readOpenaiUsage(raw: JsonObject): Usage | undefined {
  const promptTokens = counter(raw.prompt_tokens ?? raw.input_tokens);
  const completionTokens = counter(raw.completion_tokens ?? raw.output_tokens);
  const totalTokens = counter(raw.total_tokens);
  if (promptTokens + completionTokens + totalTokens === 0) return undefined;
  const inside = part(raw.prompt_tokens_details ?? raw.input_tokens_details);
  const out = part(raw.completion_tokens_details ?? raw.output_tokens_details);
  const uncounted = new Remainder(Math.max(0, totalTokens - promptTokens - completionTokens));
  const audioInput = counter(inside.audio_tokens);
  const audioBeside = audioInput > promptTokens ? uncounted.take(audioInput) : 0;
  return usageOf({
    ...readInput(raw, inside, promptTokens, audioInput, audioBeside),
    ...readOutput(out, completionTokens, uncounted.left),
    webSearchCalls: readSearches(raw),
  });
}

function readInput(
  raw: JsonObject,
  inside: JsonObject,
  promptTokens: number,
  audioInput: number,
  audioBeside: number,
): Partial<Usage> {
  const prompt = new Remainder(promptTokens);
  const cached =
    counter(inside.cached_tokens) || counter(raw.prompt_cache_hit_tokens) || counter(raw.cached_tokens);
  const cacheRead = prompt.take(cached);
  const cacheWrite5m = prompt.take(counter(inside.cache_write_tokens));
  const audio = audioBeside > 0 ? audioBeside : prompt.take(audioInput);
  const imageInput = prompt.take(counter(inside.image_tokens));
  return { cacheRead, cacheWrite5m, audioInput: audio, imageInput, input: prompt.left };
}

function readOutput(out: JsonObject, completionTokens: number, beside: number): Partial<Usage> {
  const reported = counter(out.reasoning_tokens);
  const all = new Remainder(completionTokens + beside);
  const reasoning = all.take(reported > 0 ? reported : beside);
  const audioOutput = all.take(counter(out.audio_tokens));
  const imageOutput = all.take(counter(out.image_tokens));
  return { reasoning, audioOutput, imageOutput, output: all.left };
}

/** Searches that OpenRouter ran for the model. */
const readSearches = (raw: JsonObject): number =>
  counter(part(raw.server_tool_use_details ?? raw.server_tool_use).web_search_requests);
