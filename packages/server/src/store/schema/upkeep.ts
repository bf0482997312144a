import type { Generated } from 'kysely';

/** The log: consumption, top-ups, administration (docs/compatibility.md#tables). Never has prompts or answers. */
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
  /** Links the row to its ledger entry and to the caller's `x-tollgate-request-id`. */
  request_id: string;
  /** The team that paid; 0 if the user paid. */
  team_id: number;
  /** Cost of the call for the operator in quota units; null if unknown. Never shown to users. */
  cost: number | null;
  /**
   * For a charge: quota units given back later, by refunds and corrections; below zero if corrections charged
   * more. Additional rows of type 6 have time and reason. The spent amount is always `quota` minus this.
   */
  refunded: Generated<number>;
  /** JSON object: the tags of the call; null for none. The database copies them to `log_tags`. */
  tags: string | null;
}

/** A tag of a log row, written only by triggers on the log. */
export interface LogTagTable {
  log_id: number;
  name: string;
  /** '' for a tag without a value. */
  value: string;
  /** That of the row, Unix seconds. */
  created_at: number;
}

/**
 * Charges of an hour, summed by one dimension. A job writes it after the log, so that settlements do not pay for it.
 */
export interface LogHourTable {
  /** Meaning of `ref` or `name`: see `sumKinds`. */
  kind: number;
  /** An id; 0 if the kind has none. */
  ref: number;
  /** A name; '' if the kind has none. */
  name: string;
  /** Unix seconds of the hour's start. */
  hour: number;
  /** 1 for deleted rows, 0 for existing rows. */
  gone: number;
  /** Quota units. */
  quota: number;
  /** The part that teams paid. */
  team_quota: number;
  /** Later refunds of `quota`, and of `team_quota`. */
  refunded: number;
  team_refunded: number;
}

/**
 * Hours with rows that were added, changed or deleted after they were summed: their rows are read until they are
 * summed again.
 */
export interface LogHourMarkTable {
  id: Generated<number>;
  /** Unix seconds of the hour's start. */
  hour: number;
}

/**
 * Changes of log rows that have moved to an archive. The main database has the waiting ones, written with the movement of money;
 * the archive has the applied ones that may be requested again.
 */
export interface LogChangeTable {
  id: Generated<number>;
  /** The consumption row of this request. */
  request_id: string;
  /** Refunded quota units; negative for an additional charge. */
  refunded: number;
  /** JSON: columns and their new values. */
  corrected: string;
}

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
