import {
  type DollarPrice,
  entriesFor,
  type PriceChange,
  type PriceTableKey,
  tokenClasses,
  type TokenClass,
} from '@tollgate/contract';
import type { PriceRow } from './rows.ts';

/** What somebody types about the price of one or several models. */
export interface PriceForm {
  mode: 'token' | 'call' | 'multiply';
  /** Dollars as text; '' for none. */
  dollars: Record<TokenClass | 'call', string>;
  /** By how much prices are multiplied, as text. */
  factor: string;
}

/** The entry that a class of tokens has a ratio in. */
const entryOf = {
  input: 'ModelRatio',
  output: 'CompletionRatio',
  cacheRead: 'CacheRatio',
  cacheWrite: 'CreateCacheRatio',
  imageInput: 'ImageRatio',
  imageOutput: 'ImageCompletionRatio',
  audioInput: 'AudioRatio',
  audioOutput: 'AudioCompletionRatio',
} as const satisfies Record<TokenClass, PriceTableKey>;

const blank = (): PriceForm['dollars'] =>
  Object.fromEntries(['call', ...tokenClasses].map((name) => [name, ''])) as PriceForm['dollars'];

/** One model opens with its own prices, several with nothing. */
export function formOf(rows: readonly PriceRow[]): PriceForm {
  const [row] = rows;
  const dollars = blank();
  if (rows.length !== 1 || row === undefined) return { mode: 'token', dollars, factor: '' };
  if (row.entries.ModelPrice !== undefined) dollars.call = String(row.entries.ModelPrice);
  else
    for (const name of tokenClasses)
      if (row.entries[entryOf[name]] !== undefined) dollars[name] = String(row.dollars[name] ?? '');
  return { mode: row.entries.ModelPrice === undefined ? 'token' : 'call', dollars, factor: '' };
}

/** A number of at least 0; null for anything else. */
function readDollars(text: string): number | null {
  return /^(?:\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : null;
}

const typed = (form: PriceForm, name: TokenClass | 'call') =>
  form.dollars[name].trim() === '' ? undefined : (readDollars(form.dollars[name]) ?? undefined);

/** Why a form cannot be applied; null when it can. */
export function problemOf(
  form: PriceForm,
  rows: readonly PriceRow[],
): 'number' | 'input' | 'zeroCall' | null {
  if (form.mode === 'multiply') {
    const factor = readDollars(form.factor);
    return factor === null || factor === 0 ? 'number' : null;
  }
  const names = form.mode === 'call' ? (['call'] as const) : tokenClasses;
  if (names.some((name) => form.dollars[name].trim() !== '' && readDollars(form.dollars[name]) === null))
    return 'number';
  if (form.mode === 'call') return (typed(form, 'call') ?? 0) > 0 ? null : 'zeroCall';
  const hasInput = typed(form, 'input') !== undefined;
  const allHave = rows.length > 1 && rows.every(({ ratios, priced }) => priced && ratios.modelRatio > 0);
  return hasInput || allHave ? null : 'input';
}

/** What a form makes of models. A blank field of one model takes its entry away; of several it leaves what is there. */
export function changesOf(form: PriceForm, rows: readonly PriceRow[], quotaPerUnit: number): PriceChange[] {
  const alone = rows.length === 1;
  return rows.map((row) => ({ model: row.model, set: setOf(form, row, alone, quotaPerUnit) }));
}

function setOf(form: PriceForm, row: PriceRow, alone: boolean, quotaPerUnit: number): PriceChange['set'] {
  if (form.mode === 'call') return { ModelPrice: typed(form, 'call') ?? null };
  if (form.mode === 'multiply') return multiplied(row, readDollars(form.factor) ?? 1);
  const wanted: DollarPrice = Object.fromEntries(
    tokenClasses.map((name) => [name, typed(form, name)]).filter(([, value]) => value !== undefined),
  );
  const entries =
    wanted.input === 0
      ? { ModelRatio: 0 }
      : entriesFor({ ...wanted, input: wanted.input ?? row.dollars.input ?? 0 }, quotaPerUnit);
  // What was not touched keeps its very ratio: dollars have been rounded for the eye.
  const opened = formOf([row]).dollars;
  const untouched = (name: TokenClass) => alone && form.dollars[name] === opened[name];
  const set: PriceChange['set'] = { ModelPrice: null };
  for (const name of tokenClasses) {
    const key = entryOf[name];
    const kept = untouched(name) && (name === 'input' || untouched('input')) && untouched('audioInput');
    if (kept && row.entries[key] !== undefined) set[key] = row.entries[key];
    else if (entries[key] !== undefined && (wanted[name] !== undefined || name === 'input'))
      set[key] = entries[key];
    else if (alone) set[key] = null;
  }
  return set;
}

/** Nine places, as the bill reads a ratio. */
const rounded = (value: number) => Number(value.toFixed(9));

/** Whether a factor has something to multiply. */
export const hasOwnPrice = ({ entries }: PriceRow): boolean =>
  entries.ModelPrice !== undefined || entries.ModelRatio !== undefined;

function multiplied({ entries }: PriceRow, factor: number): PriceChange['set'] {
  if (entries.ModelPrice !== undefined) return { ModelPrice: rounded(entries.ModelPrice * factor) };
  return entries.ModelRatio === undefined ? {} : { ModelRatio: rounded(entries.ModelRatio * factor) };
}

/** Takes every entry of models away. */
export const removalOf = (rows: readonly PriceRow[]): PriceChange[] =>
  rows.map(({ model, entries }) => ({
    model,
    set: Object.fromEntries(Object.keys(entries).map((key) => [key, null])),
  }));
