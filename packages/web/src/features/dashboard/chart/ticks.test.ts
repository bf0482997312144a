import { beforeAll, describe, expect, it, vi } from 'vitest';
import { barsOf, type Unit } from '../base/span.ts';
import { labelled, niceTicks, placesOf } from './ticks.ts';

describe('the grid lines of the chart', () => {
  it.each([
    [10, [0, 2.5, 5, 7.5, 10]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [7, [0, 2, 4, 6, 8]],
    [1234, [0, 500, 1000, 1500]],
    [0.000012, [0, 0.000005, 0.00001, 0.000015]],
    [0, [0]],
    [Number.NaN, [0]],
  ])('up to %d are round', (max, ticks) => {
    expect(niceTicks(max, false)).toEqual(ticks);
  });

  it('of whole numbers are whole', () => {
    expect(niceTicks(1, true)).toEqual([0, 1]);
    expect(niceTicks(10, true)).toEqual([0, 3, 6, 9, 12]);
  });

  it.each([3, 17, 99.5, 4096, 1e7, 0.07])('always reach %d, with few lines', (max) => {
    const ticks = niceTicks(max, false);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
    expect(ticks.length).toBeLessThanOrEqual(5);
  });

  it('have as many decimals as needed to differ', () => {
    expect(placesOf([0, 0.25, 0.5])).toBe(2);
    expect(placesOf([0, 5])).toBe(0);
    expect(placesOf([0, 0.000005])).toBe(6);
  });
});

describe('the labels under the chart', () => {
  beforeAll(() => {
    vi.stubEnv('TZ', 'Asia/Shanghai');
    return () => vi.unstubAllEnvs();
  });
  const noon = Math.floor(Date.parse('2026-11-20T12:00:00+08:00') / 1000);
  const shown = (hours: number, unit: Unit, width: number) => {
    const bars = barsOf({ start: noon, end: noon + hours * 3600 - 1 }, unit);
    return [...labelled(bars, unit, width)];
  };

  it('of days keep their distance, and the newest always has one', () => {
    expect(shown(4 * 24, 'day', 1000)).toEqual([0, 1, 2, 3, 4]);
    expect(shown(9 * 24, 'day', 200)).toEqual([0, 3, 6, 9]);
    expect(shown(9 * 24, 'day', 0)).toEqual([9]);
  });

  it('of hours are at the same hours of every day', () => {
    // Begins at noon: index 12 is midnight.
    expect(shown(24, 'hour', 1000)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
    expect(shown(24, 'hour', 300)).toEqual([0, 6, 12, 18]);
    expect(shown(72, 'hour', 300)).toEqual([12, 36, 60]);
  });
});
