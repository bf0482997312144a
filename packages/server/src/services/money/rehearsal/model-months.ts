import { AppError, type ModelMonth } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Pricing } from '../pricing/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { readValues } from './plan.ts';
import { runPlan, type RunDeps } from './run-plan.ts';
import type { Totals } from './totals.ts';

export interface ModelMonthDeps extends RunDeps {
  settings: Pick<Settings, 'get'>;
  pricing: Pick<Pricing, 'isPriced'>;
  clock: Clock;
  /** Prices a plan, in a thread by default. */
  run?: typeof runPlan;
}

/** The cost of this month with another model. Changes nothing. */
export interface ModelMonths {
  /**
   * Prices the calls of a user, or of all users if `userId` is 0, since the first of the month (UTC). Throws AppError
   * `model_without_price`, or `month_busy` for too many simultaneous requests.
   */
  of(model: string, userId: number): Promise<ModelMonth>;
}

/** Approximate number of rows priced for a result. */
const mostRows = 200_000;
/** Every user may call this: each process computes one at a time, few may wait, and a result is cached for a while. */
const mostWaiting = 8;
const keptMs = 60_000;
const keptMost = 500;

/** Opens the comparison of months. */
export function createModelMonths(deps: ModelMonthDeps): ModelMonths {
  const kept = new Map<string, { at: number; month: Promise<ModelMonth> }>();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const start = (key: string, model: string, userId: number): Promise<ModelMonth> => {
    if (waiting >= mostWaiting) throw new AppError('month_busy');
    waiting += 1;
    const month = last.then(() => compute(deps, model, userId)).finally(() => (waiting -= 1));
    last = month.catch(() => kept.delete(key));
    return month;
  };

  return {
    async of(model, userId) {
      if (!deps.pricing.isPriced(model)) throw new AppError('model_without_price', { model });
      const now = deps.clock();
      const key = JSON.stringify([userId, model]);
      const known = kept.get(key);
      if (known && now - known.at < keptMs) return known.month;
      const month = start(key, model, userId);
      kept.delete(key);
      if (kept.size >= keptMost) for (const oldest of [...kept.keys()].slice(0, 1)) kept.delete(oldest);
      kept.set(key, { at: now, month });
      return month;
    },
  };
}

/** The start of the month of `now` (UTC), in Unix seconds. */
function monthOf(now: number): number {
  const date = new Date(now * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1_000;
}

async function compute(deps: ModelMonthDeps, model: string, userId: number): Promise<ModelMonth> {
  const now = seconds(deps.clock);
  const start = monthOf(now);
  const plan = {
    filter: { start, end: now, models: [], channelId: 0, userId },
    values: readValues(deps.settings, {}),
    as: model,
    most: mostRows,
  };
  const totals = await (deps.run ?? runPlan)(deps, plan, () => undefined).result;
  const { rows, before, after } = totals.total;
  const read = rows + [...totals.apart.values()].reduce((sum, apart) => sum + apart.rows, 0);
  return {
    model,
    start,
    rows,
    before,
    after,
    left_out: leftOutOf(totals),
    complete: read < mostRows,
  };
}

/** Calls that are in neither sum; refunded ones are not counted. */
function leftOutOf({ apart }: Totals): ModelMonth['left_out'] {
  const sum = { rows: 0, quota: 0 };
  for (const [reason, { rows, quota }] of apart) {
    if (reason === 'refund') continue;
    sum.rows += rows;
    sum.quota += quota;
  }
  return sum;
}
