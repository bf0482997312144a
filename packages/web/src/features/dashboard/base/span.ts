import { maxDataSpanSeconds } from '@tollgate/contract';
import { startOfDay } from '../../../shared/time-range/range.ts';

/** Duration of one bar. */
export const units = ['hour', 'day', 'week'] as const;
export type Unit = (typeof units)[number];

export const spanNames = ['today', '24h', '7d', '30d', 'custom'] as const;
type SpanName = (typeof spanNames)[number];

/** Unix seconds, both included. */
export interface Span {
  start: number;
  end: number;
}

export interface SpanChoice extends Span {
  /** '' for the site's default. `start` and `end` apply to 'custom' only. */
  range: SpanName | '';
  /** '' for the unit that suits the span. */
  unit: Unit | '';
}

const hour = 3600;
const dayHours = 24;
/** Longest span with hourly bars; more bars are not distinguishable. */
const maxHourSpan = 8 * dayHours * hour;

/** The initial span of a site with this default unit. */
const spanFor = { hour: '24h', day: '7d', week: '30d' } as const satisfies Record<Unit, SpanName>;

/** Local midnight, some days before that of `now`. */
function midnight(now: number, daysBefore: number): number {
  const date = new Date(startOfDay(now) * 1000);
  date.setDate(date.getDate() - daysBefore);
  return Math.floor(date.getTime() / 1000);
}

/** The bounds of a choice at `now`. They end with the running hour, so that the query stays the same for a while. */
function boundsOf(name: SpanName, choice: Span, now: number): Span {
  const end = (Math.floor(now / hour) + 1) * hour - 1;
  switch (name) {
    case 'today':
      return { start: startOfDay(now), end };
    case '24h':
      return { start: end + 1 - dayHours * hour, end };
    case '7d':
      return { start: midnight(now, 6), end };
    case '30d':
      return { start: midnight(now, 29), end };
    case 'custom':
      return { start: choice.start, end: choice.end > 0 ? choice.end : end };
  }
}

/** Hours are only offered for spans with distinguishable bars. */
export const mayShow = (unit: Unit, { start, end }: Span): boolean =>
  unit !== 'hour' || end - start <= maxHourSpan;

export interface View extends Span {
  range: SpanName;
  unit: Unit;
}

/**
 * The span and unit of a choice. A span is a month at most, which is the server's limit
 * (docs/compatibility.md#dashboard-sums).
 *
 * @param siteUnit - the option DataExportDefaultTime
 */
export function viewOf(choice: SpanChoice, siteUnit: Unit, now: number): View {
  const range = choice.range || spanFor[siteUnit];
  const { start, end } = boundsOf(range, choice, now);
  const span = { start: Math.max(start, end - maxDataSpanSeconds), end: Math.max(start, end) };
  const fitting = mayShow('hour', span) && span.end - span.start < 3 * dayHours * hour ? 'hour' : 'day';
  const wanted = choice.unit || (choice.range === '' ? siteUnit : fitting);
  return { range, ...span, unit: mayShow(wanted, span) ? wanted : 'day' };
}

/** The start of the bar that contains a moment, local time; weeks begin on Monday. */
export function barStart(seconds: number, unit: Unit): number {
  const date = new Date(seconds * 1000);
  if (unit === 'hour') date.setMinutes(0, 0, 0);
  else date.setHours(0, 0, 0, 0);
  if (unit === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return Math.floor(date.getTime() / 1000);
}

/** Uses the calendar instead of adding seconds: days have 23 or 25 hours when clocks change. */
function nextBar(start: number, unit: Unit): number {
  if (unit === 'hour') return start + hour;
  const date = new Date(start * 1000);
  date.setDate(date.getDate() + (unit === 'week' ? 7 : 1));
  return Math.floor(date.getTime() / 1000);
}

/** The bars of a span, in order, without gaps: zero usage is shown too. */
export function barsOf({ start, end }: Span, unit: Unit): Span[] {
  const bars: Span[] = [];
  for (let at = barStart(start, unit); at <= end;) {
    const next = nextBar(at, unit);
    bars.push({ start: at, end: next - 1 });
    at = next;
  }
  return bars;
}

/**
 * The span for the sums of `own`. It includes `other` if both have the same end, so that one answer serves two parts of
 * the page. It is `own` only if they differ or if the server limits the span.
 */
export function sharedSpan(own: Span, other: Span): Span {
  const start = Math.min(own.start, other.start);
  return own.end === other.end && own.end - start <= maxDataSpanSeconds
    ? { start, end: own.end }
    : { start: own.start, end: own.end };
}

/** Local today and yesterday. */
export function daysOf(now: number): { today: Span; yesterday: Span } {
  const today = boundsOf('today', { start: 0, end: 0 }, now);
  return { today, yesterday: { start: startOfDay(today.start - 1), end: today.start - 1 } };
}
