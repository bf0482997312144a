import type { Words } from '@tollgate/contract';
import { wallTime } from '../../../../lib/calendar-windows.ts';
import { type Db, invoices, type topUps, users } from '../../../../store/index.ts';
import type { VerbContext } from './context.ts';

/** Who sells, and how documents are numbered. Each document keeps it as it was. */
export interface InvoiceIssuer {
  name: string;
  address: string;
  /** '' for none. */
  taxId: string;
  /** Text below the sums; '' for none. */
  footer: string;
  /** Before the year in numbers; '' for none. */
  prefix: string;
  /** IANA name: the zone of dates and years. */
  timeZone: string;
  /** Quota units of a dollar of credit. */
  perUnit: number;
}

/** A part of a payment that was paid back, and the whole payment with its taxes, in one unit. */
export interface PaidBack {
  part: number;
  whole: number;
}

/** What is left of a sale of which a part was paid back before it was credited, rounded down. */
export function keepRest(
  { quota, money, tax }: { quota: number; money: string; tax?: string | undefined },
  back: PaidBack | undefined,
): { quota: number; money: string; tax?: string | undefined } {
  if (!back) return { quota, money, tax };
  const { part, whole } = back;
  const rest = Math.max(0, whole - part);
  return {
    quota: Number((BigInt(quota) * BigInt(rest)) / BigInt(whole)),
    money: shareOf(money, rest, whole),
    tax: tax && shareOf(tax, rest, whole),
  };
}

/** What is known about a sale besides its order. */
export interface Sale {
  issuer: InvoiceIssuer;
  /** Taxes that were paid on top, as decimal text; absent if there are none or they are unknown. */
  tax?: string | undefined;
  /** The plan that a period belongs to. */
  plan?: Words;
}

/** What a document says. It never changes. */
export interface InvoiceFacts extends Sale {
  /** Its printed number, as in `2026-000001`. */
  code: string;
  /** Day of the issuer's zone: `2026-11-30`. */
  date: string;
  buyer: { name: string; email: string };
  tradeNo: string;
  /** Credit that was sold, or taken back, in quota units. */
  quota: number;
  /** Paid, or paid back, without `tax`: decimal text with two places. */
  money: string;
  /** In lower case; '' for that of epay. */
  currency: string;
  /** The invoice that a credit note is about. */
  about?: { code: string; date: string };
}

type Order = Pick<topUps.TopUpRow, 'trade_no' | 'user_id' | 'quota' | 'money' | 'currency'>;

/** Numbers the invoice of a paid order, as the last step of the transaction that credits it. */
export async function writeInvoice(
  context: VerbContext,
  { trade_no: tradeNo, user_id: userId, quota, money, currency }: Order,
  sale: Sale,
): Promise<void> {
  const buyer = await users.find(context.db, userId);
  if (!buyer) throw new Error(`the order ${tradeNo} has no buyer`);
  const name = buyer.display_name || buyer.username;
  const facts = { ...sale, buyer: { name, email: buyer.email }, tradeNo, quota, money, currency };
  await number(context, 'invoice', facts);
}

/** What was taken back. */
interface Refund {
  quota: number;
  /** True if the payment was paid back in full, with taxes, however much credit was left. */
  inFull: boolean;
  /** The issuer now; by default that of the invoice. */
  issuer: InvoiceIssuer | undefined;
  /** Hundredths that were paid back; by default the share of what was taken. */
  paid?: bigint | null | undefined;
}

/** Numbers the credit note of an order with an invoice, as the last step of the transaction that takes its credit back. */
export async function writeCreditNote(
  context: VerbContext,
  tradeNo: string,
  { quota, inFull, issuer, paid }: Refund,
): Promise<void> {
  const invoice = await findFacts(context.db, tradeNo, 'invoice');
  if (!invoice) throw new Error(`the order ${tradeNo} has no invoice`);
  const { code, date, tax, ...facts } = invoice;
  const money = typeof paid === 'bigint' ? textOf(paid) : shareOf(facts.money, quota, facts.quota);
  await number(context, 'credit_note', {
    ...facts,
    issuer: issuer ?? facts.issuer,
    quota,
    ...(inFull ? { tax } : { money }),
    about: { code, date },
  });
}

/** A part of an amount of money, rounded down to hundredths. */
const shareOf = (money: string, part: number, whole: number): string =>
  textOf((BigInt(Math.round(Number(money) * 100)) * BigInt(part)) / BigInt(whole));

const textOf = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

async function number(
  { db, at }: VerbContext,
  series: invoices.InvoiceSeries,
  facts: Omit<InvoiceFacts, 'code' | 'date'>,
): Promise<void> {
  const date = wallTime(facts.issuer.timeZone, at).slice(0, 10);
  const year = Number(date.slice(0, 4));
  const taken = await invoices.takeNumber(db, series, year);
  const digits = String(taken).padStart(6, '0');
  // The letter keeps the printed numbers of both series apart, whatever the prefix.
  const code = `${facts.issuer.prefix}${year}-${series === 'invoice' ? '' : 'C'}${digits}`;
  const stored: InvoiceFacts = { ...facts, code, date };
  const row = { series, year, number: taken, trade_no: facts.tradeNo, facts: JSON.stringify(stored) };
  await invoices.create(db, row, code);
}

/** What a document of an order says; undefined if there is none. */
export async function findFacts(
  db: Db,
  tradeNo: string,
  series: invoices.InvoiceSeries,
): Promise<InvoiceFacts | undefined> {
  const row = await invoices.find(db, tradeNo, series);
  // Written by `number` alone.
  return row && (JSON.parse(row.facts) as InvoiceFacts);
}
