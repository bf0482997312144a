import {
  autoGroupWords,
  defaultGroupWords,
  fillWords,
  type GroupChoices,
  type Language,
  ownGroupWords,
  type PriceSnapshot,
  priceTableKeys,
  type PricingItem,
  type SearchKind,
  usualSearchSize,
  type Words,
} from '@tollgate/contract';
import type { Log } from '../../../lib/log.ts';
import type { Settings } from '../../site/settings/index.ts';
import { buildPricingList, type Offer } from './pricing-list.ts';
import { buildSnapshot, hasPrice, storagePriceIn } from './snapshot.ts';

interface SnapshotOptions {
  /** The user's setting: models without a price are allowed at the stand-in ratio. */
  acceptUnset: boolean;
  /** The user's own group, which may have a special ratio in the used group. */
  userGroup?: string;
  /** Context size of a web search, if the request names one; the model's default otherwise. */
  searchKind?: SearchKind | undefined;
}

/** Reason why a call cannot be priced: the name of a relay error. */
interface PriceRefusal {
  refusal: 'model_price_error';
}

interface PricingDeps {
  settings: Settings;
  log: Log;
}

/** Prices of models by the options. */
export interface Pricing {
  /**
   * The present price of a call, or the refusal of docs/compatibility.md#price-lookup if the model has no price and
   * neither self-use mode nor the user allows that. Synchronous and cheap: the same frozen object until an option
   * changes.
   */
  snapshot(model: string, group: string, options: SnapshotOptions): PriceSnapshot | PriceRefusal;
  /**
   * Quota units for a million tokens of a model's cached content in an hour, in a group; undefined without a price that
   * the caller needs.
   */
  storagePrice(model: string, group: string, options: SnapshotOptions): number | undefined;
  /** True if the model has a price that its calls can be charged at (`isPricedIn`). */
  isPriced(model: string): boolean;
  /** Resets ModelRatio to its default (POST /api/option/rest_model_ratio). */
  resetModelRatio(): Promise<void>;
  /** The price list of all offered models at ratio 1; groups multiply it (GET /api/pricing). */
  pricingList(offers: Iterable<Offer>): PricingItem[];
  /** Group → description of the groups a user of `userGroup` may use; Chinese unless a language is given. */
  usableGroups(userGroup: string, language?: Language): Record<string, string>;
  /** The same with their ratios, without groups that have none (GET /api/user/self/groups). */
  describeGroups(userGroup: string, language?: Language): Record<string, { ratio: number; desc: string }>;
  /**
   * The same with `auto`, if the site names it or it has a choice; its ratio is that of its first group (GET
   * /api/user/self/groups).
   */
  groupChoices(userGroup: string, language?: Language): GroupChoices;
  /** Option AutoGroups: those that a user of `userGroup` may use, in order. */
  autoGroups(userGroup: string): readonly string[];
  /** The ratio of a group, for users of a group; undefined for a group without one, which cannot be used. */
  groupRatio(group: string, userGroup?: string): number | undefined;
}

/** Options that a price depends on. */
export const priceKeys = [
  ...priceTableKeys,
  'PriceTerms',
  'GroupRatio',
  'GroupGroupRatio',
  'QuotaPerUnit',
] as const;

/** Callers choose model names, so the cache of prices must be bounded. */
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
    storagePrice(model, group, { acceptUnset, userGroup = group }) {
      const dollars = storagePriceIn(settings, model);
      if (dollars === undefined) return acceptUnset || settings.get('SelfUseModeEnabled') ? 0 : undefined;
      return dollars * settings.get('QuotaPerUnit') * (groupRatio(settings, group, userGroup) ?? 1);
    },
    isPriced: (model) => hasPrice(settings, model),
    resetModelRatio: () => settings.reset('ModelRatio'),
    pricingList: (offers) =>
      buildPricingList(offers, (model) => buildSnapshot(settings, model, 1, usualSearchSize)),
    usableGroups: (userGroup, language) => usableGroups(settings, userGroup, language),
    describeGroups: (userGroup, language) => describeGroups(settings, userGroup, language),
    groupChoices: (userGroup, language) => groupChoices(settings, userGroup, language),
    autoGroups: (userGroup) => autoGroups(settings, userGroup),
    groupRatio: (group, userGroup) => groupRatio(settings, group, userGroup),
  };
}

const unpriced: PriceRefusal = { refusal: 'model_price_error' };

const defaultWords: Readonly<Record<string, Words>> = defaultGroupWords;

/**
 * A description in the reader's language if it is the default of a new site; an operator's own text stays unchanged.
 */
function wordsOf(name: string, desc: string, language: Language): string {
  const words = Object.hasOwn(defaultWords, name) ? defaultWords[name] : undefined;
  return words?.zh === desc ? words[language] : desc;
}

const special = 'group_ratio_setting.group_special_usable_group';

/** The group of keys that use one of several groups (option AutoGroups). */
export const autoGroup = 'auto';

/** The offered groups for users of a group: `-:name` removes one, `+:name` and `name` add one. */
function offeredTo(settings: Settings, userGroup: string): Record<string, string> {
  const offered = { ...settings.get('UserUsableGroups') };
  const own = settings.get(special);
  if (!Object.hasOwn(own, userGroup)) return offered;
  for (const [entry, desc] of Object.entries(own[userGroup] ?? {})) {
    if (entry.startsWith('-:')) delete offered[entry.slice(2)];
    else offered[entry.replace(/^\+:/, '')] = desc;
  }
  return offered;
}

/**
 * Groups that a user of `userGroup` may use, with their descriptions: the offered ones, and the user's own
 * (docs/compatibility.md#channel-selection).
 */
function usableGroups(
  settings: Settings,
  userGroup: string,
  language: Language = 'zh',
): Record<string, string> {
  const shown = offeredTo(settings, userGroup);
  for (const [name, desc] of Object.entries(shown)) shown[name] = wordsOf(name, desc, language);
  return Object.hasOwn(shown, userGroup) ? shown : { ...shown, [userGroup]: ownGroupWords[language] };
}

function autoGroups(settings: Settings, userGroup: string): readonly string[] {
  const offered = offeredTo(settings, userGroup);
  return [...new Set(settings.get('AutoGroups'))].filter(
    (name) =>
      name === userGroup ||
      (name !== autoGroup && Object.hasOwn(offered, name) && groupRatio(settings, name) !== undefined),
  );
}

/**
 * The ratio of a group; undefined for a group without one. The ratio of GroupGroupRatio for users of `userGroup` takes
 * precedence over the group's own ratio.
 */
export function groupRatio(
  settings: Pick<Settings, 'get'>,
  group: string,
  userGroup = group,
): number | undefined {
  const between = settings.get('GroupGroupRatio');
  const own = Object.hasOwn(between, userGroup) ? between[userGroup] : undefined;
  if (own && Object.hasOwn(own, group)) return own[group];
  const ratios = settings.get('GroupRatio');
  return Object.hasOwn(ratios, group) ? ratios[group] : undefined;
}

/** Answer of GET /api/user/groups and /self/groups: the usable groups with a ratio. */
function describeGroups(
  settings: Settings,
  userGroup: string,
  language: Language = 'zh',
): Record<string, { ratio: number; desc: string }> {
  const described: Record<string, { ratio: number; desc: string }> = {};
  for (const [name, desc] of Object.entries(usableGroups(settings, userGroup, language))) {
    const ratio = groupRatio(settings, name, userGroup);
    if (ratio !== undefined) described[name] = { ratio, desc };
  }
  return described;
}

function groupChoices(settings: Settings, userGroup: string, language: Language = 'zh'): GroupChoices {
  const { [autoGroup]: _, ...choices } = describeGroups(settings, userGroup, language);
  const groups = autoGroups(settings, userGroup);
  const [first] = groups;
  const { [autoGroup]: named } = offeredTo(settings, userGroup);
  const isOffered = groups.length > 1 || named !== undefined || settings.get('DefaultUseAutoGroup');
  if (first === undefined || !isOffered) return choices;
  const auto = {
    ratio: groupRatio(settings, first, userGroup) ?? 1,
    desc: named || fillWords(autoGroupWords[language], { groups: groups.join(' → ') }),
    groups: [...groups],
  };
  return { [autoGroup]: auto, ...choices };
}
