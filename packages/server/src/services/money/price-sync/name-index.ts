import type { DollarPrice } from '@tollgate/contract';
import type { Listing } from './listing.ts';
import { isMaker, makerOf } from './vendors.ts';

/** The entry of a list for one of our model names. */
export interface Found {
  vendor: string;
  /** Null for a model listed as free. */
  dollars: DollarPrice | null;
}

/** Finds one of our models in a list. */
export type FindModel = (model: string) => Found | undefined;

const maxListings = 100_000;

/** Vendors write the same version with a point or a dash. */
const plain = (name: string): string => name.toLowerCase().replaceAll('.', '-');
/** Lists omit the date of a model with a single version. */
const withoutDay = (name: string): string => name.replace(/-\d{8}$/, '');

/** Prices are equal if no class in both differs by more than a thousandth, because lists round. */
export function samePrice(a: DollarPrice, b: DollarPrice): boolean {
  if ((a.call === undefined) !== (b.call === undefined)) return false;
  return (Object.keys(a) as (keyof DollarPrice)[]).every((name) => {
    const [left, right] = [a[name], b[name]];
    return left === undefined || right === undefined || Math.abs(left - right) <= left / 1_000;
  });
}

/**
 * Indexes a list by model names: first as written, then without vendor, point and date. If several vendors sell a
 * model, the entry of its maker counts, then the entry of any maker of models. Entries of resellers count only if they
 * agree.
 */
export function buildNameIndex(listings: readonly Listing[]): FindModel {
  const exact = new Map<string, Listing[]>();
  const loose = new Map<string, Listing[]>();
  const add = (index: Map<string, Listing[]>, name: string, listing: Listing) => {
    const known = index.get(name);
    if (known) known.push(listing);
    else index.set(name, [listing]);
  };
  for (const listing of listings.slice(0, maxListings)) {
    for (const name of listing.names) add(exact, name, listing);
    for (const name of new Set(listing.names.map(plain))) add(loose, name, listing);
  }
  return (model) =>
    chosen(model, exact.get(model)) ??
    chosen(model, loose.get(plain(model))) ??
    chosen(model, loose.get(withoutDay(plain(model))));
}

function chosen(model: string, listings: readonly Listing[] | undefined): Found | undefined {
  if (!listings) return undefined;
  const maker = makerOf(model);
  const own = listings.filter(({ vendor }) => vendor === maker);
  const makers = listings.filter(({ vendor }) => isMaker(vendor));
  const [first, ...others] = [own, makers, listings].find(({ length }) => length > 0) ?? [];
  if (first === undefined) return undefined;
  const agree = others.every(({ dollars }) =>
    first.dollars === null || dollars === null
      ? first.dollars === dollars
      : samePrice(first.dollars, dollars),
  );
  return agree ? { vendor: first.vendor, dollars: first.dollars } : undefined;
}
