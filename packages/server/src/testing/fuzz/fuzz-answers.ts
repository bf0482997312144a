import fc from 'fast-check';
import type { Json } from '../../lib/json.ts';

// Invalid answers: truncated, duplicated, reordered, or with values of the wrong type.

/** One change of an answer. `at` (0 to 1) is its position. */
export interface Change {
  how: keyof typeof changes;
  at: number;
  /** Second position, for changes that need two. */
  to: number;
  odd: keyof typeof oddValues;
}

const nested = (depth: number): Json => {
  let value: Json = 'x';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { parts: value };
  return value;
};

/** Placeholder for a number that is valid JSON but too large for a counter. */
const endless = '@endless@';

/** Replacement values. */
const oddValues = {
  null: null,
  true: true,
  zero: 0,
  negative: -7,
  fraction: 0.5,
  large: 2 ** 53,
  huge: 1e300,
  endless,
  'no text': '',
  'a number as text': '5',
  'half a character': '\ud83d',
  'long text': 'ab '.repeat(30_000),
  'no list': [],
  'no object': {},
  'list of null': [null],
  'list of lists': [[], [[]], [1]],
  'odd object': { toString: 1, length: -1, constructor: null, text: [1], type: {}, index: -1 },
  nested: nested(300),
} satisfies Record<string, Json>;

const place = (at: number, length: number): number => Math.min(length - 1, Math.floor(at * length));

/** The events of a stream, or its lines, each with its terminator. */
const eventsOf = (text: string): string[] =>
  text.split(/(?<=\r?\n\r?\n)|(?<=^\{[^\n]*\n)/m).filter((event) => event !== '');

const onEvents =
  (change: (events: string[], at: Change) => string[]) =>
  (answer: Buffer, about: Change): Buffer => {
    const events = eventsOf(answer.toString('latin1'));
    return events.length === 0 ? answer : Buffer.from(change(events, about).join(''), 'latin1');
  };

const inserting =
  (event: string) =>
  (events: string[], { at }: Change): string[] =>
    events.toSpliced(place(at, events.length + 1), 0, event);

/** Positions of JSON in the answer: each `data` line, each line, or the whole answer. */
function jsonIn(text: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const line of text.matchAll(/^(?:data: ?)?(\{.*\})\r?$/gm)) {
    const from = line.index + line[0].indexOf(line[1]!);
    found.push({ from, to: from + line[1]!.length });
  }
  return found.length > 0 || !text.trimStart().startsWith('{') ? found : [{ from: 0, to: text.length }];
}

/** Every position of a value within another one. */
function placesIn(value: Json, found: [holder: Json[] | Record<string, unknown>, key: string][] = []) {
  if (typeof value !== 'object' || value === null) return found;
  const holder = value as Json[] | Record<string, unknown>;
  for (const key of Object.keys(value)) {
    found.push([holder, key]);
    placesIn((holder as Record<string, Json>)[key]!, found);
  }
  return found;
}

const onJson =
  (change: (holder: Json[] | Record<string, unknown>, key: string, about: Change) => void) =>
  (answer: Buffer, about: Change): Buffer => {
    const text = answer.toString();
    const spots = jsonIn(text);
    if (spots.length === 0) return answer;
    const { from, to } = spots[place(about.at, spots.length)]!;
    let body: Json;
    try {
      body = JSON.parse(text.slice(from, to)) as Json;
    } catch {
      return answer;
    }
    const places = placesIn(body);
    if (places.length === 0) return answer;
    change(...places[place(about.to, places.length)]!, about);
    const written = JSON.stringify(body).replaceAll(`"${endless}"`, '1e999');
    return Buffer.from(text.slice(0, from) + written + text.slice(to));
  };

const onText =
  (change: (text: string, about: Change) => string) =>
  (answer: Buffer, about: Change): Buffer =>
    Buffer.from(change(answer.toString('latin1'), about), 'latin1');

/** Possible changes of an answer. */
const changes = {
  'cut off': (answer, { at }) => answer.subarray(0, place(at, answer.length + 1)),
  'a byte changed': (answer, { at, to }) => {
    const copy = Buffer.from(answer);
    if (copy.length > 0) copy[place(at, copy.length)] = Math.floor(to * 256);
    return copy;
  },
  'bytes left out': (answer, { at, to }) => {
    const from = place(at, answer.length + 1);
    return Buffer.concat([answer.subarray(0, from), answer.subarray(from + Math.ceil(to * 20))]);
  },
  'lines end with CRLF': onText((text) => text.replaceAll(/\r?\n/g, '\r\n')),
  'lines end with CR': onText((text) => text.replaceAll(/\r?\n/g, '\r')),
  'lines end in several ways': onText((text, { at, to }) => {
    let index = 0;
    const ends = ['\n', '\r\n', '\n', '\r'];
    return text.replaceAll(/\r?\n/g, () => ends[Math.floor((index++ * (1 + at * 3) + to * 4) % 4)]!);
  }),
  'a byte order mark in front': (answer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), answer]),
  'no line end at the end': onText((text) => text.trimEnd()),
  'blank lines between': onText((text, { at }) =>
    text.replaceAll('\n\n', '\n'.repeat(2 + Math.floor(at * 4))),
  ),
  'an event left out': onEvents((events, { at }) => events.toSpliced(place(at, events.length), 1)),
  'an event twice': onEvents((events, { at }) =>
    events.toSpliced(place(at, events.length), 0, events[place(at, events.length)]!),
  ),
  'an event moved': onEvents((events, { at, to }) => {
    const rest = events.toSpliced(place(at, events.length), 1);
    return rest.toSpliced(place(to, rest.length + 1), 0, events[place(at, events.length)]!);
  }),
  'all events twice': onEvents((events) => [...events, ...events]),
  'all events turned round': onEvents((events) => events.toReversed()),
  'a comment': onEvents(inserting(': still thinking\n\n')),
  'an end too early': onEvents(inserting('data: [DONE]\n\n')),
  'an error': onEvents(inserting('event: error\ndata: {"error":{"message":"overloaded","code":503}}\n\n')),
  'an error without words': onEvents(inserting('event: error\ndata: oh no\n\n')),
  'an event without data': onEvents(inserting('event: ping\ndata:\n\n')),
  'an event that is no JSON': onEvents(inserting('data: {"choices": [\n\n')),
  'an event that is a list': onEvents(inserting('data: [1, {"choices": []}]\n\n')),
  'an event that is a number': onEvents(inserting('data: 5\n\n')),
  'an event with fields nobody knows': onEvents(inserting('id: 9\nretry: 1\nfoo\ndata: {"x":1}\ndata: \n\n')),
  'a value of the wrong kind': onJson((holder, key, { odd }) => {
    (holder as Record<string, unknown>)[key] = oddValues[odd];
  }),
  'a value left out': onJson((holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }),
  'a value in a list': onJson((holder, key) => {
    const values = holder as Record<string, unknown>;
    values[key] = [values[key], values[key]];
  }),
  'an entry twice': onJson((holder, key) => {
    if (Array.isArray(holder)) holder.push(holder[Number(key)]!);
    else holder[`${key}_`] = holder[key];
  }),
} satisfies Record<string, (answer: Buffer, about: Change) => Buffer>;

/** An answer after some changes, applied in order. */
export const fuzzed = (answer: Buffer, made: readonly Change[]): Buffer =>
  made.reduce((changed, change) => changes[change.how](changed, change), answer);

const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const names = <Name extends string>(values: Record<Name, unknown>) =>
  fc.constantFrom(...(Object.keys(values) as Name[]));

/** Arbitrary changes: usually one, sometimes several. */
export const anyChanges: fc.Arbitrary<Change[]> = fc.array(
  fc.record<Change>({
    how: fc.oneof(names(changes), fc.constant<Change['how']>('a value of the wrong kind')),
    at: share,
    to: share,
    odd: names(oddValues),
  }),
  { minLength: 1, maxLength: 4 },
);

/** An answer in reads of arbitrary sizes. */
export function inReads(answer: Buffer, sizes: readonly number[]): Buffer[] {
  const reads: Buffer[] = [];
  for (let at = 0, index = 0; at < answer.length; index += 1) {
    const size = sizes[index % sizes.length] ?? answer.length;
    reads.push(answer.subarray(at, at + size));
    at += size;
  }
  return reads;
}

/** Read sizes in bytes, used in turn. */
export const anyReads: fc.Arbitrary<number[]> = fc.oneof(
  fc.constant<number[]>([1]),
  fc.constant<number[]>([1_000_000]),
  fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 }),
);
