import { AppError } from '@tollgate/contract';
import { receipts } from '../../../store/index.ts';
import type { ChainDeps } from './chain.ts';
import { canonical, hashOf, lineOf, type MonthBody, readBody, signBody } from './document.ts';
import { listKeys, signingKey } from './keys.ts';

const receiptsPerPage = 200;

/** A month of a wallet. Times are Unix seconds; `to` is not included. */
export interface ReceiptMonth {
  accountId: number;
  month: string;
  timeZone: string;
  from: number;
  to: number;
}

/**
 * The lines of a month's file: a signed head, and the receipts in the order of the chain. Throws `row_not_found` if the site
 * has never signed a receipt.
 */
export async function* monthLines(deps: ChainDeps, asked: ReceiptMonth): AsyncGenerator<string> {
  const { db, reports, sealer } = deps;
  if ((await listKeys(db)).length === 0) throw new AppError('row_not_found');
  const { kid, key, sealed_at } = await signingKey(db, sealer, deps.now());
  const head = await headOf(deps, asked);
  const body = canonical({ ...head, kid, sealed_at });
  yield `${lineOf({ body, signature: await signBody(key, body) })}\n`;
  for (let first = head.first; first <= head.last; first += receiptsPerPage) {
    const last = Math.min(head.last, first + receiptsPerPage - 1);
    const rows = await receipts.page(reports, asked.accountId, first, last);
    yield rows.map((row) => `${lineOf(row)}\n`).join('');
  }
}

async function headOf(
  { reports }: ChainDeps,
  { accountId, month, timeZone, from, to }: ReceiptMonth,
): Promise<Omit<MonthBody, 'kid' | 'sealed_at'>> {
  const after = (await receipts.sealedUpTo(reports)) ?? 0;
  const pending = await receipts.countWaiting(reports, accountId, { from, to, after });
  const about = { v: 1, type: 'month', account: accountId, month, time_zone: timeZone, from, to } as const;
  const part = await receipts.partOf(reports, accountId, { from, to });
  if (!part) {
    const before = await receipts.lastBefore(reports, accountId, from);
    const balance = before ? readBody(before.body).balance : null;
    const last = before?.seq ?? 0;
    const prev = before ? hashOf(before.body) : '';
    return {
      ...about,
      first: last + 1,
      last,
      prev,
      opening: balance,
      closing: balance,
      charged: 0,
      moved: 0,
      pending,
    };
  }
  const [first] = await receipts.page(reports, accountId, part.first, part.first);
  const [last] = await receipts.page(reports, accountId, part.last, part.last);
  const { prev, balance, amount } = readBody(first!.body);
  const opening = balance - amount;
  return { ...about, ...part, prev, opening, closing: readBody(last!.body).balance, pending };
}
