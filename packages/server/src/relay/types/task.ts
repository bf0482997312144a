import type { VideoFacts } from '@tollgate/contract';
import type { JsonObject } from '../../lib/json.ts';
import type { SendTools } from './call.ts';
import type { Channel } from './channel.ts';
import type { Source } from './chat.ts';
import type { RelayError } from './relay-error.ts';

/**
 * How far a task is, in words of our own; each platform prints its own. `submitting` stands before the vendor has
 * answered; `succeeded` and `failed` are final.
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
  /** What was made, or the vendor's own object; its shape is the platform's. */
  result?: JsonObject;
  /** Why it failed, in the vendor's words. */
  reason?: string;
  /** The state as the vendor says it. */
  vendorStatus?: string;
  /** Seconds of video that were made, where the vendor is paid by them. */
  seconds?: number;
}

/** A task as its vendor has to be asked about it. */
export interface VendorTask {
  vendorId: string;
  /** The upstream model name. */
  model: string;
  /** The last result that an update brought; empty before the first. */
  result: JsonObject;
}

/** What a vendor answered to a new task. */
export interface AcceptedTask {
  /** The vendor's own name of the task. */
  vendorId: string;
  update: TaskUpdate;
  /** The vendor's answer, where callers are given it nearly as it came. */
  answer?: JsonObject;
}

/** A requested video, in terms that every vendor has. */
export interface VideoRequest {
  /** The upstream model name. */
  model: string;
  prompt: string;
  /** The first frame. */
  image?: Source;
  /** Further images: last frame, references; the vendor's fields in `extra` say what they are for. */
  images?: Source[];
  seconds?: number;
  /** Width and height in pixels, such as `1280x720`. */
  size?: string;
  quality?: string;
  negativePrompt?: string;
  seed?: number;
  n?: number;
  /** The vendor's name of the video that is to be made anew. */
  remixOf?: string;
  /** Fields of the vendor's own. */
  extra: JsonObject;
}

export type { VideoFacts } from '@tollgate/contract';

type Asked = TaskQuestion | Promise<TaskQuestion>;

/** How a vendor is asked for videos. Pure but for what `tools` ask on the way. */
export interface VideoVendor {
  /** What the price is multiplied with; where the request says nothing, the vendor's defaults. */
  facts(request: VideoRequest): VideoFacts;
  /** Why the vendor cannot be asked for this; undefined where it can. Asked before anything is held. */
  refuses?(request: VideoRequest): RelayError | undefined;
  submit(request: VideoRequest, channel: Channel, tools: SendTools): Asked;
  /**
   * A RelayError is the vendor's refusal: nothing was begun. `request` is what was submitted: some vendors have several
   * places to ask for a task, by what it was made of.
   */
  readSubmit(status: number, body: Buffer, request: VideoRequest): AcceptedTask | RelayError;
  poll(task: VendorTask, channel: Channel, tools: SendTools): Asked;
  /**
   * A RelayError says that nothing was learnt, so that the vendor is asked again later; a task that the vendor does not
   * know any more is an update with `failed`.
   */
  readPoll(status: number, body: Buffer): TaskUpdate | RelayError;
  /** Where the video's bytes are; they are streamed through, with the caller's Range. */
  content(task: VendorTask, channel: Channel, tools: SendTools): Asked;
  /** Deletes the video at the vendor; absent where it has no such call. */
  remove?(task: VendorTask, channel: Channel, tools: SendTools): Asked;
}

/** A vendor that tells of many tasks in one answer, and whose calls a caller's body passes to nearly as it came. */
export interface BatchVendor {
  /** `path` is the caller's, below the channel's address. */
  submit(path: string, body: JsonObject, channel: Channel): TaskQuestion;
  /** A RelayError is the vendor's refusal: nothing was begun. */
  readSubmit(status: number, body: Buffer): AcceptedTask | RelayError;
  /** Ids that one question may name. */
  readonly maxIds: number;
  poll(vendorIds: readonly string[], channel: Channel): TaskQuestion;
  /** By the vendor's id; ids that the vendor does not name are asked for again. */
  readPoll(status: number, body: Buffer): ReadonlyMap<string, TaskUpdate> | RelayError;
}

/** What a provider makes in tasks: answers that come minutes after they were asked for. */
export interface ProviderTasks {
  readonly video?: VideoVendor;
  readonly drawing?: BatchVendor;
  readonly music?: BatchVendor;
  /** Answers such questions in the process instead of over the network (the sandbox). */
  readonly local?: (question: TaskQuestion, nowMs: number) => LocalTaskAnswer;
}

/** What a vendor in the process answers. */
export interface LocalTaskAnswer {
  status: number;
  contentType: string;
  body: Buffer;
}
