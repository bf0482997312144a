import type { ChatEvent, Citation } from '../../types/index.ts';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';

const own = 'cohere-chat';
/** Text kept to find the places of citations in it. */
const maxTextLength = 256 * 1024;

type Annotation = Extract<ChatEvent, { type: 'annotation' }>;

/** Follows the text of an answer to convert Cohere's code points to UTF-16 units. */
export class CitedText {
  private text = '';
  private hasPairs = false;
  /** The start of each text block, by its number on the wire. */
  private readonly starts = new Map<number, number>();
  private length = 0;

  startBlock(index: number): void {
    this.starts.set(index, this.length);
  }

  add(words: string): void {
    this.length += words.length;
    if (this.text.length >= maxTextLength) return;
    this.text += words;
    this.hasPairs ||= /[\ud800-\udfff]/.test(words);
  }

  /** One annotation for each source of a citation. Citations of reasoning and plans have no place in the text. */
  read(citation: JsonObject): Annotation[] {
    const type = textOf(citation.type);
    if (type !== '' && type !== 'TEXT_CONTENT') return [];
    const place = this.placeOf(citation);
    return objectsIn(citation.sources).map((source) => ({
      type: 'annotation',
      choice: 0,
      citation: { ...sourceOf(source), ...place },
      extra: { protocol: own, fields: citation },
    }));
  }

  private placeOf({ start, end, content_index: index }: JsonObject): Citation {
    if (typeof start !== 'number' || typeof end !== 'number') return {};
    const from = (typeof index === 'number' ? this.starts.get(index) : undefined) ?? 0;
    return { start: from + this.units(from, start), end: from + this.units(from, end) };
  }

  /** The length of `points` code points from a place on, in UTF-16 units. */
  private units(from: number, points: number): number {
    if (!this.hasPairs) return points;
    let at = from;
    for (let point = 0; point < points && at < this.text.length; point += 1) {
      at += this.text.codePointAt(at)! > 0xffff ? 2 : 1;
    }
    return at - from;
  }
}

/** A caller's document with any fields, or the output of a tool. */
function sourceOf(source: JsonObject): Citation {
  const document = objectOf(source.document);
  const url = textOf(document.url);
  const title = textOf(document.title) || textOf(source.id);
  const citedText = textOf(document.snippet) || textOf(document.text) || textOf(document.content);
  return {
    ...(url !== '' && { url }),
    ...(title !== '' && { title }),
    ...(citedText !== '' && { citedText }),
  };
}
