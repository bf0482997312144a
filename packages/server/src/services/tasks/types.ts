import type { PriceExtras, PriceSnapshot } from '@tollgate/contract';
import type { JsonObject } from '../../lib/json.ts';
import type { TaskState } from '../../relay/types/index.ts';

/** Whose interface a task belongs to: Midjourney's, Suno's, or that of videos. */
export type TaskPlatform = 'mj' | 'suno' | 'video';

/** Who paid, and at which prices: what the log row of a refund repeats. */
export interface TaskBill {
  username: string;
  tokenId: number;
  tokenName: string;
  team: { id: number; name: string } | null;
  group: string;
  snapshot: PriceSnapshot;
  extras: PriceExtras;
  /** Seconds of video that were paid for, where the price is by them. */
  seconds?: number;
  /** Unix seconds of the settlement, for the sums of its hour; 0 before it. */
  settledAt: number;
}

/** A task as the house knows it. Times are Unix ms, 0 for none. */
export interface Task {
  id: number;
  /** The name that callers know. */
  taskId: string;
  platform: TaskPlatform;
  action: string;
  userId: number;
  channelId: number;
  model: string;
  upstreamModel: string;
  /** The vendor's name; '' before it has answered. */
  vendorId: string;
  state: TaskState;
  vendorStatus: string;
  /** 0 to 100. */
  progress: number;
  /** Quota units that were taken and not given back. */
  quota: number;
  requestId: string;
  bill: TaskBill;
  /** What was asked for, as its platform shows it. */
  request: JsonObject;
  /** What was made, or the vendor's own object. */
  result: JsonObject;
  reason: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  pollFailures: number;
  deadline: number;
}
