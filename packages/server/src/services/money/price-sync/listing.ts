import { type DollarPrice, tidyDollars, type TokenClass } from '@tollgate/contract';

/** The entry of a model in a list. */
export interface Listing {
  /** Its names in the list: as written, and without the vendor's prefix. */
  names: readonly string[];
  /** The vendor of the model, or the reseller of this offer, in our spelling. */
  vendor: string;
  /** Null for a model that the list marks as free. */
  dollars: DollarPrice | null;
}

/** Reads a list's JSON; throws for another format. */
export type ReadList = (json: unknown) => Listing[];

/** A higher price per million tokens, or per call, is an error of the list. */
const maxDollars = 100_000;
/** A lower price is zero in nine decimal places. */
const minDollars = 1e-6;
const million = 1_000_000;

/** A number, also as decimal text; undefined for other values. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A field as a price in dollars; undefined if it is not a price: absent, not a number, 0, negative, or absurd. */
function dollars(value: unknown, times: number): number | undefined {
  const number = numberOf(value);
  if (number === undefined) return undefined;
  const amount = tidyDollars(number * times);
  return amount >= minDollars && amount <= maxDollars ? amount : undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Prices of tokens by the names of a list; null without a price of input. */
export function tokenPrice(
  fields: Fields,
  names: Partial<Record<TokenClass, string>>,
  per: 'token' | 'million',
): DollarPrice | null {
  const times = per === 'token' ? million : 1;
  const found = Object.entries(names)
    .map(([name, field]) => [name, dollars(fields[field], times)] as const)
    .filter(([, value]) => value !== undefined);
  const price: DollarPrice = Object.fromEntries(found);
  return price.input === undefined ? null : price;
}

/** The price of a call from the first field that has one. */
export function callPrice(fields: Fields, ...names: string[]): DollarPrice | null {
  for (const name of names) {
    const call = dollars(fields[name], 1);
    if (call !== undefined) return { call };
  }
  return null;
}

/** True if no field is above 0 and at least one is 0: a free model. */
export function isFree(fields: Fields, ...names: string[]): boolean {
  const values = names.map((name) => numberOf(fields[name]));
  return values.some((value) => value === 0) && values.every((value) => value === undefined || value === 0);
}

/** The fields of an object; undefined for other values. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
