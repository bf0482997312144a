import {
  lateTxn,
  type DialectHelpers,
  linesOf,
  type SqliteAccess,
  SqliteLedger,
} from '../../../../store/index.ts';
import { type Batch, newBatch } from './batch.ts';
import {
  accountEntry,
  budgetEntry,
  type Books,
  type Changes,
  holdEntry,
  type HoldEntry,
  isRecovered,
  markStored,
  meterEntry,
  newBooks,
  newChanges,
  settledBefore,
  tokenEntry,
} from '../plan/books.ts';
import { addHeld } from '../plan/budgets.ts';
import { type EngineDeps, nothingTouched, type Touched, isFault } from './engine.ts';
import { type Op, type Payer, payerOf } from '../plan/ops.ts';
import type { ReserveRequest } from '../plan/types.ts';
import { plan, claim } from '../plan/plan.ts';

/** The raw connection that the store passes to `exclusive`. */
type RawConnection = Parameters<Parameters<SqliteAccess['exclusive']>[0]>[0];

/** Ids of rows to read. */
export interface RowIds extends Touched {
  requests: Set<string>;
}

export const noRows = (): RowIds => ({ ...nothingTouched(), requests: new Set() });

/** The rows that decide on a call; 0 for no token or member. */
export type PayerRows = Omit<Payer, 'user_id'>;

export const payerRows = (request: ReserveRequest): PayerRows => payerOf(request);

function addPayer(wanted: Touched, payer: PayerRows): void {
  wanted.accounts.add(payer.account_id);
  wanted.tokens.add(payer.token_id);
  wanted.members.add(payer.member_id);
  for (const { id } of linesOf(payer.budgets)) wanted.budgets.add(id);
}

/**
 * Accounts, tokens and holds in memory, and their writes to the file. Memory decides at once, but the file has
 * precedence: a batch is written only over the figures that it was planned on, and is planned again on the rows
 * otherwise.
 */
export class SqliteMirror {
  readonly books: Books = newBooks();
  private readonly rows = new SqliteLedger();
  private readonly deps: EngineDeps;

  private readonly isFault: (error: unknown) => boolean;

  constructor(deps: EngineDeps, dialect: DialectHelpers) {
    this.deps = deps;
    this.isFault = (error) => isFault(dialect, error);
  }

  /** True if the remembered figures of the payer are valid. */
  knows(accountId: number, tokenId: number, memberId: number): boolean {
    const account = this.books.accounts.get(accountId);
    if (!account || account.stale) return false;
    if (tokenId !== 0 && (this.books.tokens.get(tokenId)?.stale ?? true)) return false;
    return memberId === 0 || !(this.books.members.get(memberId)?.stale ?? true);
  }

  /** True if the remembered figures of all these budgets are valid; false if one was deleted. */
  knowsBudgets(ids: readonly number[]): boolean {
    return ids.every((id) => !(this.books.budgets.get(id)?.stale ?? true));
  }

  /** True if a refusal rests on figures so old that another transaction may have added money since. */
  needsRecheck({
    account_id: accountId,
    token_id: tokenId,
    member_id: memberId,
    budgets,
  }: PayerRows): boolean {
    const { accounts, tokens, members } = this.books;
    const now = this.deps.clock();
    const lines = linesOf(budgets).map(({ id }) => this.books.budgets.get(id));
    const read = [accounts.get(accountId), tokens.get(tokenId), members.get(memberId), ...lines];
    const age = now - Math.min(...read.map((entry) => entry?.readAt ?? now));
    return age < 0 || age > this.deps.settings.recheckAfterMs;
  }

  forget({ accounts, tokens, members, budgets }: Touched): void {
    markStale(this.books.accounts, accounts);
    markStale(this.books.tokens, tokens);
    markStale(this.books.members, members);
    markStale(this.books.budgets, budgets);
  }

  /**
   * Writes a batch in one transaction. An operation with a plan that does not fit the rows gets a new outcome; one
   * that cannot be written gets an error of its own. Throws only if the database cannot be written now, and then the
   * batch is unchanged. Returns the batch that follows: holds in `deferred` move to that batch, unless this one was
   * planned again.
   */
  commit(db: RawConnection, batch: Batch, deferred: readonly HoldEntry[]): Batch {
    const { books } = this;
    let leftOut = deferred;
    setAside(books, batch.changes, deferred);
    try {
      this.rows.write(db, batch.changes);
    } catch (error) {
      putBack(books, batch.changes, deferred);
      leftOut = [];
      if (!this.isFault(error)) throw error;
      this.deps.log.warn(
        { err: error, ops: batch.ops.length },
        'a ledger batch is planned again on the rows',
      );
      this.replan(db, batch);
    }
    markStored(batch.changes);
    const next = nextBatch(books, leftOut);
    this.shrink();
    return next;
  }

  private replan(db: RawConnection, batch: Batch): void {
    this.reload(db, batch.ops, batch.changes);
    batch.changes = this.plan(batch.ops);
    try {
      this.rows.write(db, batch.changes);
      return;
    } catch (error) {
      if (!this.isFault(error)) throw error;
    }
    for (const op of batch.ops) this.writeAlone(db, op, batch.changes);
    batch.changes = newChanges();
  }

  /** Writes one operation in a separate transaction, so that a faulty one does not affect the others. */
  private writeAlone(db: RawConnection, op: Op, touched: Changes): void {
    this.reload(db, [op], touched);
    const changes = this.plan([op]);
    try {
      this.rows.write(db, changes);
      markStored(changes);
    } catch (error) {
      if (!this.isFault(error)) throw error;
      this.deps.log.error(
        { err: error, request: op.requestId, kind: op.kind },
        'the ledger refuses a faulty step',
      );
      op.error = error instanceof Error ? error : new Error(String(error));
      this.reload(db, [op], changes);
      if (op.kind !== 'settle' || op.withoutLog) return;
      // A charge is written even if its log row cannot be stored.
      op.withoutLog = true;
      this.writeAlone(db, op, changes);
    }
  }

  private plan(ops: readonly Op[]): Changes {
    const changes = plan(this.books, ops);
    this.books.settled.clear();
    return changes;
  }

  /** Discards the plans of these operations and reads their rows. */
  private reload(db: RawConnection, ops: readonly Op[], changes: Changes): void {
    const wanted = noRows();
    for (const { id } of changes.accounts) wanted.accounts.add(id);
    for (const { id } of changes.tokens) wanted.tokens.add(id);
    for (const { id } of changes.members) wanted.members.add(id);
    for (const { id } of changes.budgets) wanted.budgets.add(id);
    for (const op of ops) {
      wanted.requests.add(op.requestId);
      if (op.kind === 'reserve') addPayer(wanted, payerRows(op.request));
      else if (op.payer) addPayer(wanted, op.payer);
    }
    this.loadRows(db, wanted);
  }

  /** Reads rows into the books in place of remembered figures. No unwritten change may depend on them. */
  loadRows(db: RawConnection, wanted: RowIds): void {
    for (const requestId of wanted.requests) this.readRequest(db, requestId, wanted);
    const now = this.deps.clock();
    for (const id of wanted.accounts) {
      const row = this.rows.readAccount(db, id);
      if (row) this.books.accounts.set(id, accountEntry(row, now));
      else this.books.accounts.delete(id);
    }
    for (const id of wanted.tokens) {
      if (id === 0) continue;
      const row = this.rows.readToken(db, id);
      if (row) this.books.tokens.set(id, tokenEntry(row, now));
      else this.books.tokens.delete(id);
    }
    for (const id of wanted.members) {
      if (id === 0) continue;
      const row = this.rows.readMember(db, id);
      if (row) this.books.members.set(id, meterEntry(row, now));
      else this.books.members.delete(id);
    }
    for (const id of wanted.budgets) {
      const row = this.rows.readBudget(db, id);
      if (row) this.books.budgets.set(id, budgetEntry(row, now));
      else this.books.budgets.delete(id);
    }
  }

  private readRequest(db: RawConnection, requestId: string, wanted: Touched): void {
    const hold = this.rows.readHold(db, requestId);
    if (hold) {
      this.books.holds.set(requestId, holdEntry({ ...hold }));
      addPayer(wanted, hold);
    } else this.books.holds.delete(requestId);
    const entry = this.rows.readSettled(db, requestId);
    if (!entry) return;
    const late = isRecovered(entry) ? this.rows.readSettled(db, lateTxn(requestId)) : undefined;
    this.books.settled.set(requestId, settledBefore(entry, late));
    wanted.accounts.add(entry.account_id);
  }

  /** Bounds the memory: the entries read longest ago are removed first; those with running requests stay. */
  private shrink(): void {
    const { maxKnown } = this.deps.settings;
    for (const entries of [this.books.accounts, this.books.tokens, this.books.members, this.books.budgets]) {
      if (entries.size <= maxKnown) continue;
      let surplus = entries.size - Math.floor(maxKnown * 0.9);
      for (const [id, entry] of entries) {
        if (surplus === 0) break;
        if (entry.held !== 0) continue;
        entries.delete(id);
        surplus -= 1;
      }
    }
  }
}

function markStale(entries: ReadonlyMap<number, { stale: boolean }>, ids: Iterable<number>): void {
  for (const id of ids) {
    const entry = entries.get(id);
    if (entry) entry.stale = true;
  }
}

/** Number of the newest settlements that estimate the duration of calls. */
const remembered = 32;
/** Timers count whole milliseconds, so a turn may start this much before its time. */
const slackMs = 1;

/**
 * Selects the deferrable holds to leave out of a batch that others need now. If most calls are settled within the
 * deferral, such a hold never becomes a row; for longer calls it would only cost a further commit.
 */
export class DeferredHolds {
  /** Number of the newest settlements within the deferral. */
  private share = 0;

  /** Records whether a call was settled within the deferral of its hold. */
  note({ deferredUntil }: HoldEntry): void {
    if (deferredUntil > 0)
      this.share += ((performance.now() < deferredUntil ? 1 : 0) - this.share) / remembered;
  }

  /** The holds of a batch that may stay deferred: not written, not ended, and without a waiting caller. */
  holdsOf({ isUrgent, changes }: Batch): HoldEntry[] {
    const deferred: HoldEntry[] = [];
    if (isUrgent || this.share <= 0.5) return deferred;
    const soon = performance.now() + slackMs;
    for (const hold of changes.holds) {
      if (!hold.stored && hold.open && hold.by && hold.by.deferredUntil > soon) deferred.push(hold);
    }
    return deferred;
  }
}

/** Maximum wait of a batch that starts with deferrable holds; 0 for others. */
export function deferralLeft({ ops: [first] }: Batch): number {
  return first?.kind === 'reserve' ? Math.max(slackMs, first.deferredUntil - performance.now()) : 0;
}

/** Removes holds from the rows of a batch, and their claims from its figures. */
function setAside(books: Books, changes: Changes, holds: readonly HoldEntry[]): void {
  for (const hold of holds) {
    const { row } = hold;
    const account = books.accounts.get(row.account_id);
    const token = books.tokens.get(row.token_id);
    if (account) account.held -= row.amount;
    if (token) token.held -= row.token_amount;
    const member = books.members.get(row.member_id);
    if (member) member.held -= row.member_amount;
    if (row.budgets !== '') addHeld(books, changes, linesOf(row.budgets), -row.amount, -1);
    changes.holds.delete(hold);
  }
}

/** The batch was not written: its holds belong to it again. */
function putBack(books: Books, changes: Changes, holds: readonly HoldEntry[]): void {
  for (const hold of holds) {
    const { amount } = hold.row;
    hold.row.amount = 0;
    hold.row.token_amount = 0;
    hold.row.member_amount = 0;
    claim(books, changes, hold, amount, 1);
  }
}

/** The batch was written without these holds: they are the first of the next one. */
function nextBatch(books: Books, holds: readonly HoldEntry[]): Batch {
  const next = newBatch();
  putBack(books, next.changes, holds);
  for (const { by } of holds) {
    if (!by) continue;
    by.later = next.granted.promise;
    next.ops.push(by);
  }
  return next;
}
