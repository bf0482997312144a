import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { HoldTable } from '../../schema/money.ts';
import { lateHours } from '../logs/hours/marks.ts';
import { type AccountChange, type MeterChange, type TokenChange, StaleBooks } from './balances.ts';
import { type BudgetChange, type BudgetFigures, isBudgetChanged } from './budget-lines.ts';
import type { HoldChange } from './holds.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import {
  explains,
  type HourEntry,
  type LedgerEntry,
  type LogCorrection,
  type LogEntry,
  type SettledRow,
} from './ledger.ts';
import { rowsAtOnce, sqliteLedgerSql as text } from './ledger-sql-sqlite.ts';

type Statements = Record<keyof typeof text, StatementSync>;

/**
 * The ledger's batches on SQLite without a query builder in between: a handful of prepared statements on the store's
 * one connection, called inside `store.sqlite.exclusive`. About four times cheaper than the portable form.
 */
export class SqliteLedger {
  private db: DatabaseSync | undefined;
  private statements: Statements | undefined;

  /** Statements live as long as their connection. */
  private prepared(db: DatabaseSync): Statements {
    if (this.db === db && this.statements) return this.statements;
    const statements = Object.fromEntries(
      Object.entries(text).map(([name, sql]) => [name, db.prepare(sql)]),
    ) as Statements;
    this.db = db;
    this.statements = statements;
    return statements;
  }

  /**
   * Writes a batch in one transaction that is committed but not yet synced to disk: call WalSync afterwards. Throws
   * StaleBooks if a row differs from the plan of the batch, and the errors of SQLite; nothing is written then.
   */
  write(db: DatabaseSync, batch: LedgerBatch): void {
    const run = this.prepared(db);
    // NORMAL leaves the sync of the WAL to WalSync, which does not block; every other writer keeps FULL.
    db.exec('pragma synchronous = normal');
    try {
      run.begin.run();
      writeRows(run, batch);
      run.commit.run();
    } finally {
      if (db.isTransaction) db.exec('rollback');
      db.exec('pragma synchronous = full');
    }
  }

  readAccount(db: DatabaseSync, id: number) {
    return this.prepared(db).readAccount.get(id) as
      | { id: number; balance: number; held: number; next_expiry: number; expired: number }
      | undefined;
  }

  readToken(db: DatabaseSync, id: number) {
    return this.prepared(db).readToken.get(id) as
      | { id: number; remain_quota: number; held: number; unlimited_quota: number }
      | undefined;
  }

  readMember(db: DatabaseSync, id: number) {
    return this.prepared(db).readMember.get(id) as
      | { id: number; remain_quota: number; held: number; unlimited_quota: number }
      | undefined;
  }

  readBudget(db: DatabaseSync, id: number) {
    return this.prepared(db).readBudget.get(id) as BudgetFigures | undefined;
  }

  readHold(db: DatabaseSync, requestId: string) {
    return this.prepared(db).readHold.get(requestId) as HoldTable | undefined;
  }

  readSettled(db: DatabaseSync, requestId: string) {
    return this.prepared(db).readSettled.get(requestId) as SettledRow | undefined;
  }
}

function writeRows(run: Statements, batch: LedgerBatch): void {
  for (const account of batch.accounts) writeAccount(run, account);
  for (const token of batch.tokens) writeToken(run, token);
  for (const member of batch.members) writeMember(run, member);
  for (const budget of batch.budgets) writeBudget(run, budget);
  for (const { budgetId, windowStart, share } of batch.reached.values())
    run.addWarning.run(budgetId, windowStart, share);
  insertAll(batch.entries, valuesOfEntry, run.insertEntry, run.insertEntries);
  for (const hold of batch.holds) writeHold(run, hold);
  for (const [id, user] of batch.users) run.addToUser.run(user.quota, user.requests, id);
  for (const [id, quota] of batch.channels) run.addToChannel.run(quota, id);
  for (const hour of batch.hours.values()) writeHour(run, hour);
  for (const hour of lateHours(batch.logs.map(({ log }) => log.created_at))) run.markHour.run(hour);
  insertAll(batch.logs, valuesOfLog, run.insertLog, run.insertLogs);
  for (const correction of batch.corrections) correctLog(run, correction);
}

function writeAccount(run: Statements, account: AccountChange): void {
  const { id, storedBalance, storedHeld, nextExpiry, expired } = account;
  const balance = account.balance - storedBalance;
  const held = account.held - storedHeld;
  if (balance === 0 && held === 0) return;
  const { changes } = run.addToAccount.run(balance, held, id, storedBalance, storedHeld, nextExpiry, expired);
  if (changes !== 1) throw new StaleBooks('account', id);
}

function writeToken(run: Statements, token: TokenChange): void {
  const { id, storedRemain, storedHeld, used, accessedAt } = token;
  const remain = token.remain - storedRemain;
  const held = token.held - storedHeld;
  if (remain === 0 && held === 0 && used === 0 && accessedAt === 0) return;
  const unlimited = token.unlimited ? 1 : 0;
  const values: SQLInputValue[] = [remain, held, used, accessedAt, accessedAt];
  values.push(id, storedRemain, storedHeld, unlimited);
  const { changes } = run.addToToken.run(...values);
  if (changes !== 1) throw new StaleBooks('token', id);
}

function writeMember(run: Statements, member: MeterChange): void {
  const { id, storedRemain, storedHeld, used } = member;
  const remain = member.remain - storedRemain;
  const held = member.held - storedHeld;
  if (remain === 0 && held === 0 && used === 0) return;
  const unlimited = member.unlimited ? 1 : 0;
  const { changes } = run.addToMember.run(remain, held, used, id, storedRemain, storedHeld, unlimited);
  if (changes !== 1) throw new StaleBooks('member', id);
}

function writeBudget(run: Statements, budget: BudgetChange): void {
  if (!isBudgetChanged(budget)) return;
  const { id, amount, used, held, calls, storedUsed, storedHeld, storedCalls, storedStart } = budget;
  const values: SQLInputValue[] = [used, held, calls, budget.windowStart, budget.windowEnd, budget.parts];
  values.push(id, storedUsed, storedHeld, storedCalls, storedStart, budget.storedParts, amount, budget.mode);
  const { changes } = run.writeBudget.run(...values);
  if (changes !== 1) throw new StaleBooks('budget', id);
}

function writeHold(run: Statements, { row, newRequest, stored, open }: HoldChange): void {
  if (stored) {
    const { changes } = open ? updateHold(run, row, newRequest) : run.deleteHold.run(row.request_id);
    // Recovery has ended it. A hold of nothing changes no other row that would tell.
    if (changes !== 1) throw new StaleBooks('hold', row.request_id);
  } else if (open) {
    const { request_id, account_id, user_id, token_id, channel_id } = row;
    const values: SQLInputValue[] = [request_id, account_id, user_id, token_id, channel_id];
    values.push(row.amount, row.token_amount, row.member_id, row.member_amount);
    values.push(row.progress, row.at, row.node, newRequest ?? row.request, row.budgets);
    run.insertHold.run(...values);
  }
}

function updateHold(run: Statements, row: HoldTable, newRequest: string | undefined) {
  const { amount, token_amount, member_amount, progress, budgets, request_id } = row;
  const request = newRequest ?? null;
  return run.updateHold.run(amount, token_amount, member_amount, progress, budgets, request, request_id);
}

/** Writes rows in their order, many with one statement if possible. */
function insertAll<T>(
  rows: readonly T[],
  addValues: (values: SQLInputValue[], row: T) => void,
  one: StatementSync,
  many: StatementSync,
): void {
  const whole = rows.length - (rows.length % rowsAtOnce);
  let values: SQLInputValue[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    addValues(values, rows[at]!);
    if (at < whole && (at + 1) % rowsAtOnce !== 0) continue;
    (at < whole ? many : one).run(...values);
    values = [];
  }
}

function valuesOfEntry(values: SQLInputValue[], entry: LedgerEntry): void {
  values.push(entry.txn, entry.kind, entry.at);
  values.push(entry.account_id, entry.user_id, entry.token_id, entry.channel_id);
  values.push(entry.account_delta, entry.reward_delta, entry.writeoff_delta, entry.outside_delta);
  values.push(entry.token_delta, entry.member_id, entry.member_delta, entry.actor_id, entry.note);
  values.push(entry.budgets);
}

function writeHour(run: Statements, hour: HourEntry): void {
  const { userId, username, modelName, tokens, count, quota } = hour;
  run.addToHour.run(userId, username, modelName, hour.hour, tokens, count, quota);
}

function correctLog(run: Statements, { requestId, quota, log }: LogCorrection): void {
  run.markCorrected.run(requestId);
  const columns = explains(log);
  if (run.correctQuota.run(quota, requestId).changes === 0)
    run.deferChange.run(requestId, JSON.stringify({ ...columns, quota }));
  if (columns) run.correctLog.run(...Object.values(columns), requestId);
}

function valuesOfLog(values: SQLInputValue[], { log, quota }: LogEntry): void {
  values.push(log.user_id, log.created_at, log.type, log.content);
  values.push(log.username, log.token_name, log.model_name, quota);
  values.push(log.prompt_tokens, log.completion_tokens, log.use_time, log.is_stream);
  values.push(
    log.channel_id,
    log.token_id,
    log.group,
    log.other,
    log.request_id,
    log.team_id,
    log.cost,
    log.tags,
  );
}
