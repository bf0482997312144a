import { z } from 'zod';
import { priceTableKeys } from '../../price-book/keys.ts';
import type { ErrorCode } from '../../errors.ts';
import { settingErrors } from '../../errors-settings.ts';
import { route } from '../../route.ts';
import { meanings } from '../../meanings.ts';

const number = z.number().min(0).max(1_000_000_000);
const modelName = z.string().min(1).max(255);

/** Entries of the price tables; null for no entry. */
export const priceEntries = z.partialRecord(z.enum(priceTableKeys), number.nullable());

/** Entries to write for a model, and the previous entries as the editor saw them. */
export const priceChange = z.object({
  model: modelName.meta(meanings.model),
  set: priceEntries.meta({ zh: '新的值', en: 'Entries to write' }),
  /**
   * Previous entries of the changed tables, as the editor saw them. The whole request is refused if a current entry
   * differs.
   */
  seen: priceEntries.meta({
    zh: '调用者看到的原值；不同则拒绝',
    en: 'Entries as the caller saw them; refused when they differ now',
  }),
});
export type SeenPriceChange = z.output<typeof priceChange>;

/** A vendor's price that differs from the price in the table. */
export const announcedPrice = z.object({
  model: z.string().meta(meanings.model),
  day: z.string().meta({
    zh: '生效日期（UTC），YYYY-MM-DD',
    en: 'Day of the change in UTC, YYYY-MM-DD',
    example: '2026-12-01',
  }),
  ratio: z.number().meta({ ...meanings.ratio, example: 2 }),
});

const ratios = z.record(z.string(), z.number());
const publishedRatios = z.object({
  completion: ratios.meta({ zh: '输出倍率', en: 'Ratios of output' }),
  cache: ratios.meta({ zh: '缓存倍率', en: 'Ratios of cached input' }),
  image: ratios.meta({ zh: '图像输入倍率', en: 'Ratios of image input' }),
  imageCompletion: ratios.meta({ zh: '图像输出倍率', en: 'Ratios of image output' }),
  audio: ratios.meta({ zh: '音频输入倍率', en: 'Ratios of audio input' }),
  audioCompletion: ratios.meta({ zh: '音频输出倍率', en: 'Ratios of audio output' }),
});

/** Maximum number of models in one change. */
export const maxPriceChanges = 5_000;

/** Prices of models, for administrators. A Tollgate extension. */
export const pricesApi = {
  /** Returns the current tables and the models that channels offer. */
  list: route('GET', '/api/prices/', {
    summary: { zh: '读取价格表', en: 'Read the tables of prices' },
    access: 'admin',
    input: z.object({}),
    data: z.object({
      served: z
        .array(z.string())
        .meta({ zh: '已启用渠道提供的模型', en: 'Models that enabled channels offer' }),
      tables: z
        .record(z.enum(priceTableKeys), z.record(z.string(), z.number()))
        .meta({ zh: '站点的价格表', en: 'Price tables of the site' }),
      published: publishedRatios.meta({
        zh: '供应商标价的倍率，用于价格表中没有的模型',
        en: 'Ratios from list prices, for models that no table names',
      }),
      announced: z
        .array(announcedPrice)
        .meta({ zh: '供应商已公布的价格变更', en: 'Prices that vendors announced' }),
      /** True if the site has not set its own model ratios. Announced prices then take effect on their date. */
      follows: z
        .boolean()
        .meta({ zh: '公布的价格到期自动生效', en: 'True when announced prices take effect by themselves' }),
    }),
  }),
  /** Writes all changes or none, in one write of the options. */
  update: route('PUT', '/api/prices/', {
    summary: { zh: '修改模型价格', en: 'Change what models cost' },
    audit: 'setting.save',
    access: 'root',
    errors: ['price_changed', ...(Object.keys(settingErrors) as ErrorCode[])],
    example: { changes: [{ model: 'example-model', set: { ModelRatio: 1.25 }, seen: { ModelRatio: null } }] },
    reauthenticate: 'with-factor',
    input: z.object({
      changes: z.array(priceChange).min(1).max(maxPriceChanges).meta({ zh: '变更', en: 'Changes' }),
    }),
    data: z.object({ changed: z.number().int().meta({ zh: '变更的数量', en: 'Number of changes' }) }),
  }),
};
