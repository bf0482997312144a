import type { BudgetUnit } from '@tollgate/contract';
import type { CalendarPeriod } from '../../../../lib/calendar-windows.ts';
import {
  budgetRows,
  type HoldTable,
  type HourEntry,
  type idempotentCalls,
  type LedgerEntry,
  type LogCorrection,
  type LogEntry,
  recoveredNote,
  type SettledRow,
} from '../../../../store/index.ts';
import type { ReserveOp } from './ops.ts';

const { sharesOf } = budgetRows;

/** A payer in the plan: the present figures, and those of the row to overwrite. */
export interface AccountEntry {
  readonly id: number;
  balance: number;
  held: number;
  storedBalance: number;
  storedHeld: number;
  /** Unix seconds of the first expiry of a grant; 0 for none. */
  readonly nextExpiry: number;
  /** Quota units of the balance that only calls from before an expiry may use. */
  readonly expired: number;
  /** True if another operation may have changed the row: it is read again before use. */
  stale: boolean;
  /** Unix ms of the last reading. */
  readAt: number;
}

/** A limit beside the balance: a token's allowance, or the rest of a member's limit. */
export interface MeterEntry {
  readonly id: number;
  remain: number;
  held: number;
  unlimited: boolean;
  /** Growth of `used_quota` that is not written yet. */
  used: number;
  storedRemain: number;
  storedHeld: number;
  stale: boolean;
  readAt: number;
}

/** A token's allowance. */
export interface TokenEntry extends MeterEntry {
  /** Unix seconds of the last settlement that is not written yet; 0 for none. */
  accessedAt: number;
}

/** A budget in the plan: the present figures, and those of the row to overwrite. */
export interface BudgetEntry {
  readonly id: number;
  readonly name: string;
  /** What `amount`, `used` and `held` count. */
  readonly unit: BudgetUnit;
  /** The limit for one window. */
  readonly amount: number;
  readonly mode: string;
  /** True for a limit that refuses calls; otherwise it only counts. */
  readonly isHard: boolean;
  /** The model of calls that do not fit; '' to refuse them. */
  readonly instead: string;
  /** Shares that are warned of, in percent. */
  readonly shares: readonly number[];
  /** Undefined for a budget with a single period. */
  readonly period: CalendarPeriod | undefined;
  /** True for a run: its only window counts running calls to their end. */
  readonly isRun: boolean;
  /** Calls in a window; 0 for no limit, and then they are not counted. */
  readonly maxCalls: number;
  readonly timeZone: string;
  /** Use by part of a sliding window, as its row has it; null for another window. */
  parts: string | null;
  used: number;
  held: number;
  /** Charged and running calls. */
  calls: number;
  /** Unix seconds, as are all times here. Of a sliding window, those of its newest part. */
  windowStart: number;
  windowEnd: number;
  storedUsed: number;
  storedHeld: number;
  storedCalls: number;
  storedStart: number;
  storedParts: string | null;
  stale: boolean;
  /** Unix ms. */
  readAt: number;
}

/** A hold, and the difference to its row: a hold that was never stored and has ended leaves no trace. */
export interface HoldEntry {
  readonly row: HoldTable;
  /**
   * The text of an unwritten mark. Each mark replaces it; if all were kept beside the hold, they would reach the old
   * generation and be collected late by the garbage collector.
   */
  newRequest: string | undefined;
  /** The row is in the database. */
  stored: boolean;
  /** False once settled or released. */
  open: boolean;
  /** The step that took it; undefined once that is written. */
  by: ReserveOp | undefined;
  /** Time by performance.now() until which no caller waits for it; 0 for a hold with a waiting caller. */
  readonly deferredUntil: number;
}

/** The charge that recovery made at a progress mark; a late settlement of the same call starts from it. */
export interface Recovered {
  /** Quota units of its hold: the maximum of the total charge. */
  hold: number;
  /** Unix seconds of its hold, for its hourly sums. */
  at: number;
  /** Tokens that its hourly sums counted. */
  tokens: number;
}

/** The figures of a settlement that is already in the ledger. */
export interface SettledBefore {
  /** Set if recovery made the charge and no late settlement has followed. */
  recovered: Recovered | undefined;
  charged: number;
  writtenOff: number;
  /** The payer. */
  accountId: number;
}

/** The part of the database that a list of operations uses, in memory. */
export interface Books {
  readonly accounts: Map<number, AccountEntry>;
  readonly tokens: Map<number, TokenEntry>;
  /** Remaining limits of members. */
  readonly members: Map<number, MeterEntry>;
  readonly budgets: Map<number, BudgetEntry>;
  readonly holds: Map<string, HoldEntry>;
  /** Filled only for request ids that were looked up in the ledger. */
  readonly settled: Map<string, SettledBefore>;
  /**
   * The request of each Idempotency-Key in a settlement, by the name of its row. Filled on database servers, where a
   * failover can lose a row. On SQLite no other call gets a key while its call runs.
   */
  readonly claims: Map<string, string>;
}

/** Growth of a user's totals. */
interface UserEntry {
  quota: number;
  requests: number;
}

/** Changes of a list of operations, summed so that each row is written once. */
export interface Changes {
  readonly accounts: Set<AccountEntry>;
  readonly tokens: Set<TokenEntry>;
  readonly members: Set<MeterEntry>;
  readonly budgets: Set<BudgetEntry>;
  /** Shares that budgets reached, by budget, window and share. */
  readonly reached: Map<string, budgetRows.ReachedShare>;
  readonly holds: Set<HoldEntry>;
  readonly users: Map<number, UserEntry>;
  /** Channel id → growth of its `used_quota`. */
  readonly channels: Map<number, number>;
  readonly hours: Map<string, HourEntry>;
  readonly entries: LedgerEntry[];
  readonly logs: LogEntry[];
  /** Consumption rows that recovery wrote and a late settlement corrects. */
  readonly corrections: LogCorrection[];
  /** Calls without a row of their key, by the name of the row to create. */
  readonly keyedCalls: Map<string, idempotentCalls.NewIdempotentCall>;
  /** Settlements of this list, for repeated ids. */
  readonly settled: Map<string, SettledBefore>;
}

export const newBooks = (): Books => ({
  accounts: new Map(),
  tokens: new Map(),
  members: new Map(),
  budgets: new Map(),
  holds: new Map(),
  settled: new Map(),
  claims: new Map(),
});

export const newChanges = (): Changes => ({
  accounts: new Set(),
  tokens: new Set(),
  members: new Set(),
  budgets: new Set(),
  reached: new Map(),
  holds: new Set(),
  users: new Map(),
  channels: new Map(),
  hours: new Map(),
  entries: [],
  logs: [],
  corrections: [],
  keyedCalls: new Map(),
  settled: new Map(),
});

/** A freshly read account row. */
export const accountEntry = (
  row: { id: number; balance: number; held: number; next_expiry: number; expired: number },
  readAt: number,
): AccountEntry => ({
  id: row.id,
  balance: row.balance,
  held: row.held,
  storedBalance: row.balance,
  storedHeld: row.held,
  nextExpiry: row.next_expiry,
  expired: row.expired,
  stale: false,
  readAt,
});

/** Quota units of the balance that a new hold may use, before other holds. */
export const usable = ({ balance, expired }: Pick<AccountEntry, 'balance' | 'expired'>): number =>
  balance - expired;

/** The entry of a row that was read. */
export const holdEntry = (row: HoldTable): HoldEntry => ({
  row,
  newRequest: undefined,
  stored: true,
  open: true,
  by: undefined,
  deferredUntil: 0,
});

/** The row of a meter. */
interface MeterRow {
  id: number;
  remain_quota: number;
  held: number;
  unlimited_quota: number;
}

/** A freshly read token row. */
export const tokenEntry = (row: MeterRow, readAt: number): TokenEntry => ({
  ...meterEntry(row, readAt),
  accessedAt: 0,
});

/** A freshly read row of a meter. */
export const meterEntry = (row: MeterRow, readAt: number): MeterEntry => ({
  id: row.id,
  remain: row.remain_quota,
  held: row.held,
  unlimited: row.unlimited_quota === 1,
  used: 0,
  storedRemain: row.remain_quota,
  storedHeld: row.held,
  stale: false,
  readAt,
});

/** A freshly read budget. */
export const budgetEntry = (row: budgetRows.BudgetFigures, readAt: number): BudgetEntry => ({
  id: row.id,
  name: row.run ?? row.name,
  unit: row.unit as BudgetUnit,
  amount: row.amount,
  mode: row.mode,
  isHard: row.mode !== 'soft',
  instead: row.instead,
  shares: sharesOf(row.shares),
  period: row.period === 'term' || row.run !== null ? undefined : (row.period as CalendarPeriod),
  isRun: row.run !== null,
  maxCalls: row.max_calls,
  timeZone: row.time_zone,
  parts: row.parts,
  used: row.used,
  held: row.held,
  calls: row.calls,
  windowStart: row.window_start,
  windowEnd: row.window_end,
  storedUsed: row.used,
  storedHeld: row.held,
  storedCalls: row.calls,
  storedStart: row.window_start,
  storedParts: row.parts,
  stale: false,
  readAt,
});

/** The figures of a settlement from its entries in the ledger: its own, and that of a late settlement after recovery. */
export const settledBefore = (row: SettledRow, late?: SettledRow): SettledBefore => ({
  charged: 0 - row.account_delta - (late?.account_delta ?? 0),
  writtenOff: 0 - row.writeoff_delta - (late?.writeoff_delta ?? 0),
  accountId: row.account_id,
  recovered: late ? undefined : recoveredBy(row),
});

/** True if a late settlement may have followed an entry. */
export const isRecovered = ({ note }: SettledRow): boolean => note.startsWith(recoveredNote);

function recoveredBy(row: SettledRow): Recovered | undefined {
  if (!isRecovered(row)) return undefined;
  const { hold, at = row.at, tokens = 0 } = JSON.parse(row.note) as Partial<Recovered>;
  return hold === undefined ? undefined : { hold, at, tokens };
}

/** After a commit the remembered figures equal the stored ones. */
export function markStored(changes: Changes): void {
  for (const account of changes.accounts) {
    account.storedBalance = account.balance;
    account.storedHeld = account.held;
  }
  for (const token of changes.tokens) {
    markMeter(token);
    token.accessedAt = 0;
  }
  for (const member of changes.members) markMeter(member);
  for (const budget of changes.budgets) markBudget(budget);
  for (const hold of changes.holds) {
    hold.stored = hold.open;
    hold.newRequest = undefined;
    hold.by = undefined;
  }
}

function markMeter(meter: MeterEntry): void {
  meter.storedRemain = meter.remain;
  meter.storedHeld = meter.held;
  meter.used = 0;
}

function markBudget(budget: BudgetEntry): void {
  budget.storedUsed = budget.used;
  budget.storedHeld = budget.held;
  budget.storedCalls = budget.calls;
  budget.storedStart = budget.windowStart;
  budget.storedParts = budget.parts;
}
