import type { ChatEvent, Citation } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** An annotation of a text part, as far as the neutral words go. */
export function readCitation(annotation: JsonObject): Citation {
  const title = annotation.title ?? annotation.filename;
  return {
    ...(typeof annotation.url === 'string' && { url: annotation.url }),
    ...(typeof title === 'string' && { title }),
    ...(typeof annotation.start_index === 'number' && { start: annotation.start_index }),
    ...(typeof annotation.end_index === 'number' && { end: annotation.end_index }),
  };
}

/** An annotation of this protocol as it came, or a citation of another one as `url_citation`. */
export function writeCitation(event: Extract<ChatEvent, { type: 'annotation' }>): JsonObject {
  if (event.extra?.protocol === 'openai-responses') return event.extra.fields;
  const { url = '', title = '', start = 0, end = 0 } = event.citation;
  return { type: 'url_citation', url, title, start_index: start, end_index: end };
}
