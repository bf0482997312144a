import { counter, type Usage, usageOf } from '@tollgate/contract';
import { type JsonObject, objectOf } from '../../../lib/json.ts';

/**
 * Cohere's usage object in disjoint counters; undefined when it reports nothing.
 *
 * - `billed_units` is what Cohere charges. `tokens` includes several hundred free tokens of Cohere's own instructions; it is
 *   used only without `billed_units`.
 * - `cached_tokens` count the whole prompt, which begins with those instructions: they cover the free part first.
 * - Images are billed within `input_tokens` and separate in `tokens`; thoughts are billed as output.
 */
export function readCohereUsage(raw: JsonObject): Usage | undefined {
  const tokens = objectOf(raw.tokens);
  const billed = objectOf(raw.billed_units);
  const images = counter(tokens.image_tokens);
  const prompt = counter(tokens.input_tokens) + images;
  const written = counter(tokens.output_tokens);
  const isBilled = counter(billed.input_tokens) + counter(billed.output_tokens) > 0;
  const input = isBilled ? counter(billed.input_tokens) : prompt;
  const output = isBilled ? counter(billed.output_tokens) : written;
  if (input + output === 0) return undefined;
  const unpaid = Math.max(0, prompt - input);
  const cacheRead = Math.min(input, Math.max(0, counter(raw.cached_tokens) - unpaid));
  const imageInput = Math.min(input - cacheRead, images);
  const reasoning = Math.min(output, counter(tokens.reasoning_tokens));
  return usageOf({
    cacheRead,
    imageInput,
    input: input - cacheRead - imageInput,
    reasoning,
    output: output - reasoning,
  });
}
