import { z } from 'zod';
import { route } from '../../route.ts';
import { id } from './channel-input.ts';

const dollars = z.number().min(0).max(1_000_000);

/** What a vendor takes for a model: for each call, or for a million tokens; input that is free has free output. */
const costPrice = z
  .object({
    call: dollars.optional(),
    input: dollars.optional(),
    output: dollars.optional(),
    cache_read: dollars.optional(),
    cache_write: dollars.optional(),
  })
  .refine(
    ({ call, input, output = 0, cache_read: read = 0, cache_write: write = 0 }) =>
      call === undefined
        ? input !== undefined && (input > 0 || output + read + write === 0)
        : input === undefined && output + read + write === 0,
    { error: 'cost_price_unusable' },
  );

const costRule = z.object({
  /** Of the list price; null for none. */
  factor: z.number().min(0).max(1_000).nullable(),
  /** Model → US dollars. */
  models: z
    .record(z.string().min(1).max(255), costPrice)
    .refine((models) => Object.keys(models).length <= 2_000, { error: 'cost_models_too_many' }),
  /** What the vendor reports comes first. */
  reported: z.boolean(),
});

/** What the calls of a channel cost the operator: only for root, like everything about costs. */
export const costApi = {
  get: route('GET', '/api/channel/:id/cost', {
    summary: { zh: '读取渠道的成本价', en: 'Read what the calls of a channel cost' },
    access: 'root',
    errors: ['channel_not_found'],
    example: { id: 1 },
    input: z.object({ id }),
    data: costRule,
  }),
  /** Answers the models of the channel that sell below these prices, in a group with the lowest ratio. */
  save: route('PUT', '/api/channel/:id/cost', {
    summary: { zh: '保存渠道的成本价', en: 'Save what the calls of a channel cost' },
    audit: 'channel.cost',
    access: 'root',
    errors: ['channel_not_found', 'cost_price_unusable', 'cost_models_too_many'],
    example: { id: 1, factor: 0.8, models: {}, reported: false },
    reauthenticate: 'with-factor',
    input: costRule.extend({ id }),
    data: z.object({ below_cost: z.array(z.string()) }),
  }),
};
