import { isObject, type Json, type JsonObject, objectsIn } from '../../../lib/json.ts';

const entry = ({ token, logProbability }: JsonObject): JsonObject => ({
  token: token ?? '',
  logprob: logProbability ?? 0,
  bytes: null,
});

/** `logprobsResult` of a chunk in the neutral form, which is that of a chat; undefined without one. */
export function readLogprobs(result: Json | undefined): JsonObject | undefined {
  if (!isObject(result)) return undefined;
  const tops = objectsIn(result.topCandidates);
  const content = objectsIn(result.chosenCandidates).map((chosen, index) => ({
    ...entry(chosen),
    top_logprobs: objectsIn(tops[index]?.candidates).map(entry),
  }));
  return content.length > 0 ? { content } : undefined;
}

/** The inverse conversion; undefined without probabilities. */
export function writeLogprobs(pieces: readonly Json[]): JsonObject | undefined {
  const content = pieces.flatMap((piece) => (isObject(piece) ? objectsIn(piece.content) : []));
  if (content.length === 0) return undefined;
  const writeToken = ({ token, logprob }: JsonObject): JsonObject => ({ token, logProbability: logprob });
  return {
    chosenCandidates: content.map(writeToken),
    topCandidates: content.map(({ top_logprobs: top }) => ({ candidates: objectsIn(top).map(writeToken) })),
  };
}
