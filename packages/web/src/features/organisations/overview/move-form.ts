import type { Direction } from './queries.ts';

/** What the two wallets have, in quota units. */
export interface Wallets {
  own: number;
  team: number;
}

/** What is wrong with an amount; null when nothing is. */
export function amountProblem(
  amount: number | string,
  direction: Direction,
  wallets: Wallets,
): 'amountInvalid' | 'tooMuch' | null {
  const value = amount === '' ? Number.NaN : Number(amount);
  if (!Number.isInteger(value) || value <= 0) return 'amountInvalid';
  return value > (direction === 'fund' ? wallets.own : wallets.team) ? 'tooMuch' : null;
}

/** What both have when the amount has moved; null while none is there that could. */
export function walletsAfter(
  amount: number | string,
  direction: Direction,
  wallets: Wallets,
): Wallets | null {
  if (amountProblem(amount, direction, wallets) !== null) return null;
  const toTeam = direction === 'fund' ? Number(amount) : -Number(amount);
  return { own: wallets.own - toTeam, team: wallets.team + toTeam };
}
