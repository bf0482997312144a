import { type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';

/**
 * Log probabilities in the neutral form, which is that of a chat; undefined without any. Cohere tells them for pieces of
 * text of one token or more; a piece of several is told as one, whose probability is the product.
 */
export function readLogprobs(value: Json | undefined): JsonObject | undefined {
  const content = objectsIn(Array.isArray(value) ? value : [value ?? null]).flatMap((piece) => {
    const numbers = Array.isArray(piece.logprobs) ? piece.logprobs : [];
    if (numbers.length === 0) return [];
    const logprob = numbers.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);
    return [{ token: textOf(piece.text), logprob, bytes: null, top_logprobs: [] }];
  });
  return content.length > 0 ? { content } : undefined;
}
