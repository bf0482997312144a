import { windowAt } from '../../../../lib/calendar-windows.ts';
import { type BudgetLine, budgetRows, linesOf, textOfLines } from '../../../../store/index.ts';
import type { Books, BudgetEntry, Changes, HoldEntry } from './books.ts';
import { InsufficientQuota } from './types.ts';

/** Free quota units of a budget beside its holds; Infinity if it only counts, or was deleted. */
export const freeOf = (budget: BudgetEntry | undefined): number =>
  budget?.isHard ? budget.amount - budget.used - budget.held : Infinity;

/** Calls that a budget leaves in its window; Infinity if it does not count them. */
export const callsLeft = (budget: BudgetEntry | undefined): number =>
  budget && budget.maxCalls > 0 ? budget.maxCalls - budget.calls : Infinity;

/** A line of a new hold. */
interface NewLine extends BudgetLine {
  /** End of its window. */
  readonly end: number;
}

/**
 * The lines that count a new hold: the current window of each budget, or that of `at` if the current one has ended. A
 * clock that was set back changes nothing. Deleted budgets and ended terms limit nothing. A run that has ended still
 * counts its running calls.
 */
export function linesAt(books: Books, ids: readonly number[], at: number): NewLine[] {
  const lines: NewLine[] = [];
  for (const id of ids) {
    const budget = books.budgets.get(id);
    if (!budget) continue;
    const { period, timeZone, windowStart, windowEnd, isRun } = budget;
    if (at < windowEnd || isRun) lines.push({ id, start: windowStart, end: windowEnd });
    else if (period !== undefined) {
      const { start, end } = windowAt(period, timeZone, at);
      lines.push({ id, start: Math.max(start, windowEnd), end });
    }
  }
  return lines;
}

/** Starts the windows in which a granted hold is the first, each window once. */
export function beginWindows(books: Books, changes: Changes, lines: readonly NewLine[]): void {
  for (const { id, start, end } of lines) {
    const budget = books.budgets.get(id);
    if (!budget || budget.windowStart === start) continue;
    budget.windowStart = start;
    budget.windowEnd = end;
    budget.used = 0;
    budget.held = 0;
    budget.calls = 0;
    changes.budgets.add(budget);
  }
}

/** The budget of a line, if its window is the current one. */
function current(books: Books, { id, start }: BudgetLine): BudgetEntry | undefined {
  const budget = books.budgets.get(id);
  return budget?.windowStart === start ? budget : undefined;
}

/** Used and held amounts and the calls of a budget in the window of a line. */
const figuresOn = (
  budget: BudgetEntry,
  { start }: BudgetLine,
): Pick<BudgetEntry, 'used' | 'held' | 'calls'> =>
  budget.windowStart === start ? budget : { used: 0, held: 0, calls: 0 };

/** Quota units that all lines leave free. */
export function freeOn(books: Books, lines: readonly BudgetLine[]): number {
  let free = Infinity;
  for (const line of lines) {
    const budget = books.budgets.get(line.id);
    if (!budget?.isHard) continue;
    const { used, held } = figuresOn(budget, line);
    free = Math.min(free, budget.amount - used - held);
  }
  return free;
}

/**
 * Refuses an amount that a hard budget does not cover beside other holds, and a call beyond the number of a budget. If
 * several budgets are short, one that no release would cover decides.
 *
 * @param at - Unix seconds
 * @param own - The present hold of the call, and the lines that count it; on all other lines the whole hold is new
 */
export function budgetRefusal(
  books: Books,
  lines: readonly NewLine[],
  amount: number,
  at: number,
  own?: { amount: number; lines: readonly BudgetLine[] },
): InsufficientQuota | undefined {
  const ofOwn = own?.amount ?? 0;
  let found: InsufficientQuota | undefined;
  for (const line of lines) {
    const budget = books.budgets.get(line.id);
    if (!budget) continue;
    const isCounted = own?.lines.some(({ id, start }) => id === line.id && start === line.start);
    const { used, held, calls } = figuresOn(budget, line);
    const { id, name, timeZone, isRun, instead, maxCalls } = budget;
    const { end } = line;
    const resetsIn = budget.period && end - at;
    const unheld = budget.amount - used - ofOwn;
    const about = { id, name, end, timeZone, resetsIn, isRun, instead, left: Math.max(0, unheld) };
    if (maxCalls > 0 && calls >= maxCalls && !isCounted)
      return new InsufficientQuota('budget', -1, amount, -1, { ...about, calls });
    const free = budget.isHard ? budget.amount - used - held - (isCounted ? 0 : ofOwn) : Infinity;
    if (free >= amount) continue;
    const short = new InsufficientQuota('budget', free, amount, unheld, about);
    if (!short.isHeld) return short;
    found ??= short;
  }
  return found;
}

/** Adds to the held amounts of a hold's lines, and to their calls; negative numbers subtract. */
export function addHeld(
  books: Books,
  changes: Changes,
  lines: readonly BudgetLine[],
  amount: number,
  calls: -1 | 0 | 1,
): void {
  for (const line of lines) {
    const budget = current(books, line);
    if (!budget) continue;
    budget.held += amount;
    if (budget.maxCalls > 0) budget.calls += calls;
    changes.budgets.add(budget);
  }
}

/** Counts the whole hold in the current windows and removes it from ended ones. */
export function moveHold(
  books: Books,
  changes: Changes,
  { row }: HoldEntry,
  lines: readonly BudgetLine[],
): void {
  addHeld(books, changes, linesOf(row.budgets), -row.amount, -1);
  row.budgets = textOfLines(lines);
  addHeld(books, changes, lines, row.amount, 1);
}

/**
 * The part of a charge that a call's hard budgets cover: its hold, and beyond it the amount that no other hold claims.
 * In an ended window, at most the hold.
 */
export function coveredBy(books: Books, lines: readonly BudgetLine[], hold: number): number {
  let covered = Infinity;
  for (const line of lines) {
    const budget = books.budgets.get(line.id);
    if (!budget?.isHard) continue;
    const isCurrent = budget.windowStart === line.start;
    covered = Math.min(covered, isCurrent ? Math.max(hold, freeOf(budget) + hold) : hold);
  }
  return Math.max(0, covered);
}

/** Counts a charge and its call on lines; negative to subtract. */
export function addUsed(
  books: Books,
  changes: Changes,
  lines: readonly BudgetLine[],
  charged: number,
  calls: -1 | 0 | 1,
): void {
  for (const line of lines) {
    const budget = current(books, line);
    if (!budget) continue;
    budget.used += charged;
    noteShares(changes, budget, charged);
    if (budget.maxCalls > 0) budget.calls += calls;
    changes.budgets.add(budget);
  }
}

/** Notes the shares that a charge has reached; a charge that is undone before it is written removes them again. */
function noteShares(changes: Changes, budget: BudgetEntry, charged: number): void {
  const { id: budgetId, amount, shares, used, windowStart } = budget;
  if (shares.length === 0) return;
  const [low, high] = charged < 0 ? [used, used - charged] : [used - charged, used];
  for (const share of budgetRows.sharesBetween(shares, amount, [low, high])) {
    const key = `${budgetId}@${windowStart}:${share}`;
    if (charged < 0) changes.reached.delete(key);
    else changes.reached.set(key, { budgetId, windowStart, share });
  }
}
