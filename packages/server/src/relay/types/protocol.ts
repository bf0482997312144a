import type { ReportedUsage, SearchKind, ToolUses, Usage } from '@tollgate/contract';
import type { ChatCodec, UpstreamCodec } from './codec.ts';
import type { DeliveredText } from './delivered.ts';
import type { FormFile } from './form.ts';
import type { HostedKind } from './hosted.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';

/** What the gateway needs to know of a request body, read once by the caller's protocol. */
export interface RequestFacts {
  /** The model as the caller named it. */
  model: string;
  stream: boolean;
  /** True when the caller asked for the usage chunk of a stream (OpenAI `stream_options.include_usage`). */
  wantsStreamUsage: boolean;
  /** The caller's bound on output tokens, 0 when there is none. */
  maxOutputTokens: number;
  /**
   * Estimated input tokens: cheap, and at least a third of the bytes of text, so that three times as many are a bound.
   * Sizes the hold, never the bill.
   */
  estimatedInputTokens: number;
  /** Input tokens that a count of the request misses: images of which only the address is known. For holds. */
  uncountedInputTokens?: number;
  /** Search units that a reranking may be billed at most, at a price per call; absent for one. */
  searchUnits?: number;
  /** Answers asked for (`n`); the output bound counts for each. */
  choices: number;
  /** How much context web searches are to bring along, and by which tool, where the caller says it: their price. */
  searchKind?: SearchKind;
  /** Set where the request asks for a service tier that may cost more. */
  mayCostMore?: true;
  /** Set where the request asks for its input to be written to the vendor's cache, for so long. */
  cacheWrite?: '5m' | '1h';
  /** Set if the vendor continues, and charges, after the caller disconnects. */
  inBackground?: true;
  /** Tools of vendors' own that the request offers; absent where there are none. */
  hostedTools?: readonly HostedOffer[];
  /** Uses of tools to hold before the call is sent: those that the caller allows, else one of each tool. */
  uses?: ToolUses;
  /** Set if the caller offers functions; `thinks` is false if a chat turns reasoning off. */
  functions?: { thinks?: false };
  /** Set for answers that are not text growing by tokens. */
  media?: MediaFacts;
}

/** A tool of a vendor's own as a request offers it. */
export interface HostedOffer {
  kind: HostedKind;
  /** As a refusal names it: its type, or the field that asks for it. */
  type: string;
  /** As `HostedTool.isOptional`. */
  isOptional?: true;
  /** Uses that the caller allows; absent where there is no limit. */
  mostUses?: number;
  /** Output tokens of an image that it draws. */
  imageTokens?: number;
}

/**
 * What a call for images or sound is priced by, as far as the request tells. Its answer can neither be cut nor bounded
 * by tokens: all that it may cost is held before it is sent (`maxOutputTokens` is then an estimate for each answer).
 */
export interface MediaFacts {
  /** What is asked for. */
  answer: 'images' | 'sound' | 'text';
  /** Calls that a price per call is charged for: the images asked for. */
  calls: number;
  /** Factor of an image's size and quality on the price of each call. */
  factor: number;
  /**
   * Input tokens that are charged where the upstream reports none (docs/compatibility.md#charge): characters to be
   * spoken, minutes that were heard, images. Absent where the text has to be counted.
   */
  inputTokens?: number;
  /** True where `inputTokens` had to be guessed from the size of a file. */
  isEstimate?: boolean;
  /** Input tokens that each byte of the answer proves, whatever a file says of its length; absent where none does. */
  tokensPerByte?: number;
}

/** How an answer ended, as its bytes tell. */
export type AnswerOutcome = 'complete' | 'truncated' | 'error';

/** What an answer came to, once it is over. */
export interface AnswerEnd {
  outcome: AnswerOutcome;
  /**
   * Bytes held back until the settlement is durable: the end marker, the last part of a JSON body.
   * With the outcome 'error' it is the upstream's own error event, already in the caller's protocol: it is sent
   * instead of an error of ours.
   */
  tail: Buffer | undefined;
  /** What the upstream reported; undefined when it reported nothing usable. */
  usage: ReportedUsage | undefined;
  /**
   * What the upstream told of the input (Messages `message_start`) and of the uses of tools, where it broke off before it
   * told the output.
   */
  inputUsage?: Usage | undefined;
  /**
   * Writes `tail` with the usage that was counted here, in protocols whose answers always tell one; set where it tells
   * none.
   */
  withUsage?: (usage: Usage) => Buffer;
  /** Set when the answer was, or contained, an error. */
  error: RelayError | undefined;
  /** Images in the answer, those that had only begun included; absent where an answer holds none by its nature. */
  images?: number;
  /** Search units of a reranking that the vendor bills; absent where it says none. */
  searchUnits?: number;
}

/**
 * Reads an upstream answer as it passes and says which bytes go on to the caller.
 * Synchronous: bytes in, bytes out, no timers. One per upstream answer.
 */
export interface AnswerPipe {
  /** Takes what came from the upstream; answers what may go to the caller now. */
  push(chunk: Buffer): Buffer | undefined;
  /** The upstream ended properly (`broken` false) or broke off. Called once. */
  end(broken: boolean): AnswerEnd;
  /**
   * Text delivered so far that no usage has covered, for counting: whatever was produced since the last call,
   * forgotten afterwards, so that memory stays bounded. Called when the caller hangs up, when a hold nears its end,
   * when much has gathered, or at the end of an answer without usage. What was read and is handed out to nobody, as the
   * last event of an answer that is not whole, is not in it.
   */
  takeText(): DeliveredText;
  /**
   * What the vendor has reported, of the whole call or of its input and uses of tools alone, where that is new since the
   * last call: it is held for before anything goes on. Absent where usage comes with the end alone.
   */
  takeReport?(): Usage | undefined;
  /** Content-Type of what goes to the caller; known from the first bytes that `push` answers, and at the end. */
  readonly contentType: string;
  /** Nothing that still comes can make this answer good: the upstream call may be ended. */
  readonly failed: boolean;
  /**
   * True until the upstream has told anything of an answer: content, a tool call or the reason of its end. What `push`
   * hands out until then can be kept back and thrown away.
   */
  readonly isEmpty: boolean;
  /**
   * Bytes of which at least one stands in whatever the upstream sends of an image or a sound; it is then read an event
   * at a time. Absent where a stream has nothing but text, or is held for as a whole.
   */
  readonly mediaMarks?: readonly Buffer[] | undefined;
}

/** The held-back end of an answer without usage. */
export interface UncountedEnd {
  tail: Buffer;
  isStream: boolean;
  /** The last bytes of the stream before it. */
  before: Buffer | undefined;
  /** What is charged, with its source, so that it is not mistaken for the vendor's. */
  usage: Usage;
  source: 'counted' | 'estimated';
}

/** The face of a wire protocol towards callers. */
export interface Inbound {
  readonly id: ProtocolId;
  /** Checks the body strictly and reads the facts; throws RelayError (blame caller) when it is not usable. */
  readFacts(body: JsonObject, sizes: BodySizes): RequestFacts;
  /**
   * An error as a whole answer in the caller's protocol; the message gets the request id as
   * docs/compatibility.md#relay-errors shows.
   */
  writeError(error: RelayError, requestId: string): { status: number; body: string };
  /**
   * An error in mid-stream, after the 200 was sent: bytes that this protocol's clients read as a failure. `before` are the
   * last bytes of the stream, for protocols that number their events.
   */
  writeStreamError(error: RelayError, requestId: string, before?: Buffer): Buffer;
  /** Adds the usage to the end of an answer; undefined where it has no room any more. Absent where none is told. */
  addUsage?(end: UncountedEnd): Buffer | undefined;
  /**
   * A comment that keeps proxies from closing a silent stream (docs/compatibility.md#steps-of-a-chat-call
   * keep-alive).
   */
  readonly ping: Buffer;
}

/** Events, one JSON object, or bytes that are neither: sound, subtitles. */
export type BodyKind = 'stream' | 'json' | 'bytes';

/** How one upstream answer is to be read. */
export interface AnswerSetup {
  /** What the upstream sends: events, or one JSON object. */
  kind: BodyKind;
  /** Content-Type of the upstream's answer. */
  contentType: string;
  /** We asked for the usage chunk of a stream, the caller did not: it is read and dropped. */
  hideUsage: boolean;
  /** Words that must never reach a caller, should the upstream repeat them: the channel's key. */
  secrets: readonly string[];
  /** Turns this provider's own answer object into the protocol's; whole answers only. */
  rewrite: ((body: JsonObject) => JsonObject) | undefined;
  /** What was asked for, in protocols of images and sound. */
  media?: MediaFacts | undefined;
  /** The body of the request that is answered. */
  asked?: JsonObject;
}

/** The face of a wire protocol towards upstreams. */
export interface Outbound {
  readonly id: ProtocolId;
  /** Opens the reader of a 2xx answer whose bytes pass to a caller of the same protocol. */
  openPipe(setup: AnswerSetup): AnswerPipe;
  /** Reads any other answer. */
  readError(answer: ErrorAnswer): RelayError;
  /**
   * What a Content-Type promises in this protocol, where answers may be neither events nor JSON. Absent where they
   * are always one of these, and the first byte decides if the type does not.
   */
  readonly kindOf?: (contentType: string, facts: RequestFacts) => BodyKind;
}

/** An upstream's answer that was no success. */
export interface ErrorAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  secrets: readonly string[];
  /** Value of its Retry-After header in seconds, where it had one. */
  retryAfterSeconds: number | undefined;
}

/** A wire protocol that callers speak, and upstreams. */
export interface CallerProtocol {
  readonly id: ProtocolId;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  /** Translation from and to neutral events; chat protocols have it. */
  readonly codec?: ChatCodec;
}

/** A chat protocol that only upstreams speak: callers of the others are translated to it. */
export interface UpstreamProtocol {
  readonly id: ProtocolId;
  readonly inbound?: undefined;
  readonly outbound: Outbound;
  readonly codec: UpstreamCodec;
}

/** A wire protocol: a folder under relay/protocols. */
export type Protocol = CallerProtocol | UpstreamProtocol;

/** How large a body is. */
export interface BodySizes {
  /** Bytes of the body as it came. */
  byteLength: number;
  /** UTF-16 units of the same text; byteLength minus this shows how much is not ASCII. */
  charLength: number;
  /** The files of a form; the lengths are then those of its text only. Absent for other bodies. */
  files?: readonly FormFile[];
}

/** Converts another kind of stream to server-sent events. */
export interface Unframer {
  /** The events that the chunk completes, as bytes of server-sent events; undefined when it completes none. */
  push(chunk: Buffer): Buffer | undefined;
  /** Why the stream ended: the vendor's failure, or unreadable bytes. */
  readonly error: RelayError | undefined;
  /** True when the stream must not end here: a piece of it has begun. */
  readonly isTorn: boolean;
}
