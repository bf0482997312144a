import type { BudgetUnit } from '@tollgate/contract';
import { windowAt } from '../../../../lib/calendar-windows.ts';
import {
  addToPart,
  freeFrom,
  isCounted,
  keepCounted,
  partAt,
  sumOfParts,
} from '../../../../lib/sliding-windows.ts';
import { type BudgetLine, budgetRows, linesOf, textOfLines } from '../../../../store/index.ts';
import type { Books, BudgetEntry, Changes, HoldEntry } from './books.ts';
import { InsufficientQuota } from './types.ts';

/** What a budget leaves free beside its holds, in its unit; Infinity if it only counts, or was deleted. */
export const freeOf = (budget: BudgetEntry | undefined): number =>
  budget?.isHard ? budget.amount - budget.used - budget.held : Infinity;

/** Calls that a budget leaves in its window; Infinity if it does not count them. */
export const callsLeft = (budget: BudgetEntry | undefined): number =>
  budget && budget.maxCalls > 0 ? budget.maxCalls - budget.calls : Infinity;

/** A line of a new hold. */
interface NewLine extends BudgetLine {
  /** End of its window, or of its part of a sliding one. */
  readonly end: number;
}

/** Tokens that a hold has on each of its budgets in tokens; undefined without one. */
export const tokensOn = (lines: readonly BudgetLine[]): number | undefined =>
  lines.find(({ tokens }) => tokens !== undefined)?.tokens;

/** The same lines for a hold of other tokens. */
export const withTokens = <T extends BudgetLine>(lines: readonly T[], tokens: number): T[] =>
  lines.map((line) => (line.tokens === undefined ? line : { ...line, tokens }));

/**
 * The lines that count a new hold of `tokens` on budgets in tokens: the current window of each budget, or that of `at` if the current one has ended. Of a
 * sliding window, its newest part, or that of `at`. A clock that was set back changes nothing. Deleted budgets and ended
 * terms limit nothing. A run that has ended still counts its running calls.
 */
export function linesAt(books: Books, ids: readonly number[], at: number, tokens = 0): NewLine[] {
  const lines: NewLine[] = [];
  for (const id of ids) {
    const budget = books.budgets.get(id);
    if (!budget) continue;
    const { period, timeZone, windowStart, windowEnd, isRun, parts, unit } = budget;
    const counted = unit === 'tokens' && { tokens };
    if (at < windowEnd || isRun) lines.push({ id, start: windowStart, end: windowEnd, ...counted });
    else if (period !== undefined) {
      const { start, end } = parts === null ? windowAt(period, timeZone, at) : partAt(period, at);
      lines.push({ id, start: Math.max(start, windowEnd), end, ...counted });
    }
  }
  return lines;
}

/** The use that a sliding budget still counts while `newest` is its newest part; undefined for another budget. */
function partsIn({ parts, period }: BudgetEntry, newest: number): string | undefined {
  return parts === null || period === undefined ? undefined : keepCounted(parts, { period, newest });
}

/**
 * Starts the windows in which a granted hold is the first, each window once. A sliding one loses the parts that are older
 * than it; holds of running calls stay in it.
 */
export function beginWindows(books: Books, changes: Changes, lines: readonly NewLine[]): void {
  for (const { id, start, end } of lines) {
    const budget = books.budgets.get(id);
    if (!budget || budget.windowStart === start) continue;
    const parts = partsIn(budget, start);
    budget.windowStart = start;
    budget.windowEnd = end;
    changes.budgets.add(budget);
    if (parts !== undefined) {
      budget.parts = parts;
      budget.used = sumOfParts(parts);
      continue;
    }
    budget.used = 0;
    budget.held = 0;
    budget.calls = 0;
  }
}

/** The budget of a line, if its window is the current one. A sliding budget counts holds of any part. */
function current(books: Books, { id, start }: BudgetLine): BudgetEntry | undefined {
  const budget = books.budgets.get(id);
  return budget && (budget.parts !== null || budget.windowStart === start) ? budget : undefined;
}

/** Used and held amounts and the calls of a budget in the window of a line. */
function figuresOn(budget: BudgetEntry, { start }: BudgetLine): Pick<BudgetEntry, 'used' | 'held' | 'calls'> {
  if (budget.windowStart === start) return budget;
  const parts = partsIn(budget, start);
  if (parts === undefined) return { used: 0, held: 0, calls: 0 };
  return { used: sumOfParts(parts), held: budget.held, calls: budget.calls };
}

/** What the budget of a line leaves free; Infinity if it limits nothing. */
function freeOnLine(books: Books, line: BudgetLine): number {
  const budget = books.budgets.get(line.id);
  if (!budget?.isHard) return Infinity;
  const { used, held } = figuresOn(budget, line);
  return budget.amount - used - held;
}

/** Quota units or tokens that all lines in that unit leave free. */
export function freeOn(books: Books, lines: readonly BudgetLine[], unit: BudgetUnit): number {
  let free = Infinity;
  for (const line of lines)
    if ((line.tokens !== undefined) === (unit === 'tokens')) free = Math.min(free, freeOnLine(books, line));
  return free;
}

/** Quota units and tokens. */
interface Amounts {
  amount: number;
  tokens: number;
}

/**
 * Refuses amounts that a hard budget does not cover beside other holds, and a call beyond the number of a budget. If
 * several budgets are short, one that no release would cover decides.
 *
 * @param at - Unix seconds
 * @param calls - The number of new calls
 * @param own - The present hold of the call, and the lines that count it; on all other lines the whole hold is new
 */
export function budgetRefusal(
  books: Books,
  lines: readonly NewLine[],
  wanted: Amounts,
  {
    at,
    calls: more = 1,
    own,
  }: {
    at: number;
    calls?: number | undefined;
    own?: Amounts & { lines: readonly BudgetLine[] };
  },
): InsufficientQuota | undefined {
  let found: InsufficientQuota | undefined;
  for (const line of lines) {
    const budget = books.budgets.get(line.id);
    if (!budget) continue;
    const isOwn = own?.lines.some(
      ({ id, start }) => id === line.id && (start === line.start || budget.parts !== null),
    );
    const { used, held, calls } = figuresOn(budget, line);
    const { id, name, timeZone, isRun, instead, maxCalls, unit } = budget;
    const inTokens = line.tokens !== undefined;
    const amount = inTokens ? wanted.tokens : wanted.amount;
    const ofOwn = (inTokens ? own?.tokens : own?.amount) ?? 0;
    // The other unit grows, or the call has no tokens.
    const isNothing = amount === 0 && (isOwn || (inTokens && ofOwn === 0));
    const unheld = budget.amount - used - ofOwn;
    const isOutOfCalls = maxCalls > 0 && calls + more > maxCalls && !isOwn;
    const free = budget.isHard ? budget.amount - used - held - (isOwn ? 0 : ofOwn) : Infinity;
    if ((free >= amount || isNothing) && !isOutOfCalls) continue;
    const isSliding = budget.parts !== null;
    const about = { id, name, timeZone, isRun, isSliding, instead, unit, amount: budget.amount };
    const left = Math.max(0, unheld);
    const refused = { ...about, left, ...nextRoom(budget, line, at, amount - unheld) };
    if (isOutOfCalls) return new InsufficientQuota('budget', -1, amount, -1, { ...refused, calls });
    const short = new InsufficientQuota('budget', free, amount, unheld, refused);
    if (!short.isHeld) return short;
    found ??= short;
  }
  return found;
}

/**
 * The end of a line's window, or the moment from which a sliding one has `missing` more room, and the seconds until then.
 * They are undefined for a term, and for an amount that no window ever has room for.
 */
function nextRoom(
  budget: BudgetEntry,
  line: NewLine,
  at: number,
  missing: number,
): { end: number; resetsIn: number | undefined } {
  const parts = partsIn(budget, line.start);
  if (parts === undefined || budget.period === undefined)
    return { end: line.end, resetsIn: budget.period && line.end - at };
  const end = freeFrom(parts, budget.period, missing);
  return { end: end ?? line.end, resetsIn: end && end - at };
}

/**
 * Adds to the held amounts of a hold's lines, and to their calls; negative numbers subtract. A line in tokens has all of
 * its hold's: without `tokens`, they are added with the call and subtracted with it.
 */
export function addHeld(
  books: Books,
  changes: Changes,
  lines: readonly BudgetLine[],
  amount: number,
  calls: -1 | 0 | 1,
  tokens?: number,
): void {
  for (const line of lines) {
    const budget = current(books, line);
    if (!budget) continue;
    budget.held += line.tokens === undefined ? amount : (tokens ?? line.tokens * calls);
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
 * The part of a charge that a hard budget covers: the call's hold, and beyond it the amount that no other hold claims.
 * In an ended window, at most the hold.
 */
function coveredOn(books: Books, line: BudgetLine, hold: number, at: number): number {
  const budget = books.budgets.get(line.id);
  if (!budget?.isHard) return Infinity;
  if (budget.parts === null && budget.windowStart !== line.start) return hold;
  const free = budget.parts === null ? freeOnLine(books, line) : freeNow(books, line, at);
  return Math.max(0, hold, free + hold);
}

const freeNow = (books: Books, { id }: BudgetLine, at: number): number =>
  Math.min(...linesAt(books, [id], at).map((line) => freeOnLine(books, line)));

/**
 * The quota units of a charge that a call's hard budgets cover.
 *
 * @param at - Unix seconds
 */
export function coveredBy(books: Books, lines: readonly BudgetLine[], hold: number, at: number): number {
  let covered = Infinity;
  for (const line of lines)
    if (line.tokens === undefined) covered = Math.min(covered, coveredOn(books, line, hold, at));
  return covered;
}

/** A charge on the lines of its hold. */
interface LineCharge {
  lines: readonly BudgetLine[];
  /** Quota units. */
  charged: number;
  tokens: number;
  /** Quota units of its hold; undefined if the call has none: its tokens are not held either. */
  held: number | undefined;
  /** Unix seconds. */
  at: number;
}

/**
 * The lines that count a charge, with the tokens that a budget in tokens covers. A charge above its hold grows as it is
 * settled: a sliding budget counts it now, so that no window has more than the budget.
 */
export function linesOfCharge(
  books: Books,
  changes: Changes,
  { lines, charged, tokens, held, at }: LineCharge,
): readonly BudgetLine[] {
  return lines.map((line) => {
    if (line.tokens === undefined) return charged > (held ?? 0) ? lineNow(books, changes, line, at) : line;
    const own = held === undefined ? 0 : line.tokens;
    const counted = Math.min(tokens, coveredOn(books, line, own, at));
    return { ...(counted > own ? lineNow(books, changes, line, at) : line), tokens: counted };
  });
}

/** The line that counts a call which grows now, if the budget is a sliding one. */
function lineNow(books: Books, changes: Changes, line: BudgetLine, at: number): BudgetLine {
  if (typeof books.budgets.get(line.id)?.parts !== 'string') return line;
  const now = linesAt(books, [line.id], at);
  beginWindows(books, changes, now);
  return now[0] ?? line;
}

/** Counts a charge and its call on lines; negative to subtract, also the tokens of the lines. */
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
    const { parts, period, windowStart: newest } = budget;
    const { tokens } = line;
    const by = tokens === undefined ? charged : calls < 0 ? -tokens : tokens;
    if (parts !== null && period !== undefined) {
      if (!isCounted({ period, newest }, line.start)) continue;
      budget.parts = addToPart(parts, line.start, by);
    }
    budget.used += by;
    noteShares(changes, budget, by);
    if (budget.maxCalls > 0) budget.calls += calls;
    changes.budgets.add(budget);
  }
}

/** Notes the shares that a charge has reached; a charge that is undone before it is written removes them again. */
function noteShares(changes: Changes, budget: BudgetEntry, charged: number): void {
  const { id: budgetId, amount, shares, used } = budget;
  if (shares.length === 0) return;
  const windowStart = budgetRows.warningWindow(budget.parts, budget.period, budget.windowStart);
  const [low, high] = charged < 0 ? [used, used - charged] : [used - charged, used];
  for (const share of budgetRows.sharesBetween(shares, amount, [low, high])) {
    const key = `${budgetId}@${windowStart}:${share}`;
    if (charged < 0) changes.reached.delete(key);
    else changes.reached.set(key, { budgetId, windowStart, share });
  }
}
