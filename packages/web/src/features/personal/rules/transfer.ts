export type TransferProblem = 'invalid' | 'tooSmall' | 'tooMuch';

interface Bounds {
  /** The least that can be moved, in quota units. */
  least: number;
  /** The reward there is, in quota units. */
  reward: number;
}

/** Why an amount of invitation reward cannot be moved to the balance; null when it can. */
export function transferProblem(amount: number | string, { least, reward }: Bounds): TransferProblem | null {
  const value = amount === '' ? Number.NaN : Number(amount);
  if (!Number.isInteger(value)) return 'invalid';
  if (value < least) return 'tooSmall';
  return value > reward ? 'tooMuch' : null;
}
