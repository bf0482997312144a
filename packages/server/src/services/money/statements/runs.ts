import type { RunStatement } from '@tollgate/contract';
import { bookWindows, type Db, ledgerMonths, runs } from '../../../store/index.ts';

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
 * time of the run is read. Empty for an unknown path.
 */
export async function readRunStatement(
  reports: Db,
  userId: number,
  { run: path, after: asked }: { run: string; after: number },
): Promise<RunStatement> {
  const [run] = await runs.find(reports, userId, [path]);
  if (!run) return { run: path, charged: 0, calls: 0, entries: [], next: null };
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
  return { run: path, charged: run.used, calls: run.calls, entries, next: after < newest ? after : null };
}
