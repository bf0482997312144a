import { type JsonObject, parseObject } from '../../lib/json.ts';

/** Where a text of a chunk stands. */
export interface TextPlace {
  holder: JsonObject;
  key: string;
}

/** A chunk that was parsed, its texts in their order, and what stands before, between and behind them. */
interface Known {
  chunk: JsonObject;
  first: TextPlace;
  /** Undefined where it has one text. */
  second: TextPlace | undefined;
  before: string;
  between: string;
  after: string;
}

/** A text of a chunk, and where it stands between its quotes. */
interface Found {
  place: TextPlace;
  from: number;
  to: number;
}

/** A stream whose chunks differ in more than their texts is not worth more lessons than this. */
const maxLessons = 8;
const needsEscape = /["\\\p{Cc}]/u;
const probes = ['a text that no vendor sends', 'and another one'] as const;

/**
 * Parses the chunks of one stream. Around its text a stream says the same in chunk after chunk, and to parse that costs as
 * much as all else that is done with it. A chunk that is letter by letter one that was parsed before, but for a text, and
 * for a second one where the vendor pads what it sends, is that one's object with these texts in it: the same object again,
 * so anyone who reads it keeps no part of it that holds them. (`passing/text-tap.ts` does the like with the bytes of streams
 * that pass, whose text alone is wanted.)
 */
export class ChunkParser {
  private readonly placesOf: (chunk: JsonObject) => readonly TextPlace[];
  private known: Known | undefined;
  private lessons = 0;

  /** `placesOf` says where in a chunk of this protocol what changes stands, if that is just one text, or two. */
  constructor(placesOf: (chunk: JsonObject) => readonly TextPlace[]) {
    this.placesOf = placesOf;
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
    const places = this.placesOf(chunk);
    if (places.length === 0 || places.some((place) => !isPlain(place.holder[place.key]))) return;
    this.lessons += 1;
    const found = places.flatMap((place) => find(data, place) ?? []).toSorted((a, b) => a.from - b.from);
    const [first, second] = found;
    if (!first || found.length !== places.length || (second && second.from < first.to)) return;
    const last = second ?? first;
    const known = {
      chunk,
      first: first.place,
      second: second?.place,
      before: data.slice(0, first.from),
      between: second ? data.slice(first.to, second.from) : '',
      after: data.slice(last.to),
    };
    if (this.isRight(known)) this.known = known;
  }

  /** What looks like a text may be another member of that name, so others are put there and looked for. */
  private isRight({ before, between, after, first, second }: Known): boolean {
    const written = second ? probes[0] + between + probes[1] : probes[0];
    const chunk = parseObject(before + written + after);
    if (!chunk) return false;
    const read = new Map(this.placesOf(chunk).map(({ holder, key }) => [key, holder[key]]));
    return read.get(first.key) === probes[0] && (!second || read.get(second.key) === probes[1]);
  }
}

const isPlain = (text: unknown): boolean =>
  typeof text === 'string' && text !== '' && !needsEscape.test(text);

function find(data: string, place: TextPlace): Found | undefined {
  const text = place.holder[place.key] as string;
  for (const colon of [':', ': ']) {
    const opening = `"${place.key}"${colon}"`;
    const at = data.indexOf(`${opening}${text}"`);
    if (at < 0) continue;
    const from = at + opening.length;
    return { place, from, to: from + text.length };
  }
  return undefined;
}

function readAgain(data: string, known: Known): JsonObject | undefined {
  const { chunk, first, second, before, between, after } = known;
  const from = before.length;
  const end = data.length - after.length;
  // Slices are compared at once, where `startsWith` goes letter by letter.
  if (end < from || data.slice(0, from) !== before || data.slice(end) !== after) return undefined;
  const middle = second ? data.indexOf('"', from) : end;
  const text = unescaped(data.slice(from, middle));
  if (text === undefined) return undefined;
  if (second) {
    const behind = middle + between.length;
    if (middle < 0 || behind > end || data.slice(middle, behind) !== between) return undefined;
    const padding = unescaped(data.slice(behind, end));
    if (padding === undefined) return undefined;
    second.holder[second.key] = padding;
  }
  first.holder[first.key] = text;
  return chunk;
}

/** What stands between two quotes says; undefined where it holds a quote itself, or is no text at all. */
function unescaped(written: string): string | undefined {
  if (!needsEscape.test(written)) return written;
  if (written.includes('"')) return undefined;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return undefined;
  }
}
