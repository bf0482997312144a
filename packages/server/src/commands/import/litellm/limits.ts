import type { JsonObject } from '../../../lib/json.ts';
import { isObject, numberOf, textOf } from '../../../lib/json.ts';
import { type Cells, readCells } from '../kit/cells.ts';
import { type SourceBudget, unitsOf as signedUnitsOf, unlimitedTokens } from '../kit/translated.ts';

/** Columns of a key, a person or an organisation with its limits. */
export const limitColumns =
  `spend max_budget soft_budget budget_duration budget_reset_at budget_id tpm_limit rpm_limit
  max_parallel_requests model_max_budget`.split(/\s+/);

/** Periods by the texts of LiteLLM, which resets at midnight, on Mondays and on the first of a month. */
const periods: Readonly<Record<string, SourceBudget['period']>> = {
  '60s': 'minute',
  '1m': 'minute',
  '60m': 'hour',
  '1h': 'hour',
  '24h': 'day',
  '1d': 'day',
  daily: 'day',
  '7d': 'week',
  '1w': 'week',
  weekly: 'week',
  '30d': 'month',
  '1mo': 'month',
  monthly: 'month',
};

/** Quota units of an amount; LiteLLM has no debts. */
export const unitsOf = (dollars: number): number => Math.max(0, signedUnitsOf(dollars));

/** What limits have no word for, by reason. */
export type LeftLimits = Map<string, number>;
const count = (left: LeftLimits, what: string): void => void left.set(what, (left.get(what) ?? 0) + 1);

/** Limits of a key, a person, a member or an organisation, with those of its row of budgets. */
export interface Limits {
  /** Dollars; undefined for no limit. */
  max: number | undefined;
  soft: number | undefined;
  duration: string;
  /** Dollars spent in the present window. */
  spent: number;
  tokens: number;
  requests: number;
  byModel: JsonObject;
}

/** Reads the limits of a row; the shared ones of `budgets` apply where it has none of its own. */
export function readLimits(
  cells: Cells,
  budgets: ReadonlyMap<string, Cells>,
  { now, left }: { now: number; left: LeftLimits },
): Limits {
  const shared = budgets.get(cells.text('budget_id')) ?? readCells({}, 'LiteLLM_BudgetTable');
  const of = (column: string): Cells => (cells.has(column) ? cells : shared);
  const amount = (column: string): number | undefined =>
    of(column).has(column) ? of(column).real(column) : undefined;
  const whole = (column: string): number => Math.max(0, Math.trunc(amount(column) ?? 0));
  if (whole('max_parallel_requests') > 0) count(left, 'limits of calls at once');
  const reset = of('budget_reset_at').date('budget_reset_at');
  const own = cells.json('model_max_budget');
  return {
    max: amount('max_budget'),
    soft: amount('soft_budget'),
    duration: of('budget_duration').text('budget_duration'),
    // A window that has ended counts from 0; LiteLLM writes that with the next check.
    spent: reset !== null && reset <= now ? 0 : cells.real('spend'),
    tokens: whole('tpm_limit'),
    requests: whole('rpm_limit'),
    byModel: Object.keys(own).length > 0 ? own : shared.json('model_max_budget'),
  };
}

type Owner = Pick<SourceBudget, 'tokenId' | 'userId' | 'teamId'>;

/** The budgets that limits are here. */
export function budgetsOf(
  { max, soft, duration, spent, tokens, requests, byModel }: Limits,
  { owner, left }: { owner: Owner; left: LeftLimits },
): SourceBudget[] {
  const common = { ...owner, model: '', unit: 'quota' as const, mode: 'hard' as const, maxCalls: 0, used: 0 };
  const periodOf = (text: string): SourceBudget['period'] => {
    if (text !== '' && periods[text] === undefined)
      count(left, `budgets for ${text}, which are filled once here: give them another period`);
    return periods[text] ?? 'term';
  };
  const budgets: SourceBudget[] = [];
  const dollars = {
    period: periodOf(max === undefined && soft === undefined ? '' : duration),
    used: unitsOf(spent),
  };
  if (max !== undefined) budgets.push({ ...common, ...dollars, name: 'budget', amount: unitsOf(max) });
  if (soft !== undefined)
    budgets.push({ ...common, ...dollars, name: 'soft budget', mode: 'soft', amount: unitsOf(soft) });
  if (tokens > 0 || requests > 0)
    budgets.push({
      ...common,
      name: 'per minute',
      period: 'minute',
      unit: 'tokens',
      amount: tokens || unlimitedTokens,
      maxCalls: requests,
    });
  for (const [model, value] of Object.entries(byModel)) {
    const terms = isObject(value) ? value : { budget_limit: value };
    const limit = numberOf(terms.budget_limit ?? terms.max_budget);
    if (!Number.isFinite(limit)) {
      count(left, 'limits of a model other than of its cost');
      continue;
    }
    const period = periodOf(textOf(terms.time_period ?? terms.budget_duration));
    budgets.push({ ...common, name: `budget of ${model}`, model, period, amount: unitsOf(limit) });
  }
  return budgets;
}
