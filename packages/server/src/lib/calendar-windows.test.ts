import fc from 'fast-check';
import { expect, it } from 'vitest';
import { calendarPeriods, endOfDay, isTimeZone, wallTime, windowAt } from './calendar-windows.ts';

const at = (text: string): number => Date.parse(text) / 1_000;
const hours = (period: 'day' | 'week' | 'month', zone: string, when: string): number => {
  const { start, end } = windowAt(period, zone, at(when));
  return (end - start) / 3_600;
};

it.each([
  ['a day', 'day', 'UTC', '2026-11-29T12:00:00Z', 24],
  ['the day on which summer begins', 'day', 'Europe/Berlin', '2026-03-29T12:00:00Z', 23],
  ['the day on which summer ends', 'day', 'Europe/Berlin', '2026-10-25T12:00:00Z', 25],
  ['a day that begins at one o’clock', 'day', 'Africa/Cairo', '2026-04-24T12:00:00Z', 23],
  ['the week in which summer ends', 'week', 'America/New_York', '2026-11-01T12:00:00Z', 169],
  ['February', 'month', 'Asia/Shanghai', '2026-02-10T00:00:00Z', 28 * 24],
] as const)('%s has the hours of the calendar of its zone', (_, period, zone, when, length) => {
  expect(hours(period, zone, when)).toBe(length);
});

it('begins a week on Monday and a month on the first, by the clock of the zone', () => {
  const zone = 'Asia/Shanghai';
  const week = windowAt('week', zone, at('2026-11-29T15:59:59Z'));
  expect([wallTime(zone, week.start), wallTime(zone, week.end)]).toEqual([
    '2026-11-23 00:00',
    '2026-11-30 00:00',
  ]);
  expect(windowAt('week', zone, at('2026-11-29T16:00:00Z')).start).toBe(week.end);
  expect(wallTime(zone, windowAt('month', zone, at('2026-11-30T16:00:00Z')).start)).toBe('2026-12-01 00:00');
});

it('ends a day with its last second, by the clock of the zone', () => {
  const zone = 'Europe/Berlin';
  const end = (days: number) =>
    new Date(endOfDay(zone, at('2026-10-24T22:30:00Z'), days) * 1_000).toISOString();
  // Half past midnight of the 25th, on which summer ends.
  expect(end(0)).toBe('2026-10-25T22:59:59.000Z');
  expect(end(1)).toBe('2026-10-26T22:59:59.000Z');
  expect(end(160)).toBe('2027-04-03T21:59:59.000Z');
});

it('has each moment in one window, and windows without gaps', () => {
  const zones = [
    'UTC',
    'Asia/Shanghai',
    'Asia/Kathmandu',
    'America/Sao_Paulo',
    'Africa/Cairo',
    'Europe/Berlin',
  ];
  const moments = fc.integer({ min: at('2015-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') });
  fc.assert(
    fc.property(
      moments,
      fc.constantFrom(...zones),
      fc.constantFrom(...calendarPeriods),
      (now, zone, period) => {
        const { start, end } = windowAt(period, zone, now);
        expect(start).toBeLessThanOrEqual(now);
        expect(end).toBeGreaterThan(now);
        expect(windowAt(period, zone, start)).toEqual({ start, end });
        expect(windowAt(period, zone, end - 1)).toEqual({ start, end });
        expect(windowAt(period, zone, end).start).toBe(end);
      },
    ),
    { numRuns: 1_000 },
  );
});

it('knows time zones by their names', () => {
  expect([isTimeZone('Europe/Berlin'), isTimeZone('Nowhere/Land'), isTimeZone('')]).toEqual([
    true,
    false,
    false,
  ]);
});
