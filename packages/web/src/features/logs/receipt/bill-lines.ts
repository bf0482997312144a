import { showDecimal, type ReceiptData } from '@tollgate/contract';

/** A receipt as it is printed. All amounts are whole millionths of a dollar, so that what is shown adds up. */
export interface BillLines {
  /** One for each term of the bill, in its order. */
  amounts: number[];
  /** What rounding to whole units added or took; 0 where nothing has to be said of it. */
  rounding: number;
  /** What the call came to. */
  total: number;
  /** The part of the total that could not be collected. */
  writtenOff: number;
  /** What was corrected later, in its order; below zero for what was given back. */
  corrections: number[];
  /** What was charged, with all corrections. */
  inAll: number;
  /** What the input would have cost more without the vendor's cache; 0 where it cost no more. */
  cacheSaved: number;
}

const micro = 1_000_000;

/**
 * Rounds each line by itself and says what is then missing to the total, as an invoice does: charges are whole quota
 * units, while a line may be a fraction of one.
 *
 * @param perUnit - quota units of a dollar
 */
export function billLines(receipt: ReceiptData, perUnit: number): BillLines {
  const { bill, charged, ledger, adjustments } = receipt;
  const microsOf = (quota: number) => Math.round((quota / perUnit) * micro);
  const writtenOff = microsOf(ledger?.written_off ?? 0);
  const total = microsOf(charged) + writtenOff;
  const amounts = bill.terms.map(({ amount }) => microsOf(Number(amount)));
  const sum = amounts.reduce((all, amount) => all + amount, 0);
  // Rows without readable lines have nothing that could add up.
  const rounding = amounts.length === 0 ? 0 : total - sum;
  const corrections = adjustments.map(({ difference }) => microsOf(difference));
  return {
    amounts,
    rounding,
    total,
    writtenOff,
    corrections,
    inAll: microsOf(receipt.charged_in_all),
    cacheSaved: microsOf(cacheSaved(bill)),
  };
}

const cached = new Set(['cacheRead', 'cacheWrite5m', 'cacheWrite1h']);

/** Quota units between what cached input cost and what it would have cost as plain input, where the bill has a price of that. */
function cacheSaved({ terms }: ReceiptData['bill']): number {
  const plain = terms.find(({ what }) => what === 'input');
  if (!plain) return 0;
  const saved = terms
    .filter(({ what }) => cached.has(what))
    .reduce((sum, { count, unit }) => sum + count * (Number(plain.unit) - Number(unit)), 0);
  return Math.max(0, saved);
}

/** Millionths of a dollar as dollars with six places. */
export const showMicros = (micros: number): string =>
  `${micros < 0 ? '-' : ''}$${showDecimal(Math.abs(micros) / micro, 6)}`;
