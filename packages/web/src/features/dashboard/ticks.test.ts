import { describe, expect, it } from 'vitest';
import { labelled, niceTicks, placesOf } from './ticks.ts';

describe('the lines of the chart', () => {
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

  it('have as many places as tell them apart', () => {
    expect(placesOf([0, 0.25, 0.5])).toBe(2);
    expect(placesOf([0, 5])).toBe(0);
    expect(placesOf([0, 0.000005])).toBe(6);
  });
});

it('labels keep their distance, and the newest always has one', () => {
  const shown = (count: number, width: number) =>
    Array.from({ length: count }, (_, index) => index).filter(labelled(count, width, 50));
  expect(shown(4, 400)).toEqual([0, 1, 2, 3]);
  expect(shown(10, 200)).toEqual([0, 3, 6, 9]);
  expect(shown(24, 0)).toEqual([23]);
});
