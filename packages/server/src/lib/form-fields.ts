import type { Json, JsonObject } from './json.ts';

/**
 * The fields of a form with their types: a form has only text. Text that is not a number or a boolean stays text, so
 * that the check of the field refuses it.
 */
export function typedFields(
  body: JsonObject,
  fields: { numbers: readonly string[]; flags: readonly string[] },
): JsonObject {
  const typed: JsonObject = { ...body };
  for (const name of fields.numbers) {
    const value = body[name];
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) typed[name] = Number(value);
  }
  for (const name of fields.flags) {
    const value = body[name];
    if (typeof value === 'string' && /^(true|false)$/i.test(value))
      typed[name] = value.toLowerCase() === 'true';
  }
  return typed;
}

/** A value as the text of a field. */
const fieldText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The new parts of a changed form field: a list becomes one part for each of its values. */
export const formValue = (value: Json): string | string[] =>
  Array.isArray(value) ? value.map(fieldText) : fieldText(value);
