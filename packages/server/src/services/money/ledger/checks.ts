import {
  bookRows,
  bookWindows,
  budgetBooks,
  type Db,
  grantBooks,
  holds,
  logRefunds,
} from '../../../store/index.ts';

/** A violation of an invariant of the books. */
export interface Finding {
  /** The violated invariant of docs/money.md and the kind of row. */
  invariant: string;
  /** The row and the difference. */
  detail: string;
}

/** Refunds of a charge are on its log row and on additional rows. */
export const refundedInvariant = 'I17 log refunded';
const refundedDetail = (txn: string, stored: number, computed: number): string =>
  `the row of ${txn} says that ${stored} went back, the rows beside it say ${computed}`;

/** Held amounts are sums over the present holds; all other sums are over the ledger. */
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

/** Checks that do not need the ledger: no negative figures, and held amounts equal the sum of the holds. */
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
  findings.push(...(await grantFindings(db)));
  return findings;
}

/** Accounts with figures that differ from their grants. */
async function grantFindings(db: Db): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const row of await grantBooks.mismatches(db)) {
    const { id, balance, granted, rests } = row;
    const add = (what: string, detail: string) =>
      findings.push({ invariant: `I23 ${what}`, detail: `account ${id} ${detail}` });
    if (balance > granted) add('balance', `has ${balance} and grants for ${granted}`);
    if (granted !== rests) add('granted', `says ${granted}, its grants say ${rests}`);
    if (row.expired !== row.kept) add('expired', `says ${row.expired}, its grants say ${row.kept}`);
    if (row.next_expiry !== row.soonest)
      add('expiry', `says ${row.next_expiry}, its grants say ${row.soonest}`);
  }
  return findings;
}

/** Budgets with a use or a number of calls that differs from the sum of their entries. */
export const budgetFindings = (id: number, used: number, calls: number): Finding[] => [
  ...(used === 0
    ? []
    : [{ invariant: 'I22 budget used', detail: `budget ${id} says ${used} more than its entries` }]),
  ...(calls === 0
    ? []
    : [{ invariant: 'I22 budget calls', detail: `budget ${id} says ${calls} more calls than its entries` }]),
];

/** Entries read per statement. */
const windowEntries = 50_000;

type LoggedCharge = bookWindows.WindowFaults['mislogged'][number];

/** Differences of charges with rows in the archive of the log. */
async function misloggedInArchive(db: Db): Promise<LoggedCharge[]> {
  const found: LoggedCharge[] = [];
  const newest = await bookWindows.newestId(db);
  for (let after = 0; after < newest; after += windowEntries)
    found.push(...(await bookWindows.misloggedInArchive(db, { after, upTo: after + windowEntries })));
  return found;
}

/** Differences in the log rows of a settlement. */
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
 * Checks the books: balances and totals against the ledger, held amounts against the holds, log rows against charges.
 * Returns an empty list if they agree. `atRest` also reports every remaining hold, for times without running requests.
 * Reads whole tables, so it is for tests and the command; the job uses `BookAudit`.
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
  for (const { id, used, calls = 0 } of await budgetBooks.usedBefore(db, 0))
    findings.push(...budgetFindings(id, used, calls));
  if (options.atRest) {
    for (const hold of await holds.listHolds(db)) add('I8', `hold ${hold.request_id} is left`);
  }
  return findings;
}
