import { isObject, numberOf } from '../../../lib/json.ts';
import type { ForeignDatabase, ForeignRow } from '../../../store/index.ts';
import { readCells } from '../kit/cells.ts';
import { rateOptions } from '../kit/translated.ts';

/** Dollars of a ratio of one: for a thousand tokens, and so for a call. */
const dollarsOfRatio = 0.002;
/** The only ratio of tokens from a cache, before the program had a column for them. */
const formerCacheRatio = 0.5;

type Tables = Record<string, Record<string, number>>;

/**
 * The prices of one-hub as tables of ratios, which have the same unit: both prices of a model are absolute there, here
 * the second is a multiple of the first. A name with a `*` gets an entry for each of `models` that it prices.
 */
export async function readPrices(
  foreign: ForeignDatabase,
  models: ReadonlySet<string>,
): Promise<{ tables: Tables; notes: string[] }> {
  const columns = foreign.tables.get('prices') ?? new Set<string>();
  if (columns.has('rate_rules') || columns.has('billing_rules'))
    throw new Error('the table prices is that of a fork, with prices of another meaning');
  const isLater = columns.has('extra_ratios');
  const rows = await foreign.all('prices', [
    'model',
    'type',
    'input',
    'output',
    'extra_ratios',
    'long_context',
  ]);
  const tables: Tables = {};
  const set = (table: string, model: string, value: number): void => {
    (tables[table] ??= {})[model] = Number(value.toPrecision(12));
  };
  const odd: string[] = [];
  const tiered: string[] = [];
  const prices = rows
    .map((row) => readCells(row, 'prices'))
    .map((cells) => ({ name: cells.text('model'), cells }));
  const exact = new Set(prices.map(({ name }) => name));
  for (const { name, cells } of prices) {
    const names = name.endsWith('*')
      ? [...models].filter((model) => !exact.has(model) && model.startsWith(name.slice(0, -1)))
      : [name];
    const input = Math.max(0, cells.real('input'));
    const output = Math.max(0, cells.real('output'));
    const extra = cells.json('extra_ratios');
    const ratio = (key: string): number | undefined => {
      const value = numberOf(extra[key]);
      return Number.isFinite(value) && value >= 0 ? value : undefined;
    };
    const tier = cells.json('long_context');
    for (const model of names) {
      if (cells.text('type') === 'times') {
        set('ModelPrice', model, input * dollarsOfRatio);
        continue;
      }
      if (isObject(tier) && numberOf(tier.threshold) > 0) tiered.push(model);
      set('ModelRatio', model, input);
      if (input === 0) {
        if (output > 0) odd.push(model);
        continue;
      }
      set('CompletionRatio', model, output / input);
      const isClaude = model.includes('claude');
      const read = isClaude ? (ratio('cached_read_tokens') ?? 0.1) : ratio('cached_tokens');
      set('CacheRatio', model, isLater ? (read ?? 1) : isClaude ? 0.1 : formerCacheRatio);
      const write = ratio('cached_write_tokens');
      if (isClaude || write !== undefined) set('CreateCacheRatio', model, write ?? 1.25);
      const image = ratio('input_image_tokens');
      if (image !== undefined) set('ImageRatio', model, image);
      const heard = ratio('input_audio_tokens');
      const spoken = ratio('output_audio_tokens');
      if (heard === undefined && spoken === undefined) continue;
      set('AudioRatio', model, heard ?? 1);
      if (heard !== 0) set('AudioCompletionRatio', model, ((spoken ?? 1) * output) / (input * (heard ?? 1)));
    }
  }
  const note = (what: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];
  return {
    tables,
    notes: [
      ...note(
        'Models whose input is free and whose output is not, which are free here: set their prices',
        odd,
      ),
      ...note('Models with another price for long inputs, which have the first price here', tiered),
    ],
  };
}

/** Groups as options of new-api: their ratios, the names of those that users may choose, and their requests in a minute. */
export function groupOptions(rows: readonly ForeignRow[]): Record<string, string> {
  const groups = rows
    .map((row) => readCells(row, 'user_groups'))
    // A group that is off has no ratio: its users cannot call.
    .filter((cells) => !cells.has('enable') || cells.flag('enable'));
  if (groups.length === 0) return {};
  const table = (entries: readonly (readonly [string, unknown])[]): string =>
    JSON.stringify(Object.fromEntries(entries));
  const symbols = groups.map((cells) => [cells.text('symbol'), cells] as const);
  return {
    GroupRatio: table(
      symbols.map(([symbol, cells]) => [symbol, cells.has('ratio') ? cells.real('ratio') : 1]),
    ),
    UserUsableGroups: table(
      symbols
        .filter(([, cells]) => cells.flag('public'))
        .map(([symbol, cells]) => [symbol, cells.text('name') || symbol]),
    ),
    ...rateOptions(symbols.map(([symbol, cells]) => [symbol, cells.whole('api_rate')])),
  };
}
