import { choiceParam, numberParam } from '../url-state/params.ts';

/** Time ranges of lists; the first is the default of the usage log. */
export const rangeNames = ['today', '24h', '7d', '30d', 'all', 'custom'] as const;
export type RangeName = (typeof rangeNames)[number];

/** The parameters of a time range in the address. `start` and `end` apply to 'custom' only. */
export const rangeParams = {
  range: choiceParam(rangeNames),
  start: numberParam(0),
  end: numberParam(0),
};

export interface RangeState {
  range: RangeName;
  /** Unix seconds; 0 for no bound. */
  start: number;
  end: number;
}

const hour = 3600;
const spans = { '24h': 24 * hour, '7d': 7 * 24 * hour, '30d': 30 * 24 * hour } as const;

/** Local midnight before `now`, in Unix seconds. */
export function startOfDay(now: number): number {
  const date = new Date(now * 1000);
  date.setHours(0, 0, 0, 0);
  return Math.floor(date.getTime() / 1000);
}

/**
 * The bounds of a range at `now`, in Unix seconds, 0 for none. Rolling ranges begin on a full hour, so that the query and
 * its cached answer stay the same for a while.
 */
export function boundsOf({ range, start, end }: RangeState, now: number): { start: number; end: number } {
  if (range === 'custom') return { start, end };
  if (range === 'all') return { start: 0, end: 0 };
  if (range === 'today') return { start: startOfDay(now), end: 0 };
  return { start: Math.floor((now - spans[range]) / hour) * hour, end: 0 };
}
