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
 * The number that a value is, or spells; NaN for all others. `Number` throws for an object that has a `toString` of its own, and
 * vendors and callers may send any object.
 */
export const numberOf = (value: Json | undefined): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN;

/** The entry of a table with a name; names of callers and vendors such as `constructor` are none. */
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
