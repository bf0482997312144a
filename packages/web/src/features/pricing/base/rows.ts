import type { Ability, PricingItem } from '@tollgate/contract';
import { pricesOf, type ModelPrices } from '../../../shared/prices/prices.ts';

/** A model in the list, for one group. */
export interface PriceRow {
  item: PricingItem;
  /** Whether the group can use it: a channel serves it there, and its price permits calls. */
  available: boolean;
  /** False without a price: calls are refused, and no price is shown. */
  priced: boolean;
  /** The groups in which the user can use it. */
  groups: readonly string[];
  /** The selected group and its ratio. */
  group: string;
  groupRatio: number;
  prices: ModelPrices;
  /** The vendor's facts, as far as they are known and loaded. */
}

export interface PriceView {
  group: string;
  groupRatios: Readonly<Record<string, number>>;
  /** Group → description. */
  usableGroups: Readonly<Record<string, string>>;
  /** Quota units per dollar. */
  quotaPerUnit: number;
  /** Whether models without a price may be called at the fallback ratio (SelfUseModeEnabled). */
  servesUnpriced: boolean;
}

export interface PriceFilter {
  /** Matches anywhere in the name, in any case. */
  keyword: string;
  type: 'all' | 'tokens' | 'calls';
}

/** The ratio of a group; 1 without one. */
export const ratioOf = ({ groupRatios }: Pick<PriceView, 'groupRatios'>, group: string): number =>
  Object.hasOwn(groupRatios, group) ? (groupRatios[group] ?? 1) : 1;

const isPriced = (item: PricingItem, view: Pick<PriceView, 'servesUnpriced'>): boolean =>
  !item.unset || view.servesUnpriced;

const isGpt = (row: PriceRow) => row.item.model_name.startsWith('gpt');

/** Usable models first, then by billing type, names that begin with `gpt`, and the alphabet. */
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

/** Filters on facts; '' for any. */
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

/** Whether audio input has its own price. */
export const pricesAudioInput = ({ audio_ratio: ratio }: PricingItem): boolean => ratio !== 1;

/** Whether audio output has its own price; the price list derives it from the name only. */
export const pricesAudioOutput = ({ model_name: name, audio_ratio: ratio }: PricingItem): boolean =>
  /audio|realtime/.test(name) || (ratio !== 1 && name.endsWith('-tts'));
