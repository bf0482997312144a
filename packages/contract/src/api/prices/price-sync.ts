import { z } from 'zod';
import { connectionFailures } from '../../channel-failure.ts';
import { priceSourceNames, priceTableKeys, tokenClasses } from '../../price-book/keys.ts';
import { route } from '../../route.ts';
import { maxPriceChanges, priceChange, pricesApi } from './prices.ts';

const sourceName = z.enum(priceSourceNames);

/** US dollars per million tokens of each class that is known, or per call. */
const dollars = z.partialRecord(z.enum([...tokenClasses, 'call']), z.number());

/** Why a list could not be read, as far as it is known: what an operator has to look at. */
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
 * How a list was read. `off`: it has no address. `empty`: it names no price. `doubtful`: it calls most models free that
 * cost something here. Nothing of a list is proposed unless it is `ok`.
 */
export const priceSourceState = z.object({
  source: sourceName,
  state: z.enum(['off', 'ok', 'empty', 'doubtful', 'failed']),
  /** Prices that were read. */
  models: z.number().int(),
  /** Models that it lists as free; 0 is never proposed. */
  free: z.number().int(),
  /** Why it could not be read; '' when it could. */
  cause: z.enum(['', ...priceListFailures]),
  /** HTTP status of the answer where it is the cause; 0 otherwise. */
  status: z.number().int(),
  /** What went wrong, in technical words, which are those of the log; '' when nothing did. */
  reason: z.string(),
});
export type PriceSourceState = z.output<typeof priceSourceState>;

/** A price that lists agree on for a model. */
export const priceOffer = z.object({
  sources: z.array(sourceName),
  dollars,
  /** The entries that would be written. */
  set: z.partialRecord(z.enum(priceTableKeys), z.number().nullable()),
  /** After / before of the class with the largest increase; null for a first price. */
  dearer: z.number().nullable(),
  /** True where this model needs individual approval. */
  needs_own: z.boolean(),
});
export type PriceOffer = z.output<typeof priceOffer>;

export const syncRow = z.object({
  model: z.string(),
  /** Whose model it is, as the lists say. */
  vendor: z.string(),
  /** True when an enabled channel offers it. */
  served: z.boolean(),
  /** `new`: it has no price today. `same`: today's price is one of the offers. */
  state: z.enum(['new', 'change', 'same']),
  /** What it costs today; null when it has no price. */
  today: dollars.nullable(),
  /** Its entries today. */
  seen: z.partialRecord(z.enum(priceTableKeys), z.number().nullable()),
  /** Those that most lists agree on first; lists that disagree have one each. */
  offers: z.array(priceOffer),
  /** True when the first offer has more lists behind it than any other. */
  decided: z.boolean(),
});
export type SyncRow = z.output<typeof syncRow>;

export const syncReport = z.object({
  enabled: z.boolean(),
  /** Unix seconds at which the lists were read; 0 when they were not. */
  checked_time: z.number().int(),
  sources: z.array(priceSourceState),
  rows: z.array(syncRow),
  /** Models whose price is the one that every list names. */
  same: z.number().int(),
  /** Offered models that have no price here and are in no list. */
  unlisted: z.array(z.string()),
});
export type SyncReport = z.output<typeof syncReport>;

/**
 * Public price lists beside the prices of this site. Nothing changes but what somebody approves. A Tollgate
 * extension.
 */
export const priceSyncApi = {
  /** Reads the lists, at most once a minute, and compares them. */
  compare: route('GET', '/api/prices/sync', {
    summary: { zh: '比较公开价格表', en: 'Compare with public price lists' },
    access: 'root',
    input: z.object({
      /** `true` reads the lists again; else what was read in the last hour will do. */
      again: z.enum(['true', 'false']).default('false'),
    }),
    data: syncReport,
  }),
  /** Writes the prices that somebody has approved: all or none. */
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
            /** True when a person has looked at this very model, not at a rule. */
            own: z.boolean().default(false),
          }),
        )
        .min(1)
        .max(maxPriceChanges),
    }),
    data: z.object({ changed: z.number().int() }),
  }),
};
