import type { CalendarPeriod, TimeWindow } from './calendar-windows.ts';

/** Seconds of a sliding window, and of the parts in which its use is counted. A part begins at a multiple of its length. */
const lengths: Readonly<Record<CalendarPeriod, { window: number; part: number }>> = {
  minute: { window: 60, part: 5 },
  hour: { window: 3_600, part: 300 },
  day: { window: 86_400, part: 3_600 },
  week: { window: 7 * 86_400, part: 6 * 3_600 },
  month: { window: 30 * 86_400, part: 86_400 },
};

/** A sliding window at a moment: its kind, and the part of the moment (Unix seconds). */
interface Sliding {
  readonly period: CalendarPeriod;
  /** Start of the newest part. */
  readonly newest: number;
}

/** The part that contains a moment. */
export function partAt(period: CalendarPeriod, at: number): TimeWindow {
  const { part } = lengths[period];
  const start = at - (at % part);
  return { start, end: start + part };
}

/** Start of the stretch of a window's length that contains a moment; each stretch has its own warnings. */
export const stretchOf = ({ period, newest }: Sliding): number => newest - (newest % lengths[period].window);

/** Seconds of a sliding window. */
export const windowSeconds = (period: CalendarPeriod): number => lengths[period].window;

/** The moment from which a part that began at `start` no longer counts: all of it is older than the window. */
const endOfUse = (period: CalendarPeriod, start: number): number =>
  start + lengths[period].part + lengths[period].window;

/** True if a part counts: a piece of it lies within the window. A part counts whole, so no window is ever passed. */
export const isCounted = ({ period, newest }: Sliding, start: number): boolean =>
  start <= newest && endOfUse(period, start) > newest;

/** The starts of all parts that count, oldest first. */
export function countedParts({ period, newest }: Sliding): number[] {
  const { window, part } = lengths[period];
  return Array.from({ length: window / part + 1 }, (_, n) => newest - window + n * part);
}

/** What was used in each part, by its start; parts without use are absent. */
type PartUse = ReadonlyMap<number, number>;

/** Use by part as a row has it: `1700000000:12,1700000300:5`. */
export const partsOf = (text: string): PartUse =>
  new Map(
    text === ''
      ? []
      : text.split(',').map((each) => {
          const [start, used] = each.split(':');
          return [Number(start), Number(used)];
        }),
  );

const textOf = (parts: Iterable<readonly [number, number]>): string =>
  Array.from(parts, ([start, used]) => `${start}:${used}`).join(',');

/** The sum of all parts. */
export function sumOfParts(text: string): number {
  let sum = 0;
  for (const used of partsOf(text).values()) sum += used;
  return sum;
}

/** Only the parts that count. */
export const keepCounted = (text: string, sliding: Sliding): string =>
  textOf([...partsOf(text)].filter(([start]) => isCounted(sliding, start)));

/** The use that counts at a moment (Unix seconds). */
export const useAt = (text: string, period: CalendarPeriod, at: number): number =>
  sumOfParts(keepCounted(text, { period, newest: partAt(period, at).start }));

/** Adds to the use of a part; negative to subtract. */
export function addToPart(text: string, start: number, used: number): string {
  // Nearly all charges count in the newest part, which is the last one: its text alone is read.
  const last = text.lastIndexOf(',') + 1;
  const name = `${start}:`;
  if (text.startsWith(name, last)) {
    const newest = Number(text.slice(last + name.length)) + used;
    if (newest !== 0) return `${text.slice(0, last)}${name}${newest}`;
  }
  const parts = new Map(partsOf(text));
  const sum = (parts.get(start) ?? 0) + used;
  if (sum === 0) parts.delete(start);
  else parts.set(start, sum);
  return textOf([...parts].toSorted(([a], [b]) => a - b));
}

/**
 * The moment from which an amount of the use no longer counts; undefined if there is not so much. Of no amount, the first moment
 * at which any use ends.
 */
export function freeFrom(text: string, period: CalendarPeriod, amount: number): number | undefined {
  let freed = 0;
  for (const [start, used] of partsOf(text)) {
    freed += used;
    if (freed >= amount) return endOfUse(period, start);
  }
  return undefined;
}
