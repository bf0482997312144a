import {
  type Language,
  type PriceSnapshot,
  priceTableKeys,
  type PricingItem,
  type SearchKind,
  usualSearchSize,
} from '@tollgate/contract';
import type { Log } from '../../../lib/log.ts';
import type { Settings } from '../../site/settings/index.ts';
import { describeGroups, groupRatio, usableGroups } from './groups.ts';
import { buildPricingList, type Offer } from './pricing-list.ts';
import { buildSnapshot, hasPrice } from './snapshot.ts';

export interface SnapshotOptions {
  /** The user's own setting: a model without a price is allowed at the stand-in ratio. */
  acceptUnset: boolean;
  /** The user's own group, which may have a ratio of its own in the group that is used. */
  userGroup?: string;
  /** Context size of a web search, where the request names one; the model's usual one otherwise. */
  searchKind?: SearchKind | undefined;
}

/** Why a call cannot be priced: the name of a relay error. */
export interface PriceRefusal {
  refusal: 'model_price_error';
}

export interface PricingDeps {
  settings: Settings;
  log: Log;
}

/** Prices of models, as the options say. */
export interface Pricing {
  /**
   * The price of a call at this moment, or the refusal of docs/compatibility.md#price-lookup when the model has no
   * price and neither self-use mode nor the user allows that. Synchronous and cheap: the same frozen object until an
   * option changes.
   */
  snapshot(model: string, group: string, options: SnapshotOptions): PriceSnapshot | PriceRefusal;
  /** True when the model has a price or a ratio of its own. */
  isPriced(model: string): boolean;
  /** Puts ModelRatio back to its default (POST /api/option/rest_model_ratio). */
  resetModelRatio(): Promise<void>;
  /** The price list of what is on offer, at the ratio 1; groups multiply it (GET /api/pricing). */
  pricingList(offers: Iterable<Offer>): PricingItem[];
  /** Group → description of the groups a user of `userGroup` may use; Chinese unless a language is given. */
  usableGroups(userGroup: string, language?: Language): Record<string, string>;
  /** The same with their ratios, without groups that have none (GET /api/user/self/groups). */
  describeGroups(userGroup: string, language?: Language): Record<string, { ratio: number; desc: string }>;
  /** The ratio of a group; undefined when it has none and so may not be used. */
  groupRatio(group: string): number | undefined;
}

/** Options that a price depends on. */
export const priceKeys = [
  ...priceTableKeys,
  'PriceTerms',
  'GroupRatio',
  'GroupGroupRatio',
  'QuotaPerUnit',
] as const;

/** Callers choose model names: the memory of prices must not grow with what they try. */
const maxRemembered = 10_000;

/** Opens the price book over the site's options. */
export function createPricing({ settings, log }: PricingDeps): Pricing {
  const remembered = new Map<string, PriceSnapshot>();
  settings.onChange((changed) => {
    if (priceKeys.some((key) => changed.has(key))) remembered.clear();
  });

  const find = (model: string, group: string, userGroup: string, kind: SearchKind): PriceSnapshot => {
    const ratio = groupRatio(settings, group, userGroup);
    const key = JSON.stringify([kind, ratio, model]);
    const known = remembered.get(key);
    if (known) return known;
    if (ratio === undefined) log.warn({ group }, 'the group has no ratio; 1 is charged');
    const made = buildSnapshot(settings, model, ratio ?? 1, kind);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(key, made);
    return made;
  };

  return {
    snapshot(model, group, { acceptUnset, userGroup = group, searchKind = usualSearchSize }) {
      const found = find(model, group, userGroup, searchKind);
      const allowed = !found.unset || acceptUnset || settings.get('SelfUseModeEnabled');
      return allowed ? found : unpriced;
    },
    isPriced: (model) => hasPrice(settings, model),
    resetModelRatio: () => settings.reset('ModelRatio'),
    pricingList: (offers) =>
      buildPricingList(offers, (model) => buildSnapshot(settings, model, 1, usualSearchSize)),
    usableGroups: (userGroup, language) => usableGroups(settings, userGroup, language),
    describeGroups: (userGroup, language) => describeGroups(settings, userGroup, language),
    groupRatio: (group) => groupRatio(settings, group),
  };
}

const unpriced: PriceRefusal = { refusal: 'model_price_error' };
