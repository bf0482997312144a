import { reconciliationApi } from '@tollgate/contract';
import {
  type Fetches,
  previewFile,
  type ReportKeys,
  type Reports,
} from '../../../services/money/reconciliation/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface ReconciliationRouteDeps {
  keys: ReportKeys;
  fetches: Fetches;
  reports: Reports;
}

/** What vendors counted beside our books, for root alone. */
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
