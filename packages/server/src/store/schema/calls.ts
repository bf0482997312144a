import type { Generated } from 'kysely';

/** A configured upstream account (docs/compatibility.md#tables). */
export interface ChannelTable {
  id: Generated<number>;
  type: number;
  /** Encrypted. */
  key_sealed: string;
  /** SHA-256 of the key in hex: finds a channel by its exact key. */
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
  /** US dollars, as reported by the vendor; only displayed, never part of our money. */
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
  header_override: string;
  /** Secrets among the headers: JSON text, encrypted; null without any. */
  header_secrets_sealed: string | null;
  /** 0 for any length. */
  max_input_tokens: number;
  /** Administrators' remark. */
  remark: string;
  /** Selection of one of several keys: random, polling, least_used; '' for a channel with one key. */
  multi_key_mode: string;
}

/** One of several keys of a channel, once it has a state or counts. */
export interface ChannelKeyTable {
  channel_id: number;
  /** Made from the key, so that its row remains valid when keys are added and removed. */
  key_id: string;
  /** 1 on, 2 off by hand, 3 off by Tollgate. */
  status: number;
  /** Reason why it is off; '' while it is on. */
  reason: string;
  /** Unix seconds of the last change of the status; 0 for none. */
  changed_at: number;
  /** Number of attempts with it. */
  uses: number;
  /** JSON text of its limits; '' for none. */
  limits: string;
}

/** Kinds of failed attempts on a channel, as columns of `channel_minutes`. */
export const attemptFailures = [
  'limited',
  'key_refused',
  'timed_out',
  'unreachable',
  'broken_off',
  'server_error',
] as const;
export type AttemptFailure = (typeof attemptFailures)[number];

/**
 * Upper bounds of the buckets of a duration in ms; each is 1.5 times the one before. A last bucket has longer ones. A
 * change needs a migration.
 */
export const timeBounds = Array.from({ length: 24 }, (_, place) => Math.round(50 * 1.5 ** place));

/** The columns of a histogram, in the order of their bounds. */
export const bucketsOf = <Time extends 'first' | 'whole'>(time: Time) =>
  [...timeBounds.keys(), timeBounds.length].map((place) => `${time}_${place}` as const);

/**
 * Results of the attempts on a channel in a minute, by key and model. Histograms are counts, which add up exactly over
 * minutes and processes.
 */
export type ChannelMinuteTable = {
  /** Unix seconds of the start of the minute. */
  minute: number;
  channel_id: number;
  /** One of several keys; '' for a channel with one. */
  key_id: string;
  model: string;
  succeeded: number;
  /** Output tokens of streams, and the ms from their first byte to their last. */
  stream_tokens: number;
  stream_ms: number;
  /** Cost of the calls for the operator, or else their charge; quota units. */
  spent: number;
} & Record<AttemptFailure, number> &
  Record<`first_${number}` | `whole_${number}`, number>;

/** One row per group × model of a channel, rebuilt whenever the channel is saved. */
export interface AbilityTable {
  group: string;
  model: string;
  channel_id: number;
  /** 1 or 0. */
  enabled: number;
  priority: number;
  weight: number;
  tag: string | null;
}

/** A task at a vendor: a drawing, a song, a video. Times are Unix milliseconds, 0 for none. */
export interface TaskTable {
  id: Generated<number>;
  /** The id for callers: `task_` and 32 random characters. */
  task_id: string;
  /** `mj`, `suno`, `video`, `response` in the background, `batch`, or `sale` for a hold of an application. */
  platform: string;
  action: string;
  user_id: number;
  /** 0 if the user pays. */
  team_id: number;
  channel_id: number;
  /** The billed model, which is also shown. */
  model: string;
  upstream_model: string;
  /** The vendor's name of the task; '' before it has answered. */
  vendor_id: string;
  /** submitting, submitted, queued, in_progress, succeeded, failed; of a sale held, settled, released. */
  state: string;
  /** The state as reported by the vendor. */
  vendor_status: string;
  /** 0 to 100. */
  progress: number;
  /** Quota units charged and not refunded. */
  quota: number;
  /** The request id of this task's hold and settlement in the ledger. */
  request_id: string;
  /** JSON: payer and prices, for the log row of a refund. */
  bill: string;
  /** JSON: the part of the request that its platform shows. */
  request: string;
  /** JSON: the vendor's result, or its own object. */
  result: string;
  /** Reason of the failure. */
  reason: string;
  /** The process that sends the request to the vendor while the state is `submitting`. */
  node: string;
  submit_time: number;
  start_time: number;
  finish_time: number;
  /** Time of the next poll, or of the end of a sale's hold; 0 once it is over. */
  next_poll: number;
  /** Consecutive polls without a status change. */
  poll_failures: number;
  /** Time at which it counts as failed, independent of the vendor's reports. */
  deadline: number;
}

/** A relay call that its caller named (Idempotency-Key), for a day: a repetition gets the same answer. */
export interface IdempotentCallTable {
  id: Generated<number>;
  /** SHA-256 of owner, path and key: unique. */
  name: string;
  /** Owner of the keys, with the limits: `token:7`, or `user:3` for the playground. */
  owner: string;
  /** SHA-256 of the request; the same key with another one is refused. */
  body_hash: string;
  /** The request id of the key's call in the ledger. */
  request_id: string;
  /** The process that runs or ran it. */
  node: string;
  /** Unix seconds of the start. */
  at: number;
  /** HTTP status of the answer; 0 while the call runs, and after its process died. */
  status: number;
  /** Characters of `answer`. */
  size: number;
  /** The answer, compressed and sealed; '' if it is not stored. */
  answer: string;
}

/**
 * What a vendor keeps for a user: later calls about it use the same channel. While a file is uploaded, a row with a name
 * of its own holds its bytes.
 */
export interface VendorObjectTable {
  id: Generated<number>;
  /**
   * SHA-256 in hex of a file's id (ids differ in case, which not every database compares), otherwise of the user's id
   * and the object's id.
   */
  name: string;
  /** 0 for responses from before migration 0079. */
  user_id: number;
  /** Files by the vendor whose calls they have: OpenAI's, Anthropic's, Google's. */
  kind:
    | 'file'
    | 'anthropic-file'
    | 'gemini-file'
    | 'cache'
    | 'container'
    | 'response'
    | 'background'
    | 'conversation'
    | 'session-secret';
  purpose: string;
  channel_id: number;
  /** Of a channel with several keys; '' otherwise. */
  key_id: string;
  bytes: number;
  /** Unix seconds; far in the future for an object without an expiry. */
  expires_at: number;
  /** A file as the vendor describes it, JSON; '' while it is uploaded, and for all others. */
  body: string;
}

/** An item of a running batch that is not charged. */
export interface BatchItemTable {
  id: Generated<number>;
  /** The batch: `tasks.id`. */
  task_id: number;
  /** SHA-256 of the caller's name of the item in hex. */
  name: string;
  /** Number of its line, from 1. */
  place: number;
  /** Index of its price in the bill of the batch. */
  price: number;
  /** Estimated input tokens, charged if the vendor reports none. */
  tokens: number;
  /** Of a batch that the gateway works through: earliest moment of the next attempt in Unix ms; a later one while it runs. */
  due_at: number;
  /** Failed attempts. */
  tries: number;
}

/** A part of a text that the gateway keeps for a caller: calls of a batch, or their results. */
export interface KeptPartTable {
  id: Generated<number>;
  /** Name of the whole: SHA-256 in hex. */
  object: string;
  user_id: number;
  /** Order in the whole. */
  place: number;
  /** Order of the pieces of a long part. */
  piece: number;
  /** Characters of the sealed text. */
  size: number;
  /** Unix seconds. */
  expires_at: number;
  /** Compressed and sealed. */
  body_sealed: string;
}

/** A response that the gateway keeps for its caller, because its vendor does not, with its conversation. */
export interface KeptResponseTable {
  id: Generated<number>;
  /** SHA-256 of the user's id and the response's id in hex: unique. */
  name: string;
  user_id: number;
  /** Unix seconds. */
  at: number;
  /** Characters of the sealed text. */
  size: number;
  /** The response and all items before it, compressed and sealed. */
  conversation_sealed: string;
}

/** A key of channels that one process is renewing at its vendor: no other process may begin. */
export interface KeyRenewalTable {
  /** SHA-256 of the key before its renewal, hex. */
  key_hash: string;
  /** Unix ms; a process that has not finished by then counts as dead. */
  until: number;
}
