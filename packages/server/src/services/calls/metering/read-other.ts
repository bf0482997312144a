import { isObject } from '../../../lib/json.ts';

/** The members of a row's `other`; none if the text is not JSON (rows of other programs). */
export function fieldsOf(other: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(other);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The median, the upper one of two; null for an empty list. */
export function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
