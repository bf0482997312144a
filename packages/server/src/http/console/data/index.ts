import { dataApi } from '@tollgate/contract';
import type { QuotaSums } from '../../../services/metering/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface DataRouteDeps {
  quotaSums: QuotaSums;
}

/** Dashboard sums (wire-facts 8.1). */
export const dataRoutes = ({ quotaSums }: DataRouteDeps): MountedRoute[] =>
  implement(dataApi, {
    list: ({ start_timestamp, end_timestamp, username }) =>
      username === ''
        ? quotaSums.ofAll(start_timestamp, end_timestamp)
        : quotaSums.ofUsername(username, start_timestamp, end_timestamp),
    ownList: ({ start_timestamp, end_timestamp }, context) =>
      quotaSums.own(actorOf(context).id, start_timestamp, end_timestamp),
  });
