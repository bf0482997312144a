import { z } from 'zod';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';

const moment = whole(0, 10_000_000_000).default(0);

const marginQuery = z.object({
  /** Unix seconds, both included; an end of 0 is now and later. */
  start_timestamp: moment,
  end_timestamp: moment,
  by: z.enum(['channel', 'model', 'user', 'team', 'day']).default('channel'),
  /** 0 and '' for all. */
  channel: whole(0, Number.MAX_SAFE_INTEGER).default(0),
  model_name: z.string().max(255).default(''),
});
export type MarginQuery = z.output<typeof marginQuery>;

/**
 * Charges and costs in quota units: charge = cost + margin. What went back later is taken off the charge, at the time of the
 * call, as in all sums of what was spent.
 */
const marginRow = z.object({
  /** Of a channel, user or team (0: people paid for themselves); of a day (UTC) its start in Unix seconds. */
  id: z.number().int(),
  /** The name now, '' where it is gone; of a day its date. */
  name: z.string(),
  /** Calls whose cost is known. */
  calls: z.number().int(),
  charge: z.number().int(),
  cost: z.number().int(),
  margin: z.number().int(),
  /** Calls whose cost is not known, and what they charged: in none of the figures above. */
  unknown_calls: z.number().int(),
  unknown_charge: z.number().int(),
});
export type MarginRow = z.output<typeof marginRow>;

const marginData = z.object({
  /** The rows with the largest charge first, at most 1,000; days the newest first. */
  rows: z.array(marginRow),
  /** Of all rows. */
  total: marginRow,
  truncated: z.boolean(),
});
export type MarginData = z.output<typeof marginData>;

/** What calls charged, what they cost the operator, and the margin: only for root. */
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
        channel: z.number().int(),
        name: z.string(),
        models: z.array(z.string()),
        /** Those of the channel in which any of these models costs less than it does here. */
        groups: z.array(z.string()),
      }),
    ),
  }),
};
