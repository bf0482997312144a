import { AppError, exactDigits, showDecimal, type StatementData } from '@tollgate/contract';
import { wallTime } from '../../../lib/calendar-windows.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { type ChargedPayer, type Db, ledgerMonths, modelCharges, payers } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { monthAt, readSums } from './sums.ts';

export interface StatementDeps {
  /** A connection for reading many rows. */
  reports: Db;
  settings: Pick<Settings, 'get'>;
  clock: Clock;
}

/** A wallet with a statement: that of a person, or of a team. */
export interface Wallet {
  accountId: number;
  name: string;
  owner: { userId: number } | { teamId: number };
}

/** A month as in `2026-11`, by the calendar of a time zone. */
export const monthText = (timeZone: string, at: number): string => wallTime(timeZone, at).slice(0, 7);

/** A moment that is within the month in every time zone. */
const middleOf = (month: string): number => Date.parse(`${month}-15T12:00:00Z`) / 1_000;

/** What was brought in from another program, net of the use there, is one movement. */
const shownKind = (kind: string): string => (kind === 'former' ? 'opening' : kind);

/** The months from the first one to the present one, newest first. */
function monthsBetween(timeZone: string, first: number, now: number): string[] {
  const months: string[] = [];
  for (let { start } = monthAt(timeZone, now); start >= first; { start } = monthAt(timeZone, start - 1))
    months.push(monthText(timeZone, start));
  return months;
}

/**
 * A month of a wallet from the ledger. Opening balance, movements and charges add up to the closing balance, because
 * all are sums over the same entries. '' is the present month. Throws `statement_month_unknown`.
 */
export async function readStatement(
  { reports, settings, clock }: StatementDeps,
  wallet: Wallet,
  asked: string,
): Promise<Omit<StatementData, 'mailed'>> {
  const now = seconds(clock);
  const moment = asked === '' ? now : middleOf(asked);
  const { timeZone, sums } = await readSums(
    { reports, settings },
    wallet.accountId,
    (zone) => monthAt(zone, moment).start,
  );
  const { start: from, end: to } = monthAt(timeZone, moment);
  const first = Math.min(monthAt(timeZone, now).start, ...sums.map(({ month }) => month));
  if (from > now || from < first) throw new AppError('statement_month_unknown');
  const within = sums.filter(({ month }) => month === from);
  const charges = within.filter(({ kind }) => kind === 'usage');
  const opening = sumOf(sums.filter(({ month }) => month < from));
  const charged = 0 - sumOf(charges);
  const models = await modelCharges(reports, paidWithin(wallet, from, to));
  const logged = models.reduce((sum, { quota }) => sum + quota, 0);
  return {
    holder: wallet.name,
    month: monthText(timeZone, from),
    time_zone: timeZone,
    from,
    to,
    months: monthsBetween(timeZone, first, now),
    opening,
    closing: opening + sumOf(within),
    movements: byKind(within.filter(({ kind, amount }) => kind !== 'usage' && amount !== 0)),
    charged,
    calls: charges.reduce((sum, { count }) => sum + count, 0),
    keys: await byKey(reports, charges),
    models: models.map(({ model, quota }) => ({ model, amount: quota })),
    unlogged: charged - logged,
  };
}

const paidWithin = ({ owner }: Wallet, from: number, to: number): ChargedPayer => ({
  ...owner,
  start: from,
  end: to - 1,
});

const sumOf = (sums: readonly ledgerMonths.LedgerMonth[]): number =>
  sums.reduce((sum, { amount }) => sum + amount, 0);

function byKind(sums: readonly ledgerMonths.LedgerMonth[]): StatementData['movements'] {
  const found = new Map<string, { kind: string; amount: number; count: number }>();
  for (const { kind: stored, amount, count } of sums) {
    const kind = shownKind(stored);
    const before = found.get(kind) ?? { kind, amount: 0, count: 0 };
    found.set(kind, { kind, amount: before.amount + amount, count: before.count + count });
  }
  return [...found.values()].toSorted((a, b) => b.amount - a.amount || (a.kind < b.kind ? -1 : 1));
}

/** Charges by key, the highest first; id 0 is the playground. */
async function byKey(
  reports: Db,
  charges: readonly ledgerMonths.LedgerMonth[],
): Promise<StatementData['keys']> {
  const found = new Map<number, { amount: number; count: number }>();
  for (const { token_id: id, amount, count } of charges) {
    const before = found.get(id) ?? { amount: 0, count: 0 };
    found.set(id, { amount: before.amount - amount, count: before.count + count });
  }
  const names = await payers.keyNames(reports, [...found.keys()]);
  return [...found]
    .map(([token_id, sum]) => ({ token_id, name: names.get(token_id) ?? '', ...sum }))
    .toSorted((a, b) => b.amount - a.amount || a.token_id - b.token_id);
}

/** Movements read per statement. */
const movementsAtOnce = 1_000;

/** Text of an amount in dollars, with the same decimals as all others of its statement. */
type Dollars = (quota: number) => string;

/** The amounts of single movements are not known at the start of a file, so the decimals are those of one unit. */
export function exactDollars(perUnit: number): Dollars {
  const digits = exactDigits([1], perUnit);
  return (quota) =>
    `${quota < 0 ? '-' : ''}${showDecimal(Math.abs(quota) / perUnit, digits).replaceAll(',', '')}`;
}

/**
 * Lines of a statement for spreadsheets: each movement, and the charges by key. Their amounts are the difference
 * between the first line, the opening balance, and the last, the closing balance.
 */
export async function* statementLines(
  { reports, settings }: Pick<StatementDeps, 'reports' | 'settings'>,
  accountId: number,
  statement: Omit<StatementData, 'mailed'>,
): AsyncGenerator<(string | number)[]> {
  const { from, to, opening, closing, time_zone: timeZone } = statement;
  const dollars = exactDollars(settings.get('QuotaPerUnit'));
  const at = (moment: number): string => wallTime(timeZone, moment);
  yield ['time', 'kind', 'name', 'count', 'amount_usd', 'quota', 'note'];
  yield [at(from), 'opening_balance', '', '', dollars(opening), opening, ''];
  let moved = 0;
  for (let after = 0; ;) {
    const page = { from, to, after, limit: movementsAtOnce };
    const rows = await ledgerMonths.movements(reports, accountId, page);
    for (const { at: moment, kind, account_delta: amount, note } of rows) {
      if (amount === 0) continue;
      moved += amount;
      const reason = ['adjust', 'rerate', 'topup_refund'].includes(kind) ? note : '';
      yield [at(moment), shownKind(kind), '', 1, dollars(amount), amount, reason];
    }
    if (rows.length < movementsAtOnce) break;
    after = rows.at(-1)!.id;
  }
  for (const { name, amount, count } of statement.keys)
    yield ['', 'usage', name, count, dollars(0 - amount), 0 - amount, ''];
  // Movements after the statement was read belong to it as well.
  const known = statement.movements.reduce((sum, { amount }) => sum + amount, 0);
  const end = closing + moved - known;
  yield [at(to), 'closing_balance', '', '', dollars(end), end, ''];
}
