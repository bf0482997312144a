import { bookRows, inTransaction, type Store } from '../../store/index.ts';

/** Totals that were written anew. */
export interface Rebuilt {
  /** Which total, by its invariant: `I17 user used_quota`. */
  sum: string;
  /** Rows that said something else. */
  rows: number;
}

/** Rows of one transaction: settlements for them wait meanwhile. */
const atOnce = 200;

/**
 * Writes the used totals and request counts of users, keys and channels anew from the ledger, where they differ from it.
 * Balances are not touched: they decide over money, and one that differs is for somebody to look at. Safe while the
 * process runs, and any number of times.
 */
export async function rebuildTotals(store: Pick<Store, 'db'>): Promise<Rebuilt[]> {
  const done: Rebuilt[] = [];
  for (const name of bookRows.rebuildable) {
    const rebuilt: Rebuilt = { sum: name, rows: 0 };
    for (;;) {
      const wrong = await bookRows.mismatches(store.db, name, atOnce);
      if (wrong.length === 0) break;
      const ids = wrong.map(({ id }) => id);
      const changed = await inTransaction(store.db, (db) => bookRows.rebuild(db, name, ids));
      rebuilt.rows += changed;
      // A settlement in between may have made them right already; the next look tells.
      if (changed === 0) break;
    }
    done.push(rebuilt);
  }
  return done;
}
