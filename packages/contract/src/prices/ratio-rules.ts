/**
 * Name of a model for prices and routing. All custom GPTs of a family share one entry with an asterisk
 * (docs/compatibility.md#price-lookup).
 */
export function pricedName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/**
 * Ratio of a model without a price, if the site allows such models (docs/compatibility.md#price-lookup): the highest
 * of the table.
 */
export const unsetModelRatio = 37.5;

/** Entry of a table of ratios; undefined without one, also for names of built-in object properties. */
export const entryOf = (table: Readonly<Record<string, number>>, name: string): number | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

type Table = Readonly<Record<string, number>>;

/**
 * Ratios from the vendors' list prices, by model. The server has them (`publishedRatios`); the console requests them.
 */
export interface PublishedRatios {
  completion: Table;
  cache: Table;
  image: Table;
  imageCompletion: Table;
  audio: Table;
  audioCompletion: Table;
}

/** Value before the ratios are loaded. Each model then has the ratio of its family. */
export const noPublishedRatios: PublishedRatios = {
  completion: {},
  cache: {},
  image: {},
  imageCompletion: {},
  audio: {},
  audioCompletion: {},
};

/** Ratio of a cache write without an entry in the option (docs/compatibility.md#price-lookup). */
export const generalCreateCacheRatio = 1.25;

/** A cache entry for an hour costs 6 / 3.75 times the price of one for 5 minutes (docs/compatibility.md#charge). */
export const oneHourCacheFactor = 1.6;

interface Rule {
  name: RegExp;
  ratio: number;
}

/**
 * Ratios of model families (docs/compatibility.md#default-prices). The first match counts. They apply without an
 * entry in the option. Unlike in the original, an administrator's entry always takes precedence.
 */
const completionRules: readonly Rule[] = [
  { name: /^gpt-4o-2024-05-13$/, ratio: 3 },
  { name: /^gpt-4o-mini-tts/, ratio: 20 },
  { name: /^gpt-4o(?!.*-all$|-gizmo)/, ratio: 4 },
  { name: /^gpt-4\.5-preview/, ratio: 2 },
  { name: /^gpt-4\.1/, ratio: 4 },
  { name: /^gpt-4-turbo|gpt-4-110[56]$/, ratio: 3 },
  { name: /^gpt-4/, ratio: 2 },
  { name: /^gpt-5\.4-nano/, ratio: 6.25 },
  { name: /^gpt-5\.[45]/, ratio: 6 },
  { name: /^gpt-5/, ratio: 8 },
  { name: /^o[134]/, ratio: 4 },
  { name: /^chatgpt-4o-latest$/, ratio: 3 },
  { name: /claude-3|claude-(sonnet|opus|haiku)-4/, ratio: 5 },
  { name: /claude-instant-1|claude-2/, ratio: 3 },
  { name: /^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, ratio: 3 },
  { name: /^gpt-3\.5.*1106$/, ratio: 2 },
  { name: /^gpt-3\.5/, ratio: 4 / 3 },
  { name: /^mistral-/, ratio: 3 },
  { name: /^gemini-(1\.5|2\.0)/, ratio: 4 },
  { name: /^gemini-2\.5-pro/, ratio: 8 },
  { name: /^gemini-2\.5-flash-preview.*-nothinking$/, ratio: 4 },
  { name: /^gemini-2\.5-flash-preview/, ratio: 3.5 / 0.6 },
  { name: /^gemini-2\.5-flash-lite/, ratio: 4 },
  { name: /^gemini-2\.5-flash/, ratio: 2.5 / 0.3 },
  { name: /^gemini-3-pro/, ratio: 6 },
  { name: /^gemini-/, ratio: 4 },
  { name: /^command-r$/, ratio: 3 },
  { name: /^command-r-plus$/, ratio: 5 },
  { name: /^command/, ratio: 4 },
  { name: /^deepseek-(chat|reasoner)$/i, ratio: 1.5 },
  { name: /^ERNIE-(Speed-|Lite-|Character|Functions)/, ratio: 2 },
  { name: /^llama2-70b-4096$/, ratio: 1.25 },
  { name: /^llama3-8b-8192$/, ratio: 2 },
  { name: /^llama3-70b-8192$/, ratio: 0.79 / 0.59 },
];

/** Audio ratios of model families (docs/compatibility.md#default-prices). The first match counts. */
const audioRules: readonly Rule[] = [
  { name: /gpt-4o-realtime-preview$/, ratio: 8 },
  { name: /gpt-4o-mini-realtime-preview/, ratio: 16.666666667 },
  { name: /-realtime/, ratio: 20 },
  { name: /^gpt-4o-audio-preview/, ratio: 16 },
  { name: /^gpt-4o-mini-audio-preview/, ratio: 66.667 },
  { name: /-audio/, ratio: 40 },
];

/** Ratio of the first family that matches a model. */
const familyRatio = (rules: readonly Rule[], model: string): number | undefined =>
  rules.find(({ name }) => name.test(model))?.ratio;

/**
 * Completion ratio of a model: the administrator's entry, otherwise the vendor's, otherwise the family's, otherwise
 * 1.
 */
export const completionRatioFor = (model: string, option: Table, { completion }: PublishedRatios): number =>
  entryOf(option, model) ?? entryOf(completion, model) ?? familyRatio(completionRules, model) ?? 1;

/**
 * Ratio of a cached input token: the administrator's entry, otherwise the vendor's, otherwise the ratio of plain
 * input.
 */
export const cacheRatioFor = (model: string, option: Table, { cache }: PublishedRatios): number =>
  entryOf(option, model) ?? entryOf(cache, model) ?? 1;

/** Image ratio of a model: the administrator's entry, otherwise the vendor's, otherwise 1. */
export const imageRatioFor = (model: string, option: Table, { image }: PublishedRatios): number =>
  entryOf(option, model) ?? entryOf(image, model) ?? 1;

/**
 * Ratio of an image output token to an input token: the administrator's entry, otherwise the vendor's; undefined if
 * it costs the same as text.
 */
export const imageCompletionRatioFor = (
  model: string,
  option: Table,
  { imageCompletion }: PublishedRatios,
): number | undefined => entryOf(option, model) ?? entryOf(imageCompletion, model);

/**
 * Audio ratio of a model: the administrator's entry, otherwise the vendor's, otherwise the family's, otherwise 1. The
 * original applies its general value of 20 only to audio and realtime models; audio tokens of other models count as
 * text.
 */
export const audioRatioFor = (model: string, option: Table, { audio }: PublishedRatios): number =>
  entryOf(option, model) ?? entryOf(audio, model) ?? familyRatio(audioRules, model) ?? 1;

/**
 * Audio completion ratio of a model: the administrator's entry, otherwise the vendor's, otherwise 2
 * (docs/compatibility.md#default-prices).
 */
export const audioCompletionRatioFor = (
  model: string,
  option: Table,
  { audioCompletion }: PublishedRatios,
): number => entryOf(option, model) ?? entryOf(audioCompletion, model) ?? 2;
