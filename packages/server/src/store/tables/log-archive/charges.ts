import { logType } from '@tollgate/contract';
import { sql } from 'kysely';
import { ArchiveUnavailable } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { lateDelta } from '../late-entries.ts';
import { readOn, type Side, findSides } from './sides.ts';
import { batches } from '../shared.ts';

/** The charge by a settlement's log rows, and by the ledger. Quota units. */
export interface LoggedCharge {
  txn: string;
  times: number;
  logged: number;
  charged: number;
  /** The refund by the charge's row, and by the additional rows. */
  stored: number;
  computed: number;
}

/**
 * Of the entries with ids above `after`, up to `upTo`: those with a charge only in the archive of the log that
 * differs. If the main database has the charge, it has all additional rows too and is checked there. None while the
 * archive is unavailable; a later check of all entries repeats it.
 */
export async function misloggedInArchive(
  db: Db,
  { after, upTo }: { after: number; upTo: number },
): Promise<LoggedCharge[]> {
  const [, archive] = await findSides(db);
  if (!archive) return [];
  try {
    return await lookAt(db, archive, { after, upTo });
  } catch (error) {
    if (error instanceof ArchiveUnavailable) return [];
    throw error;
  }
}

async function lookAt(
  db: Db,
  archive: Side,
  { after, upTo }: { after: number; upTo: number },
): Promise<LoggedCharge[]> {
  const { rows: entries } = await sql<{ txn: string; taken: number | string }>`
    select l.txn as txn, -(l.account_delta + ${lateDelta('l')}) as taken from ledger l
    where l.id > ${after} and l.id <= ${upTo} and l.kind = 'usage'`.execute(db);
  const found: LoggedCharge[] = [];
  for (const part of batches(entries)) {
    const txns = part.map(({ txn }) => txn);
    // The main database first: rows that leave it meanwhile are in the archive by then.
    const here = await selectRows(db, txns);
    const there = await readOn(archive, (side) => selectRows(side.db, txns));
    const rows = [...new Map([...there, ...here].map((row) => [row.id, row])).values()];
    const byTxn = Map.groupBy(rows, (row) => row.request_id);
    const inMain = new Set(
      here.flatMap(({ type, request_id: txn }) => (type === logType.consume ? txn : [])),
    );
    for (const { txn, taken } of part) {
      if (inMain.has(txn)) continue;
      const figures = figuresOf(byTxn.get(txn) ?? []);
      if (figures && isWrong({ ...figures, txn, charged: Number(taken) }))
        found.push({ ...figures, txn, charged: Number(taken) });
    }
  }
  return dropPending(db, found);
}

type Row = Awaited<ReturnType<typeof selectRows>>[number];

const selectRows = (db: Db, txns: readonly string[]) =>
  db
    .selectFrom('logs')
    .select(['id', 'type', 'request_id', 'quota', 'refunded'])
    .where('request_id', 'in', txns)
    .where('type', 'in', [sql.lit(logType.consume), sql.lit(logType.refund)])
    .execute();

function figuresOf(rows: readonly Row[]) {
  const charges = rows.filter(({ type }) => type === logType.consume);
  const [charge] = charges;
  if (!charge) return undefined;
  const beside = rows.filter(({ type }) => type === logType.refund);
  return {
    times: charges.length,
    logged: charge.quota,
    stored: charge.refunded,
    computed: beside.reduce((sum, { quota }) => sum + quota, 0),
  };
}

const isWrong = ({ times, logged, charged, stored, computed }: LoggedCharge): boolean =>
  times > 1 || logged !== charged || stored !== computed;

/** Excludes changes that the next round applies in the archive. */
async function dropPending(db: Db, found: readonly LoggedCharge[]): Promise<LoggedCharge[]> {
  const waiting = new Set<string>();
  for (const part of batches(found.map(({ txn }) => txn))) {
    const changes = await db
      .selectFrom('log_changes')
      .select('request_id')
      .where('request_id', 'in', part)
      .execute();
    for (const change of changes) waiting.add(change.request_id);
  }
  return found.filter(({ txn }) => !waiting.has(txn));
}
