import { bookRows, type Db, inTransaction, logRefunds, type Store } from '../../../store/index.ts';
import { refundedInvariant } from './checks.ts';

/** Totals that were written anew. */
export interface Rebuilt {
  /** Which total, by its invariant: `I17 user used_quota`. */
  sum: string;
  /** Rows that had another figure. */
  rows: number;
}

/** Rows of one transaction: settlements for them wait meanwhile. */
const atOnce = 200;

/**
 * Writes the used totals and request counts of users, keys and channels anew from the ledger, where they differ from it, and
 * what went back of charges from the rows beside them.
 * Balances are not touched: they decide over money, and one that differs is for the operator to examine. Safe while the
 * process runs, and any number of times.
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

/** Mends what is wrong, some rows at a time, until nothing is; answers how many rows changed. */
async function rewrite<Wrong>(
  store: Pick<Store, 'db'>,
  find: () => Promise<Wrong[]>,
  mend: (db: Db, wrong: Wrong[]) => Promise<number>,
): Promise<number> {
  let rows = 0;
  for (;;) {
    const wrong = await find();
    const changed = wrong.length === 0 ? 0 : await inTransaction(store.db, (db) => mend(db, wrong));
    // A settlement in between may have made them right already; the next query finds out.
    if (changed === 0) return rows;
    rows += changed;
  }
}
