import fc from 'fast-check';
import { expect, it } from 'vitest';
import { calendarPeriods } from './calendar-windows.ts';
import {
  addToPart,
  countedParts,
  freeFrom,
  isCounted,
  keepCounted,
  partAt,
  sumOfParts,
  windowSeconds,
} from './sliding-windows.ts';

const period = fc.constantFrom(...calendarPeriods);
const time = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 });
/** Uses at moments of the last two windows. */
const uses = fc.array(
  fc.tuple(fc.double({ min: 0, max: 2, noNaN: true }), fc.integer({ min: -50, max: 50 })),
);

it('counts all that is younger than the window, and nothing that is a part older', () => {
  const property = fc.property(period, time, fc.nat(70 * 86_400), (kind, at, age) => {
    const newest = partAt(kind, at).start;
    const part = partAt(kind, at - age).start;
    const { end } = partAt(kind, at);
    const counted = isCounted({ period: kind, newest }, part);
    const [isYounger, isOlder] = [age < windowSeconds(kind), age >= windowSeconds(kind) + end - newest];
    expect([isYounger && !counted, isOlder && counted]).toEqual([false, false]);
    expect(countedParts({ period: kind, newest }).includes(part)).toBe(counted);
  });
  fc.assert(property, { numRuns: 2_000 });
});

it('has the sum of what was added, in a ring that fits its column, and says when room returns', () => {
  const property = fc.property(
    period,
    time,
    uses,
    fc.integer({ min: 1, max: 500 }),
    (kind, at, all, amount) => {
      const length = windowSeconds(kind);
      const newest = partAt(kind, at).start;
      const sums = new Map<number, number>();
      let text = '';
      for (const [ago, used] of all) {
        const { start } = partAt(kind, Math.floor(at - ago * length));
        sums.set(start, (sums.get(start) ?? 0) + used);
        text = addToPart(text, start, used);
        expect(sumOfParts(text)).toBe([...sums.values()].reduce((sum, each) => sum + each, 0));
      }
      const kept = keepCounted(text, { period: kind, newest });
      const counted = [...sums].filter(([start]) => isCounted({ period: kind, newest }, start));
      const sum = counted.reduce((total, [, used]) => total + used, 0);
      expect(sumOfParts(kept)).toBe(sum);
      const from = freeFrom(kept, kind, amount);
      if (from === undefined) return;
      const then = keepCounted(kept, { period: kind, newest: partAt(kind, from).start });
      expect(sum - sumOfParts(then)).toBeGreaterThanOrEqual(amount);
      const before = keepCounted(kept, { period: kind, newest: partAt(kind, from - 1).start });
      expect(sum - sumOfParts(before)).toBeLessThan(amount);
    },
  );
  fc.assert(property, { numRuns: 1_000 });
  for (const kind of calendarPeriods) {
    const starts = countedParts({ period: kind, newest: partAt(kind, 1_790_000_000).start });
    const full = starts.reduce((text, start) => addToPart(text, start, Number.MAX_SAFE_INTEGER), '');
    expect(full.length).toBeLessThanOrEqual(2_000);
  }
});
