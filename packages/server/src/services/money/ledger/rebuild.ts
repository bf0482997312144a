import { bookRows, type Db, inTransaction, logRefunds, type Store } from '../../../store/index.ts';
import { refundedInvariant } from './checks.ts';

/** Recomputed totals. */
export interface Rebuilt {
  /** The total, by its invariant: `I17 user used_quota`. */
  sum: string;
  /** Number of rows with a different figure. */
  rows: number;
}

/** Rows per transaction: settlements for them wait during it. */
const atOnce = 200;

/**
 * Recomputes the used totals and request counts of users, keys and channels from the ledger, and refunds of charges
 * from their additional rows. Writes only rows that differ. Balances are never changed: an operator must examine a
 * wrong one. Can run while the process runs, and repeatedly.
 */
export async function rebuildTotals(store: Pick<Store, 'db'>): Promise<Rebuilt[]> {
  const done: Rebuilt[] = [];
  const { db: reader } = store;
  for (const name of bookRows.rebuildable) {
    const rows = await rewrite(
      store,
      () => bookRows.mismatches(reader, name, atOnce),
      (db, wrong) =>
        bookRows.rebuild(
          db,
          name,
          wrong.map(({ id }) => id),
        ),
    );
    done.push({ sum: name, rows });
  }
  const { misrefunded, rewriteRefunded } = logRefunds;
  const rows = await rewrite(store, () => misrefunded(reader, atOnce), rewriteRefunded);
  return [...done, { sum: refundedInvariant, rows }];
}

/** Corrects wrong rows in batches until none is left. Returns the number of changed rows. */
async function rewrite<Wrong>(
  store: Pick<Store, 'db'>,
  find: () => Promise<Wrong[]>,
  mend: (db: Db, wrong: Wrong[]) => Promise<number>,
): Promise<number> {
  let rows = 0;
  for (;;) {
    const wrong = await find();
    const changed = wrong.length === 0 ? 0 : await inTransaction(store.db, (db) => mend(db, wrong));
    // A settlement may have corrected these rows in the meantime; the next query checks again.
    if (changed === 0) return rows;
    rows += changed;
  }
}
