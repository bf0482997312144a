import {
  batchExtras,
  billShare,
  logType,
  outputTokens,
  price,
  type PriceSnapshot,
  quotaOf,
  withBatchTier,
} from '@tollgate/contract';
import type { PricedRow } from '../../../store/index.ts';
import { type FixedPrices, pricedPerCall } from '../pricing/index.ts';
import { type UnpricedReason, type Quantities, readQuantities } from './quantities.ts';

/** The charge of a row before and after, in quota units. */
export interface Repriced {
  before: number;
  after: number;
  /** The amount of its bill before and after. It exceeds the charge if the balance did not cover it. */
  billed: number;
  bill: number;
  /** True for the charge of a task. */
  byTask: boolean;
}

/**
 * A present charge: the amount taken after all corrections, and its bill. For a corrected row, those of the last
 * correction.
 */
export interface CorrectedCharge {
  charged: number;
  billed: number;
}

/**
 * Prices the quantities of a row by a price book, with the function that prices calls. An amount written off stays
 * written off: a higher bill adds its difference, up to the ceiling of the caller; a lower bill never charges more than
 * the original.
 */
export function reprice(
  row: PricedRow,
  book: FixedPrices,
  corrected?: CorrectedCharge,
): Repriced | UnpricedReason {
  if (row.type !== logType.consume) return 'refund';
  const quantities = readQuantities(row);
  if (typeof quantities === 'string') return quantities;
  const { usage, cacheShare, batchFactor } = quantities;
  const found = snapshotFor(row, quantities, book);
  if (typeof found === 'string') return found;
  const snapshot = batchFactor === undefined ? found : withBatchTier(found, batchFactor);
  const ofCall = batchFactor === undefined ? quantities.extras : batchExtras(snapshot);
  const extras = snapshot.mode === 'call' ? ofCall : undefined;
  const bill =
    cacheShare === undefined
      ? quotaOf(usage, snapshot, extras)
      : billShare(price(usage, snapshot, extras), cacheShare).quota;
  const before = corrected?.charged ?? row.quota;
  const billed = corrected?.billed ?? quantities.billed;
  const { maxCost = Infinity } = quantities;
  const after = bill >= billed ? Math.min(before + bill - billed, maxCost) : Math.min(before, bill);
  return { before, after, billed, bill, byTask: quantities.task !== 'none' };
}

/** Prices one row again, or returns why it is excluded. */
export type Pricer = (row: PricedRow, corrected?: CorrectedCharge) => Repriced | UnpricedReason;

/** Prices each row by the model name of its charge. */
export const pricerOf =
  (book: FixedPrices): Pricer =>
  (row, corrected) =>
    reprice(row, book, corrected);

/** The price of a call of these quantities, by the rules for calls and tasks. */
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
