/** Calendar windows: the minute, hour, day, week (from Monday) or month of a moment. */
export const calendarPeriods = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type CalendarPeriod = (typeof calendarPeriods)[number];

/** A time range from `start` to before `end`, in Unix seconds. */
export interface TimeWindow {
  start: number;
  end: number;
}

const parts = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = parts.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    parts.set(timeZone, format);
  }
  return format;
}

/** True for an IANA name of a time zone that this Node knows. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The local time of a zone at a moment, encoded as if it were UTC (Unix seconds). */
function wallClock(timeZone: string, at: number): number {
  const read: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at * 1_000)) read[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1_000;
}

/** Local time of the zone at a moment, to the minute: `2026-11-30 00:00`. */
export const wallTime = (timeZone: string, at: number): string =>
  new Date(wallClock(timeZone, at) * 1_000).toISOString().slice(0, 16).replace('T', ' ');

const daySeconds = 86_400;

/** The first moment of a day, which is a number of days since 1970. A day may begin at one o'clock, or last 23 or 25 hours. */
function startOfDay(timeZone: string, day: number): number {
  const midnight = day * daySeconds;
  const offsets = [-daySeconds, daySeconds].map((by) => wallClock(timeZone, midnight + by) - midnight - by);
  const starts = offsets.map((offset) => midnight - offset).toSorted((a, b) => a - b);
  return starts.find((start) => Math.floor(wallClock(timeZone, start) / daySeconds) === day) ?? midnight;
}

/** The last second of the day that comes `days` days after the one of a moment. */
export const endOfDay = (timeZone: string, at: number, days: number): number =>
  startOfDay(timeZone, Math.floor(wallClock(timeZone, at) / daySeconds) + days + 1) - 1;

const dayOf = (year: number, month: number, date: number): number =>
  Date.UTC(year, month, date) / 1_000 / daySeconds;

/** The window that contains a moment, by the calendar of a time zone. */
export function windowAt(period: CalendarPeriod, timeZone: string, at: number): TimeWindow {
  if (period === 'minute') return { start: at - (at % 60), end: at - (at % 60) + 60 };
  const wall = wallClock(timeZone, at);
  if (period === 'hour') {
    const start = at - (wall % 3_600);
    return { start, end: start + 3_600 };
  }
  const day = Math.floor(wall / daySeconds);
  const date = new Date(wall * 1_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const [first, next] =
    period === 'day'
      ? [day, day + 1]
      : period === 'week'
        ? [day - ((date.getUTCDay() + 6) % 7), day - ((date.getUTCDay() + 6) % 7) + 7]
        : [dayOf(year, month, 1), dayOf(year, month + 1, 1)];
  return { start: startOfDay(timeZone, first), end: startOfDay(timeZone, next) };
}
