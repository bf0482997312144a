import { parseObject } from '../../../lib/json.ts';
import type { OldDefaults, OldRule } from './old-defaults.ts';

/** Price of a model in the source: per call, or per token. Ratios have Tollgate's meaning. */
export type OldPrice =
  | { mode: 'call'; modelPrice: number }
  | {
      mode: 'ratio';
      modelRatio: number;
      completionRatio: number;
      cacheRatio: number;
      /** Absent if the program did not support cache writes. */
      cacheWriteRatio?: number;
      imageRatio: number;
      audioRatio: number;
      audioCompletionRatio: number;
    };

/** The prices of the source as its program applied them: stored and built-in ones. */
export interface OldPrices {
  /** The price of a model on a channel of a type of the source; undefined if such a call was refused. */
  of(model: string, channelType?: number): OldPrice | undefined;
  /** Names with a separate price. */
  names: readonly string[];
  /** Entries of a table that can be prices; undefined if the source never saved it. */
  saved(key: string): Record<string, number> | undefined;
  /** Stored and built-in entries that are not valid prices, such as negative ones: table, name and value. */
  unusable: readonly { key: string; model: string; value: string }[];
  /** True for a model without any price that the source served anyway. */
  isStandIn(model: string, channelType?: number): boolean;
}

type Table = Record<string, number>;
type RatioKey =
  | 'CompletionRatio'
  | 'CacheRatio'
  | 'CreateCacheRatio'
  | 'ImageRatio'
  | 'AudioRatio'
  | 'AudioCompletionRatio';

/** Price of an image at a ratio of one, in quota units. */
const unitsOfImage = 1_000;
/** A ratio of one is two dollars for a million tokens. */
const dollarsOfRatio = 2;
const maxPrice = 1_000_000_000;
const isPrice = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= maxPrice;

const entryIn = (table: Table | undefined, name: string): number | undefined =>
  table && Object.hasOwn(table, name) ? table[name] : undefined;

const patterns = new Map<string, RegExp>();
/** Each pattern is used for hundreds of names. */
function compilePattern(text: string): RegExp {
  const known = patterns.get(text) ?? new RegExp(text);
  patterns.set(text, known);
  return known;
}

const ruleFor = (rules: readonly OldRule[] | undefined, name: string): OldRule | undefined =>
  rules?.find((rule) => compilePattern(rule.name).test(name));

/** Reads the prices of a source. `joins`: its program adds missing entries to a stored table. */
export function oldPrices(
  options: ReadonlyMap<string, string>,
  defaults: OldDefaults,
  joins: boolean,
): OldPrices {
  const unusable: { key: string; model: string; value: string }[] = [];
  const usable = (key: string, table: Record<string, unknown>): Table => {
    const entries = Object.entries(table);
    for (const [model, value] of entries)
      if (!isPrice(value)) unusable.push({ key, model, value: JSON.stringify(value) });
    return Object.fromEntries(entries.filter((entry): entry is [string, number] => isPrice(entry[1])));
  };
  const tables = new Map<string, Table>();
  for (const key of [...ratioKeys, 'ModelRatio', 'ModelPrice']) {
    const stored = parseObject(options.get(key) ?? '');
    if (stored) tables.set(key, usable(key, stored));
  }
  const saved = (key: string): Table | undefined => tables.get(key);
  /** Entries by name. The built-in entries of the program apply if the table was never saved, or are added to it. */
  const effective = (key: string, own: Table = {}): Table => {
    const stored = saved(key);
    return stored && !joins ? stored : { ...usable('', own), ...stored };
  };
  const [ratios, perCall] = [
    effective('ModelRatio', defaults.ModelRatio),
    effective('ModelPrice', defaults.ModelPrice),
  ];
  const others = Object.fromEntries(
    ratioKeys.map((key) => [key, effective(key, defaults[key].table)]),
  ) as Record<RatioKey, Table>;

  const nameOf = (model: string): string => {
    for (const [pattern = '', name = ''] of defaults.names) {
      const renamed = model.replace(compilePattern(pattern), name);
      if (renamed !== model) return renamed;
    }
    return model;
  };
  /** One-api prices a name on channels of a type by an entry such as `name(1)`. */
  const typed = (table: Table, name: string, type: number): number | undefined =>
    entryIn(table, `${name}(${type})`) ?? entryIn(table, name);
  const read = (key: RatioKey, name: string, type: number): number | undefined => {
    const { rules, else: rest } = defaults[key];
    const rule = ruleFor(rules, name);
    const entry = typed(others[key], name, type);
    // Names from the catalogues of other vendors are never locked.
    const isLocked = rule?.locked === true && !(name.includes('/') && entry !== undefined);
    return (isLocked ? undefined : entry) ?? rule?.ratio ?? rest ?? undefined;
  };
  /** The ratio of sound; undefined if its tokens have the price of text tokens. */
  const soundOf = (name: string, type: number, modelRatio: number): number | undefined => {
    const dollars = ruleFor(defaults.audioDollars, name);
    if (dollars && modelRatio > 0) return dollars.ratio / dollarsOfRatio / modelRatio;
    const isNamed = entryIn(others.AudioRatio, name) !== undefined;
    return isNamed || ruleFor(defaults.AudioRatio.rules, name) ? read('AudioRatio', name, type) : undefined;
  };
  const ratioOf = (model: string, type: number) => typed(ratios, nameOf(model), type);
  /** A name with an invalid stored price has no price. */
  const isUnusable = (model: string): boolean => unusable.some((entry) => entry.model === model);
  return {
    saved,
    unusable: unusable.filter(({ key }) => key !== ''),
    names: [...new Set([...Object.keys(ratios), ...Object.keys(perCall)])].filter(
      (name) => !/\(\d+\)$/.test(name),
    ),
    isStandIn: (model, type = 0) =>
      defaults.unpriced !== undefined &&
      entryIn(perCall, nameOf(model)) === undefined &&
      ratioOf(model, type) === undefined &&
      !isUnusable(model),
    of(model, type = 0) {
      const name = nameOf(model);
      const modelPrice = entryIn(perCall, name);
      if (modelPrice !== undefined) return { mode: 'call', modelPrice };
      const modelRatio = ratioOf(model, type) ?? (isUnusable(name) ? undefined : defaults.unpriced);
      if (modelRatio === undefined) return undefined;
      if (defaults.perImage !== undefined && compilePattern(defaults.perImage).test(name))
        return { mode: 'call', modelPrice: (modelRatio * unitsOfImage) / unitOf(options) };
      const completionRatio = read('CompletionRatio', name, type) ?? 1;
      const sound = soundOf(name, type, modelRatio);
      const cacheWriteRatio = read('CreateCacheRatio', name, type);
      return {
        mode: 'ratio',
        modelRatio,
        completionRatio,
        cacheRatio: read('CacheRatio', name, type) ?? 1,
        ...(cacheWriteRatio !== undefined && { cacheWriteRatio }),
        imageRatio: read('ImageRatio', name, type) ?? 1,
        audioRatio: sound ?? 1,
        audioCompletionRatio:
          sound === undefined
            ? completionRatio
            : (read('AudioCompletionRatio', name, type) ?? completionRatio),
      };
    },
  };
}

const ratioKeys: readonly RatioKey[] = [
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
];

const defaultUnit = 500_000;

/** Quota units per US dollar in the source. */
export const unitOf = (options: ReadonlyMap<string, string>): number =>
  Number(options.get('QuotaPerUnit') ?? defaultUnit);
