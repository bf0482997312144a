import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';

/** Google charges models of the third generation by the query, those before it by the answer that searched. */
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

  /** Google's usage, with the searches added that it lacks (`webSearchCalls`, read by `readGeminiUsage`). */
  addTo(usage: JsonObject): JsonObject {
    const { size } = this.queries;
    return size === 0 ? usage : { ...usage, webSearchCalls: this.byQuery ? size : 1 };
  }
}

/** The same for an answer of which all is there. */
export function withSearches(usage: JsonObject, body: JsonObject): JsonObject {
  const searches = new Searches();
  searches.note(body);
  return searches.addTo(usage);
}
