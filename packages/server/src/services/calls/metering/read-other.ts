import { isObject } from '../../../lib/json.ts';

/** The members of a row's `other`; none where other programs wrote no JSON. */
export function fieldsOf(other: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(other);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The value in the middle, the upper of two; null for none. */
export function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
