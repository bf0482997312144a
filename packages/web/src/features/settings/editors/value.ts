import { declarationOf, type SettingKey } from '@tollgate/contract';
import type { Draft } from '../draft/draft.ts';

/** The value of a draft's text; undefined while the text is not valid. */
export function valueOf(draft: Draft, key: SettingKey): unknown {
  try {
    return declarationOf(key).parse(draft.textOf(key), key);
  } catch {
    return undefined;
  }
}

/** The JSON of a draft's text in any shape; undefined for invalid JSON. */
export function looseValueOf(draft: Draft, key: SettingKey): unknown {
  try {
    return JSON.parse(draft.textOf(key)) as unknown;
  } catch {
    return undefined;
  }
}

/** Normalizes JSON, so that equal values have equal texts. */
function plain(json: string): string | null {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return null;
  }
}

/**
 * Writes a value into the draft. A value equal to the stored one takes the stored text, so it does not count as changed.
 */
export function writeValue(draft: Draft, key: SettingKey, value: unknown): void {
  const stored = draft.storedOf(key);
  const next = JSON.stringify(value, null, 2);
  draft.set(key, plain(next) === plain(stored) ? stored : next);
}

/** True for a record if all values pass `check`. */
export const isRecordOf = <T>(
  value: unknown,
  check: (entry: unknown) => entry is T,
): value is Record<string, T> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(check);

export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isText = (value: unknown): value is string => typeof value === 'string';

/** Name and link, in the order of the list. */
export type Pair = readonly [name: string, link: string];

/** The pairs of a list of objects with one name each; undefined for other values. */
export function pairsOf(value: unknown): Pair[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const pairs: Pair[] = [];
  for (const entry of value as unknown[]) {
    if (!isRecordOf(entry, isText)) return undefined;
    const [pair, ...more] = Object.entries(entry);
    if (!pair || more.length > 0) return undefined;
    pairs.push(pair);
  }
  return pairs;
}
