/** How a balance is changed by hand. */
export const fundModes = ['add', 'subtract', 'override'] as const;
export type FundMode = (typeof fundModes)[number];

export interface FundForm extends Record<string, unknown> {
  mode: FundMode;
  /** Quota units; '' for none yet. */
  amount: number | string;
  reason: string;
}

export const emptyFundForm: FundForm = { mode: 'add', amount: '', reason: '' };

/** The balance after the change, in quota units; null while no amount is there. */
export function balanceAfter(
  { mode, amount }: Pick<FundForm, 'mode' | 'amount'>,
  now: number,
): number | null {
  const value = amount === '' ? Number.NaN : Number(amount);
  if (!Number.isInteger(value) || value < 0) return null;
  if (mode === 'override') return value;
  return mode === 'add' ? now + value : now - value;
}

export type FundProblem = 'amountInvalid' | 'targetInvalid' | 'tooMuch' | 'unchanged';

/** What is wrong with an amount for this balance; null when nothing is. */
export function amountProblem(form: Pick<FundForm, 'mode' | 'amount'>, now: number): FundProblem | null {
  const after = balanceAfter(form, now);
  if (form.mode === 'override') {
    if (after === null) return 'targetInvalid';
    return after === now ? 'unchanged' : null;
  }
  if (after === null || after === now) return 'amountInvalid';
  return after < 0 ? 'tooMuch' : null;
}
