import { z } from 'zod';
import { route } from '../../route.ts';
import { id } from './channel-input.ts';
import { meanings } from '../../meanings.ts';

const dollars = z.number().min(0).max(1_000_000);

/** A vendor's price of a model: per call, or per million tokens. If input is free, all other classes are free. */
const costPrice = z
  .object({
    call: dollars.optional().meta({ zh: '每次调用的美元数', en: 'US dollars for each call' }),
    input: dollars.optional().meta(meanings.dollarsPerMillion),
    output: dollars.optional().meta(meanings.dollarsPerMillion),
    cache_read: dollars.optional().meta(meanings.dollarsPerMillion),
    cache_write: dollars.optional().meta(meanings.dollarsPerMillion),
  })
  .refine(
    ({ call, input, output = 0, cache_read: read = 0, cache_write: write = 0 }) =>
      call === undefined
        ? input !== undefined && (input > 0 || output + read + write === 0)
        : input === undefined && output + read + write === 0,
    { error: 'cost_price_unusable' },
  );

const costRule = z.object({
  factor: z.number().min(0).max(1_000).nullable().meta(meanings.factor),
  models: z
    .record(z.string().min(1).max(255), costPrice)
    .refine((models) => Object.keys(models).length <= 2_000, { error: 'cost_models_too_many' })
    .meta({ zh: '模型 → 美元价格', en: 'Model → prices in US dollars' }),
  reported: z
    .boolean()
    .meta({ zh: '优先采用供应商报告的费用', en: 'Costs that the vendor reports come first' }),
});

/** Cost prices of a channel for the operator. Only for root, like all costs. */
export const costApi = {
  get: route('GET', '/api/channel/:id/cost', {
    summary: { zh: '读取渠道的成本价', en: 'Read what the calls of a channel cost' },
    access: 'root',
    errors: ['channel_not_found'],
    example: { id: 1 },
    input: z.object({ id }),
    data: costRule,
  }),
  /** Returns the models of the channel with a selling price below cost in the group with the lowest ratio. */
  save: route('PUT', '/api/channel/:id/cost', {
    summary: { zh: '保存渠道的成本价', en: 'Save what the calls of a channel cost' },
    audit: 'channel.cost',
    access: 'root',
    errors: ['channel_not_found', 'cost_price_unusable', 'cost_models_too_many'],
    example: { id: 1, factor: 0.8, models: {}, reported: false },
    reauthenticate: 'with-factor',
    input: costRule.extend({ id }),
    data: z.object({
      below_cost: z
        .array(z.string())
        .meta({ zh: '低于成本的模型', en: 'Models that cost more than they charge' }),
    }),
  }),
};
