import type { LogStat } from '@tollgate/contract';

/** Spending from a sum of the log: charges minus refunds, and the same for payments of teams. */
export const spentOf = (sum: LogStat): LogStat => ({
  ...sum,
  quota: sum.quota - sum.refunded,
  team_quota: sum.team_quota - sum.team_refunded,
});
