import type { DollarPrice, TokenClass } from './dollars.ts';

/** A price that becomes more than so many times as high, or as low, may be a mistake of the list. */
export const jumpFactor = 2;

type Named = TokenClass | 'call';
const namesOf = (price: DollarPrice): Named[] => Object.keys(price) as Named[];

/** What every model costs, or every call. */
const main: ReadonlySet<Named> = new Set(['input', 'output', 'call']);

/**
 * Dollars are products of ratios with rounded last places, so differences below a thousandth of a percent count as
 * none.
 */
const factorDigits = 6;

const factorOf = (before: number, after: number): number =>
  before === after ? 1 : before === 0 ? Infinity : Number((after / before).toPrecision(factorDigits));

/** After / before of each class that both prices name. */
const factors = (before: DollarPrice, after: DollarPrice): number[] =>
  namesOf(after)
    .filter((name) => before[name] !== undefined)
    .map((name) => factorOf(before[name] ?? 0, after[name] ?? 0));

/** After / before of the class with the largest increase; null where they have no class in common. */
export function dearest(before: DollarPrice, after: DollarPrice): number | null {
  const found = factors(before, after);
  return found.length === 0 ? null : Math.max(...found);
}

/** After / before of the class that becomes cheapest; null where they have no class in common. */
export function cheapest(before: DollarPrice, after: DollarPrice): number | null {
  const found = factors(before, after);
  return found.length === 0 ? null : Math.min(...found);
}

/**
 * True if a change needs a person's decision: a jump in either direction, another way of billing, or a price of 0. A
 * first price does not, unless it is 0.
 */
export function isJump(before: DollarPrice | null, after: DollarPrice): boolean {
  if (before === null) return namesOf(after).some((name) => main.has(name) && after[name] === 0);
  const found = factors(before, after);
  return found.length === 0 || found.some((factor) => factor > jumpFactor || factor < 1 / jumpFactor);
}
