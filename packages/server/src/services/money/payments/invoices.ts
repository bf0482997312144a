import { AppError, exactMoney, fillWords, type InvoiceData, type Language } from '@tollgate/contract';
import { type Paper, writePdf } from '../../../lib/pdf/pdf.ts';
import { type Db, type invoices, topUps } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { findFacts, type InvoiceFacts, type InvoiceIssuer } from '../ledger/index.ts';
import { moneyText, readMoney } from './money.ts';

const texts = {
  invoice: { zh: '发票 {code}', en: 'Invoice {code}' },
  credit_note: { zh: '贷项通知单 {code}', en: 'Credit note {code}' },
  date: { zh: '日期：{date}', en: 'Date: {date}' },
  about: { zh: '针对 {date} 的发票 {code}', en: 'For invoice {code} of {date}' },
  order: { zh: '订单：{order}', en: 'Order: {order}' },
  taxId: { zh: '税号：{id}', en: 'Tax id: {id}' },
  buyer: { zh: '买方：{buyer}', en: 'Bill to: {buyer}' },
  item: { zh: '项目', en: 'Item' },
  amount: { zh: '金额（{currency}）', en: 'Amount ({currency})' },
  credit: { zh: '{credit} 额度', en: '{credit} of credit' },
  plan: { zh: '套餐“{plan}”：{credit} 额度', en: 'Plan “{plan}”: {credit} of credit' },
  tax: { zh: '税款', en: 'Taxes' },
  paid: { zh: '合计，已付', en: 'Total, paid' },
  paidBack: { zh: '合计，退还', en: 'Total, paid back' },
  page: { zh: '第 {page} 页，共 {pages} 页', en: 'Page {page} of {pages}' },
};

/** The seller of invoices; undefined while there are none, because it is not filled in. */
export function invoiceIssuer(settings: Pick<Settings, 'get'>): InvoiceIssuer | undefined {
  const name = settings.get('invoice.seller_name');
  const address = settings.get('invoice.seller_address').join('\n');
  if (name === '' || address === '') return undefined;
  return {
    name,
    address,
    taxId: settings.get('invoice.seller_tax_id'),
    footer: settings.get('invoice.footer'),
    prefix: settings.get('invoice.prefix'),
    timeZone: settings.get('AlarmTimeZone'),
    perUnit: settings.get('QuotaPerUnit'),
  };
}

/** A document of an order. */
export interface AskedInvoice {
  tradeNo: string;
  kind: invoices.InvoiceSeries;
  /** The buyer that asks; absent for an administrator, who may read all. */
  userId?: number;
}

/** A document, and its page as PDF. */
export interface ReadInvoice {
  data: InvoiceData;
  /** Throws `server_busy` if too many are being written. */
  pdf(language: Language): Promise<Buffer>;
}

/** Reads a document. Throws `row_not_found`. `now` is the time of a file, in Unix seconds. */
export async function readInvoice(
  db: Db,
  { tradeNo, kind, userId }: AskedInvoice,
  now: number,
): Promise<ReadInvoice> {
  const order = await topUps.findByTradeNo(db, tradeNo);
  if (!order || order[kind] === '' || (userId !== undefined && order.user_id !== userId))
    throw new AppError('row_not_found');
  const facts = await findFacts(db, tradeNo, kind);
  if (!facts) throw new Error(`the ${kind} of the order ${tradeNo} is gone`);
  return {
    data: showInvoice(facts),
    async pdf(language) {
      const file = await writePdf(invoicePaper(facts, language, now));
      if (!file) throw new AppError('server_busy');
      return file;
    },
  };
}

const showInvoice = ({ issuer, buyer, ...facts }: InvoiceFacts): InvoiceData => ({
  number: facts.code,
  date: facts.date,
  about: facts.about?.code ?? '',
  seller: issuer.name,
  seller_address: issuer.address,
  seller_tax_id: issuer.taxId,
  buyer: buyer.name,
  buyer_email: buyer.email,
  trade_no: facts.tradeNo,
  quota: facts.quota,
  money: facts.money,
  tax: facts.tax ?? '',
  currency: facts.currency,
});

/** A document on paper. */
function invoicePaper(facts: InvoiceFacts, language: Language, now: number): Paper {
  const { issuer, buyer, about, plan, tax, code, quota } = facts;
  const say = (text: keyof typeof texts, values: Record<string, string> = {}) =>
    fillWords(texts[text][language], values);
  const credit = exactMoney([quota], issuer.perUnit)(quota);
  const item = plan ? say('plan', { plan: plan[language], credit }) : say('credit', { credit });
  const total = moneyText((readMoney(facts.money) ?? 0n) + (readMoney(tax ?? '0') ?? 0n));
  return {
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
    title: say(about ? 'credit_note' : 'invoice', { code }),
    lines: [
      issuer.name,
      issuer.address,
      ...(issuer.taxId === '' ? [] : [say('taxId', { id: issuer.taxId })]),
      ' ',
      say('buyer', { buyer: [buyer.name, buyer.email].filter((part) => part !== '').join(', ') }),
      say('date', { date: facts.date }),
      ...(about ? [say('about', about)] : []),
      say('order', { order: facts.tradeNo }),
    ],
    tables: [
      {
        title: '',
        columns: [
          { title: say('item'), share: 7, align: 'left' },
          // Epay has no name for its currency; the console shows the same.
          {
            title: say('amount', { currency: (facts.currency || 'cny').toUpperCase() }),
            share: 3,
            align: 'right',
          },
        ],
        rows: [
          { cells: [item, facts.money] },
          ...(tax === undefined ? [] : [{ cells: [say('tax'), tax] }]),
          { cells: [say(about ? 'paidBack' : 'paid'), total], strong: true },
          ...(issuer.footer === '' ? [] : [{ cells: [issuer.footer, ''] }]),
        ],
      },
    ],
    footer: say('page'),
    at: now,
  };
}
