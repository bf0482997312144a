import type { Generated } from 'kysely';

/**
 * A payer: a balance of quota units. Every user and every team has one. Only the ledger writes here. Available =
 * balance − held. CHECKs in the database are the last protection: balance ≥ 0, held ≥ 0.
 */
export interface AccountTable {
  id: Generated<number>;
  /** Quota units; equals the sum of the account's ledger entries. */
  balance: number;
  /** Quota units held for running requests. */
  held: number;
  /** Sum of `remain` of its grants: the balance, plus use that is not taken from them yet. */
  granted: Generated<number>;
  /** Unix seconds of the first expiry of a grant; 0 for none. No hold is taken after it before it is settled. */
  next_expiry: Generated<number>;
  /** Quota units of the balance in expired grants, kept for calls that ran at the expiry. No other hold may use them. */
  expired: Generated<number>;
}

/**
 * An amount of credit in a wallet: where it came from, what was paid for it, and until when it can be used. Only the
 * ledger writes here, under the lock of the account.
 */
export interface GrantTable {
  id: Generated<number>;
  account_id: number;
  /** The user who got it, for messages; 0 for a balance from before grants were kept. */
  user_id: number;
  /** The ledger entry that credited it; with a suffix for a part of a moved amount. */
  txn: string;
  /** topup, stripe, redeem, gift, invite, admin, import, refund, plan; balance for what was there before grants were kept. */
  source: string;
  /** Quota units that were given. */
  amount: number;
  /** Quota units that are left, before use that is not taken from it yet. */
  remain: number;
  /** Hundredths of the currency of payment; 0 for a gift. */
  paid: number;
  /** 1 if what is left may be paid back. */
  refundable: number;
  /** Unix seconds; 0 for never. */
  expires_at: number;
  /** Unix seconds; 0 if unknown. */
  created_at: number;
  /** Ids of the running requests for which an expired grant is kept, by commas; '' before, '-' once none is left. */
  kept_for: string;
  /** Days before the expiry of the last notice about it: 7, then 1; 0 before the first. */
  noticed_days: Generated<number>;
  /** Unix seconds until which one process sends a notice about it. */
  notice_until: Generated<number>;
}

/**
 * Quota that is reserved for a running request. Deleted at settlement or release; recovery ends holds that a crash
 * left.
 */
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
  /** The member of a team who makes the call; 0 if the user pays. */
  member_id: number;
  /** Quota units held on the member's limit; 0 without a limit. */
  member_amount: number;
  /** Cost of the delivered output: charged if the process dies. */
  progress: number;
  /** Unix seconds. */
  at: number;
  /** The process that owns the hold. Other processes do not change it while that process lives. */
  node: string;
  /** JSON text: data for the log row if recovery writes it. */
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
   * usage, topup, topup_refund, plan (a plan paid from the balance), redeem, gift, invite, transfer, adjust, expire, token, refund, rerate, team (between a person's wallet and a
   * team's), member; of an import opening (former balance and use) and former (former use)
   */
  kind: string;
  /** Unix seconds. */
  at: number;
  /** The payer; 0 if the entry changes only a token's allowance or the outside. */
  account_id: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  /** Change of the payer's balance. */
  account_delta: number;
  /** Change of the user's invitation reward (`users.aff_quota`). */
  reward_delta: number;
  /** The part that a settlement could not collect (negative: a loss). */
  writeoff_delta: number;
  /** The other side: revenue (usage), payment clearing (topup), promotions (gift, invite, redeem), adjustments (adjust). */
  outside_delta: number;
  /** Change of the token's remaining allowance; a separate meter beside the money. */
  token_delta: number;
  /** The member of a team with the call or limit; 0 for none. */
  member_id: number;
  /** Change of the rest of the member's limit; no money moves. */
  member_delta: number;
  /** The actor of an adjustment; 0 for the system. */
  actor_id: number;
  /** Reason as text or JSON. */
  note: string;
  /** The budgets that a charge or its refund counts on, and the window of each; '' for none. */
  budgets: string;
}

/**
 * Sums of the ledger by wallet, month, kind and key, written by a job. The months are those of the time zone in the name
 * of the mark (`ledgerMonths`).
 */
export interface LedgerMonthTable {
  account_id: number;
  /** Unix seconds of the start of the month. */
  month: number;
  kind: string;
  token_id: number;
  /** Sum of `account_delta`. */
  amount: number;
  /** Number of entries; the late rest of a charge is none. */
  count: number;
}

/** The signed receipt of a ledger entry. Each wallet has a chain of them without gaps; none is ever changed. */
export interface ReceiptTable {
  account_id: number;
  /** The number in the chain of the wallet, from 1. */
  seq: number;
  /** The entry; unique. */
  ledger_id: number;
  /** Unix seconds of the entry. */
  at: number;
  /** The signed text: canonical JSON, with the SHA-256 of the body before it. */
  body: string;
  /** Ed25519, base64url. */
  signature: string;
}

/** A key that signs receipts. The one with the highest serial signs; the others only verify. */
export interface ReceiptKeyTable {
  /** From 1. */
  serial: number;
  /** Thumbprint of the public key (RFC 7638). */
  kid: string;
  /** base64url. */
  public_key: string;
  /** Encrypted: the seed, base64url. */
  private_key_sealed: string;
  /** Unix seconds. */
  created_at: number;
}

/** A person who gets the statement of a wallet by mail each month. */
export interface StatementMailTable {
  account_id: number;
  user_id: number;
  /** The team of the wallet; 0 for the user's own. */
  team_id: number;
  /** Unix seconds: statements of months up to this moment are sent. */
  mailed_until: number;
  /** Unix seconds until which a process has the next one to send; 0 for none. */
  claimed_until: Generated<number>;
}

/** A single-use code with an amount of quota. */
export interface RedemptionTable {
  id: Generated<number>;
  /** The creator. */
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
  /** Unix seconds of the expiry; 0 for never. */
  expired_time: number;
  /** 0 while unused. */
  used_user_id: number;
  /** Days after redemption until the end of which its credit can be used; 0 for no end. */
  use_within_days: Generated<number>;
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
  /** The only payment provider that may complete it: epay or stripe. Periods of plans also have balance and gift. */
  provider: string;
  payment_method: string;
  create_time: number;
  complete_time: number;
  /** pending, success, expired, failed, refunded */
  status: string;
  /** The team that gets the amount; 0 for the buyer's own wallet. */
  team_id: number;
  /** Quota units that a refund took back. */
  refunded: Generated<number>;
  /** Code of the currency of `money`, in lower case; '' for that of epay. */
  currency: Generated<string>;
  /** The provider's id of the page where it is paid, or of a plan's invoice; '' for none. */
  page_id: Generated<string>;
  /** Quota units of the balance that paid for it. */
  balance_price: Generated<number>;
  /** Number of its invoice; '' for none. */
  invoice: Generated<string>;
  /** Number of the credit note of its refund; '' for none. */
  credit_note: Generated<string>;
}

/** The last number of a series of documents in a year. */
export interface InvoiceNumberTable {
  /** invoice, credit_note */
  series: string;
  year: number;
  last: number;
}

/** A numbered document about a top-up. It never changes. */
export interface InvoiceTable {
  series: string;
  year: number;
  number: number;
  trade_no: string;
  /** What it says, as JSON (`InvoiceFacts` of the ledger). */
  facts: string;
}

/** What a plan costs and gives for each period. */
interface PlanTerms {
  name_zh: string;
  name_en: string;
  /** Price in `currency`, as decimal text with two places; `0.00` if Stripe cannot pay it. */
  price: string;
  currency: string;
  /** Price in quota units of the balance; 0 if a balance cannot pay it. */
  balance_price: number;
  /** month or year */
  period: string;
  /** Quota units that each period gives. They expire with it. */
  quota: number;
  /** Group of the user while it lasts; '' for no change. */
  user_group: string;
  /** Quota units that calls may cost per `budget_period` while it lasts; 0 for no limit. */
  budget: number;
  /** hour, day, week or month */
  budget_period: string;
}

/** Credit that is sold for a period, again and again. */
export interface PlanTable extends PlanTerms {
  id: Generated<number>;
  /** 1 if users do not see it. */
  hidden: number;
  created_time: number;
}

/** A card with which a user's balance is topped up, and when. Amounts are US dollars. */
export interface AutoTopUpTable {
  user_id: number;
  /** 1 or 0. */
  enabled: number;
  below: number;
  amount: number;
  /** Most in a calendar month, UTC. */
  month_limit: number;
  /** Stripe's id of the page on which a card is being saved; '' for none. */
  page_id: string;
  /** Stripe's ids of customer and card; '' for none. */
  customer: string;
  method: string;
  /** Label of the card for the user, as in `visa 4242`. */
  card: string;
  /** Why the last charge failed: declined, authentication; '' for none. */
  problem: string;
  /** The order that is being charged; '' for none. */
  order_no: string;
  /** Unix seconds before which the job skips it. */
  due_time: number;
}

/** A user's subscription to a plan, with the terms with which it began. */
export interface SubscriptionTable extends PlanTerms {
  id: Generated<number>;
  /** Unique: names it at Stripe, and begins the numbers of its orders. */
  name: string;
  plan_id: number;
  user_id: number;
  /** stripe, balance or gift */
  paid_by: string;
  /** pending, active, overdue or ended. Only an active one gives its group. */
  state: string;
  /** Periods that were credited. */
  periods: number;
  /** Unix seconds of the start of the first period, from which others are counted; 0 before. */
  start_time: number;
  period_end: number;
  /** 1 if it goes on after its period; of a gift, the number of periods to come. */
  renews: number;
  /** The group that the user had before any subscription with one. */
  former_group: string;
  /** The budget that it has added to the user; 0 for none. */
  budget_id: number;
  /** Stripe's id of its checkout; '' for none. */
  page_id: string;
  /** Stripe's id of it; '' for none. */
  provider_id: string;
  created_time: number;
  /** 0 while no end is known; a gift of several periods has its end from the beginning. */
  ended_time: number;
  /** Unix seconds from which a process looks after it: renews it, or asks Stripe. */
  due_time: number;
}

/** A correction of past charges to other prices, in small steps. Amounts are quota units, times Unix seconds, 0 for none. */
export interface ReratingTable {
  id: Generated<number>;
  /** running, stopped, done, reverting, reverted. */
  state: string;
  /** 0 while it runs or is undone, otherwise its id: unique, so that only one is under way. */
  under_way: number;
  reason: string;
  actor_id: number;
  /** The rehearsal it is based on. */
  rehearsal: string;
  /** 1 if dearer charges are collected as well. */
  collect: number;
  /** JSON: the selection of the charges. */
  selection: string;
  /** JSON: the tried price options, by name. */
  options: string;
  /** JSON: the charges, and all values that prices depend on. */
  plan: string;
  /** Rows of the log with ids above `first`, up to `last`. */
  first_log: number;
  last_log: number;
  /** The last processed row of the log; during an undo, the number of processed rows. */
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
  /** The charge before the correction, its bill, and the bill at the other prices. */
  charge_before: number;
  billed_before: number;
  charge_after: number;
  bill: number;
  /** Resulting change of the charge: negative for a refund. */
  moved: number;
  /** Change of the charge by undoing it. */
  undone: number;
  /** applied, reverted. */
  state: string;
  applied_at: number;
  reverted_at: number;
}

/** Cost prices of a channel for the operator, and how its vendor's bill is fetched. */
export interface ChannelCostTable {
  channel_id: number;
  /** JSON text: factor, models, reported. */
  rule: string;
  /** Encrypted: the key that reads the bills of the vendor's account; '' for none. */
  report_key_sealed: string;
  /** JSON text: how the last file of the vendor's usage was read; null before the first. */
  report_mapping: string | null;
}

/** A vendor's figures by day and model, as read once. */
export interface UsageReportTable {
  id: Generated<number>;
  /** openai, anthropic, openrouter or csv. */
  source: string;
  /** The name of a file; '' for a fetched report. */
  name: string;
  /** JSON text: ids of the channels that are the vendor's account. */
  channels: string;
  /** The first day and the end of the last, Unix seconds, UTC. */
  start_time: number;
  end_time: number;
  created_at: number;
  /** Number of lines in `content`. */
  line_count: number;
  /** JSON text: the lines. */
  content: string;
}

/**
 * Limit of the cost of calls in a time range, and the cost so far. Applies to calls that fit all of its conditions; 0
 * and '' mean any. Conditions, period and time zone never change.
 */
export interface BudgetTable {
  id: Generated<number>;
  name: string;
  /**
   * Required role for changes: `site` administrators, `team` the managers of the organisation, `own` the owner of the
   * key. `default`: administrators; it was given to a new user or member.
   */
  set_by: string;
  token_id: number;
  /** The caller. With `team_id` this is a member of the organisation. */
  user_id: number;
  team_id: number;
  /** `user` or `member`: it counts no calls, but each new user or member gets one like it; '' for all others. */
  for_each: string;
  /** The group that a call is billed in. */
  group: string;
  /** The model name of the call; a `*` at the end matches any rest. */
  model: string;
  /** hour, day, week, month; term for one time range until `window_end`; run for a run that accepts calls until then. */
  period: string;
  /** IANA name. */
  time_zone: string;
  /** `hard`: calls beyond it are refused. `soft`: it only counts. `cheaper`: calls beyond it use another model. */
  mode: string;
  /** Shares that are warned of, in percent: `50,80,100`; '' for none. */
  shares: string;
  /** The model of calls that do not fit a `cheaper` budget; '' for other modes. */
  instead: string;
  /** `quota`: amount, use and holds are quota units. `tokens`: they are tokens in and out. It never changes. */
  unit: string;
  amount: number;
  /** 1 or 0. A disabled one counts the calls that it counted before, and no others. */
  enabled: number;
  /** Charged in the window. Only the ledger writes here. */
  used: number;
  /** Held in the window for running calls. Only the ledger writes here. */
  held: number;
  /** Unix seconds. Only the ledger moves a window on. Of a sliding window, its newest part. */
  window_start: number;
  window_end: number;
  /** Unix seconds. */
  created_time: number;
  /** Path of an agent's run, unique for `user_id`; null for a budget that applies by its conditions. */
  run: string | null;
  /** The run of which this one is a part; 0 for none. */
  parent: number;
  /** Calls in a window; 0 for no limit, and then they are not counted. */
  max_calls: number;
  /** Calls that were charged or are running in the window. Only the ledger writes here. */
  calls: number;
  /** SHA-256 of the key that was made for this run; null for none. `token_id` is the key that pays and ends with it. */
  key_hash: string | null;
  /** The characters of that key that lists may show. */
  key_hint: string | null;
  /** Comma-separated models that it may call; null for those of `token_id`. */
  key_models: string | null;
  /**
   * Use by part of a sliding window: `<start>:<used>,…`, '' without use; null for a window of the calendar. `used` is its
   * sum. Only the ledger changes it.
   */
  parts: string | null;
}

/** A share of a budget that calls have reached in a window, once each. */
export interface BudgetWarningTable {
  budget_id: number;
  /** Unix seconds of the start of the window; of a sliding one, a multiple of its length. */
  window_start: number;
  /** Percent. */
  share: number;
  /** 1 once the alarm has begun and its owner was notified. */
  told: number;
}
