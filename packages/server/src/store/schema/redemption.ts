import type { Generated } from 'kysely';

/** A code that brings quota once. */
export interface RedemptionTable {
  id: Generated<number>;
  /** Who made it. */
  user_id: number;
  /** SHA-256 of the code, hex. */
  key_hash: string;
  /** The code, encrypted; '' only until the first start after an update, when `key_hash` still has the code itself. */
  key_sealed: string;
  status: number;
  name: string;
  quota: number;
  created_time: number;
  redeemed_time: number;
  /** Unix seconds from which nobody can redeem it; 0 for never. */
  expired_time: number;
  /** 0 while unused. */
  used_user_id: number;
  deleted_at: number | null;
}
