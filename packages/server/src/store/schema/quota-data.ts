import type { Generated } from 'kysely';

/** Sums per user, model and hour for the dashboard; can be rebuilt from the ledger and the log. */
export interface QuotaDataTable {
  id: Generated<number>;
  user_id: number;
  username: string;
  model_name: string;
  /** Unix seconds, floored to the hour. */
  created_at: number;
  /** Input and output tokens. */
  token_used: number;
  count: number;
  quota: number;
}
