import { addMember, changeLastEvent } from '../../streams/index.ts';
import type { UncountedEnd } from '../../types/index.ts';
import {
  atTier,
  counter,
  inputTokens,
  outputTokens,
  type ReportedUsage,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import { type Json, type JsonObject, objectsIn, textOf, objectOf } from '../../../lib/json.ts';

/** Tokens by kind; videos and documents are charged as text. */
interface ByModality {
  image: number;
  audio: number;
}

function byModality(details: Json | undefined): ByModality {
  const found: ByModality = { image: 0, audio: 0 };
  for (const { modality, tokenCount } of objectsIn(details)) {
    if (modality === 'IMAGE') found.image += counter(tokenCount);
    else if (modality === 'AUDIO') found.audio += counter(tokenCount);
  }
  return found;
}

/**
 * Reads `usageMetadata` into disjoint counters; undefined when it reports nothing.
 *
 * - `promptTokenCount` includes cached tokens, but not the input of tools (`toolUsePromptTokenCount`).
 * - `candidatesTokenCount` excludes reasoning. The excess of the total over all parts is charged as output
 *   (docs/protocols/gemini.md).
 * - `webSearchCalls` is ours, see searches.ts.
 */
export function readGeminiUsage(raw: JsonObject): ReportedUsage | undefined {
  const prompt = counter(raw.promptTokenCount);
  const total = counter(raw.totalTokenCount);
  if (prompt + total === 0) return undefined;
  const cacheRead = Math.min(prompt, counter(raw.cachedContentTokenCount));
  const tools = counter(raw.toolUsePromptTokenCount);
  const all = byModality(raw.promptTokensDetails ?? raw.promptTokenDetails);
  const cached = byModality(raw.cacheTokensDetails);
  const audioInput = Math.min(prompt - cacheRead, Math.max(0, all.audio - cached.audio));
  const imageInput = Math.min(prompt - cacheRead - audioInput, Math.max(0, all.image - cached.image));
  const usage: ReportedUsage = usageOf({
    input: prompt - cacheRead - audioInput - imageInput + tools,
    cacheRead,
    audioInput,
    imageInput,
    webSearchCalls: counter(raw.webSearchCalls),
    ...readOutput(raw, Math.max(0, total - prompt - tools)),
  });
  if (raw.promptTokenCount === 0 && inputTokens(usage) === 0) usage.hasNoInput = true;
  return atTier(usage, tierOf(raw));
}

/** The service tier: the Gemini API names it, Vertex AI as the type of its traffic (`ON_DEMAND_PRIORITY`). */
const tierOf = ({ serviceTier, trafficType }: JsonObject): string =>
  textOf(serviceTier ?? trafficType)
    .toLowerCase()
    .replace(/^(service_tier_|on_demand_)/, '');

function readOutput(raw: JsonObject, beside: number): Partial<Usage> {
  const reasoning = counter(raw.thoughtsTokenCount);
  const candidates = Math.max(counter(raw.candidatesTokenCount), beside - reasoning);
  const made = byModality(raw.candidatesTokensDetails);
  const imageOutput = Math.min(candidates, made.image);
  const audioOutput = Math.min(candidates - imageOutput, made.audio);
  return { reasoning, imageOutput, audioOutput, output: candidates - imageOutput - audioOutput };
}

/** True once the usage of a stream has output: the first chunks may have only the prompt. */
export const hasOutput = (raw: JsonObject): boolean =>
  counter(raw.candidatesTokenCount) + counter(raw.thoughtsTokenCount) > 0;

/** Our counters as Gemini's `usageMetadata`. */
export function writeGeminiUsage(usage: Usage): JsonObject {
  const prompt = inputTokens(usage);
  const output = outputTokens(usage);
  return {
    promptTokenCount: prompt,
    ...(usage.cacheRead > 0 && { cachedContentTokenCount: usage.cacheRead }),
    candidatesTokenCount: output - usage.reasoning,
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
    totalTokenCount: prompt + output,
    ...(usage.tier !== undefined && { serviceTier: usage.tier }),
    promptTokensDetails: details(prompt, usage.imageInput, usage.audioInput),
    ...(usage.imageOutput + usage.audioOutput > 0 && {
      candidatesTokensDetails: details(output - usage.reasoning, usage.imageOutput, usage.audioOutput),
    }),
  };
}

function details(total: number, image: number, audio: number): JsonObject[] {
  const list = [
    { modality: 'TEXT', tokenCount: total - image - audio },
    { modality: 'IMAGE', tokenCount: image },
    { modality: 'AUDIO', tokenCount: audio },
  ];
  return list.filter(({ tokenCount }) => tokenCount > 0);
}

/**
 * The usage that was counted here: in the last chunk of a stream, in a separate chunk after it, or in a whole answer.
 */
export function addGeminiUsage({ tail, isStream, usage, source }: UncountedEnd): Buffer | undefined {
  const usageMetadata = { ...writeGeminiUsage(usage), source };
  if (!isStream) return addMember(tail, 'usageMetadata', usageMetadata);
  const changed = changeLastEvent(tail, (data) => (data.candidates ? { ...data, usageMetadata } : undefined));
  return changed ?? Buffer.concat([tail, Buffer.from(`data: ${JSON.stringify({ usageMetadata })}\r\n\r\n`)]);
}

/** Google charges models of the third generation by the query, older ones by the answer that searched. */
const chargesPerQuery = /gemini-([3-9]|\d\d)/;

/**
 * Counts the web searches of one answer by its grounding: the queries that its chunks name, each once, because later
 * chunks repeat them.
 */
export class Searches {
  private readonly queries = new Set<string>();
  private byQuery = false;

  /** Takes a chunk, or a whole answer. */
  note(body: JsonObject): void {
    for (const candidate of objectsIn(body.candidates)) {
      const { webSearchQueries } = objectOf(candidate.groundingMetadata);
      if (!Array.isArray(webSearchQueries)) continue;
      for (const query of webSearchQueries) if (textOf(query) !== '') this.queries.add(textOf(query));
    }
    if (chargesPerQuery.test(textOf(body.modelVersion))) this.byQuery = true;
  }

  /** Google's usage with the missing searches added (`webSearchCalls`, read by `readGeminiUsage`). */
  addTo(usage: JsonObject): JsonObject {
    const { size } = this.queries;
    return size === 0 ? usage : { ...usage, webSearchCalls: this.byQuery ? size : 1 };
  }
}

/** The same for a whole answer. */
export function withSearches(usage: JsonObject, body: JsonObject): JsonObject {
  const searches = new Searches();
  searches.note(body);
  return searches.addTo(usage);
}
