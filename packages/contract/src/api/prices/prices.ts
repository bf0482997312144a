import { z } from 'zod';
import { priceTableKeys } from '../../price-book/keys.ts';
import type { ErrorCode } from '../../errors.ts';
import { settingErrors } from '../../errors-settings.ts';
import { route } from '../../route.ts';

const number = z.number().min(0).max(1_000_000_000);
const modelName = z.string().min(1).max(255);

/** Entries of the tables of prices; null is none. */
export const priceEntries = z.partialRecord(z.enum(priceTableKeys), number.nullable());

/** Entries to write for a model, and what somebody saw there when they decided it. */
export const priceChange = z.object({
  model: modelName,
  set: priceEntries,
  /** The entries of the tables that are changed, as they were seen; another one now refuses the whole. */
  seen: priceEntries,
});
export type SeenPriceChange = z.output<typeof priceChange>;

/** A price of a vendor that differs from the one in the table. */
export const announcedPrice = z.object({
  model: z.string(),
  /** From its start in UTC, YYYY-MM-DD. */
  day: z.string(),
  /** Of the input; the other ratios stay. */
  ratio: z.number(),
});

const ratios = z.record(z.string(), z.number());
const publishedRatios = z.object({
  completion: ratios,
  cache: ratios,
  image: ratios,
  imageCompletion: ratios,
  audio: ratios,
  audioCompletion: ratios,
});

/** So many models are changed at once. */
export const maxPriceChanges = 5_000;

/** What models cost, for those who run the site. A Tollgate extension. */
export const pricesApi = {
  /** The tables as they are, and what channels offer. */
  list: route('GET', '/api/prices/', {
    summary: { zh: '读取价格表', en: 'Read the tables of prices' },
    access: 'admin',
    input: z.object({}),
    data: z.object({
      /** Models that enabled channels offer. */
      served: z.array(z.string()),
      tables: z.record(z.enum(priceTableKeys), z.record(z.string(), z.number())),
      /** Ratios from vendors' list prices, for models that a table does not name. */
      published: publishedRatios,
      /** Prices that vendors announced of models in the tables. */
      announced: z.array(announcedPrice),
      /** True while the site has no model ratios of its own: announced prices are then entered on their day. */
      follows: z.boolean(),
    }),
  }),
  /** All or none, in one write of the options. */
  update: route('PUT', '/api/prices/', {
    summary: { zh: '修改模型价格', en: 'Change what models cost' },
    audit: 'setting.save',
    access: 'root',
    errors: ['price_changed', ...(Object.keys(settingErrors) as ErrorCode[])],
    example: { changes: [{ model: 'example-model', set: { ModelRatio: 1.25 }, seen: { ModelRatio: null } }] },
    reauthenticate: 'with-factor',
    input: z.object({ changes: z.array(priceChange).min(1).max(maxPriceChanges) }),
    data: z.object({ changed: z.number().int() }),
  }),
};
