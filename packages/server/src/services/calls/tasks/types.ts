import type { PriceExtras, PriceSnapshot, Tags } from '@tollgate/contract';
import type { JsonObject } from '../../../lib/json.ts';
import type { TaskState } from '../../../relay/types/index.ts';

/** The API of a task: Midjourney's, Suno's, or that of videos. */
export type TaskPlatform = 'mj' | 'suno' | 'video';

/** The payer and the prices, repeated in the log row of a refund. */
export interface TaskBill {
  /** The tags of its call; absent for none. */
  tags?: Tags | undefined;
  username: string;
  tokenId: number;
  tokenName: string;
  team: { id: number; name: string } | null;
  group: string;
  /** The key of the vendor's call, for a channel with several keys. */
  keyId?: string | undefined;
  snapshot: PriceSnapshot;
  extras: PriceExtras;
  /** Charged seconds of video, if the price is per second. */
  seconds?: number;
  /** Unix seconds of the settlement, for the hourly sum; 0 before it. */
  settledAt: number;
}

/** A task. Times are Unix ms, 0 for none. */
export interface Task {
  id: number;
  /** The id for callers. */
  taskId: string;
  platform: TaskPlatform;
  action: string;
  userId: number;
  channelId: number;
  model: string;
  upstreamModel: string;
  /** The vendor's id; '' before it has answered. */
  vendorId: string;
  state: TaskState;
  vendorStatus: string;
  /** 0 to 100. */
  progress: number;
  /** Quota units that were charged and not refunded. */
  quota: number;
  requestId: string;
  bill: TaskBill;
  /** The request in the format of its platform. */
  request: JsonObject;
  /** The result, or the vendor's own object. */
  result: JsonObject;
  reason: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  pollFailures: number;
  deadline: number;
}
