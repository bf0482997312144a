import {
  findFacts,
  needsCallPrice,
  oneHourCacheFactor,
  type PriceSnapshot,
  type PricingItem,
} from '@tollgate/contract';

/** A model that a channel offers in a group. */
export interface Offer {
  model: string;
  group: string;
  /** The model name that has the price, if it may differ. */
  pricedModel?: string;
}

/**
 * The price list of the offered models, by name; each once with all its groups, at the price of its first offer
 * (docs/compatibility.md#envelope-and-routes, pricing item).
 */
export function buildPricingList(
  offers: Iterable<Offer>,
  priceOf: (model: string) => PriceSnapshot,
): PricingItem[] {
  const byModel = new Map<string, { pricedModel: string; groups: Set<string> }>();
  for (const { model, group, pricedModel = model } of offers) {
    const known = byModel.get(model);
    if (known) known.groups.add(group);
    else byModel.set(model, { pricedModel, groups: new Set([group]) });
  }
  return [...byModel]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([model, { groups, pricedModel }]) =>
      pricingItem(model, [...groups].toSorted(), priceOf(pricedModel)),
    );
}

function pricingItem(model: string, groups: string[], snapshot: PriceSnapshot): PricingItem {
  const facts = findFacts(model);
  const byCall = snapshot.mode === 'call';
  return {
    model_name: model,
    quota_type: byCall ? 1 : 0,
    model_ratio: snapshot.modelRatio,
    model_price: byCall ? snapshot.modelPrice : 0,
    owner_by: '',
    completion_ratio: snapshot.completionRatio,
    cache_ratio: snapshot.cacheRatio,
    create_cache_ratio: snapshot.cacheWriteRatio,
    ...tierFields(snapshot),
    image_ratio: snapshot.imageRatio,
    audio_ratio: snapshot.audioRatio,
    audio_completion_ratio: snapshot.audioCompletionRatio,
    enable_groups: groups,
    unset: snapshot.unset || (!byCall && needsCallPrice(model)),
    ...(facts && { facts }),
  };
}

/** Entries that most models do not have. */
const tierFields = (snapshot: PriceSnapshot): Partial<PricingItem> => ({
  ...(snapshot.cacheWrite1hRatio !== snapshot.cacheWriteRatio * oneHourCacheFactor && {
    create_cache_ratio_1h: snapshot.cacheWrite1hRatio,
  }),
  ...(snapshot.contextTiers && { context_tiers: snapshot.contextTiers }),
  ...(snapshot.serviceTiers && { service_tiers: snapshot.serviceTiers }),
});
