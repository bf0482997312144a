import { type LogType, logType } from '@tollgate/contract';
import {
  balances,
  type BudgetLine,
  budgetRows,
  type Db,
  ledger,
  type LedgerEntry,
  readTogether,
} from '../../../../store/index.ts';
import type { Touched } from '../engines/engine.ts';

/** One transaction of the slow path. All changes of a verb are committed or rolled back with it. */
export interface VerbContext {
  /** The transaction. */
  readonly db: Db;
  /** Unix seconds. */
  readonly at: number;
  /** Filled by the verbs, so that the request path reads these rows again. */
  readonly touched: Touched;
  /** True if an earlier attempt may have been committed although its answer was lost. */
  readonly repeated: boolean;
  /** An amount of quota as text, for log rows. */
  readonly amountText: (quota: number) => string;
}

/** The log row of a movement (docs/compatibility.md#credits). */
export interface VerbLog {
  type: LogType;
  /** The text, or a function of the balance before and after. */
  content: string | ((before: number, after: number) => string);
  /** The team that owns the wallet; absent for a person's own wallet. */
  teamId?: number;
}

/** A row that a verb needs does not exist. */
export class MissingRow extends Error {
  constructor(table: string, id: number | string) {
    super(`no row ${id} in ${table}`);
    this.name = 'MissingRow';
  }
}

/** An entry without a movement. */
export const emptyEntry = {
  account_id: 0,
  user_id: 0,
  token_id: 0,
  channel_id: 0,
  account_delta: 0,
  reward_delta: 0,
  writeoff_delta: 0,
  outside_delta: 0,
  token_delta: 0,
  member_id: 0,
  member_delta: 0,
  actor_id: 0,
  note: '',
  budgets: '',
};

type EntryParts = Pick<LedgerEntry, 'txn' | 'kind'> & Partial<LedgerEntry>;

/** Appends an entry; false if its txn is already in the ledger, because the verb was done before. */
export const record = (context: VerbContext, parts: EntryParts): Promise<boolean> =>
  ledger.appendIfNew(context.db, { ...emptyEntry, at: context.at, ...parts });

/** Locks the budgets of charges, and returns the lines that they still count: their windows have not ended. */
export async function lockBudgets(
  { db, touched }: VerbContext,
  lines: readonly BudgetLine[],
): Promise<budgetRows.CountedLine[]> {
  if (lines.length === 0) return [];
  const [rows] = await readTogether(db, budgetRows.budgetLocks(db, new Set(lines.map(({ id }) => id))));
  for (const { id } of rows) touched.budgets.add(id);
  return rows.flatMap((row) => {
    const starts = new Set(lines.flatMap(({ id, start }) => (id === row.id ? [start] : [])));
    return [...starts].flatMap((start) => (budgetRows.isLineCounted(row, start) ? [{ row, start }] : []));
  });
}

/** The account that pays for a user, and the name for log rows. */
export async function findPayer(context: VerbContext, userId: number) {
  const payer = await balances.findPayer(context.db, userId);
  if (!payer) throw new MissingRow('users', userId);
  return payer;
}

/** Writes the log row of a movement, if it has one. */
export async function writeLog(
  context: VerbContext,
  userId: number,
  log: VerbLog | undefined,
  before: number,
  after: number,
): Promise<void> {
  if (!log) return;
  const { username } = await findPayer(context, userId);
  const content = typeof log.content === 'string' ? log.content : log.content(before, after);
  const row = {
    user_id: userId,
    created_at: context.at,
    type: log.type,
    content,
    username,
    token_name: '',
    model_name: '',
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: 0,
    channel_id: 0,
    token_id: 0,
    group: '',
    other: '',
    request_id: '',
    team_id: log.teamId ?? 0,
    cost: null,
    tags: null,
  };
  await ledger.insertLogs(context.db, [{ log: row, quota: 0 }]);
}

/** The type of rows about incoming money. */
export const topUpLog = (content: string): VerbLog => ({ type: logType.topup, content });
