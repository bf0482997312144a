/** Parsed JSON: a request or answer body before it is checked. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** True for a JSON object (not null, not an array). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text, or '' for anything else: for lenient readers. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/**
 * A number, or the number in a text; NaN for all other values. `Number` throws for an object with its own `toString`,
 * and vendors and callers may send any object.
 */
export const numberOf = (value: Json | undefined): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN;

/** The entry of a table with a name; names from callers and vendors such as `constructor` are not found. */
export const entryOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** An object, or an empty one for anything else. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** True if a value has content: not null, false, 0 or '', nor a list or object of only such values. */
export function isFilled(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(isFilled);
  return isObject(value) ? Object.values(value).some(isFilled) : Boolean(value);
}

/** The objects in a list; empty if it is not a list. */
export const objectsIn = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((entry) => isObject(entry)) : [];

/** All texts under these names, at any depth; those of lists under them too. */
export function textsUnder(value: JsonObject, names: ReadonlySet<string>): string[] {
  const texts: string[] = [];
  const open: (Json | undefined)[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) for (const entry of next) open.push(entry);
    else if (isObject(next)) {
      for (const [name, entry] of Object.entries(next)) {
        if (typeof entry === 'object') open.push(entry);
        if (!names.has(name)) continue;
        for (const text of Array.isArray(entry) ? entry : [entry])
          if (textOf(text) !== '') texts.push(textOf(text));
      }
    }
  }
  return texts;
}

/** A JSON object from its bytes or text; undefined for anything else. */
export function parseObject(source: Buffer | string): JsonObject | undefined {
  const text = typeof source === 'string' ? source : source.toString();
  try {
    // Some vendors send a byte order mark, which JSON.parse refuses.
    const value: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True if a text is JSON, of any type. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The positions of the members of a JSON object in its bytes, and how to change some of them without writing the rest
 * again: unknown fields, number formats and key order stay exactly as received. The bytes must be valid JSON (they
 * were parsed before); otherwise the scan stops and returns undefined.
 */

/** One member of the object: `raw[keyStart..valueEnd)` is `"key": value`, without the comma around it. */
interface Member {
  key: string;
  /** True when the key is spelled with a backslash. */
  escaped: boolean;
  keyStart: number;
  valueStart: number;
  valueEnd: number;
}

export interface ObjectScan {
  /** In byte order; a key that occurs twice is here twice. */
  members: Member[];
  /** Keys that occur more than once: readers differ on which of them is used. */
  duplicates: string[];
  /** Keys spelled with a backslash: readers may differ on them too (see `ambiguousKey`). */
  escaped: string[];
  /** Position after the opening brace. */
  bodyStart: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Below this length a loop finds the end of a string faster than a native call. */
const shortString = 24;
/** Maximum of escaped quotes in one string that are searched natively. */
const fewQuotes = 64;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(raw: Buffer, from: number): number {
  let at = from;
  while (isSpace(raw[at])) at += 1;
  return at;
}

/** Position after the closing quote of the string that opens at `open`; -1 if it is not closed. */
function stringEnd(raw: Buffer, open: number): number {
  let at = open + 1;
  const soon = Math.min(raw.length, at + shortString);
  while (at < soon) {
    const byte = raw[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  // An escape may have moved `at` beyond `soon`; from here on native search jumps from quote to quote.
  let left = fewQuotes;
  for (let quote = raw.indexOf(QUOTE, at); quote >= 0; quote = raw.indexOf(QUOTE, quote + 1)) {
    let slashes = quote;
    while (slashes > at && raw[slashes - 1] === BACKSLASH) slashes -= 1;
    if ((quote - slashes) % 2 === 0) return quote + 1;
    left -= 1;
    if (left === 0) return endAmongQuotes(raw, quote + 1);
  }
  return -1;
}

/** The same for a string with many escaped quotes, from `at` within it: reading all bytes is faster than searching each quote. */
function endAmongQuotes(raw: Buffer, from: number): number {
  for (let at = from; at < raw.length; at += 1) {
    const byte = raw[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return -1;
}

/**
 * Position after the JSON value that starts at `start`; -1 if the bytes end before the value, or it has more levels.
 */
export function valueEnd(raw: Buffer, start: number, levels = Infinity): number {
  const first = raw[start];
  if (first === QUOTE) return stringEnd(raw, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return containerEnd(raw, start, levels);
  let at = start;
  while (at < raw.length) {
    const byte = raw[at];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) break;
    at += 1;
  }
  return at > start ? at : -1;
}

function containerEnd(raw: Buffer, start: number, levels: number): number {
  let depth = 0;
  let at = start;
  while (at < raw.length) {
    const byte = raw[at];
    if (byte === QUOTE) {
      at = stringEnd(raw, at);
      if (at < 0) return -1;
      continue;
    }
    at += 1;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > levels) return -1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** The key as `JSON.parse` reads it, so that check and use agree on escaped spellings. */
function readKey(raw: Buffer, start: number, end: number): string | undefined {
  const text = raw.toString('utf8', start + 1, end - 1);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

function readMember(raw: Buffer, keyStart: number): Member | undefined {
  if (raw[keyStart] !== QUOTE) return undefined;
  const keyEnd = stringEnd(raw, keyStart);
  if (keyEnd < 0) return undefined;
  const key = readKey(raw, keyStart, keyEnd);
  const colon = skipSpace(raw, keyEnd);
  if (key === undefined || raw[colon] !== COLON) return undefined;
  const valueStart = skipSpace(raw, colon + 1);
  const end = valueEnd(raw, valueStart);
  if (end < 0) return undefined;
  const escaped = keyEnd - keyStart - 2 !== Buffer.byteLength(key);
  return { key, escaped, keyStart, valueStart, valueEnd: end };
}

/** Finds the top-level members; undefined when the bytes are not a JSON object. */
export function scanObject(raw: Buffer): ObjectScan | undefined {
  const open = skipSpace(raw, 0);
  if (raw[open] !== OPEN_BRACE) return undefined;
  const scan: ObjectScan = { members: [], duplicates: [], escaped: [], bodyStart: open + 1 };
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  let at = skipSpace(raw, open + 1);
  if (raw[at] === CLOSE_BRACE) return scan;
  for (;;) {
    const member = readMember(raw, at);
    if (!member) return undefined;
    scan.members.push(member);
    if (seen.has(member.key)) duplicates.add(member.key);
    seen.add(member.key);
    if (member.escaped) scan.escaped.push(member.key);
    at = skipSpace(raw, member.valueEnd);
    if (raw[at] === CLOSE_BRACE) return Object.assign(scan, { duplicates: [...duplicates] });
    if (raw[at] !== COMMA) return undefined;
    at = skipSpace(raw, at + 1);
  }
}

/** Start positions of the items of the JSON list at the beginning of `raw`; for invalid JSON, of the items before the fault. */
export function listItems(raw: Buffer): number[] {
  const starts: number[] = [];
  let at = skipSpace(raw, 0);
  if (raw[at] !== OPEN_BRACKET) return starts;
  at = skipSpace(raw, at + 1);
  while (at < raw.length && raw[at] !== CLOSE_BRACKET) {
    starts.push(at);
    const end = valueEnd(raw, at);
    if (end < 0) break;
    at = skipSpace(raw, end);
    if (raw[at] === COMMA) at = skipSpace(raw, at + 1);
  }
  return starts;
}

/**
 * A top-level key that two readers could interpret differently: one that occurs twice, or one spelled with escapes,
 * which no ordinary client writes. Such a body must be refused, because Tollgate checks what `JSON.parse` reads but
 * sends the bytes. (Not only other readers differ: under Node 24.21 `JSON.parse` itself takes `{"a":0,"\\u0022":1}`
 * for `{"a":0,"\\\\":1}` once it has read the latter, and of an escaped key that occurs twice it sometimes keeps the
 * first value.)
 */
export const ambiguousKey = (scan: ObjectScan): string | undefined => scan.duplicates[0] ?? scan.escaped[0];

/**
 * The number of top-level members of a JSON object whose keys are plain ASCII; -1 if one is not (it must be examined
 * further), if the bytes are not a JSON object, or it is too deep (`isDeep`). If a parser found the same number of
 * keys, none occurs twice.
 */
export function countPlainMembers(raw: Buffer): number {
  let at = skipSpace(raw, 0);
  if (raw[at] !== OPEN_BRACE) return -1;
  at = skipSpace(raw, at + 1);
  if (raw[at] === CLOSE_BRACE) return 0;
  for (let count = 1; ; count += 1) {
    const keyEnd = plainKeyEnd(raw, at);
    if (keyEnd < 0) return -1;
    at = skipSpace(raw, keyEnd);
    if (raw[at] !== COLON) return -1;
    at = valueEnd(raw, skipSpace(raw, at + 1), maxLevels);
    if (at < 0) return -1;
    at = skipSpace(raw, at);
    if (raw[at] === CLOSE_BRACE) return count;
    if (raw[at] !== COMMA) return -1;
    at = skipSpace(raw, at + 1);
  }
}

/** Position after the key that opens at `open`; -1 if there is none, or if it is not plain ASCII. */
function plainKeyEnd(raw: Buffer, open: number): number {
  if (raw[open] !== QUOTE) return -1;
  for (let at = open + 1; at < raw.length; at += 1) {
    const byte = raw[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH || byte === undefined || byte > 0x7f) return -1;
  }
  return -1;
}

/**
 * Nesting levels of a member above which a body is an attack on its reader: parsers accept any number, writers of
 * JSON and code that walks schemas do not. Vendors accept between ten and a hundred.
 */
const maxLevels = 1_000;

/** True if a member of the JSON object is nested deeper than that. */
export const isDeep = (raw: Buffer): boolean => valueEnd(raw, skipSpace(raw, 0), maxLevels + 1) < 0;

/** No vendor has this number of fields: copying and comparing all of them takes longer than parsing. */
export const maxFields = 1_000;

/** A smaller body is parsed in a few dozen ms, whatever its content. */
const intricateBytes = 500_000;
/** Work of parsing one body above which it would hold up other callers, in units of about 10 ns: 250,000 members. */
const maxWork = 20_000_000;
/** Parsing cost of a byte outside a text: a member costs far more than a number, and a number more than a blank. */
const work = new Uint8Array(256).fill(1);
work[COMMA] = 3;
work[QUOTE] = 10;
work[OPEN_BRACE] = work[OPEN_BRACKET] = 20;
work[COLON] = 80;

/**
 * True if parsing would block the event loop: a body of many MB is parsed quickly if it is text, but one of tiny parts
 * takes a second for every ten MB. Texts cost nothing here; a body that is not JSON is parsed up to its fault.
 */
export function isIntricate(raw: Buffer): boolean {
  if (raw.length <= intricateBytes) return false;
  let left = maxWork;
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw[at]!;
    left -= work[byte]!;
    if (left < 0) return true;
    if (byte !== QUOTE) continue;
    const end = stringEnd(raw, at);
    if (end < 0) return false;
    at = end - 1;
  }
  return false;
}

/** Key → its new value as JSON text; undefined removes the member. */
type Changes = ReadonlyMap<string, string | undefined>;

/**
 * The object with some members replaced, added or removed, every other byte unchanged. If a key occurs twice, the
 * last one is replaced and the earlier ones are removed. Throws if `raw` is not a JSON object.
 */
export function splice(raw: Buffer, changes: Changes, scan = scanObject(raw)): Buffer {
  if (!scan) throw new TypeError('not a JSON object');
  if (changes.size === 0) return raw;
  const { members } = scan;
  const last = new Map(members.map((member, index) => [member.key, index]));
  const goes = members.map(
    ({ key }, index) => changes.has(key) && (changes.get(key) === undefined || last.get(key) !== index),
  );
  const lastKept = goes.lastIndexOf(false);
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let index = 0; index <= lastKept; index += 1) {
    const member = members[index]!;
    const value = changes.get(member.key);
    if (goes[index]) {
      pieces.push(raw.subarray(copied, member.keyStart));
      copied = members[index + 1]!.keyStart;
    } else if (value !== undefined) {
      pieces.push(raw.subarray(copied, member.valueStart), Buffer.from(value));
      copied = member.valueEnd;
    }
  }
  const keptEnd = lastKept >= 0 ? members[lastKept]!.valueEnd : scan.bodyStart;
  const added = additions(changes, last, lastKept >= 0);
  pieces.push(raw.subarray(copied, keptEnd), Buffer.from(added));
  pieces.push(raw.subarray(members.at(-1)?.valueEnd ?? scan.bodyStart));
  return Buffer.concat(pieces);
}

function additions(changes: Changes, present: ReadonlyMap<string, number>, after: boolean): string {
  let text = '';
  for (const [key, value] of changes) {
    if (value === undefined || present.has(key)) continue;
    text += `${after || text !== '' ? ',' : ''}${JSON.stringify(key)}:${value}`;
  }
  return text;
}

/**
 * The object with members added at its end. For callers who know that `raw` is an object with at least one member and
 * has none of these keys: nothing is searched.
 */
export function append(raw: Buffer, added: ReadonlyMap<string, string>): Buffer {
  const end = raw.lastIndexOf(CLOSE_BRACE);
  let text = '';
  for (const [key, value] of added) text += `,${JSON.stringify(key)}:${value}`;
  return Buffer.concat([raw.subarray(0, end), Buffer.from(text), raw.subarray(end)]);
}
