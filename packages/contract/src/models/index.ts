import type { ModelFacts } from '../api/pricing.ts';
import { ratioDigits } from '../price-decimal.ts';
import type { PriceTerms } from '../price-terms.ts';
import { entryOf, type PublishedRatios } from '../prices/ratio-rules.ts';
import type { PriceTableKey } from '../price-book/keys.ts';
import data from './models.json' with { type: 'json' };
import type { ModelBook, TokenPrices } from './schema.ts';

/**
 * Content of models.json. A test checks it against its schema. The console never bundles this folder; it asks the
 * server.
 */
const book = data as ModelBook;
const models = Object.entries(book.models);

/** Source list and date of the limits and abilities. */
export const factsTaken = book.factsTaken;

/** US dollars per million tokens at the ratio 1. */
const dollarsOfRatio = 2;

/**
 * Quotient of two prices with as many decimal places as ratios have. The price function recognises 8.333333333 as 2.5
 * / 0.3.
 */
const over = (price: number | undefined, base: number | undefined): number | undefined =>
  price === undefined || base === undefined ? undefined : Number((price / base).toFixed(ratioDigits));

/** List price of a model in US dollars per million tokens; undefined if its vendor publishes none. */
export function listPrice(model: string): TokenPrices | undefined {
  const listed = Object.hasOwn(book.models, model) ? book.models[model]?.price : undefined;
  if (!listed) return undefined;
  const { source: _source, currency, ...prices } = listed;
  if (currency === undefined) return prices;
  const converted = Object.entries(prices).map(([name, amount]) => [
    name,
    Number((amount * book.dollarsOfYuan).toPrecision(9)),
  ]);
  return Object.fromEntries(converted) as TokenPrices;
}

type RatioOf = (prices: TokenPrices) => number | undefined;

/** Formula of each ratio from a list price. */
const ratiosOf = {
  model: ({ input }) => over(input, dollarsOfRatio),
  completion: ({ input, output }) => over(output, input),
  cache: ({ input, cacheRead }) => over(cacheRead, input),
  image: ({ input, imageInput }) => over(imageInput, input),
  imageCompletion: ({ input, imageOutput }) => over(imageOutput, input),
  audio: ({ input, audioInput }) => over(audioInput, input),
  audioCompletion: ({ audioInput, audioOutput }) => over(audioOutput, audioInput),
} as const satisfies Record<string, RatioOf>;

type Ratios = Readonly<Record<string, number>>;

/** The names with a known value. */
const known = (pairs: Iterable<readonly [string, number | undefined]>): Ratios =>
  Object.fromEntries([...pairs].filter((pair): pair is [string, number] => pair[1] !== undefined));

const listed = models.flatMap(([name]) => {
  const prices = listPrice(name);
  return prices ? [[name, prices] as const] : [];
});
const published = (ratioOf: RatioOf): Ratios =>
  known(listed.map(([name, prices]) => [name, ratioOf(prices)]));

/** Ratios from the vendors' list prices. An administrator's entry takes precedence. */
export const publishedRatios: PublishedRatios = {
  completion: published(ratiosOf.completion),
  cache: published(ratiosOf.cache),
  image: published(ratiosOf.image),
  imageCompletion: published(ratiosOf.imageCompletion),
  audio: published(ratiosOf.audio),
  audioCompletion: published(ratiosOf.audioCompletion),
};

const defaultsOf = (key: PriceTableKey): Ratios =>
  known(models.map(([name, { defaults }]) => [name, defaults?.[key]]));

/** Defaults of the price options (docs/compatibility.md#default-prices). */
export const defaultPrices = {
  ModelPrice: defaultsOf('ModelPrice'),
  ModelRatio: { ...published(ratiosOf.model), ...defaultsOf('ModelRatio') },
  CompletionRatio: defaultsOf('CompletionRatio'),
  CacheRatio: defaultsOf('CacheRatio'),
  CreateCacheRatio: defaultsOf('CreateCacheRatio'),
  ImageRatio: defaultsOf('ImageRatio'),
  ImageCompletionRatio: defaultsOf('ImageCompletionRatio'),
  AudioRatio: defaultsOf('AudioRatio'),
  AudioCompletionRatio: defaultsOf('AudioCompletionRatio'),
} as const satisfies Record<PriceTableKey, Ratios>;

const announcements = models.flatMap(([name, { announced = [] }]) =>
  announced.map(({ day, ...prices }) => ({ name, day, ratio: ratiosOf.model(prices) ?? 0 })),
);

/** Announced input ratios of vendors, by their first day (YYYY-MM-DD, UTC), earliest first. */
export const announcedRatios: readonly { day: string; model: Ratios }[] = [
  ...Map.groupBy(announcements, ({ day }) => day),
]
  .map(([day, each]) => ({ day, model: known(each.map(({ name, ratio }) => [name, ratio])) }))
  .toSorted((a, b) => (a.day < b.day ? -1 : 1));

/** Default tables with the announcements up to a day. Each starts at `from`, Unix ms. */
const steps = announcedRatios.map(({ day }, index) => ({
  from: Date.parse(`${day}T00:00:00Z`),
  table: Object.assign(
    { ...defaultPrices.ModelRatio },
    ...announcedRatios.slice(0, index + 1).map(({ model }) => model),
  ) as Ratios,
}));

/** Default of the option ModelRatio at a time in Unix ms. The object stays the same between announced changes. */
export const modelRatioAt = (time: number): Ratios =>
  steps.findLast(({ from }) => from <= time)?.table ?? defaultPrices.ModelRatio;

/** A vendor's announced price of a model. */
export interface AnnouncedRatio {
  model: string;
  /** First day of the price, from 0:00 UTC, YYYY-MM-DD. */
  day: string;
  /** Ratio of the input. All other ratios stay. */
  ratio: number;
}

/**
 * Next announcement of each model in a table: future ones, and past ones that the table does not have yet. A site's
 * own table keeps its prices until an administrator changes them.
 */
export function announcedFor(table: Ratios, time: number): AnnouncedRatio[] {
  const found = new Map<string, AnnouncedRatio>();
  for (const [index, { day, model: ratios }] of announcedRatios.entries()) {
    const before = index === 0 ? defaultPrices.ModelRatio : steps[index - 1]!.table;
    for (const [model, ratio] of Object.entries(ratios)) {
      const own = entryOf(table, model);
      if (own === undefined || found.has(model)) continue;
      if (steps[index]!.from > time ? own !== ratio : own === before[model])
        found.set(model, { model, day, ratio });
    }
  }
  return [...found.values()];
}

/** Date and effort suffixes of model names. They do not change the price. */
const additions = [
  /-(thinking|nothinking)(-\d+)?$/,
  /-(minimal|low|medium|high|xhigh|max|none)$/,
  /-(20\d\d-\d\d-\d\d|20\d{6}|preview-\d\d-\d\d|exp-\d\d-\d\d|v\d+(:\d+)?)$/,
];

const none: PriceTerms = {};
const terms = new Map(models.flatMap(([name, about]) => (about.terms ? [[name, about.terms] as const] : [])));

/**
 * Price terms of a model beyond its ratios: the administrator's entry, otherwise the vendor's. Names with a date
 * suffix count as the name without it.
 */
export function termsFor(model: string, option: Readonly<Record<string, PriceTerms>>): PriceTerms {
  let name = model;
  if (Object.hasOwn(option, name)) return option[name]!;
  for (const addition of [/$/, ...additions]) {
    name = name.replace(addition, '');
    const found = terms.get(name);
    if (found) return found;
  }
  return none;
}

const facts = new Map(models.flatMap(([name, about]) => (about.facts ? [[name, about.facts] as const] : [])));

/** An offered model, and the day on which its vendor shuts it down, YYYY-MM-DD. */
export interface RetiringModel {
  model: string;
  ends: string;
}

/** Facts of the model with exactly this name, also with its vendor as a prefix. Similar names do not match. */
export function findFacts(model: string): ModelFacts | undefined {
  const found = facts.get(model);
  if (found) return found;
  const slash = model.indexOf('/');
  const named = slash > 0 ? facts.get(model.slice(slash + 1)) : undefined;
  return named?.vendor === model.slice(0, slash) ? named : undefined;
}
