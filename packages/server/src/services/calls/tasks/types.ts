import type { PriceExtras, PriceSnapshot, Tags } from '@tollgate/contract';
import type { JsonObject } from '../../../lib/json.ts';
import type { RequestFacts, TaskState } from '../../../relay/types/index.ts';
import type { ConsumeFacts } from '../metering/index.ts';

/** The API of a task: Midjourney's, Suno's, that of videos, of responses in the background, or of batches. */
export type TaskPlatform = 'mj' | 'suno' | 'video' | 'response' | 'batch';

/** What the charge of a response in the background needs: its call, and all facts that are known before its end. */
export interface ResponseBill {
  caller: {
    userId: number;
    team: { id: number; name: string; memberId: number; ownerId: number } | null;
  };
  facts: RequestFacts;
  served: Omit<
    ConsumeFacts,
    'model' | 'isStream' | 'usage' | 'usageSource' | 'bill' | 'endReason' | 'firstByteAt' | 'endedAt'
  >;
  /** The counted input, for a response that reports no usage. */
  inputTokens: number;
  /** The caller's ceiling in quota units; undefined without one. */
  maxCost: number | undefined;
  reasoningEffort: string | undefined;
}

/** The price of items of a batch. */
export interface ItemPrice {
  model: string;
  upstreamModel: string;
  pricedModel: string;
  snapshot: PriceSnapshot;
  /** The vendor's factor of batches, if the tier in the snapshot is that of the site's option. */
  costFactor?: number;
}

/** What the gateway needs to make the calls of a batch itself. */
export interface OwnBatch {
  /** Path of its calls, and headers for the vendor. */
  path: string;
  headers: Record<string, string>;
  /** Name of the kept parts with its calls. */
  calls: string;
  /** Ids of what it keeps: answers, and errors. Those of OpenAI's shape are files. */
  answers: string;
  errors: string;
  /** The channel of its hold, whose additions to requests are held for. */
  channelId: number;
  /** The mark of the key that pays: each call needs it to be valid still, and has its rules. */
  key: { hash: string; isOfRun: boolean; pin: string };
  /** True if its caller allowed models without a price. */
  acceptUnsetPrice: boolean;
  /** Unix ms at which what is not answered expires. */
  expiresAt: number;
}

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
  /** Set for a response in the background that its vendor has begun. */
  response?: ResponseBill;
  /** The prices of the items of a batch. */
  prices?: ItemPrice[];
  /** Present for a batch whose calls the gateway makes itself. */
  own?: OwnBatch;
  /** True if a batch may not cost more than its hold, because its caller set a ceiling. */
  isCeiled?: boolean;
  /** The group of a batch's user, for the log rows of its items. */
  userGroup?: string;
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
