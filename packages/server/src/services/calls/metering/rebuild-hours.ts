import { inTransaction, quotaData, type Store } from '../../../store/index.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';

type Row = Awaited<ReturnType<typeof quotaData.within>>[number];
type NewRow = Omit<Row, 'id'>;

/** Differences between the hourly sums of a period and the ledger. */
interface Difference {
  /** Missing rows, and the correct content of wrong ones. */
  wanted: NewRow[];
  /** Log rows without a ledger entry. */
  surplus: Row[];
}

export interface HoursDeps {
  store: Pick<Store, 'db'>;
  clock: Clock;
}

const hour = 3600;
const day = 24 * hour;
/** The latest hours are left out, because settlements still change them. */
const settledAfter = 2 * hour;

const keyOf = (row: NewRow): string => `${row.user_id} ${row.created_at} ${row.model_name}`;

const agrees = (a: NewRow, b: NewRow): boolean =>
  a.count === b.count && a.quota === b.quota && a.token_used === b.token_used;

async function compare(db: Store['db'], period: { start: number; end: number }): Promise<Difference> {
  const wanted = new Map((await quotaData.fromLedger(db, period)).map((row) => [keyOf(row), row]));
  const surplus: Row[] = [];
  for (const row of await quotaData.within(db, period)) {
    const right = wanted.get(keyOf(row));
    if (!right) surplus.push(row);
    else if (agrees(row, right)) wanted.delete(keyOf(row));
  }
  return { wanted: [...wanted.values()], surplus };
}

/** The days from `start` on, up to the hours that are not settled yet. */
function* daysSince(start: number, clock: Clock): Generator<{ start: number; end: number }> {
  const now = seconds(clock);
  const last = now - (now % hour) - settledAfter;
  for (let from = start; from < last; from += day) yield { start: from, end: Math.min(from + day, last) - 1 };
}

/** Hours of the last day with sums that differ from the ledger, as texts; a few at most. Only reads. */
export async function checkHours({ store, clock }: HoursDeps): Promise<string[]> {
  const oldest = await quotaData.firstWholeHour(store.db);
  if (oldest === undefined) return [];
  const now = seconds(clock);
  const found: string[] = [];
  for (const period of daysSince(Math.max(oldest, now - (now % hour) - day), clock)) {
    const { wanted, surplus } = await compare(store.db, period);
    for (const row of wanted) found.push(`${keyOf(row)}: the ledger says ${row.quota} in ${row.count} calls`);
    for (const row of surplus) found.push(`${keyOf(row)}: the ledger knows nothing of it`);
  }
  return found.slice(0, 20);
}

/**
 * Recomputes the hourly sums from the ledger and its log rows; returns the number of changed rows. Hours before the
 * oldest log row stay unchanged, and so do the last two.
 */
export async function rebuildHours({ store, clock }: HoursDeps): Promise<number> {
  const oldest = await quotaData.firstWholeHour(store.db);
  if (oldest === undefined) return 0;
  let changed = 0;
  for (const period of daysSince(oldest, clock)) {
    const { wanted, surplus } = await compare(store.db, period);
    if (wanted.length + surplus.length === 0) continue;
    await inTransaction(store.db, async (db) => {
      await quotaData.remove(
        db,
        surplus.map(({ id }) => id),
      );
      await quotaData.put(db, wanted);
    });
    changed += wanted.length + surplus.length;
  }
  return changed;
}
