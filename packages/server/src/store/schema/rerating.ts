import type { Generated } from 'kysely';

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
