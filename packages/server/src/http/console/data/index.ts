import { dataApi } from '@tollgate/contract';
import type { ChannelTraffics, QuotaSums, UsageSummaries } from '../../../services/metering/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface DataRouteDeps {
  quotaSums: QuotaSums;
  summaries: UsageSummaries;
  traffics: ChannelTraffics;
}

/** Dashboard sums (docs/compatibility.md#dashboard-sums) and summaries. */
export const dataRoutes = ({ quotaSums, summaries, traffics }: DataRouteDeps): MountedRoute[] =>
  implement(dataApi, {
    list: ({ start_timestamp, end_timestamp, username }) =>
      username === ''
        ? quotaSums.ofAll(start_timestamp, end_timestamp)
        : quotaSums.ofUsername(username, start_timestamp, end_timestamp),
    ownList: ({ start_timestamp, end_timestamp }, context) =>
      quotaSums.own(actorOf(context).id, start_timestamp, end_timestamp),
    summary: ({ start_timestamp, end_timestamp, username }) =>
      summaries.ofAll(start_timestamp, end_timestamp, username),
    channels: ({ start_timestamp }) => traffics.since(start_timestamp),
    ownSummary: ({ start_timestamp, end_timestamp }, context) =>
      summaries.own(actorOf(context).id, start_timestamp, end_timestamp),
  });
