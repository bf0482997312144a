import { AppError, logApi } from '@tollgate/contract';
import type { Logs } from '../../../services/logs/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface LogRouteDeps {
  logs: Logs;
}

/**
 * Log calls (docs/compatibility.md#log-lists-and-sums). Users see their own rows, without what is the operators'
 * business.
 */
export const logRoutes = ({ logs }: LogRouteDeps): MountedRoute[] =>
  implement(logApi, {
    list: (query) => logs.list(query, { page: query.p, pageSize: query.page_size }),
    ownList: (query, context) =>
      logs.ownList(actorOf(context).id, query, { page: query.p, pageSize: query.page_size }),
    stat: (filters) => logs.stat(filters),
    ownStat: (filters, context) => logs.ownStat(actorOf(context).id, filters),
    search: ({ keyword }) => logs.search(keyword),
    ownSearch: ({ keyword }, context) => logs.ownSearch(actorOf(context).id, keyword),
    remove({ target_timestamp }) {
      if (target_timestamp === 0) throw new AppError('target_timestamp_required');
      return logs.remove(target_timestamp);
    },
    ofToken({ key }, { reply }) {
      // Pages of other sites show the holder of a key what it spent; the key is all they need
      // (docs/compatibility.md#envelope-and-routes).
      reply.header('access-control-allow-origin', '*');
      return logs.ofToken(key);
    },
  });
