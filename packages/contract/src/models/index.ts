import type { ModelFacts } from '../api/pricing.ts';
import { ratioDigits } from '../price-decimal.ts';
import type { PriceTerms } from '../price-terms.ts';
import { entryOf, type PublishedRatios } from '../prices/ratio-rules.ts';
import type { PriceTableKey } from '../price-book/keys.ts';
import data from './models.json' with { type: 'json' };
import type { ModelBook, TokenPrices } from './schema.ts';

/** models.json, which a test checks against its schema. The console never bundles this folder: it asks the server. */
const book = data as ModelBook;
const models = Object.entries(book.models);

/** List and day of the limits and abilities. */
export const factsTaken = book.factsTaken;

/** Dollars per million tokens of the ratio 1. */
const dollarsOfRatio = 2;

/** A price over another, with the places that ratios have: the price function takes 2.5 / 0.3 = 8.333333333 for the quotient. */
const over = (price: number | undefined, base: number | undefined): number | undefined =>
  price === undefined || base === undefined ? undefined : Number((price / base).toFixed(ratioDigits));

/** The list price of a model in US dollars per million tokens; undefined where its vendor publishes none. */
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

/** How each ratio follows from a list price. */
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

/** Names with a value, where it is known. */
const known = (pairs: Iterable<readonly [string, number | undefined]>): Ratios =>
  Object.fromEntries([...pairs].filter((pair): pair is [string, number] => pair[1] !== undefined));

const listed = models.flatMap(([name]) => {
  const prices = listPrice(name);
  return prices ? [[name, prices] as const] : [];
});
const published = (ratioOf: RatioOf): Ratios =>
  known(listed.map(([name, prices]) => [name, ratioOf(prices)]));

/** The ratios that vendors' list prices come to. An administrator's entry goes before them. */
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

/** Defaults of the options of prices (docs/compatibility.md#default-prices). */
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

/** Input ratios that vendors have announced, by the day (YYYY-MM-DD, UTC) from which they apply, earlier ones first. */
export const announcedRatios: readonly { day: string; model: Ratios }[] = [
  ...Map.groupBy(announcements, ({ day }) => day),
]
  .map(([day, each]) => ({ day, model: known(each.map(({ name, ratio }) => [name, ratio])) }))
  .toSorted((a, b) => (a.day < b.day ? -1 : 1));

/** The default with all that was announced for this day and those before it, and from when it holds, Unix ms. */
const steps = announcedRatios.map(({ day }, index) => ({
  from: Date.parse(`${day}T00:00:00Z`),
  table: Object.assign(
    { ...defaultPrices.ModelRatio },
    ...announcedRatios.slice(0, index + 1).map(({ model }) => model),
  ) as Ratios,
}));

/** Default of the option ModelRatio at a moment, Unix ms: the same object from one announced change to the next. */
export const modelRatioAt = (time: number): Ratios =>
  steps.findLast(({ from }) => from <= time)?.table ?? defaultPrices.ModelRatio;

/** A vendor's announcement of a model's price. */
export interface AnnouncedRatio {
  model: string;
  /** The day from which it applies, from 0:00 UTC, YYYY-MM-DD. */
  day: string;
  /** Of its input; all other ratios stay. */
  ratio: number;
}

/**
 * The next announcement of each model in a table: future ones, and past ones that the table does not have yet. A site's
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

/** What dates and efforts add to a model's name; they change no price. */
const additions = [
  /-(thinking|nothinking)(-\d+)?$/,
  /-(minimal|low|medium|high|xhigh|max|none)$/,
  /-(20\d\d-\d\d-\d\d|20\d{6}|preview-\d\d-\d\d|exp-\d\d-\d\d|v\d+(:\d+)?)$/,
];

const none: PriceTerms = {};
const terms = new Map(models.flatMap(([name, about]) => (about.terms ? [[name, about.terms] as const] : [])));

/**
 * The price terms of a model beyond its ratios: the administrator's entry, otherwise the vendor's, also for a name
 * with a date.
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

/** The facts of a model of exactly this name, also with its vendor in front; nothing is guessed. */
export function findFacts(model: string): ModelFacts | undefined {
  const found = facts.get(model);
  if (found) return found;
  const slash = model.indexOf('/');
  const named = slash > 0 ? facts.get(model.slice(slash + 1)) : undefined;
  return named?.vendor === model.slice(0, slash) ? named : undefined;
}
