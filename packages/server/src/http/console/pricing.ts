import { AppError, factsTaken, findFacts, pricingApi } from '@tollgate/contract';
import type { Pricing } from '../../services/money/pricing/index.ts';
import type { Routing } from '../../services/calls/routing/index.ts';
import { pricedNames } from '../../gateway/index.ts';
import { implement, type MountedRoute } from '../implement.ts';

export interface PricingRouteDeps {
  pricing: Pricing;
  routing: Pick<Routing, 'models' | 'groupsOf' | 'candidates'>;
  /** True for a tool of a server, which no chat can use as a model. */
  isTool: (model: string) => boolean;
  /** False if guests may not see the list. */
  isPublic: () => boolean;
}

/** The group with the prices that guests see. */
const guestGroup = 'default';

/**
 * The public price list: what enabled channels offer, and the groups the caller may use
 * (docs/compatibility.md#envelope-and-routes).
 */
export const pricingRoutes = ({ pricing, routing, isTool, isPublic }: PricingRouteDeps): MountedRoute[] =>
  implement(pricingApi, {
    list(_input, { actor, language }) {
      if (!actor && !isPublic()) throw new AppError('not_logged_in');
      const group = actor?.group ?? guestGroup;
      const offers = routing.models().flatMap((model) =>
        routing.groupsOf(model).map((each) => {
          const [pricedModel = model] = pricedNames(routing, each, model);
          return { model, group: each, pricedModel };
        }),
      );
      const described = Object.entries(pricing.describeGroups(group, language));
      return {
        data: pricing
          .pricingList(offers)
          .map((item) => (isTool(item.model_name) ? { ...item, tool: true as const } : item)),
        extra: {
          group_ratio: Object.fromEntries(described.map(([name, { ratio }]) => [name, ratio])),
          usable_group: pricing.usableGroups(group, language),
          auto_groups: [...pricing.autoGroups(group)],
        },
      };
    },
    facts({ model }, { actor }) {
      if (!actor && !isPublic()) throw new AppError('not_logged_in');
      const facts = findFacts(model);
      return { source: factsTaken, ...(facts && { facts }) };
    },
  });
