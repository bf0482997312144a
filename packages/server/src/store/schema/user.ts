import type { Generated } from 'kysely';

/** People. The balance is in `accounts`, so that one payer can serve many users. */
export interface UserTable {
  id: Generated<number>;
  /** The account that pays for this user's calls. */
  account_id: number;
  username: string;
  /** `argon2id$…`; '' when the user has no password. */
  password: string;
  display_name: string;
  role: number;
  status: number;
  email: string;
  /** SHA-256 of the system access token, hex; null when none was made. */
  access_token_hash: string | null;
  /** What the user's own wallet paid for calls, in quota units; what teams paid is on their membership. */
  used_quota: number;
  /** Requests here; the ledger counts them. */
  request_count: number;
  /** Requests in the program that the user was imported from. */
  former_requests: number;
  group: string;
  aff_code: string | null;
  aff_count: number;
  /** Invitation reward not yet transferred, in quota units. */
  aff_quota: number;
  aff_history: number;
  inviter_id: number;
  /** What administrators note about the user, who never sees it; null for nothing. */
  remark: string | null;
  /** JSON text: notify_type, quota_warning_threshold, …. */
  setting: string;
  /** Unix seconds. */
  created_time: number;
  /** Unix seconds of the soft delete; null while alive. On the wire `DeletedAt`. */
  deleted_at: number | null;
}
