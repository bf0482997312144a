import type { PlanPeriod } from '@tollgate/contract';
import type { ForeignDatabase } from '../../store/index.ts';
import { type Cells, readCells } from './kit/cells.ts';
import { columnsOf } from './kit/columns.ts';
import type { Source } from './kit/detect.ts';

/** Refills to come of a running subscription. */
interface Refills {
  plan: { id: number; title: string; group: string };
  period: PlanPeriod;
  /** Quota units of each. */
  amount: number;
  count: number;
  /** The moment from which later ones are counted, Unix seconds. */
  start: number;
}

/** A user's running subscription. */
export interface SourceSubscription {
  id: number;
  userId: number;
  /** Quota units that are left of its present credit. */
  left: number;
  /** The same as stored, whatever the time: a refill that is due is not in it. */
  stored: number;
  /** Unix seconds at which this credit expires: the next refill, or the end. */
  expiresAt: number;
  /** Unix seconds. */
  end: number;
  refills: Refills | undefined;
  /** What of it has no counterpart, in words; '' for nothing. */
  loss: string;
  /** The group of the user while it runs, and the group afterwards; '' if it changes none. */
  group: string;
  groupAfter: string;
}

/** When a subscription is refilled: each of some months, or of some seconds. */
interface Rhythm {
  months: number;
  seconds: number;
}

const daySeconds = 86_400;
const rhythms: Readonly<Record<string, Rhythm>> = {
  daily: { months: 0, seconds: daySeconds },
  weekly: { months: 0, seconds: 7 * daySeconds },
  monthly: { months: 1, seconds: 0 },
  yearly: { months: 12, seconds: 0 },
};

/** Running subscriptions. Those without a limit and refills without a counterpart have their loss in words. */
export async function readSubscriptions(
  foreign: ForeignDatabase,
  source: Source,
  now: number,
): Promise<SourceSubscription[]> {
  const read = async (table: 'user_subscriptions' | 'subscription_plans') =>
    (await foreign.all(table, columnsOf(table, source))).map((row) => readCells(row, table));
  const known = new Map((await read('subscription_plans')).map((cells) => [cells.whole('id'), cells]));
  return (await read('user_subscriptions'))
    .filter((cells) => cells.text('status') === 'active' && cells.whole('end_time') > now)
    .map((cells) => readOne(cells, known.get(cells.whole('plan_id')), now));
}

function readOne(cells: Cells, plan: Cells | undefined, now: number): SourceSubscription {
  const end = cells.whole('end_time');
  const amount = cells.whole('amount_total');
  const stored = Math.max(0, amount - cells.whole('amount_used'));
  const own = {
    id: cells.whole('id'),
    userId: cells.whole('user_id'),
    left: stored,
    stored,
    expiresAt: end,
    end,
    refills: undefined,
    loss: '',
    group: cells.text('upgrade_group'),
    groupAfter: cells.text('downgrade_group') || cells.text('prev_user_group'),
  };
  const until = `until ${dateOf(end)}`;
  if (amount <= 0) return { ...own, left: 0, stored: 0, loss: `use without limit ${until}` };
  const next = cells.whole('next_reset_time');
  if (next <= 0) return own;
  const rhythm = plan && rhythmOf(plan);
  if (!plan) return { ...own, loss: `refills ${until}, of a plan that is gone` };
  const word = plan.text('quota_reset_period');
  if (!rhythm) return { ...own, loss: isUnknown(word) ? `refills ${until}, ${word}` : '' };
  const coming = firstAfter(now, next, rhythm);
  const present = {
    ...own,
    left: coming === next ? stored : amount,
    expiresAt: Math.min(coming, end),
  };
  const count = countUntil(end, coming, rhythm);
  if (count === 0) return present;
  const period = periodOf(rhythm);
  if (period === undefined || !Number.isSafeInteger(amount * count)) {
    const pace = period === undefined ? `, each ${rhythm.seconds} seconds` : '';
    return { ...present, loss: `${count} refills of ${amount} units ${until}${pace}` };
  }
  const planId = plan.whole('id');
  const refills = {
    plan: { id: planId, title: plan.text('title') || `Plan ${planId}`, group: plan.text('upgrade_group') },
    period,
    amount,
    count,
    start: isEndOfMonth(coming) ? endOfJanuary(coming) : coming,
  };
  return { ...present, refills };
}

function rhythmOf(plan: Cells): Rhythm | undefined {
  const length = plan.whole('quota_reset_custom_seconds');
  if (plan.text('quota_reset_period') === 'custom')
    return length > 0 ? { months: 0, seconds: length } : undefined;
  return rhythms[plan.text('quota_reset_period')];
}

/** Without a rhythm new-api does not refill either, unless its version knows one more. */
const isUnknown = (word: string): boolean => !['', 'never', 'custom'].includes(word);

/** The period of a plan here; undefined if none is as long. */
function periodOf({ months, seconds: length }: Rhythm): PlanPeriod | undefined {
  if (months > 0) return months === 12 ? 'year' : 'month';
  return length === daySeconds ? 'day' : length === 7 * daySeconds ? 'week' : undefined;
}

/** The first refill after a moment, as new-api computes each from the one before. */
function firstAfter(now: number, first: number, rhythm: Rhythm): number {
  let at = first;
  if (rhythm.months > 0) while (at <= now) at = resetAfter(at, rhythm);
  else if (at <= now) at += rhythm.seconds * (Math.floor((now - at) / rhythm.seconds) + 1);
  return at;
}

/** The number of refills before the end of a subscription. */
function countUntil(end: number, first: number, rhythm: Rhythm): number {
  if (rhythm.months === 0) return Math.max(0, Math.ceil((end - first) / rhythm.seconds));
  let count = 0;
  for (let at = first; at < end; at = resetAfter(at, rhythm)) count += 1;
  return count;
}

/** A day that a month does not have is one of the next month. */
function resetAfter(at: number, { months }: Rhythm): number {
  const date = new Date(at * 1_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const day = isEndOfMonth(at) ? Date.UTC(year, month + 1, 0) : Date.UTC(year, month, date.getUTCDate());
  return day / 1_000 + (at % daySeconds);
}

/**
 * True for midnight of a first day in a time zone east of Greenwich, in which some versions of new-api refill: the last
 * day of a month here. Other versions refill at the second of the purchase.
 */
const isEndOfMonth = (at: number): boolean =>
  at % 900 === 0 && at % daySeconds !== 0 && new Date((at + daySeconds) * 1_000).getUTCDate() === 1;

/** That time of day on 31 January: periods counted from there end on last days of months. */
const endOfJanuary = (at: number): number =>
  Date.UTC(new Date(at * 1_000).getUTCFullYear(), 0, 31) / 1_000 + (at % daySeconds);

/** The last second that a date can be written for is one of the year 9999. */
const dateOf = (at: number): string =>
  new Date(Math.min(at, 253_402_300_799) * 1_000).toISOString().slice(0, 10);
