import type { Generated } from 'kysely';

/** People who share a wallet: an account of its own that pays for the calls of the team's keys. */
export interface TeamTable {
  id: Generated<number>;
  name: string;
  /** The shared wallet. */
  account_id: number;
  /** The member whose role is owner; there is always exactly one. */
  owner_id: number;
  /** Decides over channels and ratio for the team's keys; administrators set it. */
  group: string;
  /** 1 enabled, 2 banned by an administrator. */
  status: number;
  /** Unix seconds. */
  created_time: number;
  /** Unix seconds of the soft delete; null while alive. */
  deleted_at: number | null;
}
