import type { LogStat } from '@tollgate/contract';

/** What was spent by a sum of the log: charges less what was given back of them, and the same of what teams paid. */
export const spentOf = (sum: LogStat): LogStat => ({
  ...sum,
  quota: sum.quota - sum.refunded,
  team_quota: sum.team_quota - sum.team_refunded,
});
