import type { Generated } from 'kysely';

/** A configured upstream account (docs/compatibility.md#tables). */
export interface ChannelTable {
  id: Generated<number>;
  type: number;
  /** Encrypted. */
  key_sealed: string;
  /** SHA-256 of the key, hex: finds a channel by its exact key. */
  key_hash: string;
  openai_organization: string;
  test_model: string;
  status: number;
  name: string;
  weight: number;
  created_time: number;
  test_time: number;
  /** Milliseconds of the last test; 0 when it failed. */
  response_time: number;
  /** 0 not known, 1 passed, 2 failed. */
  test_outcome: number;
  /** JSON text: why the last test failed; null unless it did. */
  test_failure: string | null;
  base_url: string;
  other: string;
  /** US dollars as the vendor said it; shown only, never part of our money. */
  balance: number;
  balance_updated_time: number;
  /** Comma list. */
  models: string;
  /** Comma list. */
  group: string;
  used_quota: number;
  /** JSON text, '' for none. */
  model_mapping: string;
  status_code_mapping: string;
  priority: number;
  /** 1 or 0. */
  auto_ban: number;
  /** JSON text: status_reason, status_time. */
  other_info: string;
  tag: string | null;
  /** JSON text. */
  setting: string;
  param_override: string;
  /** 0 for any length. */
  max_input_tokens: number;
  /** What administrators note of it. */
  remark: string;
  /** How one of several keys is chosen: random, polling, least_used; '' for a channel with one key. */
  multi_key_mode: string;
}

/** One of several keys of a channel, as soon as there is something to say of it. */
export interface ChannelKeyTable {
  channel_id: number;
  /** Made from the key, so that its row stays right when keys are added and removed. */
  key_id: string;
  /** 1 on, 2 off by hand, 3 off by Tollgate. */
  status: number;
  /** Why it is off; '' while it is on. */
  reason: string;
  /** Unix seconds of the last change of the status; 0 for none. */
  changed_at: number;
  /** Attempts that were made with it. */
  uses: number;
}
