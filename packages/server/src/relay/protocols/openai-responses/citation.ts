import type { ChatEvent, Citation } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** An annotation of a text part in neutral form, as far as possible. */
export function readCitation(annotation: JsonObject): Citation {
  const title = annotation.title ?? annotation.filename;
  return {
    ...(typeof annotation.url === 'string' && { url: annotation.url }),
    ...(typeof title === 'string' && { title }),
    ...(typeof annotation.start_index === 'number' && { start: annotation.start_index }),
    ...(typeof annotation.end_index === 'number' && { end: annotation.end_index }),
  };
}

/** An unchanged annotation of this protocol, or a citation of another one as `url_citation`. */
export function writeCitation(event: Extract<ChatEvent, { type: 'annotation' }>): JsonObject {
  return event.extra?.protocol === 'openai-responses' ? event.extra.fields : writeAnnotation(event.citation);
}

/** A source as an annotation; without its place if that is unknown. */
export const writeAnnotation = ({ url = '', title = '', start, end }: Citation): JsonObject => ({
  type: 'url_citation',
  url,
  title,
  ...(start !== undefined && end !== undefined && { start_index: start, end_index: end }),
});

/**
 * Pages of the vendor's searches (`search_results` of Perplexity), without a position in the text. Each is emitted once,
 * unless an annotation names it.
 */
export class Sources {
  private readonly known = new Set<string>();
  private waiting: Citation[] = [];

  add(results: readonly JsonObject[]): void {
    for (const { url, title } of results) {
      if (typeof url !== 'string' || this.known.has(url)) continue;
      this.known.add(url);
      this.waiting.push({ url, ...(typeof title === 'string' && { title }) });
    }
  }

  /** An annotation named a page. */
  cited({ url }: Citation): void {
    if (url === undefined) return;
    this.known.add(url);
    this.waiting = this.waiting.filter((source) => source.url !== url);
  }

  /** Sources to report now. */
  take(): readonly Citation[] {
    const { waiting } = this;
    this.waiting = [];
    return waiting;
  }
}
