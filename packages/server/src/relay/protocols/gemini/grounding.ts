import type { Citation } from '../../types/index.ts';
import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/**
 * The sources of a candidate: for each supported passage its sources, then those without a passage. Google counts
 * positions in UTF-8 bytes, all other vendors in characters.
 */
export function readGrounding(candidate: JsonObject, text: string): Citation[] {
  const grounding = objectOf(candidate.groundingMetadata);
  const chunks = objectsIn(grounding.groundingChunks).map((chunk) =>
    objectOf(chunk.web ?? chunk.retrievedContext ?? chunk.maps),
  );
  const used = new Set<number>();
  const citations = objectsIn(grounding.groundingSupports).flatMap((support) => {
    const segment = objectOf(support.segment);
    const indices = Array.isArray(support.groundingChunkIndices) ? support.groundingChunkIndices : [];
    return indices.flatMap((index) => {
      const chunk = typeof index === 'number' ? chunks[index] : undefined;
      if (!chunk || typeof index !== 'number') return [];
      used.add(index);
      return [{ ...sourceOf(chunk), ...placeOf(segment, text) }];
    });
  });
  const rest = chunks.filter((_, index) => !used.has(index)).map(sourceOf);
  return [...citations, ...rest, ...readCitations(candidate, text)];
}

/** Passages from known works (`citationMetadata`). */
const readCitations = (candidate: JsonObject, text: string): Citation[] =>
  objectsIn(
    objectOf(candidate.citationMetadata).citationSources ?? objectOf(candidate.citationMetadata).citations,
  ).map((source) => ({ ...sourceOf(source), ...placeOf(source, text) }));

const sourceOf = (source: JsonObject): Citation => ({
  ...(typeof source.uri === 'string' && { url: source.uri }),
  ...(typeof source.title === 'string' && { title: source.title }),
});

function placeOf(segment: JsonObject, text: string): Citation {
  const end = numberOf(segment.endIndex);
  const cited = textOf(segment.text);
  return {
    ...(cited !== '' && { citedText: cited }),
    ...(end !== undefined && {
      start: characters(text, numberOf(segment.startIndex) ?? 0),
      end: characters(text, end),
    }),
  };
}

/** A position in UTF-8 bytes as one in UTF-16 units. */
const characters = (text: string, bytes: number): number => {
  const encoded = Buffer.from(text);
  return encoded.length === text.length ? bytes : encoded.toString('utf8', 0, bytes).length;
};

/** The inverse conversion. */
const bytesOf = (text: string, characters: number): number => Buffer.byteLength(text.slice(0, characters));

/** Sources as Gemini's grounding; undefined when there are none. */
export function writeGrounding(citations: readonly Citation[], text: string): JsonObject | undefined {
  if (citations.length === 0) return undefined;
  const chunks: JsonObject[] = [];
  const byUrl = new Map<string, number>();
  const supports: JsonObject[] = [];
  for (const { url = '', title, citedText, start, end } of citations) {
    let index = byUrl.get(url);
    if (index === undefined) {
      index = chunks.push({ web: { uri: url, ...(title !== undefined && { title }) } }) - 1;
      byUrl.set(url, index);
    }
    if (start === undefined || end === undefined || end <= start) continue;
    const segment = {
      startIndex: bytesOf(text, start),
      endIndex: bytesOf(text, end),
      text: citedText ?? text.slice(start, end),
    };
    supports.push({ segment, groundingChunkIndices: [index] });
  }
  return { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) };
}

/** A candidate's sources in Gemini's format; undefined without any. */
export function groundingFields(candidate: JsonObject): JsonObject | undefined {
  const fields: JsonObject = {};
  for (const name of ['groundingMetadata', 'citationMetadata', 'urlContextMetadata']) {
    const value = candidate[name];
    if (isObject(value) && Object.keys(value).length > 0) fields[name] = value;
  }
  return Object.keys(fields).length > 0 ? fields : undefined;
}
