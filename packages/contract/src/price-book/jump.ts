import type { DollarPrice, TokenClass } from './dollars.ts';

/** A price change by more than this factor, up or down, may be an error in the list. */
export const jumpFactor = 2;

type Named = TokenClass | 'call';
const namesOf = (price: DollarPrice): Named[] => Object.keys(price) as Named[];

/** Main prices: each model has one for tokens or one for calls. */
const main: ReadonlySet<Named> = new Set(['input', 'output', 'call']);

/** Dollars are products of ratios with rounded last places, so differences below 0.001 % count as none. */
const factorDigits = 6;

const factorOf = (before: number, after: number): number =>
  before === after ? 1 : before === 0 ? Infinity : Number((after / before).toPrecision(factorDigits));

/** Ratio after / before of each class in both prices. */
const factors = (before: DollarPrice, after: DollarPrice): number[] =>
  namesOf(after)
    .filter((name) => before[name] !== undefined)
    .map((name) => factorOf(before[name] ?? 0, after[name] ?? 0));

/** Ratio after / before of the class with the largest increase; null without a common class. */
export function dearest(before: DollarPrice, after: DollarPrice): number | null {
  const found = factors(before, after);
  return found.length === 0 ? null : Math.max(...found);
}

/** Ratio after / before of the class with the largest decrease; null without a common class. */
export function cheapest(before: DollarPrice, after: DollarPrice): number | null {
  const found = factors(before, after);
  return found.length === 0 ? null : Math.min(...found);
}

/**
 * True if a change needs a person's decision: a jump in either direction, another way of billing, or a price of 0. A
 * first price needs a decision only if it is 0.
 */
export function isJump(before: DollarPrice | null, after: DollarPrice): boolean {
  if (before === null) return namesOf(after).some((name) => main.has(name) && after[name] === 0);
  const found = factors(before, after);
  return found.length === 0 || found.some((factor) => factor > jumpFactor || factor < 1 / jumpFactor);
}
