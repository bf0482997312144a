import type { Generated } from 'kysely';

/** What a vendor was asked for and answers later: a drawing, a song, a video. Times are Unix milliseconds, 0 for none. */
export interface TaskTable {
  id: Generated<number>;
  /** The name that callers know: `task_` and 32 characters that nobody guesses. */
  task_id: string;
  /** `mj`, `suno` or `video`. */
  platform: string;
  action: string;
  user_id: number;
  /** 0 where people pay for themselves. */
  team_id: number;
  channel_id: number;
  /** The model that is billed and shown. */
  model: string;
  upstream_model: string;
  /** The vendor's name of the task; '' before it has answered. */
  vendor_id: string;
  /** submitting, submitted, queued, in_progress, succeeded, failed. */
  state: string;
  /** The state as the vendor says it. */
  vendor_status: string;
  /** 0 to 100. */
  progress: number;
  /** Quota units that were taken and not given back. */
  quota: number;
  /** The request whose hold and settlement in the ledger are this task's. */
  request_id: string;
  /** JSON: who paid and at which prices, for the log row of a refund. */
  bill: string;
  /** JSON: what was asked for, as far as its platform shows it. */
  request: string;
  /** JSON: what the vendor made, or its own object. */
  result: string;
  /** Why it failed. */
  reason: string;
  /** The process that asks the vendor while the state is `submitting`. */
  node: string;
  submit_time: number;
  start_time: number;
  finish_time: number;
  /** When it is looked at next; 0 once it is over. */
  next_poll: number;
  /** Polls in a row that taught nothing. */
  poll_failures: number;
  /** When it counts as failed, whatever the vendor says. */
  deadline: number;
}
