import { maxDataSpanSeconds } from '@tollgate/contract';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { barStart, barsOf, mayShow, sharedSpan, type SpanChoice, viewOf } from './span.ts';

const at = (text: string) => Math.floor(Date.parse(text) / 1000);
const choice = (rest: Partial<SpanChoice> = {}): SpanChoice => ({
  range: '',
  start: 0,
  end: 0,
  unit: '',
  ...rest,
});

describe('the period of the dashboard', () => {
  beforeAll(() => {
    // A zone whose clocks change; days begin at 22:00 or 23:00 UTC.
    vi.stubEnv('TZ', 'Europe/Berlin');
    return () => vi.unstubAllEnvs();
  });
  const now = at('2026-11-21T10:20:00Z');

  it("has the default of the site's unit until the user chooses one", () => {
    expect(viewOf(choice(), 'hour', now)).toEqual({
      range: '24h',
      unit: 'hour',
      start: at('2026-11-20T11:00:00Z'),
      end: at('2026-11-21T10:59:59Z'),
    });
    expect(viewOf(choice(), 'day', now)).toMatchObject({
      range: '7d',
      unit: 'day',
      start: at('2026-11-14T23:00:00Z'),
    });
    expect(viewOf(choice(), 'week', now)).toMatchObject({ range: '30d', unit: 'week' });
  });

  it('uses hours for short periods and days for long ones, unless set', () => {
    expect(viewOf(choice({ range: 'today' }), 'week', now)).toMatchObject({
      unit: 'hour',
      start: at('2026-11-20T23:00:00Z'),
    });
    expect(viewOf(choice({ range: '7d' }), 'hour', now).unit).toBe('day');
    expect(viewOf(choice({ range: '7d', unit: 'hour' }), 'day', now).unit).toBe('hour');
    expect(viewOf(choice({ range: '30d', unit: 'hour' }), 'day', now).unit).toBe('day');
    expect(mayShow('week', { start: 0, end: now })).toBe(true);
  });

  it('is a month at most, also across changes of the clock', () => {
    const autumn = viewOf(choice({ range: '30d' }), 'day', at('2026-11-08T22:50:00Z'));
    expect(autumn.end - autumn.start).toBeLessThanOrEqual(maxDataSpanSeconds);
    const custom = viewOf(choice({ range: 'custom', start: 5, end: now }), 'day', now);
    expect(custom).toMatchObject({ start: now - maxDataSpanSeconds, end: now });
    const open = viewOf(choice({ range: 'custom', start: now - 60 }), 'day', now);
    expect(open).toMatchObject({ start: now - 60, end: at('2026-11-21T10:59:59Z') });
    const reversed = viewOf(choice({ range: 'custom', start: now, end: now - 60 }), 'day', now);
    expect(reversed).toMatchObject({ start: now, end: now });
  });

  it('is divided into bars without gaps, also where a day has 25 hours', () => {
    const days = barsOf({ start: at('2026-10-23T22:30:00Z'), end: at('2026-10-26T12:00:00Z') }, 'day');
    expect(days.map(({ start }) => start)).toEqual(
      ['2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'].map(at),
    );
    expect(days.map(({ start, end }) => (end + 1 - start) / 3600)).toEqual([24, 25, 24]);
    expect(barsOf({ start: now, end: now }, 'hour')).toHaveLength(1);
    // 2026-11-21 is a Saturday.
    expect(barStart(now, 'week')).toBe(at('2026-11-15T23:00:00Z'));
    expect(barsOf({ start: now - 14 * 86_400, end: now }, 'week')).toHaveLength(3);
  });
});

it('two parts of the page with the same end share one request', () => {
  const end = 2_000_000;
  const chart = { start: end - 3600, end };
  const days = { start: end - 86_400, end };
  expect(sharedSpan(chart, days)).toEqual(days);
  expect(sharedSpan(days, chart)).toEqual(days);
});

it('a period of the past has a request of its own, and so has one that would make the request too long', () => {
  const days = { start: 5_000_000, end: 5_100_000 };
  const past = { start: 4_000_000, end: 4_100_000 };
  expect(sharedSpan(past, days)).toEqual(past);
  expect(sharedSpan(days, past)).toEqual(days);
  const long = { start: days.end - maxDataSpanSeconds - 1, end: days.end };
  expect(sharedSpan(days, long)).toEqual(days);
});
