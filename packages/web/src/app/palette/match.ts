import type { Entry } from './types.ts';

/**
 * True when every word of the query is found in the entry, in any case and language: Latin letters at the beginning of
 * a word, or "sa" would find "usage"; Chinese, which has no spaces, anywhere.
 */
export function matches(entry: Pick<Entry, 'label' | 'keywords'>, query: string): boolean {
  const place = ` ${entry.label} ${entry.keywords ?? ''}`.toLowerCase();
  const holds = (word: string) => {
    if (!/^\w+$/.test(word)) return place.includes(word);
    return new RegExp(`[^a-z0-9]${word}`).test(place);
  };
  return query.toLowerCase().split(/\s+/).every(holds);
}

/**
 * A request id: 14 digits of time, then nanoseconds and letters (docs/compatibility.md#relay-errors); part of one
 * names no request.
 */
export const isRequestId = (query: string): boolean => /^\d{14}\w{8,50}$/.test(query);
