import type { Generated } from 'kysely';

/**
 * Who pays: a balance of quota units. Every user and every team has one. Only the ledger writes here.
 * Available = balance − held. CHECKs in the database are the last line: balance ≥ 0, held ≥ 0.
 */
export interface AccountTable {
  id: Generated<number>;
  /** Quota units; equals the sum of the account's ledger entries. */
  balance: number;
  /** Quota units held for running requests. */
  held: number;
}

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
  /** The budgets that it counts on, and the window of each (`linesOf`); '' for none. */
  budgets: string;
}

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
  /** The budgets that a charge counts on, or what goes back of it, and the window of each; '' for none. */
  budgets: string;
}

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

/** An order of quota at a payment provider. */
export interface TopUpTable {
  id: Generated<number>;
  user_id: number;
  /** Bought, in US dollars. */
  amount: number;
  /** Credited when paid, in quota units: fixed with the price, so that a changed option never changes an order. */
  quota: number;
  /** To be paid, as decimal text with two places. */
  money: string;
  trade_no: string;
  /** The payment provider that alone may complete it: epay. */
  provider: string;
  payment_method: string;
  create_time: number;
  complete_time: number;
  /** pending, success, expired, failed */
  status: string;
  /** The team whose wallet it fills; 0 for the buyer's own. */
  team_id: number;
}

/** A correction of past charges to other prices, in small steps. Amounts are quota units, times Unix seconds, 0 for none. */
export interface ReratingTable {
  id: Generated<number>;
  /** running, stopped, done, reverting, reverted. */
  state: string;
  /** 0 while it runs or is undone, its id else: unique, so that only one is under way. */
  under_way: number;
  reason: string;
  actor_id: number;
  /** The rehearsal it is based on. */
  rehearsal: string;
  /** 1 where dearer charges are collected as well. */
  collect: number;
  /** JSON: which charges, as they were chosen. */
  selection: string;
  /** JSON: the options whose prices were tried, by name. */
  options: string;
  /** JSON: which charges, and all values that prices depend on. */
  plan: string;
  /** Rows of the log with ids above `first`, up to `last`. */
  first_log: number;
  last_log: number;
  /** The last row of the log that is done; while it is undone, how many rows are. */
  position: number;
  corrected_rows: number;
  same_rows: number;
  given_back: number;
  collected: number;
  uncollected: number;
  left_rows: number;
  left_quota: number;
  apart_rows: number;
  created_at: number;
  finished_at: number;
  reverter_id: number;
  revert_reason: string;
  reverted_at: number;
  not_taken_back: number;
}

/** One charge of a correction. */
export interface ReratingRowTable {
  id: Generated<number>;
  rerating_id: number;
  log_id: number;
  user_id: number;
  team_id: number;
  model_name: string;
  request_id: string;
  /** The charge as it stood, what its bill came to, and the bill at the other prices. */
  charge_before: number;
  billed_before: number;
  charge_after: number;
  bill: number;
  /** Change of the charge that came of it: below zero for what was given back. */
  moved: number;
  /** Change of the charge by undoing it. */
  undone: number;
  /** applied, reverted. */
  state: string;
  applied_at: number;
  reverted_at: number;
}

/** What the calls of a channel cost the operator, and how its vendor is asked for a bill. */
export interface ChannelCostTable {
  channel_id: number;
  /** JSON text: factor, models, reported. */
  rule: string;
  /** Encrypted: the key that reads the bills of the vendor's account; '' for none. */
  report_key_sealed: string;
  /** JSON text: how the last file of the vendor's usage was read; null before the first. */
  report_mapping: string | null;
}

/** What a vendor counted, by day and model, as it was read once. */
export interface UsageReportTable {
  id: Generated<number>;
  /** openai, anthropic, openrouter or csv. */
  source: string;
  /** The name of a file; '' for what was fetched. */
  name: string;
  /** JSON text: ids of the channels that are the vendor's account. */
  channels: string;
  /** The first day and the end of the last, Unix seconds, UTC. */
  start_time: number;
  end_time: number;
  created_at: number;
  /** How many lines `content` has. */
  line_count: number;
  /** JSON text: the lines. */
  content: string;
}

/**
 * An amount that calls may cost in a stretch of time, and what they cost so far. It applies to the calls that fit all of its
 * conditions; 0 and '' leave one open. Conditions, period and time zone never change.
 */
export interface BudgetTable {
  id: Generated<number>;
  name: string;
  /** Who may change it: `site` administrators, `team` the managers of the organisation, `own` the owner of the key. */
  set_by: string;
  token_id: number;
  /** Who calls. With `team_id` this is a member of the organisation. */
  user_id: number;
  team_id: number;
  /** The group that a call is billed in. */
  group: string;
  /** The model that a call names; a `*` at the end stands for any rest. */
  model: string;
  /** hour, day, week, month; term for one stretch until `window_end`. */
  period: string;
  /** IANA name. */
  time_zone: string;
  /** `hard`: calls beyond it are refused. `soft`: it only counts, which no call sets yet. */
  mode: string;
  /** Quota units. */
  amount: number;
  /** 1 or 0. A disabled one counts the calls that it counted before, and no others. */
  enabled: number;
  /** Quota units charged in the window. Only the ledger writes here. */
  used: number;
  /** Quota units held in the window for running calls. Only the ledger writes here. */
  held: number;
  /** Unix seconds. Only the ledger moves a window on. */
  window_start: number;
  window_end: number;
  /** Unix seconds. */
  created_time: number;
}
