import type { Entry } from './types.ts';

/**
 * True if the entry contains every word of the query, in any case and language. Latin words match at the beginning of a
 * word, because "sa" would otherwise find "usage". Chinese has no spaces and matches anywhere.
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
 * A request id: 14 digits of time, then nanoseconds and letters (docs/compatibility.md#relay-errors). Part of an id
 * matches no request.
 */
export const isRequestId = (query: string): boolean => /^\d{14}\w{8,50}$/.test(query);
