import type { Generated } from 'kysely';

/**
 * Somebody in a team, and the meter of what they may spend of its wallet. A row stays when its member leaves, so that
 * who comes back has used what they used before.
 */
export interface TeamMemberTable {
  id: Generated<number>;
  team_id: number;
  user_id: number;
  /** 1 member, 2 manager, 3 owner. */
  role: number;
  /** '' without a limit, `total` for one in all, `month` for one in each calendar month (UTC). */
  limit_period: string;
  /** Quota units; 0 without a limit. */
  limit_quota: number;
  /** Unix seconds from which on use counts against the limit: the start of the month, or 0 for ever. */
  period_start: number;
  /** Quota units left of the limit; below zero only without one (it then only counts). Only the ledger writes here. */
  remain_quota: number;
  /** Quota units held for running requests. Only the ledger writes here. */
  held: number;
  /** 1 without a limit. */
  unlimited_quota: number;
  /** Quota units that the member's calls took from the wallet, ever. Only the ledger writes here. */
  used_quota: number;
  /** Unix seconds. */
  joined_time: number;
  /** Unix seconds; null while a member. */
  left_time: number | null;
}
