import { z } from 'zod';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';
import { meanings } from '../../meanings.ts';

const moment = whole(0, 10_000_000_000).default(0);

const marginQuery = z.object({
  start_timestamp: moment.meta(meanings.bound),
  end_timestamp: moment.meta(meanings.bound),
  by: z
    .enum(['channel', 'model', 'user', 'team', 'day'])
    .default('channel')
    .meta({ zh: '汇总方式', en: 'What the rows are about' }),
  channel: whole(0, Number.MAX_SAFE_INTEGER).default(0).meta(meanings.channelOrAll),
  model_name: z.string().max(255).default('').meta(meanings.model),
});
export type MarginQuery = z.output<typeof marginQuery>;

/**
 * Charges and costs in quota units: charge = cost + margin. Later refunds reduce the charge at the time of the call,
 * as in all sums of spending.
 */
const marginRow = z.object({
  /** Id of the channel, user or team (team 0: users paid for themselves). For a day (UTC), its start in Unix seconds. */
  id: z
    .number()
    .int()
    .meta({ zh: '渠道、用户或令牌的 ID；没有时为 0', en: 'Id of the channel, user or key; 0 for none' }),
  name: z.string().meta({
    zh: '该行的名称：渠道、用户、令牌或模型',
    en: 'What the row is about: a channel, user, key or model',
  }),
  calls: z.number().int().meta({ zh: '成本已知的调用数', en: 'Calls whose cost is known' }),
  charge: z.number().int().meta({ zh: '收费，额度单位', en: 'Charged, in quota units' }),
  cost: z.number().int().meta({ zh: '成本，额度单位', en: 'Cost in quota units' }),
  margin: z.number().int().meta({ zh: '毛利，额度单位', en: 'Charge less cost, in quota units' }),
  unknown_calls: z.number().int().meta(meanings.unknownCalls),
  unknown_charge: z
    .number()
    .int()
    .meta({ zh: '其收费，额度单位', en: 'Charged for those, in quota units', example: 2 }),
});
export type MarginRow = z.output<typeof marginRow>;

const marginData = z.object({
  rows: z.array(marginRow).meta(meanings.rows),
  total: marginRow.meta({ zh: '全部行的合计', en: 'Sums of all rows' }),
  truncated: z.boolean().meta(meanings.truncated),
});
export type MarginData = z.output<typeof marginData>;

/** Charges of calls, their cost for the operator, and the margin. Only for root. */
export const marginApi = {
  sums: route('GET', '/api/margin/', {
    summary: {
      zh: '按渠道、模型、用户、组织或日期汇总收费、成本与毛利',
      en: 'Sum charges, costs and margins by channel, model, user, organisation or day',
    },
    access: 'root',
    example: { by: 'channel' },
    input: marginQuery,
    data: marginData,
  }),
  belowCost: route('GET', '/api/margin/below_cost', {
    summary: { zh: '列出低于成本出售的模型', en: 'List the models that sell below cost' },
    access: 'root',
    input: z.object({}),
    data: z.array(
      z.object({
        channel: z.number().int().meta(meanings.channelId),
        name: z.string().meta(meanings.channelName),
        models: z.array(z.string()).meta({ zh: '低于成本的模型', en: 'Models below cost' }),
        groups: z.array(z.string()).meta({ zh: '分组', en: 'Groups' }),
      }),
    ),
  }),
};
