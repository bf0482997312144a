import { expect, test } from 'vitest';
import { boundsOf, startOfDay } from './range.ts';

const now = 1_795_238_454;

test('rolling periods begin on a full hour and stay the same within it', () => {
  const { start } = boundsOf({ range: '24h', start: 0, end: 0 }, now);
  expect(start % 3600).toBe(0);
  expect(now - start).toBeGreaterThanOrEqual(24 * 3600);
  expect(boundsOf({ range: '24h', start: 0, end: 0 }, now + 60).start).toBe(start);
});

test('today begins at local midnight, and only a custom period has an end', () => {
  expect(boundsOf({ range: 'today', start: 5, end: 6 }, now)).toEqual({ start: startOfDay(now), end: 0 });
  expect(boundsOf({ range: 'custom', start: 5, end: 6 }, now)).toEqual({ start: 5, end: 6 });
  expect(boundsOf({ range: 'all', start: 5, end: 6 }, now)).toEqual({ start: 0, end: 0 });
});
