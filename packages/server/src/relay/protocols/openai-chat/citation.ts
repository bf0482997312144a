import type { ChatEvent, Citation } from '../../types/index.ts';
import { isObject, type JsonObject, objectsIn } from '../../../lib/json.ts';

/** A `url_citation` in neutral form, as far as possible. */
export function readCitation(annotation: JsonObject): Citation {
  const inner = isObject(annotation.url_citation) ? annotation.url_citation : annotation;
  return {
    ...(typeof inner.url === 'string' && { url: inner.url }),
    ...(typeof inner.title === 'string' && { title: inner.title }),
    ...(typeof inner.start_index === 'number' && { start: inner.start_index }),
    ...(typeof inner.end_index === 'number' && { end: inner.end_index }),
  };
}

/**
 * The source pages of an answer in Perplexity's format: beside the choices, repeated in each chunk, without a position in
 * the text. `search_results` have titles, `citations` are only addresses.
 */
export function readPages(body: JsonObject): Citation[] {
  const results = objectsIn(body.search_results).flatMap(({ url, title }) =>
    typeof url === 'string' ? [{ url, ...(typeof title === 'string' && { title }) }] : [],
  );
  if (results.length > 0 || !Array.isArray(body.citations)) return results;
  return body.citations.flatMap((url) => (typeof url === 'string' ? [{ url }] : []));
}

/**
 * An unchanged annotation of this protocol, or a citation of another one as `url_citation`; none for a place in a
 * document, which has no address.
 */
export function writeCitations(event: Extract<ChatEvent, { type: 'annotation' }>): JsonObject[] {
  if (event.extra?.protocol === 'openai-chat') return [event.extra.fields];
  const { url, title = '', start = 0, end = 0 } = event.citation;
  if (url === undefined) return [];
  return [{ type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end } }];
}
