import { logType, outputTokens, type PriceSnapshot, quotaOf } from '@tollgate/contract';
import type { PricedRow } from '../../../store/index.ts';
import { type FixedPrices, pricedPerCall } from '../pricing/index.ts';
import { type UnpricedReason, type Quantities, readQuantities } from './quantities.ts';

/** What a row was charged, and what it would be. Quota units. */
export interface Repriced {
  before: number;
  after: number;
  /** What its bill came to, which is more than was charged where the balance did not cover it; and what it would. */
  billed: number;
  bill: number;
  /** True for the charge of a task. */
  byTask: boolean;
}

/** A charge that stands: what was taken in the end, for a bill of so much. Of a row re-rated before, by its last run. */
export interface CorrectedCharge {
  charged: number;
  billed: number;
}

/**
 * Prices the quantities of a row by a price book, with the function that prices calls. What was written off stays so: a
 * higher bill adds its difference, up to the ceiling that the caller set; a lower one is never charged more than was.
 */
export function reprice(
  row: PricedRow,
  book: FixedPrices,
  corrected?: CorrectedCharge,
): Repriced | UnpricedReason {
  if (row.type !== logType.consume) return 'refund';
  const quantities = readQuantities(row);
  if (typeof quantities === 'string') return quantities;
  const snapshot = snapshotFor(row, quantities, book);
  if (typeof snapshot === 'string') return snapshot;
  const extras = snapshot.mode === 'call' ? quantities.extras : undefined;
  const bill = quotaOf(quantities.usage, snapshot, extras);
  const before = corrected?.charged ?? row.quota;
  const billed = corrected?.billed ?? quantities.billed;
  const { maxCost = Infinity } = quantities;
  const after = bill >= billed ? Math.min(before + bill - billed, maxCost) : Math.min(before, bill);
  return { before, after, billed, bill, byTask: quantities.task !== 'none' };
}

/** Prices one row anew, or says why it stays apart. */
export type Pricer = (row: PricedRow, corrected?: CorrectedCharge) => Repriced | UnpricedReason;

/** Prices each row by the name that it was priced by. */
export const pricerOf =
  (book: FixedPrices): Pricer =>
  (row, corrected) =>
    reprice(row, book, corrected);

/** The price that a call of these quantities would have, by the rules that calls and tasks are priced by. */
function snapshotFor(
  { model_name: model, group }: PricedRow,
  quantities: Quantities,
  book: FixedPrices,
): PriceSnapshot | UnpricedReason {
  const { task, searchKind, unset, byTokens, usage, extras, reported, userGroup } = quantities;
  const found = book.snapshot(quantities.pricedModel ?? model, group, searchKind, userGroup);
  if (task !== 'none') {
    if (found.unset && task === 'task') return 'unpriced';
    return pricedPerCall(found, task === 'drawing') ?? 'unpriced';
  }
  if (found.unset && !unset) return 'unpriced';
  const isChanged = found.mode === 'call' && byTokens;
  // Images of a call that was priced by its tokens are not on the row.
  if (isChanged && !extras && (usage.imageOutput > 0 || (!reported && outputTokens(usage) === 0)))
    return 'calls_unknown';
  return found;
}
