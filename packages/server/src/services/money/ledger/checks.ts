import { bookRows, bookWindows, budgetBooks, type Db, holds, logRefunds } from '../../../store/index.ts';

/** Something in the books that must not be. */
export interface Finding {
  /** The invariant by its name in docs/money.md, and what it is about. */
  invariant: string;
  /** Which row, and what is wrong with it. */
  detail: string;
}

/** What went back of a charge stands on its log row and on rows beside it. */
export const refundedInvariant = 'I17 log refunded';
const refundedDetail = (txn: string, stored: number, computed: number): string =>
  `the row of ${txn} says that ${stored} went back, the rows beside it say ${computed}`;

/** What is held is a sum over the holds of now; all other sums are over the ledger. */
const heldSums = ['I4 held', 'I18 token held', 'I21 limit held'] as const satisfies bookRows.SumName[];

async function checkSums(db: Db, names: readonly bookRows.SumName[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const invariant of names) {
    for (const { id, stored, computed } of await bookRows.mismatches(db, invariant)) {
      findings.push({ invariant, detail: `row ${id} says ${stored}, its entries say ${computed}` });
    }
  }
  return findings;
}

/** What needs no ledger to be seen: nothing below zero, and what is held is the sum of the holds. */
export async function checkStanding(db: Db): Promise<Finding[]> {
  const findings = await checkSums(db, heldSums);
  for (const row of await bookRows.overdrawn(db)) {
    findings.push({ invariant: 'I5', detail: `account ${row.id} has ${row.balance} and holds ${row.held}` });
  }
  for (const row of await bookRows.overdrawnTokens(db)) {
    const detail = `token ${row.id} has ${row.remain_quota} left and holds ${row.held}`;
    findings.push({ invariant: 'I18', detail });
  }
  for (const row of await bookRows.overdrawnMembers(db)) {
    const detail = `member ${row.id} has ${row.remain_quota} left and holds ${row.held}`;
    findings.push({ invariant: 'I21', detail });
  }
  for (const { id, stored, computed } of await budgetBooks.heldMismatches(db))
    findings.push({
      invariant: 'I22 budget held',
      detail: `budget ${id} says ${stored}, its holds say ${computed}`,
    });
  return findings;
}

/** A budget whose use is not what its entries come to. */
export const budgetFinding = (id: number, difference: number): Finding => ({
  invariant: 'I22 budget used',
  detail: `budget ${id} says ${difference} more than its entries`,
});

/** Entries read at once. */
const windowEntries = 50_000;

type LoggedCharge = bookWindows.WindowFaults['mislogged'][number];

/** What is wrong with charges whose rows have moved to the archive of the log. */
async function misloggedInArchive(db: Db): Promise<LoggedCharge[]> {
  const found: LoggedCharge[] = [];
  const newest = await bookWindows.newestId(db);
  for (let after = 0; after < newest; after += windowEntries)
    found.push(...(await bookWindows.misloggedInArchive(db, { after, upTo: after + windowEntries })));
  return found;
}

/** What is wrong with the rows of a settlement in the log. */
export function loggedFindings({ txn, times, logged, charged, stored, computed }: LoggedCharge): Finding[] {
  if (times > 1) return [{ invariant: 'I6 log', detail: `${txn} was logged more than once` }];
  const findings: Finding[] = [];
  if (logged !== charged)
    findings.push({
      invariant: 'I17 log',
      detail: `the log says ${logged} for ${txn}, the ledger ${charged}`,
    });
  if (stored !== computed)
    findings.push({ invariant: refundedInvariant, detail: refundedDetail(txn, stored, computed) });
  return findings;
}

/**
 * Checks the books against themselves: balances and totals against the ledger, holds against what accounts have as
 * held, log rows against what was charged. Empty when all is well. `atRest` also reports every hold that is left,
 * for times when no request runs. Reads whole tables at once: for tests and for the command; the job reads what is new
 * (`BookAudit`).
 */
export async function checkBooks(db: Db, options: { atRest?: boolean } = {}): Promise<Finding[]> {
  const held = new Set<string>(heldSums);
  const findings = await checkSums(
    db,
    bookRows.sumNames.filter((name) => !held.has(name)),
  );
  findings.push(...(await checkStanding(db)));
  const add = (invariant: string, detail: string) => findings.push({ invariant, detail });
  for (const { txn } of await bookRows.unbalanced(db)) add('I2', `entry ${txn} does not cancel out`);
  for (const row of await bookRows.misloggedRows(db)) {
    add('I17 log', `the log says ${row.logged} for ${row.txn}, the ledger ${-row.delta}`);
  }
  for (const { request_id: txn, stored, computed } of await logRefunds.misrefunded(db))
    add(refundedInvariant, refundedDetail(txn, stored, computed));
  for (const { txn } of await bookRows.loggedTwice(db)) add('I6 log', `${txn} was logged more than once`);
  for (const each of await misloggedInArchive(db)) findings.push(...loggedFindings(each));
  for (const { id, used } of await budgetBooks.usedBefore(db, 0))
    if (used !== 0) findings.push(budgetFinding(id, used));
  if (options.atRest) {
    for (const hold of await holds.listHolds(db)) add('I8', `hold ${hold.request_id} is left`);
  }
  return findings;
}
