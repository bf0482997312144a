import { z } from 'zod';
import { route } from '../../route.ts';

const input = z.object({ model: z.string().min(1).max(255) });

/** What the calls of this month were charged, and what they would have been with another model. Quota units. */
export const modelMonth = z.object({
  model: z.string(),
  /** When the month began, by UTC. Unix seconds. */
  start: z.number().int(),
  /** Calls that the model could have taken: those of its kind whose rows say what was used. */
  rows: z.number().int(),
  before: z.number().int(),
  after: z.number().int(),
  /** Calls that are in neither sum, with what they were charged. */
  left_out: z.object({ rows: z.number().int(), quota: z.number().int() }),
  /** False where the month has more calls than are priced at once: then these are its first ones. */
  complete: z.boolean(),
});
export type ModelMonth = z.output<typeof modelMonth>;

/** This month with another model, priced by the function that charges calls; nothing changes. A Tollgate extension. */
export const modelMonthApi = {
  own: route('GET', '/api/pricing/month', {
    summary: {
      zh: '试算本月自己的用量换用另一个模型的费用',
      en: 'Price one’s own usage of this month with another model',
    },
    access: 'user',
    errors: ['model_without_price', 'month_busy'],
    example: { model: 'gpt-4o' },
    input,
    data: modelMonth,
  }),
  site: route('GET', '/api/pricing/month/site', {
    summary: {
      zh: '试算本月全站用量换用另一个模型的费用',
      en: 'Price the usage of everybody this month with another model',
    },
    access: 'admin',
    errors: ['model_without_price', 'month_busy'],
    example: { model: 'gpt-4o' },
    input,
    data: modelMonth,
  }),
};
