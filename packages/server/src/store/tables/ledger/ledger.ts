import { sql } from 'kysely';
import { dialectOf, readTogether } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { LedgerTable } from '../../schema/money.ts';
import type { LogTable } from '../../schema/upkeep.ts';
import * as logs from '../logs/logs.ts';
import * as quotaData from '../logs/quota-data.ts';
import { lateTxn, recoveredNote } from '../late-entries.ts';
import { batches } from '../shared.ts';
import type { Write } from './balances.ts';

/** A row of the ledger before it has its id. */
export type LedgerEntry = Omit<LedgerTable, 'id'>;

/** A consumption row without its id, and its charge. */
export interface LogEntry {
  log: Omit<LogTable, 'id' | 'quota' | 'refunded'>;
  quota: number;
}

/** Replacement of a consumption row that was written by crash recovery. */
export interface LogCorrection {
  requestId: string;
  /** Total charge. */
  quota: number;
  /** The row as the call wrote it; null to correct only the amount. */
  log: LogEntry['log'] | null;
}

/** Growth of one row of `quota_data`. */
export interface HourEntry {
  userId: number;
  username: string;
  modelName: string;
  /** Unix seconds of the hour's start. */
  hour: number;
  tokens: number;
  count: number;
  quota: number;
}

/** The charge of a settlement in the ledger. */
export interface SettledRow {
  txn: string;
  account_id: number;
  account_delta: number;
  writeoff_delta: number;
  /** Unix seconds. */
  at: number;
  note: string;
}

/** Appends an entry unless its txn is in the ledger already; returns whether it was new. */
export const appendIfNew = (db: Db, entry: LedgerEntry): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('ledger').values(entry), ['txn']);

/** Appends entries that are known to be new; a txn that exists already fails the statement. */
export const entryWrites = (db: Db, entries: readonly LedgerEntry[]): Write[] =>
  batches(entries).map((some) => ({ query: db.insertInto('ledger').values(some).compile() }));

/** The entry of a txn, if there is one. */
/** The movements of a payer except use, newest first, from before the entry `before` on. */
export function listMovements(
  db: Db,
  accountId: number,
  { before, limit }: { before?: number | undefined; limit: number },
) {
  let rows = db
    .selectFrom('ledger')
    .leftJoin('users', 'users.id', 'ledger.actor_id')
    .select(['ledger.id', 'at', 'kind', 'account_delta', 'reward_delta', 'note', 'actor_id'])
    .select('users.username as actor_name')
    .where('ledger.account_id', '=', accountId)
    .where('kind', '<>', sql.lit('usage'))
    .where('kind', '<>', sql.lit('former'));
  if (before !== undefined) rows = rows.where('ledger.id', '<', before);
  return rows.orderBy('ledger.id', 'desc').limit(limit).execute();
}

export const findByTxn = (db: Db, txn: string) =>
  db.selectFrom('ledger').selectAll().where('txn', '=', txn).executeTakeFirst();

/** The entries of these txns. */
export async function findMany(db: Db, txns: readonly string[]) {
  const found = [];
  for (const some of batches(txns))
    found.push(...(await db.selectFrom('ledger').selectAll().where('txn', 'in', some).execute()));
  return found;
}

/** The entry of a request, with the addition of a late settlement. */
export async function findWhole(db: Db, requestId: string) {
  const entry = await findByTxn(db, requestId);
  const late = entry?.note.startsWith(recoveredNote) ? await findByTxn(db, lateTxn(requestId)) : undefined;
  if (!entry || !late) return entry;
  return {
    ...entry,
    account_delta: entry.account_delta + late.account_delta,
    writeoff_delta: entry.writeoff_delta + late.writeoff_delta,
    token_delta: entry.token_delta + late.token_delta,
  };
}

/** Sums of the entries with this prefix of names, in quota units: write-offs and former use. */
export async function sumOfNames(db: Db, start: string): Promise<{ writeoff: number; former: number }> {
  const { rows } = await sql<{ writeoff: number | string | null; former: number | string | null }>`
    select sum(writeoff_delta) as writeoff, sum(case kind when 'former' then -account_delta else 0 end) as former
    from ledger where txn like ${`${start}%`}`.execute(db);
  return { writeoff: Number(rows[0]?.writeoff ?? 0), former: Number(rows[0]?.former ?? 0) };
}

/** The settled ones of these request ids, with their settlement. */
export const findSettled = async (db: Db, txns: readonly string[]): Promise<SettledRow[]> =>
  (await readTogether(db, settledReads(db, txns)))[0];

/** The statements of `findSettled`. */
export const settledReads = (db: Db, txns: readonly string[]) =>
  batches(txns).map((some) =>
    db
      .selectFrom('ledger')
      .select(['txn', 'account_id', 'account_delta', 'writeoff_delta', 'at', 'note'])
      .where('txn', 'in', some)
      .compile(),
  );

const rowsOf = (entries: readonly LogEntry[]) => entries.map(({ log, quota }) => ({ ...log, quota }));

/** Writes consumption rows. */
export const insertLogs = (db: Db, entries: readonly LogEntry[]): Promise<void> =>
  logs.insert(db, rowsOf(entries));

/** The statements of `insertLogs`. */
export const logWrites = (db: Db, entries: readonly LogEntry[]): Write[] =>
  logs.insertions(db, rowsOf(entries)).map((query) => ({ query }));

/** Corrects consumption rows; a row that was deleted meanwhile is skipped. */
export async function correctLogs(db: Db, corrections: readonly LogCorrection[]): Promise<void> {
  for (const { requestId, quota, log } of corrections)
    await logs.correct(db, requestId, { ...explains(log), quota });
}

/** The columns that explain a charge. Time, owner and model stay, because hourly sums depend on them. */
export const explains = (log: LogEntry['log'] | null) =>
  log && {
    content: log.content,
    prompt_tokens: log.prompt_tokens,
    completion_tokens: log.completion_tokens,
    use_time: log.use_time,
    channel_id: log.channel_id,
    other: log.other,
    cost: log.cost,
  };

/** Adds to the hourly sums, in the order of their key so that two processes never wait for each other in a circle. */
export const addHours = (db: Db, hours: readonly HourEntry[]): Promise<void> =>
  quotaData.add(db, hourRows(hours));

/** The statements of `addHours`. */
export const hourWrites = (db: Db, hours: readonly HourEntry[]): Write[] =>
  quotaData.additions(db, hourRows(hours)).map((query) => ({ query }));

const hourRows = (hours: readonly HourEntry[]) =>
  hours.toSorted(byKey).map((hour) => ({
    user_id: hour.userId,
    username: hour.username,
    model_name: hour.modelName,
    created_at: hour.hour,
    token_used: hour.tokens,
    count: hour.count,
    quota: hour.quota,
  }));

function byKey(a: HourEntry, b: HourEntry): number {
  if (a.userId !== b.userId) return a.userId - b.userId;
  if (a.modelName !== b.modelName) return a.modelName < b.modelName ? -1 : 1;
  return a.hour - b.hour;
}
