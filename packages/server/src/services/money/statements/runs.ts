import type { CsvValue, RunStatement } from '@tollgate/contract';
import { bookWindows, type Db, ledgerMonths, type RunRow } from '../../../store/index.ts';

/** Ids of the ledger read per statement, and per page. */
const idsAtOnce = 20_000;
const idsPerPage = 400_000;
/** Entries after which a page ends. */
const pageEntries = 200;
/** Seconds by which the times of entries may lag behind their ids. */
const lag = 600;

/** Parts of the names of entries beside a request id: `late:<request>`, `rerate:<correction>:<row>`, `task:<id>:refund`. */
const requestOf = (kind: string, txn: string): string => (kind === 'usage' ? txn.replace(/^late:/, '') : '');

/**
 * A page of the entries of a run and its sub-runs, which name it in the ledger. Only the part of the ledger from the
 * time of the run is read.
 */
export async function readRunStatement(reports: Db, run: RunRow, asked: number): Promise<RunStatement> {
  const newest = await bookWindows.newestId(reports);
  const first = await ledgerMonths.firstIdAt(reports, run.window_start - lag, newest);
  const start = Math.max(asked, first - 1);
  const entries: RunStatement['entries'] = [];
  let after = start;
  while (after < newest && after < start + idsPerPage && entries.length < pageEntries) {
    const upTo = Math.min(after + idsAtOnce, newest);
    for (const row of await ledgerMonths.ofBudget(reports, run.id, { after, upTo }))
      entries.push({
        at: row.at,
        kind: row.kind,
        amount: row.account_delta,
        request_id: requestOf(row.kind, row.txn),
      });
    after = upTo;
  }
  return { run: run.run, charged: run.used, calls: run.calls, entries, next: after < newest ? after : null };
}

/** Lines of the receipt of a run for spreadsheets: each entry, and their sum. */
export async function* runLines(
  reports: Db,
  run: RunRow,
  dollars: (quota: number) => string,
): AsyncGenerator<CsvValue[]> {
  yield ['time', 'kind', 'amount_usd', 'quota', 'request_id'];
  let sum = 0;
  for (let after: number | null = 0; after !== null;) {
    const page: RunStatement = await readRunStatement(reports, run, after);
    for (const { at, kind, amount, request_id: request } of page.entries) {
      sum += amount;
      yield [new Date(at * 1_000).toISOString(), kind, dollars(amount), amount, request];
    }
    after = page.next;
  }
  yield ['', 'sum', dollars(sum), sum, ''];
}
