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

/** The objects in a list; none for anything that is no list. */
export const objectsIn = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((entry) => isObject(entry)) : [];
