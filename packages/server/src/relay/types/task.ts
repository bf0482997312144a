import type { VideoFacts } from '@tollgate/contract';
import type { JsonObject } from '../../lib/json.ts';
import type { SendTools } from './call.ts';
import type { Channel } from './channel.ts';
import type { Source } from './chat.ts';
import type { RelayError } from './relay-error.ts';

/**
 * State of a task; each platform has its own words. `submitting` is the state before the vendor has answered; `succeeded`
 * and `failed` are final.
 */
export type TaskState = 'submitting' | 'submitted' | 'queued' | 'in_progress' | 'succeeded' | 'failed';

/** One call to a vendor about tasks. It goes through the guarded client and the channel's proxy. */
export interface TaskQuestion {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/** A vendor's report of a task. Absent members change nothing. */
export interface TaskUpdate {
  state: TaskState;
  /** 0 to 100. */
  progress?: number;
  /** The result, or the vendor's object, in the platform's format. */
  result?: JsonObject;
  /** The vendor's reason for a failure. */
  reason?: string;
  /** The vendor's state. */
  vendorStatus?: string;
  /** Seconds of made video, if the price depends on them. */
  seconds?: number;
}

/** A task to poll. */
export interface VendorTask {
  vendorId: string;
  /** The upstream model name. */
  model: string;
  /** The result of the last update; empty before the first. */
  result: JsonObject;
}

/** A vendor's answer to a new task. */
export interface AcceptedTask {
  /** The vendor's id of the task. */
  vendorId: string;
  update: TaskUpdate;
  /** The vendor's answer, if callers get it nearly unchanged. */
  answer?: JsonObject;
}

/** A requested video, in terms that every vendor has. */
export interface VideoRequest {
  /** The upstream model name. */
  model: string;
  prompt: string;
  /** The first frame. */
  image?: Source;
  /** Further images: last frame, references; the vendor's fields in `extra` determine their use. */
  images?: Source[];
  seconds?: number;
  /** Width and height in pixels, such as `1280x720`. */
  size?: string;
  quality?: string;
  negativePrompt?: string;
  seed?: number;
  n?: number;
  /** The vendor's id of the video to remix. */
  remixOf?: string;
  /** Fields of the vendor's own. */
  extra: JsonObject;
}

export type { VideoFacts } from '@tollgate/contract';

type Asked = TaskQuestion | Promise<TaskQuestion>;

/** A vendor's video API. Pure except for calls through `tools`. */
export interface VideoVendor {
  /** Factor of the price, by the request or the vendor's defaults. */
  facts(request: VideoRequest): VideoFacts;
  /** The reason why the vendor cannot make this; undefined if it can. Checked before the hold. */
  refuses?(request: VideoRequest): RelayError | undefined;
  submit(request: VideoRequest, channel: Channel, tools: SendTools): Asked;
  /**
   * A RelayError is the vendor's refusal: nothing was begun. Some vendors poll a task at an address that depends on the
   * submitted `request`.
   */
  readSubmit(status: number, body: Buffer, request: VideoRequest): AcceptedTask | RelayError;
  poll(task: VendorTask, channel: Channel, tools: SendTools): Asked;
  /**
   * A RelayError means a failed poll, to be repeated later; a task that the vendor no longer has is an update with
   * `failed`.
   */
  readPoll(status: number, body: Buffer): TaskUpdate | RelayError;
  /** The address of the video's bytes; they are streamed through, with the caller's Range. */
  content(task: VendorTask, channel: Channel, tools: SendTools): Asked;
  /** Deletes the video at the vendor; absent if it has no such call. */
  remove?(task: VendorTask, channel: Channel, tools: SendTools): Asked;
}

/** A vendor with polls of many tasks at once, which gets callers' bodies nearly unchanged. */
export interface BatchVendor {
  /** `path` is the caller's, below the channel's address. */
  submit(path: string, body: JsonObject, channel: Channel): TaskQuestion;
  /** A RelayError is the vendor's refusal: nothing was begun. */
  readSubmit(status: number, body: Buffer): AcceptedTask | RelayError;
  /** Most ids of one poll. */
  readonly maxIds: number;
  poll(vendorIds: readonly string[], channel: Channel): TaskQuestion;
  /** By the vendor's id; missing ids are polled again. */
  readPoll(status: number, body: Buffer): ReadonlyMap<string, TaskUpdate> | RelayError;
}

/** A provider's tasks: results that are ready minutes after the request. */
export interface ProviderTasks {
  readonly video?: VideoVendor;
  readonly drawing?: BatchVendor;
  readonly music?: BatchVendor;
  /** Answers task calls in the process (the sandbox). */
  readonly local?: (question: TaskQuestion, nowMs: number) => LocalTaskAnswer;
}

/** An answer in the process. */
export interface LocalTaskAnswer {
  status: number;
  contentType: string;
  body: Buffer;
}
