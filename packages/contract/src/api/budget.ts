import { z } from 'zod';
import { meanings } from '../meanings.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { whole } from '../whole.ts';

/** Period after which a budget starts again at 0. `term`: one period that ends on a date. */
export const budgetPeriods = ['minute', 'hour', 'day', 'week', 'month', 'term'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/**
 * Maximum number of budgets with the same most specific condition (key, person, organisation or group), and of
 * budgets without conditions.
 */
export const maxBudgets = 8;

/** What happens to a call that does not fit a budget: it is refused, it is only counted, or it uses a cheaper model. */
export const budgetModes = ['hard', 'soft', 'cheaper'] as const;
export type BudgetMode = (typeof budgetModes)[number];

/** What a budget counts: quota units, or tokens in and out. */
export const budgetUnits = ['quota', 'tokens'] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** Shares of a budget that are warned of unless others are declared, in percent. */
export const usualShares: readonly number[] = [50, 80, 100];
/** The same for a period: a warning every minute helps nobody. */
export const usualSharesOf = (period: string): readonly number[] => (period === 'minute' ? [] : usualShares);
/** Maximum number of shares of a budget, and the largest. */
export const maxShares = 5;
export const maxShare = 1_000;

/** Calls of a run without a limit of its own. */
export const maxRunCalls = 1_000_000;

const period = z.enum(budgetPeriods).meta({
  zh: 'minute 分钟、hour 小时、day 天、week 周（从周一起）、month 月，按日历；term 为到期前的一段时间',
  en: 'Of the calendar: a minute, an hour, a day, a week from Monday, a month; `term` is one stretch of time until a date',
  example: 'week',
});
const sliding = z.boolean().meta({
  zh: '滚动周期：任意连续的一分钟、一小时、一天、七天或 30 天内不超过金额；不可用于 term',
  en: 'Instead of the calendar, any minute, hour, day, seven days or 30 days in a row; not for a `term`',
  example: false,
});
const timeZone = z
  .string()
  .max(64)
  .meta({ zh: '日历所用时区的 IANA 名称', en: 'IANA name of the time zone of the calendar', example: 'UTC' });
const unit = z.enum(budgetUnits).meta({
  zh: 'quota 按额度单位计；tokens 按输入和输出的 Token 数计，amount、used、held 均为 Token 数',
  en: '`quota` counts quota units. `tokens` counts tokens in and out, as do `amount`, `used` and `held`',
  example: 'quota',
});
const amount = whole(0, maxQuota).meta({
  zh: '每期可用的额度单位或 Token 数',
  en: 'What calls may cost in a period, in quota units, or the tokens that they may have',
  example: 500_000,
});
const name = z.string().trim().min(1).max(100).meta({
  zh: '预算的名称，拒绝信息中会出现',
  en: 'Name of the budget, which refusals show',
  example: 'weekly',
});
const anyId = (zh: string, en: string) =>
  whole(0, Number.MAX_SAFE_INTEGER).meta({ zh: `${zh}；0 为不限`, en: `${en}; 0 for any`, example: 0 });
const conditions = {
  token_id: anyId('令牌 ID', 'Id of the key'),
  user_id: anyId('调用者的用户 ID', 'User id of who calls'),
  team_id: anyId('付费组织的 ID', 'Id of the organisation that pays'),
  group: z
    .string()
    .max(64)
    .meta({ zh: '计费分组；空为不限', en: 'Group that a call is billed in; empty for any' }),
  model: z.string().max(255).meta({
    zh: '模型名称，末尾可用 *；空为不限',
    en: 'Name of the model, with a * for any rest; empty for any',
    example: 'gpt-4o*',
  }),
};

const forEach = z.enum(['', 'user', 'member']).meta({
  zh: 'user 或 member：不计调用，新用户或新成员各得一个相同的预算；空为普通预算',
  en: '`user` or `member`: counts no calls, but each new user or member gets one like it; empty for all others',
  example: '',
});

const maxCalls = (least: number) =>
  whole(least, maxRunCalls).meta({
    zh: '每期可进行的调用次数；0 为不计数',
    en: 'Calls that may be made in a period; 0 if they are not counted',
    example: 200,
  });

const mode = z.enum(budgetModes).meta({
  zh: 'hard 拒绝超出的调用，soft 仅统计并提醒，cheaper 改用更便宜的模型',
  en: '`hard` refuses what goes beyond it, `soft` only counts and warns, `cheaper` uses another model instead',
  example: 'hard',
});
const shares = z
  .array(whole(1, maxShare))
  .max(maxShares)
  .transform((given) => [...new Set(given)].toSorted((a, b) => a - b))
  .meta({
    zh: '已用达到这些百分比时提醒，每期各一次；创建时默认为 50、80、100，周期为 minute 时不提醒',
    en: 'Percentages of use that are warned of, each once in a period; when created 50, 80 and 100, none for a `minute`',
    example: [...usualShares],
  });

const instead = z.string().trim().max(255).meta({
  zh: 'cheaper 模式下改用的模型；其他模式为空',
  en: 'The model that calls beyond a `cheaper` budget use; empty for other modes',
  example: '',
});

/** A budget and the sum of its current period. */
const budgetData = z.object({
  id: z.number().int().meta({ zh: '预算的 ID', en: 'Id of the budget' }),
  name,
  ...conditions,
  for_each: forEach,
  period: z.enum([...budgetPeriods, 'run']).meta({
    zh: '周期；run 为智能体任务，到期前可用',
    en: 'As it was created with; `run` for the run of an agent, which accepts calls until its end',
    example: 'week',
  }),
  sliding,
  time_zone: timeZone,
  mode,
  shares: z.array(z.number().int()).meta({
    zh: '已用达到这些百分比时提醒',
    en: 'Percentages of use that are warned of',
    example: [...usualShares],
  }),
  instead,
  unit,
  amount,
  enabled: z.boolean().meta({ zh: '是否启用', en: 'Whether it applies to calls' }),
  used: z.number().int().meta({ zh: '本期已用', en: 'Charged in this period' }),
  held: z.number().int().meta({
    zh: '进行中的调用所冻结',
    en: 'What running calls hold',
  }),
  max_calls: maxCalls(0),
  calls: z.number().int().meta({ zh: '本期的调用次数', en: 'Calls that were charged or are running' }),
  run: z.string().meta({ zh: '任务的路径；其他预算为空', en: 'Path of the run; empty for other budgets' }),
  key_hint: z.string().meta({
    zh: '为该任务创建的密钥的首尾字符；没有则为空。subject 为创建它的令牌',
    en: 'Shown characters of the key that was made for the run, by the key in `subject`; empty without one',
  }),
  window_start: z
    .number()
    .int()
    .meta({ ...meanings.seconds, zh: '本期开始，Unix 秒', en: 'Unix seconds of the start of this period' }),
  window_end: z
    .number()
    .int()
    .meta({
      ...meanings.seconds,
      zh: '本期结束，Unix 秒；滚动周期为最早的用量不再计入的时间',
      en: 'Unix seconds of the end of this period; of a sliding one, the time from which its oldest use no longer counts',
    }),
  set_by: z.enum(['site', 'default', 'team', 'own']).meta({
    zh: '由谁设置：site 管理员，default 管理员为每个新用户或新成员设置，team 组织管理者，own 本人',
    en: 'Who set it: an administrator (`site`; `default` for each new user or member), a manager of the organisation (`team`), or the person (`own`)',
  }),
  subject: z.string().meta({
    zh: '所限令牌、用户、组织或分组的名称',
    en: 'Name of the key, person, organisation or group that it limits',
  }),
  may_change: z.boolean().meta({ zh: '调用者可以修改', en: 'Whether the caller may change it' }),
});
export type BudgetData = z.output<typeof budgetData>;

const newBudget = z.object({
  name,
  token_id: conditions.token_id.default(0),
  user_id: conditions.user_id.default(0),
  team_id: conditions.team_id.default(0),
  group: conditions.group.default(''),
  model: conditions.model.default(''),
  for_each: forEach.default(''),
  period,
  sliding: sliding.default(false),
  time_zone: timeZone.default('UTC'),
  mode: mode.default('hard'),
  shares: shares.optional(),
  instead: instead.default(''),
  unit: unit.default('quota'),
  amount,
  until: whole(0, 100_000_000_000).default(0).meta({
    zh: 'term 的结束时间，Unix 秒',
    en: 'Unix seconds of the end of a `term`',
    example: 0,
  }),
});
export type NewBudget = z.output<typeof newBudget>;

const id = whole(1, Number.MAX_SAFE_INTEGER).meta({ zh: '预算的 ID', en: 'Id of the budget' });

/** Budgets: docs/money.md#budgets. */
export const budgetApi = {
  /**
   * Budgets with exactly these conditions. Without conditions, administrators get all budgets, and others get those
   * of themselves and their keys.
   */
  list: route('GET', '/api/budget/', {
    summary: { zh: '列出预算', en: 'List budgets' },
    access: 'user',
    example: { user_id: 2 },
    input: z.object({
      token_id: conditions.token_id.optional(),
      user_id: conditions.user_id.optional(),
      team_id: conditions.team_id.optional(),
      group: conditions.group.optional(),
      for_each: forEach.optional(),
      near: whole(0, 100).optional().meta({
        zh: '只列出本期已用和冻结至少占此百分比的预算',
        en: 'Only those of which calls have used or hold at least so many percent in this period',
        example: 0,
      }),
    }),
    data: z.array(budgetData),
  }),
  /**
   * A run that calls name in their header, then its sub-runs of all levels, oldest first; without a path the newest runs of the
   * caller, or those that accept calls and have keys that a key has made. At most 100; empty for an unknown path.
   * Managers see runs that began with a call that their organisation paid.
   */
  runs: route('GET', '/api/budget/runs', {
    summary: { zh: '查询任务及其子任务', en: 'Read a run and its sub-runs' },
    access: 'user',
    errors: ['row_not_found', 'cannot_edit_peer'],
    example: {},
    input: z.object({
      run: z.string().max(200).optional().meta({
        zh: '任务的路径',
        en: 'Path of the run',
        example: 'nightly',
      }),
      username: z.string().max(64).optional().meta({
        zh: '任务所属用户，管理员或组织管理者可用；默认为本人',
        en: 'Whose run it is, for administrators and managers of organisations; by default the caller’s',
      }),
      token_id: whole(1, Number.MAX_SAFE_INTEGER).optional().meta({
        zh: '令牌 ID：列出由它创建的有效密钥的任务',
        en: 'Id of a key: the runs of the keys that it has made',
      }),
    }),
    data: z.array(budgetData),
  }),
  /** A call needs room in every budget with matching conditions. A budget counts from its creation. */
  create: route('POST', '/api/budget/', {
    summary: { zh: '创建预算', en: 'Create a budget' },
    audit: 'budget.create',
    access: 'user',
    errors: [
      'insufficient_role',
      'budget_limit_reached',
      'invalid_parameter',
      'redemption_expiry_past',
      'group_unknown',
      'cannot_edit_peer',
      'row_not_found',
    ],
    example: { name: 'weekly', user_id: 2, period: 'week', amount: 500_000 },
    input: newBudget,
    data: budgetData,
  }),
  /**
   * Absent fields keep their values. Conditions and period of a budget cannot be changed, and the number of calls only
   * where they are counted. An amount makes a run without one a hard budget; a run has neither mode nor shares.
   */
  update: route('PUT', '/api/budget/:id', {
    summary: { zh: '修改预算', en: 'Change a budget' },
    audit: 'budget.update',
    access: 'user',
    errors: ['row_not_found', 'cannot_edit_peer', 'invalid_parameter'],
    example: { id: 1, amount: 1_000_000 },
    input: z.object({
      id,
      name: name.optional(),
      amount: amount.optional(),
      mode: mode.optional(),
      shares: shares.optional(),
      instead: instead.optional(),
      max_calls: maxCalls(1).optional(),
      enabled: z.boolean().optional().meta({
        zh: '是否启用；停用的任务不再接受调用',
        en: 'Whether it applies to calls; a run that is disabled accepts none',
      }),
    }),
    echoes: budgetData,
    data: budgetData,
  }),
  remove: route('DELETE', '/api/budget/:id', {
    summary: { zh: '删除预算', en: 'Delete a budget' },
    audit: 'budget.delete',
    access: 'user',
    errors: ['row_not_found', 'cannot_edit_peer'],
    example: { id: 1 },
    input: z.object({ id }),
    data: z.null(),
  }),
};
