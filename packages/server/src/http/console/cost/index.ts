import { costApi } from '@tollgate/contract';
import type { Channels } from '../../../services/channels/index.ts';
import { type Costs, modelsBelowCost } from '../../../services/costs/index.ts';
import type { Pricing } from '../../../services/pricing/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface CostRouteDeps {
  costs: Costs;
  channels: Pick<Channels, 'load'>;
  pricing: Pick<Pricing, 'snapshot'>;
}

/** What the calls of channels cost the operator: for root alone. */
export const costRoutes = ({ costs, channels, pricing }: CostRouteDeps): MountedRoute[] =>
  implement(costApi, {
    get: ({ id }) => costs.rule(id),
    async save({ id, ...rule }) {
      await costs.save(id, rule);
      const loaded = await channels.load(id);
      if (!loaded) return { below_cost: [] };
      const { models, groups, channel } = loaded;
      const priceOf = (model: string, group: string) => {
        const found = pricing.snapshot(model, group, { acceptUnset: false });
        return 'refusal' in found ? undefined : found;
      };
      const sold = { id, models, groups, modelMapping: channel.modelMapping };
      return { below_cost: modelsBelowCost({ costs, priceOf }, sold) };
    },
  });
