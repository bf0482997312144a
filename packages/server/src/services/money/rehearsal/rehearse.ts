import { logType, modelKindOf, type SettingKey, type SettingValue } from '@tollgate/contract';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type PricedRow, pricedRows, type Reader } from '../../../store/index.ts';
import { createFixedPrices, type priceKeys } from '../pricing/index.ts';
import type { UnpricedReason } from './quantities.ts';
import { type Pricer, pricerOf, reprice, type Repriced } from './reprice.ts';
import { readCorrections, openTasks } from './corrections.ts';
import { count, noTotals, type Totals } from './totals.ts';
import type { FixedPrices } from '../pricing/index.ts';

/** Prices rows as calls to one model, in their original groups. Rows of another kind of model are excluded. */
function asModel(model: string, book: FixedPrices): Pricer {
  const kind = modelKindOf(model);
  const ofModel: FixedPrices = { snapshot: (_model, ...rest) => book.snapshot(model, ...rest) };
  return (row, corrected) =>
    modelKindOf(row.model_name) === kind ? reprice(row, ofModel, corrected) : 'unpriced';
}

/** The values of the options that prices depend on. */
export type PriceValues = { readonly [Key in (typeof priceKeys)[number]]: SettingValue<Key> };

/** Charges to price again, and the prices. */
export interface Plan {
  filter: pricedRows.PricedFilter;
  values: PriceValues;
  /** Prices every row as a call to this model; otherwise each as a call to its own. */
  as?: string;
  /** Ends after about this many rows; otherwise at the last row. */
  most?: number;
}

/** Rows read by one statement; each is over in a moment. */
const rowsAtOnce = 5_000;

/** An additional row of a corrected charge, counted with the charge. */
const isCorrection = ({ type, other }: PricedRow): boolean =>
  type === logType.refund && other.includes('"rerating":');

const mayBeTask = (priced: Repriced | UnpricedReason): boolean => typeof priced === 'string' || priced.byTask;

/** Prices of values that never change, as a price book reads them. */
export const bookOf = (values: PriceValues) =>
  createFixedPrices({
    get: <Key extends SettingKey>(key: Key) =>
      (values as Partial<Record<SettingKey, unknown>>)[key] as SettingValue<Key>,
  });

/**
 * Prices the rows of a plan again and adds them up. Calls `onProgress` with the finished part (0 to 1) after each
 * batch. If it returns false, the run stops with the totals so far.
 */
export async function rehearse(
  reader: Pick<Reader, 'db' | 'rows' | 'ofArchive'>,
  { filter, values, as, most = Infinity }: Plan,
  onProgress: (done: number) => boolean | void,
): Promise<Totals> {
  const book = bookOf(values);
  const priced = as === undefined ? pricerOf(book) : asModel(as, book);
  const totals = noTotals();
  let read = 0;
  const { after: first, upTo } = await pricedRows.findIdRange(reader.db, filter);
  for (let after = first; ;) {
    const rows = await pricedRows.next(reader.db, filter, { after, upTo }, rowsAtOnce, (query, isArchive) =>
      (isArchive ? reader.ofArchive : reader.rows)(query, pricedRows.shape),
    );
    const { corrected } = await readCorrections(reader.db, rows);
    const charges = rows.filter((row) => !isCorrection(row));
    const results = charges.map((row) => ({ row, result: priced(row, corrected.get(row.id)) }));
    // Nearly all rows are known to have no task by now, so that their texts are not searched for one.
    const maybeTasks = results.filter(({ result }) => mayBeTask(result)).map(({ row }) => row);
    const open = await openTasks(reader.db, maybeTasks);
    for (const { row, result } of results) count(totals, row, open.has(row.id) ? 'task_open' : result);
    read += rows.length;
    after = rows.at(-1)?.id ?? upTo;
    if (onProgress(upTo === first ? 1 : (after - first) / (upTo - first)) === false) return totals;
    if (rows.length < rowsAtOnce || read >= most) return totals;
    await nextTurn();
  }
}
