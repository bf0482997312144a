import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Bill, recomputeQuota, product } from '@tollgate/contract';

/** A consumption row with the ledger's charge; null if nothing was charged, for example for a test of a channel. */
interface BillRow {
  request_id: string;
  quota: number;
  other: string;
  charged: number | null;
  lost: number | null;
}

/** Every consumption row of a site's database. */
function rowsOf(folder: string): BillRow[] {
  const database = new DatabaseSync(join(folder, `${product.id}.db`), { readOnly: true });
  try {
    return database
      .prepare(
        `select g.request_id, g.quota, g.other, -l.account_delta as charged, -l.writeoff_delta as lost
         from logs g left join ledger l on l.txn = g.request_id and l.kind = 'usage' where g.type = 2`,
      )
      .all() as unknown as BillRow[];
  } finally {
    database.close();
  }
}

/** Describes the fault of a row; '' if its own lines and the ledger both give its charge. */
function faultOf({ request_id: id, quota, other, charged, lost }: BillRow): string {
  const { receipt } = JSON.parse(other) as { receipt?: Pick<Bill, 'terms' | 'minimum'> };
  if (!receipt) return `${id}: the row does not say what it charges for`;
  const computed = recomputeQuota(receipt);
  if (charged !== null && charged !== quota) return `${id}: the row says ${quota}, the ledger ${charged}`;
  const asked = quota + (lost ?? 0);
  return computed === asked ? '' : `${id}: its lines give ${computed}, charged were ${asked}`;
}

/**
 * Recomputes every charge of a stopped site from its log rows and throws if one differs. Appends the number of charges to
 * the file that BILLS_FILE names: a run of journeys without charges has checked nothing.
 */
export function checkBills(folder: string): void {
  const rows = rowsOf(folder);
  const wrong = rows.map(faultOf).filter((fault) => fault !== '');
  if (wrong.length > 0) throw new Error(`bills that do not compute:\n${wrong.join('\n')}`);
  const file = process.env.BILLS_FILE;
  if (file) appendFileSync(file, `${rows.length}\n`);
}

/** Number of charges that the sites of this run have checked. */
export const checkedBills = (file: string): number =>
  readFileSync(file, 'utf8')
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
