import { z } from 'zod';
import { connectionFailures } from '../../channel-failure.ts';
import { priceSourceNames, priceTableKeys, tokenClasses } from '../../price-book/keys.ts';
import { route } from '../../route.ts';
import { maxPriceChanges, priceChange, pricesApi } from './prices.ts';
import { meanings } from '../../meanings.ts';

const sourceName = z.enum(priceSourceNames);

/** US dollars per million tokens for each known class, or per call. */
const dollars = z
  .partialRecord(z.enum([...tokenClasses, 'call']), z.number())
  .meta({ zh: '美元价格', en: 'Prices in US dollars' });

/** Known reasons why a list could not be read, for the operator's check. */
export const priceListFailures = [
  ...connectionFailures,
  'bad_answer',
  'status',
  'too_large',
  'no_file',
  'outside',
  'not_json',
  'other_form',
] as const;
export type PriceListFailure = (typeof priceListFailures)[number];

/**
 * State of a list. `off`: no address. `empty`: no prices. `doubtful`: the list shows most models with a price on
 * this site as free. Only lists in the state `ok` make proposals.
 */
export const priceSourceState = z.object({
  source: sourceName.meta(meanings.source),
  state: z
    .enum(['off', 'ok', 'empty', 'doubtful', 'failed'])
    .meta({ zh: '列表的状态', en: 'State of the list' }),
  models: z.number().int().meta({ zh: '读取到的价格数', en: 'Number of prices that were read' }),
  free: z.number().int().meta({ zh: '列为免费的模型数', en: 'Models that it lists as free' }),
  cause: z
    .enum(['', ...priceListFailures])
    .meta({ zh: '无法读取的原因；成功时为空', en: 'Why it could not be read; empty when it could' }),
  status: z
    .number()
    .int()
    .meta({ zh: '失败的 HTTP 状态码；其他情况为 0', en: 'HTTP status of a failure; 0 otherwise' }),
  reason: z.string().meta({
    zh: '错误的技术信息；没有错误时为空',
    en: 'Technical description of the fault; empty without one',
  }),
});
export type PriceSourceState = z.output<typeof priceSourceState>;

/** A price of a model on which lists agree. */
export const priceOffer = z.object({
  sources: z.array(sourceName).meta({ zh: '价格表的来源', en: 'Price lists' }),
  dollars,
  set: z
    .partialRecord(z.enum(priceTableKeys), z.number().nullable())
    .meta({ zh: '新的值', en: 'Entries to write' }),
  dearer: z.number().nullable().meta({
    zh: '变化最大的一类价格的新旧之比；首次定价为 null',
    en: 'After / before of the class that becomes dearest; null for a first price',
  }),
  needs_own: z.boolean().meta({ zh: '需要单独批准', en: 'True when the model needs an approval of its own' }),
});
export type PriceOffer = z.output<typeof priceOffer>;

export const syncRow = z.object({
  model: z.string().meta(meanings.model),
  vendor: z.string().meta({ zh: '模型的供应商', en: 'Vendor of the model' }),
  served: z.boolean().meta({ zh: '已启用的渠道提供该模型', en: 'True when an enabled channel offers it' }),
  state: z.enum(['new', 'change', 'same']).meta({
    zh: 'new 没有价格，same 价格一致，其他为不同',
    en: '`new` has no price today, `same` has the price of an offer, others differ',
  }),
  today: dollars.nullable().meta({ zh: '当前价格；没有时为 null', en: 'Price of today; null for none' }),
  seen: z
    .partialRecord(z.enum(priceTableKeys), z.number().nullable())
    .meta({ zh: '当前的价格', en: 'Entries today' }),
  offers: z
    .array(priceOffer)
    .meta({ zh: '各列表的价格，最一致的在前', en: 'Prices of the lists, the most common first' }),
  decided: z
    .boolean()
    .meta({ zh: '第一个报价的列表最多', en: 'True when most lists agree on the first offer' }),
});
export type SyncRow = z.output<typeof syncRow>;

export const syncReport = z.object({
  enabled: z.boolean().meta(meanings.switchedOn),
  checked_time: z.number().int().meta(meanings.checkedTime),
  sources: z.array(priceSourceState).meta({ zh: '价格表的来源', en: 'Price lists' }),
  rows: z.array(syncRow).meta(meanings.rows),
  same: z
    .number()
    .int()
    .meta({ zh: '价格与所有列表一致的模型数', en: 'Models whose price equals every list' }),
  unlisted: z
    .array(z.string())
    .meta({ zh: '没有价格且不在任何列表中的模型', en: 'Offered models without a price and in no list' }),
});
export type SyncReport = z.output<typeof syncReport>;

/** Compares public price lists with the site's prices. Writes only approved changes. A Tollgate extension. */
export const priceSyncApi = {
  /** Reads the lists, at most once a minute, and compares the prices. */
  compare: route('GET', '/api/prices/sync', {
    summary: { zh: '比较公开价格表', en: 'Compare with public price lists' },
    access: 'root',
    input: z.object({
      again: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ zh: 'true 表示重新读取', en: '`true` reads again' }),
    }),
    data: syncReport,
  }),
  /** Writes approved prices, all or none. */
  approve: route('POST', '/api/prices/sync/approve', {
    summary: { zh: '批准价格变更', en: 'Approve prices from the lists' },
    audit: 'setting.save',
    access: 'root',
    errors: ['price_is_zero', 'price_needs_own_approval', ...(pricesApi.update.errors ?? [])],
    example: {
      rows: [{ model: 'listed-model', set: { ModelRatio: 1.25 }, seen: { ModelRatio: null }, own: true }],
    },
    reauthenticate: 'with-factor',
    input: z.object({
      rows: z
        .array(
          priceChange.extend({
            own: z
              .boolean()
              .default(false)
              .meta({ zh: '已单独查看此模型', en: 'True when a person has checked this model' }),
          }),
        )
        .min(1)
        .max(maxPriceChanges)
        .meta(meanings.rows),
    }),
    data: z.object({ changed: z.number().int().meta({ zh: '变更的数量', en: 'Number of changes' }) }),
  }),
};

/** Selects proposals that are approved together. Rows that need individual review are never selected. */
export interface SyncRule {
  /** `missing`: only models without a price. `all`: also models with a price. */
  only: 'missing' | 'all';
  /** Vendor according to the list; '' for all vendors. */
  vendor: string;
  /** Minimum number of lists with the same price. */
  sources: number;
  /** The maximum increase of a class of tokens, in percent. */
  maxDearer: number;
}

/**
 * Models with a best offer that the rule accepts. A person decides if equal numbers of lists contradict each other or
 * a price changes sharply.
 */
export function selectedBy(rule: SyncRule, rows: readonly SyncRow[]): string[] {
  return rows.filter((row) => agrees(rule, row)).map(({ model }) => model);
}

function agrees(rule: SyncRule, row: SyncRow): boolean {
  const [best] = row.offers;
  if (row.state === 'same' || !row.decided || best === undefined || best.needs_own) return false;
  if (rule.only === 'missing' && row.state !== 'new') return false;
  if (rule.vendor !== '' && row.vendor !== rule.vendor) return false;
  if (best.sources.length < rule.sources) return false;
  // A rounding error of a division is not an increase.
  return best.dearer === null || best.dearer <= 1 + rule.maxDearer / 100 + 1e-9;
}
