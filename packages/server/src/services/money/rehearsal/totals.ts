import type { PricedRow } from '../../../store/index.ts';
import type { Repriced } from './reprice.ts';
import type { UnpricedReason } from './quantities.ts';

/** Present and draft charges of some rows together. */
export interface Sums {
  rows: number;
  before: number;
  after: number;
}

/** Number and amount of rows that change in one direction. */
interface Change {
  rows: number;
  quota: number;
}

/** Sums of rows, by payer and purpose. */
export interface Totals {
  total: Sums;
  /** Number and amount of rows that become cheaper, and more expensive. */
  cheaper: Change;
  dearer: Change;
  users: Map<number, Sums>;
  /** By the key's id, or minus the user's id for the playground, which has no key. */
  keys: Map<number, Sums & { userId: number }>;
  models: Map<string, Sums>;
  /** Rows with a known cost, with that cost. */
  costed: Sums & { cost: number };
  /** By the team's id, or minus the user's id if the user pays. */
  payers: Map<number, Sums>;
  apart: Map<UnpricedReason, { rows: number; quota: number }>;
}

export const noTotals = (): Totals => ({
  total: { rows: 0, before: 0, after: 0 },
  cheaper: { rows: 0, quota: 0 },
  dearer: { rows: 0, quota: 0 },
  costed: { rows: 0, before: 0, after: 0, cost: 0 },
  users: new Map(),
  keys: new Map(),
  models: new Map(),
  payers: new Map(),
  apart: new Map(),
});

const noSums = (): Sums => ({ rows: 0, before: 0, after: 0 });

function sumsOf<Key, Found extends Sums>(map: Map<Key, Found>, key: Key, fresh: () => Found): Found {
  const known = map.get(key);
  if (known) return known;
  const made = fresh();
  map.set(key, made);
  return made;
}

function add(sums: Sums, { before, after }: Repriced): void {
  sums.rows += 1;
  sums.before += before;
  sums.after += after;
}

function change({ cheaper, dearer }: Totals, difference: number): void {
  if (difference === 0) return;
  const sums = difference < 0 ? cheaper : dearer;
  sums.rows += 1;
  sums.quota += Math.abs(difference);
}

/** Adds a row to all its sums. */
export function count(totals: Totals, row: PricedRow, priced: Repriced | UnpricedReason): void {
  if (typeof priced === 'string') {
    const apart = totals.apart.get(priced) ?? { rows: 0, quota: 0 };
    totals.apart.set(priced, { rows: apart.rows + 1, quota: apart.quota + row.quota });
    return;
  }
  const { user_id: userId, team_id: teamId } = row;
  add(totals.total, priced);
  change(totals, priced.after - priced.before);
  if (row.cost !== null) {
    add(totals.costed, priced);
    totals.costed.cost += row.cost;
  }
  add(sumsOf(totals.users, userId, noSums), priced);
  add(
    sumsOf(totals.keys, row.token_id || -userId, () => ({ ...noSums(), userId })),
    priced,
  );
  add(sumsOf(totals.models, row.model_name, noSums), priced);
  add(sumsOf(totals.payers, teamId === 0 ? -userId : teamId, noSums), priced);
}

/** The largest changes, at most `limit`; unchanged entries are left out. */
export const mostAffected = <Key, Found extends Sums>(
  map: ReadonlyMap<Key, Found>,
  limit: number,
): [Key, Found][] =>
  [...map]
    .filter(([, { before, after }]) => before !== after)
    .toSorted(([, a], [, b]) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .slice(0, limit);
