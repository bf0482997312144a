import type { JsonObject } from './json.ts';
import { parseObject } from './passing/text-tap.ts';

/** Where the text of a chunk stands. */
export interface TextPlace {
  holder: JsonObject;
  key: string;
}

/** A chunk that was parsed, and what stands in it before its text and behind it. */
interface Known {
  chunk: JsonObject;
  place: TextPlace;
  before: string;
  after: string;
}

/** A stream whose chunks differ in more than their text is not worth more lessons than this. */
const maxLessons = 8;
const needsEscape = /["\\\p{Cc}]/u;
const probe = 'a text that no vendor sends';

/**
 * Parses the chunks of one stream. Around its text a stream says the same in chunk after chunk, and to parse that costs as
 * much as all else that is done with it. A chunk that is letter by letter one that was parsed before, but for a text in
 * which nothing is escaped, is that one's object with this text in it: the same object again, so whoever reads it keeps no
 * part of it that holds the text. (`passing/text-tap.ts` does the like with the bytes of streams that pass, whose text alone
 * is wanted.)
 */
export class ChunkParser {
  private readonly placeOf: (chunk: JsonObject) => TextPlace | undefined;
  private known: Known | undefined;
  private lessons = 0;

  /** `placeOf` says where in a chunk of this language its one piece of text stands, if it has just one. */
  constructor(placeOf: (chunk: JsonObject) => TextPlace | undefined) {
    this.placeOf = placeOf;
  }

  /** The chunk as JSON says it is; undefined for what is no object. */
  parse(data: string): JsonObject | undefined {
    const again = this.known && readAgain(data, this.known);
    if (again) return again;
    const chunk = parseObject(data);
    if (chunk && this.lessons < maxLessons) this.learn(data, chunk);
    return chunk;
  }

  private learn(data: string, chunk: JsonObject): void {
    const place = this.placeOf(chunk);
    const text = place?.holder[place.key];
    if (!place || typeof text !== 'string' || text === '' || needsEscape.test(text)) return;
    this.lessons += 1;
    for (const colon of [':', ': ']) {
      const opening = `"${place.key}"${colon}"`;
      const at = data.indexOf(`${opening}${text}"`);
      if (at < 0) continue;
      const before = data.slice(0, at + opening.length);
      const after = data.slice(before.length + text.length);
      if (this.isPlace(before, after)) this.known = { chunk, place, before, after };
      return;
    }
  }

  /** What looks like the text may be another member of that name, so one is put there and looked for. */
  private isPlace(before: string, after: string): boolean {
    const chunk = parseObject(before + probe + after);
    const place = chunk && this.placeOf(chunk);
    return place?.holder[place.key] === probe;
  }
}

function readAgain(data: string, { chunk, place, before, after }: Known): JsonObject | undefined {
  const end = data.length - after.length;
  // Slices are compared at once, where `startsWith` goes letter by letter.
  if (end < before.length || data.slice(0, before.length) !== before || data.slice(end) !== after)
    return undefined;
  const text = data.slice(before.length, end);
  if (needsEscape.test(text)) return undefined;
  place.holder[place.key] = text;
  return chunk;
}
