import { type Clock, seconds } from '../../lib/clock.ts';
import type { Caller } from '../../gateway/index.ts';
import { AppError } from '@tollgate/contract';
import { refuse } from '../../relay/types/index.ts';
import type { KeyBudget } from '../../services/money/budgets/index.ts';
import type { Funds, FundsReader, KeyFunds } from '../../services/people/tokens/index.ts';
import type { IpLimiter } from '../ip-limit.ts';
import type { AuthorizedRequest } from './read-call.ts';
import type { FiguresFormat } from './relay-route.ts';

/** From `start` to before `end` (Unix seconds), in intervals of `width` seconds. */
interface Period {
  start: number;
  end: number;
  width: number;
}

/** The charges of a key for a model in the range that starts at `from`. */
interface KeyUsage {
  /** Unix seconds. */
  from: number;
  model: string;
  /** Quota units minus refunds. */
  spent: number;
  inputTokens: number;
  outputTokens: number;
  calls: number;
}

/** Sources of a key's figures. */
export interface FiguresDeps {
  funds: Pick<FundsReader, 'ofKey' | 'ofWallet' | 'shown'>;
  /** Figures of the run of a key that another key has made; undefined if it was removed. */
  findRunFunds: (caller: Caller, run: string) => Promise<KeyFunds | undefined>;
  /** The charges of a key by model and time interval. */
  findUsage: (caller: Caller, period: Period) => Promise<KeyUsage[]>;
  /** The budgets that limit the calls of a caller and belong to it, not those of the site or of a group. */
  findBudgets: (caller: Caller) => Promise<KeyBudget[]>;
  dollars: (quota: number) => number;
  /** True if the old billing calls use dollars, false for quota units. */
  showsDollars: () => boolean;
  clock: Clock;
  /** Throws if an address has sent too many requests. */
  limitReads: IpLimiter;
}

/** The figures of one key; each format reads only the ones that it needs. */
interface Figures {
  caller: Caller;
  query: URLSearchParams;
  /** Unix seconds. */
  now: number;
  key: () => Promise<KeyFunds>;
  /** Figures of the billing calls: those of the key or the wallet, by the site's option. */
  shown: () => Promise<Funds>;
  /** The same, but those of the wallet for a key without a limit. */
  credits: () => Promise<Funds>;
  usage: (period: Period) => Promise<KeyUsage[]>;
  /** Those in quota, and those in tokens. */
  budgets: () => Promise<KeyBudget[]>;
  tokenBudgets: () => Promise<KeyBudget[]>;
  dollars: (quota: number) => number;
  /** In the unit that the site shows. */
  display: (quota: number) => number;
}

const day = 86_400;

/** Returns the figures that a key may read, in the format of the route. Throws RelayError. */
export async function keyFigures(deps: FiguresDeps, authorized: AuthorizedRequest): Promise<object> {
  const { caller, ip, query } = authorized;
  await limitedRead(deps.limitReads, ip);
  const { figures } = authorized.matched.route;
  if (!figures) throw new Error('a route of figures has a format');
  const { funds, dollars } = deps;
  const { run } = caller;
  const key = async (): Promise<KeyFunds> => {
    const found = await (run === undefined ? funds.ofKey(caller) : deps.findRunFunds(caller, run));
    if (!found) throw refuse('invalid_api_key');
    return found;
  };
  const allBudgets = (): Promise<KeyBudget[]> =>
    run === undefined ? deps.findBudgets(caller) : Promise.resolve([]);
  const budgetsIn = async (counted: KeyBudget['unit']): Promise<KeyBudget[]> =>
    (await allBudgets()).filter(({ unit }) => unit === counted);
  return formats[figures]({
    caller,
    query: new URLSearchParams(query),
    now: seconds(deps.clock),
    key,
    // The key of a run does not see the wallet or the key that made it.
    shown: run === undefined ? () => funds.shown(caller) : key,
    async credits() {
      if (run !== undefined) return key();
      const shown = await funds.shown(caller);
      return shown.unlimited ? funds.ofWallet(caller) : shown;
    },
    usage: (period) => deps.findUsage(caller, period),
    budgets: () => budgetsIn('quota'),
    tokenBudgets: () => budgetsIn('tokens'),
    dollars,
    display: (quota) => (deps.showsDollars() ? dollars(quota) : quota),
  });
}

/** Counts a request of an address. Throws `too_many_reads`. */
export async function limitedRead(limitReads: IpLimiter, ip: string): Promise<void> {
  await limitReads('api', ip).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw refuse('too_many_reads', {}, { retryAfterSeconds: Number(error.values['retryAfter']) });
  });
}

type Format = (figures: Figures) => Promise<object>;

/** The limit that an unlimited token reports (docs/compatibility.md#envelope-and-routes). */
const unlimitedDisplay = 100_000_000;

/** All formats. A further tool is a further entry. */
const formats: Readonly<Record<FiguresFormat, Format>> = {
  async 'openai-subscription'({ shown, display }) {
    const funds = await shown();
    const limit = funds.unlimited ? unlimitedDisplay : display(granted(funds));
    return {
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: funds.expiresAt > 0 ? funds.expiresAt : 0,
    };
  },

  async 'openai-usage'({ shown, display }) {
    return { object: 'list', total_usage: display((await shown()).used) * 100 };
  },

  async 'openai-credits'({ credits, display }) {
    const funds = await credits();
    return {
      object: 'credit_summary',
      total_granted: display(granted(funds)),
      total_used: display(funds.used),
      total_available: display(funds.remaining),
      grants: { object: 'list', data: [] },
    };
  },

  'openai-costs': (figures) =>
    buckets(figures, { '1d': { width: day, usual: 7, most: 180 } }, ({ spent, model }, by) => ({
      object: 'organization.costs.result',
      amount: { value: figures.dollars(spent), currency: 'usd' },
      line_item: by.has('line_item') ? model : null,
      project_id: null,
      ...(by.has('api_key_id') && { api_key_id: String(figures.caller.tokenId) }),
    })),

  'openai-completions': (figures) =>
    buckets(figures, completionWidths, ({ model, inputTokens, outputTokens, calls }, by) => ({
      object: 'organization.usage.completions.result',
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      num_model_requests: calls,
      project_id: null,
      user_id: by.has('user_id') ? String(figures.caller.userId) : null,
      api_key_id: by.has('api_key_id') ? String(figures.caller.tokenId) : null,
      model: by.has('model') ? model : null,
      batch: null,
    })),

  async 'new-api-token'({ key, budgets }) {
    const [funds, limits] = await Promise.all([key(), budgets()]);
    return {
      code: true,
      message: 'ok',
      data: {
        object: 'token_usage',
        name: funds.name,
        total_granted: granted(funds),
        total_used: funds.used,
        total_available: funds.remaining,
        unlimited_quota: funds.unlimited,
        model_limits: Object.fromEntries((funds.models ?? []).map((name) => [name, true])),
        model_limits_enabled: funds.models !== undefined,
        expires_at: funds.expiresAt > 0 ? funds.expiresAt : 0,
        // Tollgate's own format.
        budgets: limits.map(({ name, scope, model, period, amount, used, held, end }) => ({
          name,
          scope,
          model,
          period,
          amount,
          used,
          available: Math.max(0, amount - used - held),
          resets_at: end,
        })),
      },
    };
  },

  async 'openrouter-key'({ caller, key, usage, budgets, now, dollars }) {
    const since = startsOf(now);
    const start = Math.min(since.week, since.month);
    const [funds, limits, rows] = await Promise.all([
      key(),
      budgets(),
      usage({ start, end: now + day, width: day }),
    ]);
    const usedSince = (from: number): number =>
      dollars(rows.reduce((sum, row) => (row.from >= from ? sum + row.spent : sum), 0));
    return {
      data: {
        label: caller.maskedKey,
        limit: funds.unlimited ? null : dollars(granted(funds)),
        limit_remaining: funds.unlimited ? null : dollars(funds.remaining),
        limit_reset: null,
        include_byok_in_limit: false,
        usage: dollars(funds.used),
        usage_daily: usedSince(since.day),
        usage_weekly: usedSince(since.week),
        usage_monthly: usedSince(since.month),
        byok_usage: 0,
        byok_usage_daily: 0,
        byok_usage_weekly: 0,
        byok_usage_monthly: 0,
        is_free_tier: false,
        is_management_key: false,
        is_provisioning_key: false,
        expires_at: dateOf(funds.expiresAt),
        creator_user_id: String(caller.userId),
        budgets: limits.map((budget) => routerBudget(budget, dollars)),
        rate_limit: { requests: -1, interval: '10s', note: 'This field is deprecated and safe to ignore.' },
      },
    };
  },

  async 'openrouter-credits'({ credits, dollars }) {
    const funds = await credits();
    return { data: { total_credits: dollars(granted(funds)), total_usage: dollars(funds.used) } };
  },

  async 'litellm-key'(figures) {
    const { caller, query } = figures;
    const asked = query.get('key');
    // A key may read only its own figures; the query may name it.
    if (asked !== null && asked !== caller.maskedKey && !isOwnKey(asked, caller))
      throw refuse('invalid_api_key');
    return { key: caller.maskedKey, info: await liteKey(figures) };
  },

  async 'litellm-user'(figures) {
    const { caller, credits, dollars } = figures;
    const [funds, own] = await Promise.all([credits(), liteKey(figures)]);
    const id = String(caller.userId);
    return {
      user_id: id,
      user_info: {
        user_id: id,
        spend: dollars(funds.used),
        max_budget: dollars(granted(funds)),
        budget_duration: null,
        budget_reset_at: null,
        models: [],
        teams: [],
      },
      keys: [own],
      teams: [],
    };
  },

  'litellm-activity': dailyActivity,
};

const granted = ({ remaining, used }: Funds): number => remaining + used;

/** The time of an end in ISO 8601; null for never. */
const dateOf = (at: number): string | null => (at > 0 ? new Date(at * 1_000).toISOString() : null);

/** The starts of the present day, week (Monday) and month, in UTC. */
function startsOf(now: number): Record<'day' | 'week' | 'month', number> {
  const today = now - (now % day);
  const date = new Date(now * 1_000);
  return {
    day: today,
    // The first day of Unix time was a Thursday.
    week: today - ((today / day + 3) % 7) * day,
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1_000,
  };
}

const isOwnKey = (asked: string, { maskedKey }: Caller): boolean =>
  asked.startsWith('sk-') && maskedKey === `sk-${asked.slice(3, 6)}***${asked.slice(-3)}`;

/** A budget in OpenRouter's format. Its layers are named after their limits; a key may not read more of them. */
const routerBudget = ({ scope, period, amount, used, end }: KeyBudget, dollars: Figures['dollars']) => ({
  scope: ({ key: 'api_key', user: 'member', team: 'workspace' } as const)[scope],
  limit_usd: dollars(amount),
  spend_usd: dollars(used),
  remaining_usd: dollars(amount - used),
  reset_interval: (
    { minute: null, hour: 'hourly', day: 'daily', week: 'weekly', month: 'monthly', term: null } as const
  )[period],
  resets_at: period === 'term' ? null : dateOf(end),
  include_byok: false,
  guardrail_id: null,
  budget_id: null,
});

/** Periods by LiteLLM's names. */
const liteDurations = { minute: '1m', hour: '1h', day: '1d', week: '7d', month: '1mo', term: null } as const;

/**
 * A key in LiteLLM's format, which has one limit for all calls and one for each model. Of the limits of the key and of
 * the budgets, the one with the smallest rest is shown.
 */
async function liteKey(figures: Figures): Promise<object> {
  const { caller, dollars } = figures;
  const [funds, budgets, inTokens] = await Promise.all([
    figures.key(),
    figures.budgets(),
    figures.tokenBudgets(),
  ]);
  const perMinute = inTokens.filter(({ model, period }) => model === '' && period === 'minute');
  const own = { used: funds.used, amount: funds.unlimited ? Infinity : granted(funds) };
  const limit: Pick<KeyBudget, 'used' | 'amount'> & Partial<KeyBudget> = budgets
    .filter(({ model }) => model === '')
    .reduce<typeof own>((least, each) => (left(each) < left(least) ? each : least), own);
  return {
    token: String(caller.tokenId),
    key_name: caller.maskedKey,
    key_alias: funds.name,
    spend: dollars(limit.used),
    max_budget: limit.amount === Infinity ? null : dollars(limit.amount),
    expires: dateOf(funds.expiresAt),
    models: funds.models ?? [],
    aliases: {},
    config: {},
    metadata: {},
    user_id: String(caller.userId),
    team_id: caller.team ? String(caller.team.id) : null,
    budget_duration: limit.period === undefined ? null : liteDurations[limit.period],
    budget_reset_at: limit.period === undefined || limit.period === 'term' ? null : dateOf(limit.end ?? 0),
    model_max_budget: Object.fromEntries(
      budgets
        .filter(({ model }) => model !== '')
        .map(({ model, amount, period }) => [
          model,
          { budget_limit: dollars(amount), time_period: liteDurations[period] },
        ]),
    ),
    tpm_limit: perMinute.length === 0 ? null : Math.min(...perMinute.map(({ amount }) => amount)),
    rpm_limit: null,
    blocked: false,
    created_at: dateOf(funds.createdAt),
  };
}

const left = ({ amount, used }: Pick<KeyBudget, 'amount' | 'used'>): number => amount - used;

/** LiteLLM's usage by day (UTC) and model, the newest day first. A page has a number of days, with or without calls. */
async function dailyActivity({ query, now, caller, key, usage, dollars }: Figures): Promise<object> {
  const [start, end] = (['start_date', 'end_date'] as const).map((field) => {
    const at = dayAt(query.get(field));
    if (at === undefined) throw refuse('field_required', { field });
    return at;
  }) as [number, number];
  const last = Math.min(end, now - (now % day));
  const size = Math.min(Math.max(1, wholeNumber(query.get('page_size')) ?? 50), 366);
  const page = Math.max(1, wholeNumber(query.get('page')) ?? 1);
  const pages = Math.max(1, Math.ceil((last - start + day) / day / size));
  const until = last + day - (page - 1) * size * day;
  const from = Math.max(start, until - size * day);
  const [funds, rows] = await Promise.all([
    key(),
    until > from ? usage({ start: from, end: until, width: day }) : [],
  ]);
  const metricsOf = (some: readonly KeyUsage[]) => liteMetrics(some, dollars);
  const of = (some: readonly KeyUsage[], metadata: object = {}) => ({ metrics: metricsOf(some), metadata });
  const results = [...Map.groupBy(rows, (row) => row.from)]
    .toSorted(([a], [b]) => b - a)
    .map(([at, own]) => {
      const models = Object.fromEntries(
        [...Map.groupBy(own, ({ model }) => model)].map(([model, some]) => [model, of(some)]),
      );
      const api_keys = { [caller.maskedKey]: of(own, { key_alias: funds.name, team_id: null }) };
      const breakdown = {
        models,
        model_groups: models,
        api_keys,
        providers: {},
        mcp_servers: {},
        entities: {},
      };
      return { date: new Date(at * 1_000).toISOString().slice(0, 10), metrics: metricsOf(own), breakdown };
    });
  const totals = Object.fromEntries(
    Object.entries(metricsOf(rows)).map(([name, value]) => [`total_${name}`, value]),
  );
  return { results, metadata: { ...totals, page, total_pages: pages, has_more: page < pages } };
}

/** Usage in LiteLLM's fields. Tokens of caches are part of the input here, and only calls that were charged are counted. */
function liteMetrics(rows: readonly KeyUsage[], dollars: Figures['dollars']) {
  const sum = (of: (row: KeyUsage) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const input = sum((row) => row.inputTokens);
  const output = sum((row) => row.outputTokens);
  const calls = sum((row) => row.calls);
  return {
    spend: dollars(sum((row) => row.spent)),
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    api_requests: calls,
    successful_requests: calls,
    failed_requests: 0,
  };
}

/** The start of a UTC day (Unix seconds) by its date; undefined for other texts. */
function dayAt(text: string | null): number | undefined {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`) / 1_000;
  return Number.isNaN(at) ? undefined : at;
}

interface BucketWidth {
  width: number;
  /** Buckets per page: the default, and the maximum. */
  usual: number;
  most: number;
}

const completionWidths: Readonly<Record<string, BucketWidth>> = {
  '1d': { width: day, usual: 7, most: 31 },
  '1h': { width: 3_600, usual: 24, most: 168 },
  '1m': { width: 60, usual: 60, most: 1_440 },
};

/** A page of OpenAI's usage calls: buckets in order of time, empty ones too. */
async function buckets(
  { query, now, usage }: Figures,
  widths: Readonly<Record<string, BucketWidth>>,
  resultOf: (row: KeyUsage, groups: ReadonlySet<string>) => object,
): Promise<object> {
  const { width, usual, most } = widths[query.get('bucket_width') ?? '1d'] ?? widths['1d']!;
  const asked = wholeNumber(query.get('start_time'));
  if (asked === undefined) throw refuse('field_required', { field: 'start_time' });
  const end = Math.min(wholeNumber(query.get('end_time')) ?? now + 1, now + 1);
  const limit = Math.min(Math.max(1, wholeNumber(query.get('limit')) ?? usual), most);
  const floor = (at: number): number => at - (at % width);
  const start = floor(wholeNumber(query.get('page')) ?? asked);
  const groups = new Set([...query.getAll('group_by'), ...query.getAll('group_by[]')]);
  const models = new Set([...query.getAll('models'), ...query.getAll('models[]')]);
  const count = Math.max(0, Math.min(limit, Math.ceil((end - start) / width)));
  const until = start + count * width;
  const rows =
    count === 0 ? [] : await usage({ start: Math.max(start, asked), end: Math.min(until, end), width });
  const wanted = models.size === 0 ? rows : rows.filter(({ model }) => models.has(model));
  const byTime = Map.groupBy(wanted, ({ from }) => from);
  const data = Array.from({ length: count }, (_, at) => {
    const from = start + at * width;
    const own = byTime.get(from) ?? [];
    const shown = groups.has('model') || groups.has('line_item') ? own : total(own);
    const results = shown.map((row) => resultOf(row, groups));
    return { object: 'bucket', start_time: from, end_time: from + width, results };
  });
  const isMore = until < end;
  return { object: 'page', data, has_more: isMore, next_page: isMore ? String(until) : null };
}

/** One row for all models; none for none. */
const total = (rows: readonly KeyUsage[]): KeyUsage[] => {
  const [first, ...others] = rows;
  if (!first) return [];
  return [
    others.reduce(
      (sum, row) => ({
        ...sum,
        spent: sum.spent + row.spent,
        inputTokens: sum.inputTokens + row.inputTokens,
        outputTokens: sum.outputTokens + row.outputTokens,
        calls: sum.calls + row.calls,
      }),
      first,
    ),
  ];
};

/** Unix times and counts; undefined for other values. */
const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,11}$/.test(text) ? Number(text) : undefined;
