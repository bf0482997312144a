import { windowAt } from '../../../lib/calendar-windows.ts';
import { bookWindows, type Db, ledgerMonths } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';

/** Entries read per step; each statement is short, regardless of the length of the ledger. */
const stepEntries = 20_000;
/** Attempts to read sums while another process moves them on. */
const tries = 8;

export interface SumsDeps {
  db: Db;
  /** A connection for reading many rows. */
  reports: Db;
  settings: Pick<Settings, 'get'>;
}

/** Start of the month of a moment, and its end, in Unix seconds. */
export const monthAt = (timeZone: string, at: number) => windowAt('month', timeZone, at);

/** Start of the month by parts of it, each computed once. */
function monthsOf(timeZone: string): (at: number) => number {
  const known = new Map<number, number>();
  return (at) => {
    const month = known.get(at) ?? monthAt(timeZone, at).start;
    known.set(at, month);
    return month;
  };
}

function byMonth(
  parts: readonly ledgerMonths.LedgerPart[],
  timeZone: string,
  byKey = true,
): ledgerMonths.LedgerMonth[] {
  const monthOf = monthsOf(timeZone);
  const sums = new Map<string, ledgerMonths.LedgerMonth>();
  for (const { at, token_id: tokenId, ...part } of parts) {
    const month = monthOf(at);
    const token = byKey ? tokenId : 0;
    const key = `${part.account_id} ${month} ${part.kind} ${token}`;
    const sum = sums.get(key);
    if (sum) {
      sum.amount += part.amount;
      sum.count += part.count;
    } else sums.set(key, { ...part, month, token_id: token });
  }
  return [...sums.values()];
}

/** The same order for all processes, to prevent deadlocks. */
const inOrder = (a: ledgerMonths.LedgerMonth, b: ledgerMonths.LedgerMonth): number => {
  if (a.account_id !== b.account_id) return a.account_id - b.account_id;
  if (a.month !== b.month) return a.month - b.month;
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.token_id - b.token_id;
};

/**
 * Keeps the sums of the ledger by month, so that statements need no index over the charges of calls. Entries are never
 * changed, so a sum never becomes wrong.
 */
export class MonthSums {
  private readonly deps: SumsDeps;
  /** The newest entry at the last run: by now all entries up to it are committed. */
  private settled = 0;

  constructor(deps: SumsDeps) {
    this.deps = deps;
  }

  /** Adds the entries that existed at the last run. Begins again if the time zone of statements has changed. */
  async work(): Promise<void> {
    const { db, reports, settings } = this.deps;
    const timeZone = settings.get('AlarmTimeZone');
    const before = await ledgerMonths.summed(db);
    if (before?.timeZone !== timeZone && !(await ledgerMonths.startOver(db, before, timeZone))) return;
    const end = this.settled;
    this.settled = await bookWindows.newestId(db);
    for (;;) {
      const mark = await ledgerMonths.summed(db);
      if (!mark || mark.timeZone !== timeZone || mark.upTo >= end) return;
      const upTo = Math.min(mark.upTo + stepEntries, end);
      const parts = await ledgerMonths.partsWithin(reports, { after: mark.upTo, upTo });
      const sums = byMonth(parts, timeZone).toSorted(inOrder);
      if (!(await ledgerMonths.add(db, mark, upTo, sums))) return;
    }
  }
}

/** Sums of a wallet, and the time zone of their months. */
export interface AccountSums {
  timeZone: string;
  /** By month and kind, and in the detailed month by key. */
  sums: ledgerMonths.LedgerMonth[];
}

/**
 * Sums of a wallet of one moment: those of the job, and the entries since. `detailed` chooses the month with sums by
 * key, a moment in it.
 */
export async function readSums(
  { reports, settings }: Pick<SumsDeps, 'reports' | 'settings'>,
  accountId: number,
  detailed: (timeZone: string) => number,
): Promise<AccountSums> {
  for (let attempt = 1; ; attempt += 1) {
    const mark = await ledgerMonths.summed(reports);
    const timeZone = mark?.timeZone ?? settings.get('AlarmTimeZone');
    const month = detailed(timeZone);
    const stored = mark ? await ledgerMonths.ofAccount(reports, accountId, month) : [];
    const window = { after: mark?.upTo ?? 0, upTo: Number.MAX_SAFE_INTEGER };
    const parts = await ledgerMonths.partsWithin(reports, window, accountId);
    const after = await ledgerMonths.summed(reports);
    if (attempt < tries && (after?.upTo !== mark?.upTo || after?.timeZone !== mark?.timeZone)) continue;
    const [inMonth, others] = [byMonth(parts, timeZone), byMonth(parts, timeZone, false)];
    return {
      timeZone,
      sums: [
        ...stored,
        ...inMonth.filter((sum) => sum.month === month),
        ...others.filter((sum) => sum.month !== month),
      ],
    };
  }
}
