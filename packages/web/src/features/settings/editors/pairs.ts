import { isRecordOf, isText } from './value.ts';

/** Name and link, in the order of the list. */
export type Pair = readonly [name: string, link: string];

/** The pairs of a list of objects of one name each; undefined for anything else. */
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
