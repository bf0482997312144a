import type { PriceExtras } from '@tollgate/contract';
import type { JsonObject } from '../../lib/json.ts';
import type {
  AcceptedTask,
  Channel,
  Provider,
  RelayError,
  SendTools,
  TaskQuestion,
} from '../../relay/types/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import type { Batches, TaskPlatform, Tasks } from '../../services/calls/tasks/index.ts';
import type { KeyMark } from '../../services/people/tokens/index.ts';
import type { Caller, GatewayDeps, RelayCall } from '../call/index.ts';

/** Dependencies of tasks. */
export interface TaskDeps {
  gateway: GatewayDeps;
  tasks: Tasks;
  batches: Batches;
  /** Option BatchPriceFactor: the price of items of batches, relative to calls, for models without one of their own. */
  batchFactor(): number;
  /** Option OwnBatchCalls: calls at once of batches for channels without them; 0 if there are none. */
  ownBatchCalls(): number;
  /**
   * The caller of a key that has submitted a batch, as it is now. Throws if the key has ended, or if a hook applies that
   * cannot check the calls.
   */
  callerNow(key: KeyMark): Promise<Caller>;
  /** Most MB of the files of a user. */
  maxUserFilesMb: number;
  /** Called for each charged item of a batch: spend of the channel. Must not wait. */
  onItem(facts: ConsumeFacts): void;
  provider: (type: number) => Provider | undefined;
  /** Tools of a provider between writing a request and sending it. */
  toolsFor: (provider: Provider, channel: Channel) => SendTools;
  /** Called for a task or a response in the background that its vendor has begun: its answer is that of the call. */
  onBegun(this: void, requestId: string): void;
  /** Called after each settlement: low-quota warning, spend of the channel in quota units. Must not wait. */
  onSettled(call: TaskCall, settled: { charged: number; balance: number }, facts: ConsumeFacts): void;
}

/** The caller of a task, and the time. */
export type TaskCall = Pick<
  RelayCall,
  'requestId' | 'caller' | 'req' | 'res' | 'startedAt' | 'path' | 'askedGroup' | 'trace' | 'tags' | 'keyed'
>;

/** The requested task. */
export interface TaskOrder {
  platform: TaskPlatform;
  action: string;
  /** The model that is billed, and by which a channel is chosen. */
  model: string;
  /** The caller's text, in which forbidden words are searched. */
  asked: JsonObject;
  /** The part of the request that is stored, as its platform shows it. */
  request: JsonObject;
  /** The only channel that can serve it: an earlier task of the caller is there. */
  channelId?: number;
  /** The key of that channel with which it was made, if the channel has several. */
  keyId?: string | undefined;
  /** True if the action is free, independent of the price of its model. */
  isFree?: boolean;
  /** Factor of the price per call. */
  extras?: PriceExtras;
  /** Seconds of video in the price. */
  seconds?: number;
  /** True if another channel may be tried after a failure. */
  mayFailOver: boolean;
  /** Counts the request against the rate limits. */
  isRateCounted: boolean;
  /** Ms until it counts as failed. */
  limitMs: number;
  /** Reason why the vendor of a channel cannot make it: another channel is used. */
  refusal?(wanted: TaskVendor): RelayError | undefined;
  /** The cost if it depends on the vendor: that of the first one, before anything is held. */
  measure?(wanted: TaskVendor): Partial<Pick<TaskOrder, 'extras' | 'seconds' | 'request'>>;
  /** The exchange with a channel that submits the task; undefined if the channel does not support such tasks. */
  ask(wanted: TaskTarget): TaskExchange | undefined;
}

/** The provider that would make it, and the model. */
export interface TaskVendor {
  provider: Provider;
  upstreamModel: string;
}

/** The channel to call. */
interface TaskTarget extends TaskVendor {
  channel: Channel;
  tools: SendTools;
}

/** A request for a task, and how its answer is read. */
interface TaskExchange {
  question: TaskQuestion | Promise<TaskQuestion>;
  read(status: number, body: Buffer): AcceptedTask | RelayError;
}
