import { costApi, marginApi, reconciliationApi } from '@tollgate/contract';
import type { Channels } from '../../../services/calls/channels/index.ts';
import {
  type Costs,
  type Margins,
  type SoldChannel,
  soldBelowCost,
} from '../../../services/money/costs/index.ts';
import type { Pricing } from '../../../services/money/pricing/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import {
  type Fetches,
  previewFile,
  type ReportKeys,
  type Reports,
} from '../../../services/money/reconciliation/index.ts';

interface CostRouteDeps {
  costs: Costs;
  margins: Margins;
  channels: Pick<Channels, 'load'>;
  pricing: Pick<Pricing, 'snapshot'>;
}

/** Costs and margins of calls, for root only. */
export function costRoutes({ costs, margins, channels, pricing }: CostRouteDeps): MountedRoute[] {
  const priceOf = (model: string, group: string) => {
    const found = pricing.snapshot(model, group, { acceptUnset: false });
    return 'refusal' in found ? undefined : found;
  };
  /** A channel, its models that sell below cost, and in which groups. */
  const soldBelow = async (id: number) => {
    const loaded = await channels.load(id);
    if (!loaded) return { name: '', models: [], groups: [] };
    const { models, groups, channel } = loaded;
    const { modelMapping, setting } = channel;
    const { priceAfterMapping } = setting;
    const sold: SoldChannel = { id, models, groups, modelMapping, priceAfterMapping };
    return { name: channel.name, ...soldBelowCost({ costs, priceOf }, sold) };
  };
  return [
    ...implement(costApi, {
      get: ({ id }) => costs.rule(id),
      async save({ id, ...rule }) {
        await costs.save(id, rule);
        return { below_cost: (await soldBelow(id)).models };
      },
    }),
    ...implement(marginApi, {
      sums: (query) => margins.sums(query),
      async belowCost() {
        const found = [];
        for (const channel of costs.rules().keys()) found.push({ channel, ...(await soldBelow(channel)) });
        return found.filter(({ models }) => models.length > 0);
      },
    }),
  ];
}

interface ReconciliationRouteDeps {
  keys: ReportKeys;
  fetches: Fetches;
  reports: Reports;
}

/** Vendors' usage compared with the log, for root only. */
export const reconciliationRoutes = ({ keys, fetches, reports }: ReconciliationRouteDeps): MountedRoute[] =>
  implement(reconciliationApi, {
    channels: () => keys.list(),
    async saveKey({ channel, key }) {
      await keys.save(channel, key);
      return null;
    },
    fetch: async (question) => ({ id: await fetches.start(question) }),
    progress: ({ fetch }) => fetches.state(fetch),
    stop({ fetch }) {
      fetches.stop(fetch);
      return null;
    },
    preview: ({ text, ...form }) => previewFile(text, form),
    upload: async (file) => ({ id: await reports.upload(file) }),
    list: () => reports.list(),
    compare: ({ report, tolerance }) => reports.compare(report, tolerance),
    async remove({ report }) {
      await reports.remove(report);
      return null;
    },
  });
