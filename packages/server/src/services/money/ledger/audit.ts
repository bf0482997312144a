import { bookWindows, budgetBooks, type Db } from '../../../store/index.ts';
import { budgetFindings, checkStanding, type Finding, loggedFindings } from './checks.ts';

/** Result of an audit. */
export interface Audited {
  findings: Finding[];
  /** Number of ledger entries read. */
  entries: number;
}

/** Entries read per statement; each statement is short, regardless of the length of the ledger. */
const windowEntries = 50_000;
/** Rows compared per statement. */
const rowsAtOnce = 5_000;
/** Maximum number of reported findings; one is enough for an alarm. */
const maxFindings = 100;

type OwnerTable = bookWindows.OwnerTable;

const noUse = { total: 0, calls: 0 };

/**
 * Checks the books continuously, at the cost of the new entries. Entries are never changed, so their sums up to a mark
 * are remembered. A run adds the entries since then and compares the affected rows. `whole` discards the sums and reads
 * everything again in small steps. Errors in affected rows are found by the next run, all others by the next whole run.
 *
 * The mark is one run behind, so the first run reads nothing: another process may later commit an entry with an id
 * below visible ids.
 */
export class BookAudit {
  private readonly db: Db;
  private mark = 0;
  /** The newest entry at the last run: by now all entries up to it are committed. */
  private settled = 0;
  private runs = 0;
  private readonly sums: Record<OwnerTable, Map<number, number[]>> = {
    accounts: new Map(),
    users: new Map(),
    channels: new Map(),
    tokens: new Map(),
    team_members: new Map(),
  };
  /** Use of budgets up to the mark, by their lines. */
  private budgets: budgetBooks.LineSums = new Map();

  constructor(db: Db) {
    this.db = db;
  }

  /** Runs the audit; at a fixed interval of runs, it is a whole one. */
  async next(wholeEvery: number): Promise<Audited> {
    this.runs += 1;
    return this.runs % wholeEvery === 0 ? this.whole() : this.run();
  }

  /** Reads the entries since the last run, and the affected rows. */
  async run(): Promise<Audited> {
    return this.audit(false);
  }

  /** Reads every entry and every row. */
  async whole(): Promise<Audited> {
    this.mark = 0;
    for (const table of bookWindows.ownerTables) this.sums[table].clear();
    this.budgets.clear();
    return this.audit(true);
  }

  private async audit(all: boolean): Promise<Audited> {
    const findings = await checkStanding(this.db);
    const upTo = this.settled;
    this.settled = await bookWindows.newestId(this.db);
    const touched = newTouched();
    let entries = 0;
    for (let after = this.mark; after < upTo; after += windowEntries) {
      const window = { after, upTo: Math.min(after + windowEntries, upTo) };
      entries += window.upTo - window.after;
      findings.push(...(await this.read(window, touched)));
    }
    this.mark = upTo;
    if (all || touched.hasBudgets) findings.push(...(await this.compareBudgets()));
    for (const table of bookWindows.ownerTables) {
      const ids = [...touched.rows[table]];
      findings.push(...(await (all ? this.compareAll(table) : this.compare(table, ids))));
    }
    return { findings: findings.slice(0, maxFindings), entries };
  }

  private async read(window: bookWindows.Window, touched: TouchedRows): Promise<Finding[]> {
    for (const table of bookWindows.ownerTables) {
      for (const [id, added] of await bookWindows.movements(this.db, table, window)) {
        const before = this.sums[table].get(id);
        this.sums[table].set(id, before ? before.map((sum, i) => sum + (added[i] ?? 0)) : added);
        touched.rows[table].add(id);
      }
    }
    for (const [line, added] of await budgetBooks.usedWithin(this.db, window)) {
      const before = this.budgets.get(line) ?? noUse;
      this.budgets.set(line, { total: before.total + added.total, calls: before.calls + added.calls });
      touched.hasBudgets = true;
    }
    const { unbalanced, mislogged } = await bookWindows.faultsWithin(this.db, window);
    return [
      ...unbalanced.map((txn) => ({ invariant: 'I2', detail: `entry ${txn} does not cancel out` })),
      ...mislogged.flatMap(loggedFindings),
    ];
  }

  /** Removes lines of ended windows. */
  private async compareBudgets(): Promise<Finding[]> {
    const rows = await budgetBooks.usedBefore(this.db, this.mark);
    const before = this.budgets;
    this.budgets = new Map(rows.map(({ key }) => [key, before.get(key) ?? noUse]));
    return rows.flatMap(({ id, key, used, calls }) => {
      const sum = before.get(key) ?? noUse;
      return budgetFindings(id, used - sum.total, (calls ?? sum.calls) - sum.calls);
    });
  }

  private async compare(table: OwnerTable, ids: readonly number[]): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (let start = 0; start < ids.length; start += rowsAtOnce) {
      const some = ids.slice(start, start + rowsAtOnce);
      const rows = await bookWindows.figuresBefore(this.db, table, this.mark, some);
      findings.push(...this.differences(table, rows));
    }
    return findings;
  }

  private async compareAll(table: OwnerTable): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (let above = 0; ;) {
      const page = { above, limit: rowsAtOnce };
      const rows = await bookWindows.figuresBefore(this.db, table, this.mark, page);
      findings.push(...this.differences(table, rows));
      if (rows.size < rowsAtOnce) return findings;
      above = Math.max(...rows.keys());
    }
  }

  private differences(table: OwnerTable, rows: ReadonlyMap<number, number[]>): Finding[] {
    const { sums } = bookWindows.ownerSums[table];
    return [...rows].flatMap(([id, stored]) => {
      const computed = this.sums[table].get(id) ?? [];
      return sums.flatMap(([invariant], i) =>
        stored[i] === (computed[i] ?? 0)
          ? []
          : [{ invariant, detail: `row ${id} says ${stored[i]}, its entries say ${computed[i] ?? 0}` }],
      );
    });
  }
}

/** Accounts and rows affected by the entries of a run. */
interface TouchedRows {
  rows: Record<OwnerTable, Set<number>>;
  hasBudgets: boolean;
}

const newTouched = (): TouchedRows => ({
  rows: {
    accounts: new Set(),
    users: new Set(),
    channels: new Set(),
    tokens: new Set(),
    team_members: new Set(),
  },
  hasBudgets: false,
});
