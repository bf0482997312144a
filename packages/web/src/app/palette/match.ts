import type { Entry } from './types.ts';

/** True when every word of the query stands somewhere in the entry, in any case and language. */
export function matches(entry: Pick<Entry, 'label' | 'keywords'>, query: string): boolean {
  const place = `${entry.label} ${entry.keywords ?? ''}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => place.includes(word));
}

/** A request id: 14 digits of time, then nanoseconds and letters (wire-facts 2.4); part of one names no request. */
export const isRequestId = (query: string): boolean => /^\d{14}\w{8,50}$/.test(query);
