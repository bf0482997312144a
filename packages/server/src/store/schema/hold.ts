/** Quota set aside for a running request. Gone when it is settled or released; what a crash leaves is settled at start. */
export interface HoldTable {
  /** The request id. */
  request_id: string;
  account_id: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  /** Quota units held on the account. */
  amount: number;
  /** Quota units held on the token; 0 when the token is unlimited or absent. */
  token_amount: number;
  /** The member of a team whose call it is; 0 where people pay for themselves. */
  member_id: number;
  /** Quota units held on the member's limit; 0 without a limit. */
  member_amount: number;
  /** Cost of what was delivered so far: charged if the process dies. */
  progress: number;
  /** Unix seconds. */
  at: number;
  /** The process that holds it; others leave it alone while that process lives. */
  node: string;
  /** JSON text: what the log row needs if recovery has to write it. */
  request: string;
}
