import type { Generated } from 'kysely';

/** A customer's API key and its limits. The key itself is a hash for look-up and an encrypted copy for its owner. */
export interface TokenTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the 48 characters after `sk-`, hex. */
  key_hash: string;
  /** Encrypted key; '' in hash-only mode. */
  key_sealed: string;
  /** The characters lists show: first 4 and last 4. */
  key_hint: string;
  status: number;
  name: string;
  created_time: number;
  accessed_time: number;
  /** Unix seconds, −1 for never. */
  expired_time: number;
  /** Quota units left; goes below zero only when unlimited_quota (it then only counts). */
  remain_quota: number;
  /** Quota units held for running requests. */
  held: number;
  /** 1 or 0. */
  unlimited_quota: number;
  model_limits_enabled: number;
  /** Comma list. */
  model_limits: string;
  /** One address or CIDR a line; '' for any. */
  allow_ips: string;
  used_quota: number;
  group: string;
  deleted_at: number | null;
  /** The team whose wallet pays for the calls; 0 where the owner of the key does. */
  team_id: number;
}
