import {
  type DollarPrice,
  entriesFor,
  type PriceChange,
  type PriceTableKey,
  tokenClasses,
  type TokenClass,
} from '@tollgate/contract';
import type { PriceRow } from './rows.ts';

/** Input of the price form for one or several models. */
export interface PriceForm {
  mode: 'token' | 'call' | 'multiply';
  /** Dollars as text; '' for none. */
  dollars: Record<TokenClass | 'call', string>;
  /** Factor on prices, as text. */
  factor: string;
}

/** The entry that holds the ratio of a token class. */
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

/** One model starts with its own prices, several start with blank fields. */
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

/** The reason why a form is invalid; null if it is valid. */
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

/** Applies a form to models. A blank field of one model removes its entry; of several models it changes nothing. */
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
  // An untouched field keeps its exact ratio: displayed dollars are rounded.
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

/** Nine decimals, like ratios in a bill. */
const rounded = (value: number) => Number(value.toFixed(9));

/** Whether there is a price that a factor changes. */
export const hasOwnPrice = ({ entries }: PriceRow): boolean =>
  entries.ModelPrice !== undefined || entries.ModelRatio !== undefined;

function multiplied({ entries }: PriceRow, factor: number): PriceChange['set'] {
  if (entries.ModelPrice !== undefined) return { ModelPrice: rounded(entries.ModelPrice * factor) };
  return entries.ModelRatio === undefined ? {} : { ModelRatio: rounded(entries.ModelRatio * factor) };
}

/** Removes every entry of models. */
export const removalOf = (rows: readonly PriceRow[]): PriceChange[] =>
  rows.map(({ model, entries }) => ({
    model,
    set: Object.fromEntries(Object.keys(entries).map((key) => [key, null])),
  }));
