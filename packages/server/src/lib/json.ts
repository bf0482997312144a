/** JSON as parsed: what a request or answer body is before anyone has checked it. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** True for a JSON object (not null, not an array). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text, or '' for anything else: how lenient readers take a field. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** An object, or an empty one for anything else. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** True where a value says something: not null, false, 0 or '', nor a list or object of nothing but such values. */
export function isFilled(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(isFilled);
  return isObject(value) ? Object.values(value).some(isFilled) : Boolean(value);
}

/** The objects in a list; none for anything that is no list. */
export const objectsIn = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((entry) => isObject(entry)) : [];

/** A JSON object from its bytes or text; undefined when they are anything else. */
export function parseObject(source: Buffer | string): JsonObject | undefined {
  const text = typeof source === 'string' ? source : source.toString();
  try {
    // Some vendors put a byte order mark in front, which JSON.parse refuses.
    const value: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True for a text that is JSON, of whatever form. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
