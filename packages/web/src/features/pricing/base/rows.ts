import type { Ability, PricingItem } from '@tollgate/contract';
import { pricesOf, type ModelPrices } from '../../../shared/prices/prices.ts';

/** A model as the list shows it to somebody who looks at one group. */
export interface PriceRow {
  item: PricingItem;
  /** Whether the group can use it: a channel serves it there, and it may be called at its price. */
  available: boolean;
  /** False where no price is set, so that calls are refused: then no price is shown. */
  priced: boolean;
  /** The groups in which the person can use it. */
  groups: readonly string[];
  /** The group looked at, and its ratio. */
  group: string;
  groupRatio: number;
  prices: ModelPrices;
  /** What its vendor says of it, as far as that is known and has come. */
}

export interface PriceView {
  group: string;
  groupRatios: Readonly<Record<string, number>>;
  /** Group → description. */
  usableGroups: Readonly<Record<string, string>>;
  /** Quota units a dollar buys on this site. */
  quotaPerUnit: number;
  /** Whether models without a price may be called at the fallback ratio (SelfUseModeEnabled). */
  servesUnpriced: boolean;
}

export interface PriceFilter {
  /** Looked for anywhere in the name, not minding case. */
  keyword: string;
  type: 'all' | 'tokens' | 'calls';
}

/** The ratio of a group; 1 without one. */
export const ratioOf = ({ groupRatios }: Pick<PriceView, 'groupRatios'>, group: string): number =>
  Object.hasOwn(groupRatios, group) ? (groupRatios[group] ?? 1) : 1;

const isPriced = (item: PricingItem, view: Pick<PriceView, 'servesUnpriced'>): boolean =>
  !item.unset || view.servesUnpriced;

const isGpt = (row: PriceRow) => row.item.model_name.startsWith('gpt');

/** What can be used first, then by billing type, names that begin with `gpt`, and the alphabet. */
function compare(a: PriceRow, b: PriceRow): number {
  return (
    Number(b.available) - Number(a.available) ||
    a.item.quota_type - b.item.quota_type ||
    Number(isGpt(b)) - Number(isGpt(a)) ||
    (a.item.model_name < b.item.model_name ? -1 : 1)
  );
}

/** The rows of the list in their order. */
export function priceRows(items: readonly PricingItem[], view: PriceView, filter: PriceFilter): PriceRow[] {
  const keyword = filter.keyword.trim().toLowerCase();
  const groupRatio = ratioOf(view, view.group);
  const wanted = (item: PricingItem) =>
    item.model_name.toLowerCase().includes(keyword) &&
    (filter.type === 'all' || item.quota_type === (filter.type === 'calls' ? 1 : 0));
  return items
    .filter(wanted)
    .map((item) => ({
      item,
      available: item.enable_groups.includes(view.group) && isPriced(item, view),
      priced: isPriced(item, view),
      groups: item.enable_groups.filter((group) => Object.hasOwn(view.usableGroups, group)),
      group: view.group,
      groupRatio,
      prices: pricesOf(item, groupRatio, view.quotaPerUnit),
    }))
    .toSorted(compare);
}

/** What of the facts is looked for; '' for anything. */
export interface FactsFilter {
  vendor: string;
  ability: Ability | '';
}

/** Rows of a vendor and with an ability; models without known facts match neither. */
export const rowsWithFacts = (rows: PriceRow[], { vendor, ability }: FactsFilter): PriceRow[] =>
  rows.filter(
    ({ item: { facts } }) =>
      (vendor === '' || facts?.vendor === vendor) &&
      (ability === '' || facts?.abilities.includes(ability) === true),
  );

/** Whether sound that a model hears has a price of its own. */
export const pricesAudioInput = ({ audio_ratio: ratio }: PricingItem): boolean => ratio !== 1;

/** Whether a model answers in sound at a price of its own; the list of prices tells it by the name alone. */
export const pricesAudioOutput = ({ model_name: name, audio_ratio: ratio }: PricingItem): boolean =>
  /audio|realtime/.test(name) || (ratio !== 1 && name.endsWith('-tts'));
