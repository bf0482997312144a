import type { Generated } from 'kysely';

/**
 * Append-only (triggers refuse change): one row is one whole transaction over fixed accounts, so it balances by itself.
 * CHECK: account_delta + reward_delta + writeoff_delta + outside_delta = 0.
 */
export interface LedgerTable {
  id: Generated<number>;
  /**
   * Unique: the request id of a settlement, or the name of a money operation (`redeem:17`, `epay:USR1NO…`). Makes every
   * verb safe to repeat.
   */
  txn: string;
  /**
   * usage, topup, redeem, gift, invite, transfer, adjust, token, refund, rerate, team (between a person's wallet and a
   * team's), member; of an import opening (what somebody brings along, with what they used before) and former (what they
   * used before)
   */
  kind: string;
  /** Unix seconds. */
  at: number;
  /** The payer; 0 when only a token's allowance or the outside is touched. */
  account_id: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  /** Change of the payer's balance. */
  account_delta: number;
  /** Change of the user's invitation reward (`users.aff_quota`). */
  reward_delta: number;
  /** What a settlement could not collect (negative: a loss). */
  writeoff_delta: number;
  /** The other side: revenue (usage), payment clearing (topup), promotions (gift, invite, redeem), adjustments (adjust). */
  outside_delta: number;
  /** Change of the token's remaining allowance; a meter of its own beside the money. */
  token_delta: number;
  /** The member of a team whose call or limit it is; 0 for none. */
  member_id: number;
  /** Change of what is left of the member's limit; a meter of its own beside the money. */
  member_delta: number;
  /** Who did it, for adjustments; 0 for the system. */
  actor_id: number;
  /** Reason in words, or JSON. */
  note: string;
}
