import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { InvoiceTable } from '../schema/money.ts';
import { countOf } from './shared.ts';

export type InvoiceRow = Selectable<InvoiceTable>;
/** Documents with numbers of their own. */
export type InvoiceSeries = 'invoice' | 'credit_note';

/**
 * Takes the next number of a series in a year, from 1 on. Its row stays locked until the transaction ends, and a rollback
 * gives the number back: there are no gaps. Take it last, so that others wait briefly.
 */
export async function takeNumber(db: Db, series: InvoiceSeries, year: number): Promise<number> {
  if (!(await countOne(db, series, year))) {
    const first = db.insertInto('invoice_numbers').values({ series, year, last: 0 });
    await dialectOf(db).insertIfNew(first, ['series', 'year']);
    if (!(await countOne(db, series, year))) throw new Error(`no numbers of ${series} in ${year}`);
  }
  const { last } = await db
    .selectFrom('invoice_numbers')
    .select('last')
    .where('series', '=', series)
    .where('year', '=', year)
    .executeTakeFirstOrThrow();
  return last;
}

async function countOne(db: Db, series: InvoiceSeries, year: number): Promise<boolean> {
  const result = await db
    .updateTable('invoice_numbers')
    .set((e) => ({ last: e('last', '+', 1) }))
    .where('series', '=', series)
    .where('year', '=', year)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Stores a document and its printed number at the order, in the transaction of its number. */
export async function create(
  db: Db,
  row: InvoiceRow & { series: InvoiceSeries },
  code: string,
): Promise<void> {
  await db.insertInto('invoices').values(row).execute();
  await db
    .updateTable('top_ups')
    .set(row.series === 'invoice' ? { invoice: code } : { credit_note: code })
    .where('trade_no', '=', row.trade_no)
    .execute();
}

/** A document of an order. */
export const find = (db: Db, tradeNo: string, series: InvoiceSeries): Promise<InvoiceRow | undefined> =>
  db
    .selectFrom('invoices')
    .selectAll()
    .where('trade_no', '=', tradeNo)
    .where('series', '=', series)
    .executeTakeFirst();
