import type { Generated } from 'kysely';

/**
 * What happened: consumption, top-ups, administration (docs/compatibility.md#tables). Never holds prompts or answers.
 */
export interface LogTable {
  id: Generated<number>;
  user_id: number;
  /** Unix seconds. */
  created_at: number;
  type: number;
  content: string;
  username: string;
  token_name: string;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Whole seconds. */
  use_time: number;
  /** 1 or 0. */
  is_stream: number;
  /** On the wire `channel`. */
  channel_id: number;
  token_id: number;
  group: string;
  /** JSON text, docs/compatibility.md#log-row and our receipt terms. */
  other: string;
  /** Ties the row to its ledger entry and to the caller's `x-tollgate-request-id`. */
  request_id: string;
  /** The team whose wallet paid; 0 where people pay for themselves. */
  team_id: number;
  /** Quota units that the call cost the operator; null where nobody knows. Never shown to users. */
  cost: number | null;
  /**
   * Of a charge: quota units of it that were given back later, by refunds and corrections; below zero where corrections took
   * more. The rows of type 6 beside it say when and why. What was spent is always `quota` less this.
   */
  refunded: Generated<number>;
}
