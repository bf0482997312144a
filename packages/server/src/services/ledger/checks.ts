import { bookRows, type Db, holds } from '../../store/index.ts';

/** Something in the books that must not be. */
export interface Finding {
  /** The invariant of money.md 4.2, and what it is about. */
  invariant: string;
  /** Which row, and what is wrong with it. */
  detail: string;
}

/**
 * Checks the books against themselves: balances and totals against the ledger, holds against what accounts say is
 * held, log rows against what was charged. Empty when all is well. `atRest` also reports every hold that is left,
 * for times when no request runs. Reads whole tables: for tests, for recovery, for a job at night.
 */
export async function checkBooks(db: Db, options: { atRest?: boolean } = {}): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (invariant: string, detail: string) => findings.push({ invariant, detail });
  for (const name of bookRows.sumNames) {
    for (const { id, stored, computed } of await bookRows.mismatches(db, name)) {
      add(name, `row ${id} says ${stored}, its entries say ${computed}`);
    }
  }
  for (const { txn } of await bookRows.unbalanced(db)) add('I2', `entry ${txn} does not cancel out`);
  for (const row of await bookRows.overdrawn(db)) {
    add('I5', `account ${row.id} has ${row.balance} and holds ${row.held}`);
  }
  for (const row of await bookRows.overdrawnTokens(db)) {
    add('I18', `token ${row.id} has ${row.remain_quota} left and holds ${row.held}`);
  }
  for (const row of await bookRows.misloggedRows(db)) {
    add('I17 log', `the log says ${row.logged} for ${row.txn}, the ledger ${-row.delta}`);
  }
  for (const { txn } of await bookRows.loggedTwice(db)) add('I6 log', `${txn} was logged more than once`);
  if (options.atRest) {
    for (const hold of await holds.listHolds(db)) add('I8', `hold ${hold.request_id} is left`);
  }
  return findings;
}
