import { z } from 'zod';
import { meanings } from '../meanings.ts';
import { route } from '../route.ts';
import { channelErrors } from './channels/index.ts';
import { whole } from '../whole.ts';
import { pricingItem } from './pricing.ts';

const id = whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.channelId);
const name = z.string().max(255);
const mapped = { zh: '映射的模型；空为无映射', en: 'Model that it is mapped to; empty for none' };

const servingChannel = z.object({
  id: z.number().int().meta(meanings.channelId),
  name: z.string().meta(meanings.channelName),
  enabled: z.boolean().meta({ zh: '渠道已启用', en: 'True if the channel is enabled' }),
  from: z.string().meta(mapped),
  upstream: z
    .string()
    .meta({ zh: '上游的模型名称', en: 'Name of the model at the vendor', example: 'gpt-5' }),
  ends: z.string().meta({ zh: '停用日期，YYYY-MM-DD', en: 'Day of its retirement, YYYY-MM-DD' }),
  priced_after_mapping: z
    .boolean()
    .meta({ zh: '按映射后的模型计费', en: 'True if the price is that of the mapped model' }),
});
export type ServingChannel = z.output<typeof servingChannel>;

/** Replacement of a model by mapping: callers keep its name. Additions of Tollgate. */
export const replacementApi = {
  /** Lists the channels that get a model from a vendor who retires it, disabled ones too. */
  find: route('GET', '/api/channel/replacement', {
    summary: {
      zh: '列出仍在使用某个将停用模型的渠道、建议的替代模型与价格',
      en: 'List channels that use a retiring model, its suggested replacement, and prices',
    },
    access: 'admin',
    example: { model: 'gpt-5', by: 'gpt-6.1-sol' },
    input: z.object({
      model: name.min(1).meta(meanings.model),
      by: name
        .default('')
        .meta({ zh: '替代模型；空为建议的模型', en: 'Replacement; empty for the suggested one' }),
    }),
    data: z.object({
      successor: z.string().meta({ zh: '厂商建议的替代模型', en: 'Replacement that the vendor names' }),
      channels: z.array(servingChannel).meta({ zh: '渠道', en: 'Channels' }),
      prices: z
        .object({
          model: pricingItem.meta({ zh: '原模型的价格', en: 'Price of the model' }),
          by: pricingItem.nullable().meta({ zh: '替代模型的价格', en: 'Price of the replacement' }),
        })
        .meta({ zh: '售价，未乘分组倍率', en: 'Selling prices, before the ratio of a group' }),
      /** Dollars per million tokens at the vendor. */
      list_prices: z
        .array(
          z.object({
            model: z.string().meta(meanings.model),
            input: z.number().meta({ ...meanings.dollarsPerMillion, example: 2 }),
            output: z
              .number()
              .nullable()
              .meta({ ...meanings.dollarsPerMillion, example: 10 }),
          }),
        )
        .meta({ zh: '厂商的标价', en: 'List prices of the vendors' }),
    }),
  }),
  /**
   * Changes the mapping of a model on several channels, all or none. A channel with another mapping than `from` stays
   * unchanged. Returns the ids of the changed channels; the same call with `from` and `to` exchanged undoes it.
   */
  replace: route('POST', '/api/channel/replacement', {
    summary: {
      zh: '在多个渠道上把一个模型映射为另一个；返回已修改的渠道 ID',
      en: 'Map a model to another on several channels; answers the ids of the changed ones',
    },
    audit: 'channel.replace',
    access: 'admin',
    errors: channelErrors,
    example: { model: 'gpt-4o-mini', channels: [{ id: 1, from: '', to: 'gpt-4o' }] },
    input: z.object({
      model: name.min(1).meta(meanings.model),
      channels: z
        .array(
          z.object({
            id,
            from: name.meta({ zh: '现在的映射；空为无', en: 'Present mapping; empty for none', example: '' }),
            to: name.meta({
              zh: '新的映射；空为移除',
              en: 'New mapping; empty to remove it',
              example: 'gpt-4o',
            }),
          }),
        )
        .min(1)
        .max(1_000)
        .meta({ zh: '渠道与映射', en: 'Channels and mappings' }),
    }),
    data: z.array(z.number().int()).meta(meanings.channelIds),
  }),
};
