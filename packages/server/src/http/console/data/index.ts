import {
  type ChannelData,
  type ChannelHealth,
  type ChannelTraffic,
  dataApi,
  maxShownHealth,
} from '@tollgate/contract';
import type { Channels } from '../../../services/calls/channels/index.ts';
import type { ChannelTraffics, QuotaSums, UsageSummaries } from '../../../services/calls/metering/index.ts';
import { requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface DataRouteDeps {
  quotaSums: QuotaSums;
  summaries: UsageSummaries;
  traffics: ChannelTraffics;
  channels: Pick<Channels, 'list'>;
}

/** Dashboard sums (docs/compatibility.md#dashboard-sums) and summaries. */
export const dataRoutes = ({ quotaSums, summaries, traffics, channels }: DataRouteDeps): MountedRoute[] =>
  implement(dataApi, {
    list: ({ start_timestamp, end_timestamp, username, tag }) =>
      username === ''
        ? quotaSums.ofAll(start_timestamp, end_timestamp, tag)
        : quotaSums.ofUsername(username, start_timestamp, end_timestamp, tag),
    ownList: ({ start_timestamp, end_timestamp, tag }, context) =>
      quotaSums.own(requireActor(context).id, start_timestamp, end_timestamp, tag),
    summary: ({ start_timestamp, end_timestamp, username, tag }) =>
      summaries.ofAll(start_timestamp, end_timestamp, username, tag),
    channels: async ({ start_timestamp }) => {
      const [{ since, channels: traffic }, { items }] = await Promise.all([
        traffics.since(start_timestamp),
        channels.list({ page: 0, pageSize: maxShownHealth, byId: false, byTag: false }),
      ]);
      return { since, channels: items.map((channel) => healthOf(channel, traffic.get(channel.id))) };
    },
    ownSummary: ({ start_timestamp, end_timestamp, tag }, context) =>
      summaries.own(requireActor(context).id, start_timestamp, end_timestamp, tag),
  });

const healthOf = (channel: ChannelData, traffic: ChannelTraffic | undefined): ChannelHealth => {
  const { id, type, name, status, response_time, test_time, test_outcome, test_failure } = channel;
  const { balance, balance_updated_time } = channel;
  return {
    id,
    type,
    name,
    status,
    response_time,
    test_time,
    test_outcome,
    test_failure,
    balance,
    balance_updated_time,
    traffic: traffic ?? null,
  };
};
