import {
  type PriceTableKey,
  priceTableKeys,
  type PriceTables,
  product,
  settingDeclarations,
} from '@tollgate/contract';
import type { Settings } from '../../../services/site/settings/index.ts';
import { pricedName, type SourceChannel } from '../channels/read-channels.ts';
import { countsDollars } from '../kit/detect.ts';
import type { Report } from '../kit/report.ts';
import { aligned, differences } from './align-prices.ts';
import type { OldPrice, OldPrices } from './old-prices.ts';

/** The price of each model here, and the channels that cannot have it. */
export interface PricePlan {
  wanted: ReadonlyMap<string, OldPrice>;
  /** Channel → reason to stay disabled. */
  conflicts: ReadonlyMap<number, string>;
  /** Models without a price, and the ratio that the source applied to them. */
  standIns: readonly string[];
}

/**
 * Finds the prices of the channels' models in the source. One-api may have a price for a type of channels: the name
 * gets that price here. If the channels of a name have different prices, those with another price than the most
 * frequent one conflict.
 */
export function planPrices(prices: OldPrices, channels: readonly SourceChannel[]): PricePlan {
  const offers = new Map<string, { id: number; price: OldPrice }[]>();
  const standIns = new Set<string>();
  for (const channel of channels)
    for (const model of modelsOf(channel)) {
      const name = pricedName(channel, model);
      const price = prices.of(name, channel.sourceType);
      if (!price) continue;
      if (prices.isStandIn(name, channel.sourceType)) standIns.add(name);
      offers.set(name, [...(offers.get(name) ?? []), { id: channel.id, price }]);
    }
  const wanted = new Map<string, OldPrice>();
  for (const name of prices.names) {
    const price = prices.of(name);
    if (price) wanted.set(name, price);
  }
  const conflicts = new Map<number, string>();
  for (const [model, of] of offers) {
    const price = mostCommon(of.map((offer) => offer.price));
    wanted.set(model, price);
    for (const { id } of of.filter((offer) => !isSamePrice(offer.price, price)))
      conflicts.set(
        id,
        `one-api prices ${model} on this channel by its type, and otherwise on others: ${product.name} has one price for a model`,
      );
  }
  return { wanted, conflicts, standIns: [...standIns].toSorted() };
}

/** The most frequent price; the first of several. */
function mostCommon(prices: readonly OldPrice[]): OldPrice {
  const count = (price: OldPrice) => prices.filter((each) => isSamePrice(each, price)).length;
  return prices.reduce((best, price) => (count(price) > count(best) ? price : best));
}

const isSamePrice = (one: OldPrice, other: OldPrice): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Names of the models that a channel offers. */
const modelsOf = ({ cells }: SourceChannel): string[] =>
  cells
    .text('models')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/**
 * Saves the prices of the source: its tables, and by name the defaults that its program applied without storing them.
 * Lists all differences.
 */
export async function movePrices(
  settings: Settings,
  prices: OldPrices,
  { wanted, standIns }: PricePlan,
  report: Report,
): Promise<void> {
  const keepsOwn = countsDollars(report.source);
  const start = Object.fromEntries(
    priceTableKeys.map((key) => {
      const table = tableOf(key, settings, prices);
      return [key, keepsOwn ? { ...settings.get(key), ...table } : table];
    }),
  );
  const { book, written } = aligned(
    { tables: start as PriceTables, terms: settings.get('PriceTerms') },
    wanted,
  );
  for (const key of priceTableKeys)
    await settings.set(key, settingDeclarations[key].format(book.tables[key]));
  await settings.set('PriceTerms', settingDeclarations.PriceTerms.format(book.terms));
  report.pricesWritten = written;
  report.standIns.push(...standIns);
  report.pricesRefused.push(...prices.unusable);
  for (const [model, old] of wanted) report.pricesDiffer.push(...differences(model, old, book));
}

/** A table as stored in the source; otherwise the built-in table of its program for models, and Tollgate's own for the rest. */
function tableOf(
  key: PriceTableKey,
  settings: Settings,
  prices: OldPrices,
): Readonly<Record<string, number>> {
  if (key === 'ModelRatio' || key === 'ModelPrice') {
    const byMode = prices.names.flatMap((name) => {
      const price = prices.of(name);
      const value = price?.mode === 'call' ? price.modelPrice : price?.modelRatio;
      return price && (price.mode === 'call') === (key === 'ModelPrice') ? [[name, value]] : [];
    });
    return { ...untyped(prices.saved(key)), ...Object.fromEntries(byMode) } as Record<string, number>;
  }
  return untyped(prices.saved(key)) ?? settings.get(key);
}

/** Without the entries for types of channels, which are not model names here. */
const untyped = (table: Record<string, number> | undefined) =>
  table && Object.fromEntries(Object.entries(table).filter(([name]) => !/\(\d+\)$/.test(name)));
