import type { ReportedUsage, SearchKind, ToolUses, Usage } from '@tollgate/contract';
import type { ChatCodec, KeptFacts, NamedText, UpstreamCodec } from './codec.ts';
import type { DeliveredText } from './delivered.ts';
import type { FormFile } from './form.ts';
import type { HostedKind, VendorMade } from './hosted.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';

/** Facts of a request body that the gateway needs, read once by the caller's protocol. */
export interface RequestFacts {
  /** The model as the caller named it. */
  model: string;
  stream: boolean;
  /** True if the caller requested the usage chunk of a stream (OpenAI `stream_options.include_usage`). */
  wantsStreamUsage: boolean;
  /** The caller's limit of output tokens; 0 without one. */
  maxOutputTokens: number;
  /** Upper limit of a channel's override of the output limit, because more is not held. */
  mostOverridden?: number;
  /**
   * Estimated input tokens, at least a third of the bytes of text, so that three times the estimate is an upper bound.
   * For the hold, never for the bill.
   */
  estimatedInputTokens: number;
  /** Input tokens that a count of the request does not include: images with only an address. For holds. */
  uncountedInputTokens?: number;
  /**
   * Set if the vendor reads more than the request shows: sound, videos, documents, stored conversations. Quotes have
   * no upper bound then.
   */
  hasOpenInput?: true;
  /** Most search units of a reranking at a price per call; absent for one. */
  searchUnits?: number;
  /** Number of requested answers (`n`); the output bound counts for each. */
  choices: number;
  /** Tool and context size of web searches, if the caller sets them; the price depends on both. */
  searchKind?: SearchKind;
  /** Set if the request asks for a service tier that may cost more. */
  mayCostMore?: true;
  /** Set if the request asks for a cache write: the lifetime of the entry. */
  cacheWrite?: '5m' | '1h';
  /** Set if the vendor continues, and charges, after the caller disconnects. */
  inBackground?: true;
  /** Hosted tools that the request offers; absent without any. */
  hostedTools?: readonly HostedOffer[];
  /** Uses of tools that are held before the call is sent: those that the caller allows, otherwise one of each tool. */
  uses?: ToolUses;
  /** Uses that are held if nothing limits them and they are reported at the end; set if `uses` is. */
  mostUses?: ToolUses;
  /** The limit of all uses for the upstream: the caller's, or that of the hold. */
  maxUses?: number;
  /** Set if the caller offers functions; `thinks` is false if a chat turns reasoning off. */
  functions?: { thinks?: false };
  /** The stored response that the request continues: only the channel that made it has it. */
  previousResponse?: string;
  /** The conversation that the request belongs to: only the channel that made it has it. */
  conversation?: string;
  /** Ids of files at a vendor that the request names; absent without any. */
  fileIds?: readonly string[];
  /** Set for a response that the gateway keeps (`store`), or that continues one that it has kept (`after`). */
  kept?: KeptFacts;
  /** Set for answers that are not text growing by tokens. */
  media?: MediaFacts;
}

/** A hosted tool that a request offers. */
export interface HostedOffer {
  kind: HostedKind;
  /** Its name in a refusal: the type, or the field that requests it. */
  type: string;
  /** As `HostedTool.isOptional`. */
  isOptional?: true;
  /** Uses that the caller allows; absent without a limit. */
  mostUses?: number;
  /** Output tokens of an image that it draws. */
  imageTokens?: number;
  /** Session of the container that an answer makes for it, in those of one gigabyte. */
  containers?: number;
}

/**
 * Price terms of a call for images or sound that the request determines. The answer can neither be cut nor limited by
 * tokens, so its maximum cost is held before it is sent (`maxOutputTokens` is then an estimate for each answer).
 */
export interface MediaFacts {
  /** Kind of the request. */
  answer: 'images' | 'sound' | 'text';
  /** Number of charges at a price per call: the requested images. */
  calls: number;
  /** Factor of an image's size and quality on the price of each call. */
  factor: number;
  /**
   * Input tokens to charge if the upstream reports none (docs/compatibility.md#charge): characters to speak, minutes
   * of sound, images. Absent if the text must be counted.
   */
  inputTokens?: number;
  /** True if `inputTokens` is an estimate by the size of a file. */
  isEstimate?: boolean;
  /** Minimum of input tokens for each byte of the answer, for any length that a file claims; absent without one. */
  tokensPerByte?: number;
}

/** The end of an answer, by its bytes. */
type AnswerOutcome = 'complete' | 'truncated' | 'error';

/** The result of a finished answer. */
export interface AnswerEnd {
  outcome: AnswerOutcome;
  /**
   * Bytes held back until the settlement is durable: the end marker, the last part of a JSON body.
   * With the outcome 'error' it is the upstream's own error event, already in the caller's protocol: it is sent
   * instead of an error of ours.
   */
  tail: Buffer | undefined;
  /** Reported usage; undefined if nothing usable was reported. */
  usage: ReportedUsage | undefined;
  /**
   * Reported input (Messages `message_start`) and uses of tools of an upstream that broke off before it reported the
   * output.
   */
  inputUsage?: Usage | undefined;
  /**
   * Writes `tail` with the usage counted here, in protocols with mandatory usage. Set if the upstream reported none.
   */
  withUsage?: (usage: Usage) => Buffer;
  /** Set if the answer was, or contained, an error. */
  error: RelayError | undefined;
  /** Images in the answer, including partial ones; absent for answers that have none. */
  images?: number;
  /** Id of the response that the vendor has stored; absent if it stores none. */
  storedId?: string | undefined;
  /** Containers and files that tools of the vendor made; absent for none. Their ids appear in the answer only. */
  made?: readonly VendorMade[];
  /** Texts that the caller may refer to by their ids (`ChatStreamWriter.texts`). */
  texts?: readonly NamedText[] | undefined;
  /** The whole answer of a translated call as it was written; of a stream only where answers are continued by ids. */
  answer?: JsonObject | undefined;
  /** Search units of a reranking that the vendor bills; absent if it reports none. */
  searchUnits?: number;
}

/**
 * Reads an upstream answer as it passes and returns the bytes for the caller. Synchronous and without timers. One for
 * each upstream answer.
 */
export interface AnswerPipe {
  /** Takes bytes of the upstream; returns those that may go to the caller now. */
  push(chunk: Buffer): Buffer | undefined;
  /** The upstream ended (`broken` false) or broke off. Called once. */
  end(broken: boolean): AnswerEnd;
  /**
   * Delivered text since the last call that no usage covers, for counting. Called when the caller disconnects, when a
   * hold nears its end, when much has accumulated, or at the end of an answer without usage. Undelivered text, such as
   * an incomplete last event, is not in it.
   */
  takeText(): DeliveredText;
  /**
   * New reported usage since the last call, of the whole call or of input and uses of tools; it is held for before
   * anything is delivered. Absent in protocols that report usage only at the end.
   */
  takeReport?(): Usage | undefined;
  /** Content-Type for the caller; known after the first bytes from `push`, and at the end. */
  readonly contentType: string;
  /** True if the answer has failed for good: the upstream call may be ended. */
  readonly failed: boolean;
  /**
   * True until the upstream has sent content, a tool call or a finish reason. The bytes that `push` returned before can
   * be held back and discarded.
   */
  readonly isEmpty: boolean;
  /**
   * Markers: every event with an image or a sound contains at least one of them, and is then read event by event.
   * Absent for streams of text only, or with a hold for the whole answer.
   */
  readonly mediaMarks?: readonly Buffer[] | undefined;
}

/** The held-back end of an answer without usage. */
export interface UncountedEnd {
  tail: Buffer;
  isStream: boolean;
  /** The last bytes of the stream before it. */
  before: Buffer | undefined;
  /** The charged usage with its source, to distinguish it from the vendor's. */
  usage: Usage;
  source: 'counted' | 'estimated';
}

/** A wire protocol's side towards callers. */
export interface Inbound {
  readonly id: ProtocolId;
  /** Checks the body strictly and reads the facts. Throws RelayError (blame caller) for an invalid one. */
  readFacts(body: JsonObject, sizes: BodySizes): RequestFacts;
  /**
   * An error as a whole answer in the caller's protocol; the message gets the request id as
   * docs/compatibility.md#relay-errors shows.
   */
  writeError(error: RelayError, requestId: string): { status: number; body: string };
  /**
   * An error during a stream, after the 200 was sent, as this protocol's clients expect it. `before` are the last bytes
   * of the stream, for protocols with numbered events.
   */
  writeStreamError(error: RelayError, requestId: string, before?: Buffer): Buffer;
  /** Adds the usage to the end of an answer; undefined if there is no place left. Absent in protocols without usage. */
  addUsage?(end: UncountedEnd): Buffer | undefined;
  /**
   * A comment that keeps proxies from closing a silent stream (docs/compatibility.md#steps-of-a-chat-call
   * keep-alive).
   */
  readonly ping: Buffer;
}

/** Events, one JSON object, or other bytes: sound, subtitles. */
export type BodyKind = 'stream' | 'json' | 'bytes';

/** Information for reading one upstream answer. */
export interface AnswerSetup {
  /** Form of the upstream's answer: events, or one JSON object. */
  kind: BodyKind;
  /** Content-Type of the upstream's answer. */
  contentType: string;
  /** True if only the gateway requested the usage chunk: it is read and dropped. */
  hideUsage: boolean;
  /** Texts that must never reach a caller, such as the channel's key. */
  secrets: readonly string[];
  /** Converts this provider's answer object to the protocol's; whole answers only. */
  rewrite: ((body: JsonObject) => JsonObject) | undefined;
  /** The request's price terms, in protocols of images and sound. */
  media?: MediaFacts | undefined;
  /** The body of the request. */
  asked?: JsonObject;
}

/** A wire protocol's side towards upstreams. */
export interface Outbound {
  readonly id: ProtocolId;
  /** Opens the reader of a 2xx answer that passes to a caller of the same protocol. */
  openPipe(setup: AnswerSetup): AnswerPipe;
  /** Reads any other answer. */
  readError(answer: ErrorAnswer): RelayError;
  /**
   * Kind of body by Content-Type, in protocols with answers that are neither events nor JSON. Absent in others; there
   * the first byte decides if the type does not.
   */
  readonly kindOf?: (contentType: string, facts: RequestFacts) => BodyKind;
}

/** An upstream's error answer. */
export interface ErrorAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  secrets: readonly string[];
  /** Its Retry-After header in seconds, if any. */
  retryAfterSeconds: number | undefined;
}

/** A wire protocol of callers and upstreams. */
export interface CallerProtocol {
  readonly id: ProtocolId;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  /** Translation from and to neutral events; chat protocols have it. */
  readonly codec?: ChatCodec;
}

/** A chat protocol of upstreams only: callers of others are translated to it. */
export interface UpstreamProtocol {
  readonly id: ProtocolId;
  readonly inbound?: undefined;
  readonly outbound: Outbound;
  readonly codec: UpstreamCodec;
}

/** A wire protocol: a folder under relay/protocols. */
export type Protocol = CallerProtocol | UpstreamProtocol;

/** The size of a body. */
export interface BodySizes {
  /** Bytes of the received body. */
  byteLength: number;
  /** UTF-16 units of the same text; byteLength minus this shows the amount of text beyond ASCII. */
  charLength: number;
  /** The files of a form; the lengths are then those of its text only. Absent for other bodies. */
  files?: readonly FormFile[];
}

/** Converts another kind of stream to server-sent events. */
export interface Unframer {
  /** The events that the chunk completes, as bytes of server-sent events; undefined when it completes none. */
  push(chunk: Buffer): Buffer | undefined;
  /** The reason why the stream ended: the vendor's failure, or unreadable bytes. */
  readonly error: RelayError | undefined;
  /** True inside an incomplete frame: the stream must not end here. */
  readonly isTorn: boolean;
}
