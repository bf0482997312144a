import { showDecimal, type ReceiptData } from '@tollgate/contract';

/** A receipt as displayed. All amounts are whole millionths of a dollar, so that the shown lines add up. */
export interface BillLines {
  /** One line for each term of the bill, in its order. */
  amounts: number[];
  /** Rounding difference to whole units; 0 if there is none to show. */
  rounding: number;
  /** The total of the call. */
  total: number;
  /** The part of the total that could not be collected. */
  writtenOff: number;
  /** Later corrections, in order; refunds are negative. */
  corrections: number[];
  /** The charge with all corrections. */
  inAll: number;
  /** Savings on input by the vendor's cache; 0 without savings. */
  cacheSaved: number;
}

const micro = 1_000_000;

/**
 * Rounds each line by itself and shows the difference to the total, as an invoice does: charges are whole quota units,
 * while a line may be a fraction of one.
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
  // Rows without readable lines have nothing to add up.
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

/** Quota units between the cost of cached input and its cost as plain input, if the bill has both prices. */
function cacheSaved({ terms }: ReceiptData['bill']): number {
  const plain = terms.find(({ what }) => what === 'input');
  if (!plain) return 0;
  const saved = terms
    .filter(({ what }) => cached.has(what))
    .reduce((sum, { count, unit }) => sum + count * (Number(plain.unit) - Number(unit)), 0);
  return Math.max(0, saved);
}

/** Formats millionths of a dollar as dollars with six decimals. */
export const showMicros = (micros: number): string =>
  `${micros < 0 ? '-' : ''}$${showDecimal(Math.abs(micros) / micro, 6)}`;
