import { z } from 'zod';
import { route } from '../../route.ts';
import { meanings } from '../../meanings.ts';

const input = z.object({ model: z.string().min(1).max(255).meta(meanings.model) });

/** Charges of this month's calls, and their charges with another model, in quota units. */
export const modelMonth = z.object({
  model: z.string().meta(meanings.model),
  start: z.number().int().meta({ zh: '开始时间，Unix 秒', en: 'Start, Unix seconds' }),
  rows: z.number().int().meta({ zh: '可由该模型处理的调用数', en: 'Calls that the model could take' }),
  before: z.number().int().meta({ zh: '实际费用，额度单位', en: 'As charged, in quota units', example: 2 }),
  after: z
    .number()
    .int()
    .meta({ zh: '换用后的费用，额度单位', en: 'With the other model, in quota units', example: 38 }),
  left_out: z
    .object({
      rows: z.number().int().meta({ zh: '未计入的调用数', en: 'Calls that are left out' }),
      quota: z.number().int().meta(meanings.quota),
    })
    .meta({ zh: '未计入的调用及其费用', en: 'Calls in neither sum, and their charges' }),
  /** False if the month has more calls than the limit. Then only its first calls are priced. */
  complete: z.boolean().meta({
    zh: '调用过多而未全部计算时为 false',
    en: 'False where the month has more calls than were priced',
  }),
});
export type ModelMonth = z.output<typeof modelMonth>;

/**
 * Prices this month's calls with another model, by the function that charges calls. Changes nothing. A Tollgate
 * extension.
 */
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
