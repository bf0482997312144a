import type { Usage } from '@tollgate/contract';
import type { Channel } from './channel.ts';
import type { FetchedFile } from './chat.ts';
import type { HostedKind } from './hosted.ts';
import type { RequestForm } from './form.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Unframer, ErrorAnswer, RequestFacts } from './protocol.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';

/** Options of the site for relayed calls. */
export interface RelayOptions {
  /** FORCE_STREAM_OPTION: ask upstreams for stream usage. */
  forceStreamUsage: boolean;
  /** global.pass_through_request_enabled or the channel's own. */
  passThroughBody: boolean;
  /** True if a channel's server was found to lack the protocol's path. */
  lacks?: (channel: Channel, protocol: ProtocolId) => boolean;
  /** AZURE_DEFAULT_API_VERSION. */
  azureApiVersion: string;
  /** GEMINI_VISION_MAX_IMAGE_NUM: images in one message; negative for any number. */
  geminiMaxImages: number;
  /** Options of model families, by option key. */
  settings: Readonly<Record<string, unknown>>;
}

/** Inputs of a provider's URLs. */
export interface Address {
  /** The upstream model name. */
  model: string;
  /** Path and query from the caller. */
  path: string;
  query: string;
  stream: boolean;
  options: RelayOptions;
}

/** Inputs of a provider's changes to a body. */
export interface AdaptContext {
  channel: Channel;
  /** The upstream model name, the channel's mapping applied. */
  model: string;
  /** The path from the caller; it distinguishes the calls of one protocol. */
  path: string;
  query: string;
  stream: boolean;
  options: RelayOptions;
  files: ReadonlyMap<string, FetchedFile>;
  /** The model as the caller named it. */
  requestedModel: string;
  /** Headers of the caller that may be passed on, if the caller uses this protocol; otherwise empty. */
  caller: Readonly<Record<string, string>>;
  /** Reports a field that this provider does not have and that is left out. */
  drop: (what: string) => void;
}

/** Inputs of a protocol's headers. */
export interface HeaderContext {
  /** The upstream model name. */
  model: string;
  /** The model as the caller named it. */
  requestedModel: string;
  /** Headers of the caller that may be passed on, if the caller uses this protocol; otherwise empty. */
  caller: Readonly<Record<string, string>>;
  stream: boolean;
  options: RelayOptions;
  /** The final body. */
  body: JsonObject;
}

/** Results of `adapt` beside the changed fields. */
export interface Adapted {
  /** The model name to send, if it differs (without a suffix). */
  model?: string;
  /** The reasoning effort that a suffix chose. */
  reasoningEffort?: string;
}

/** A body for a provider's own writer. */
export interface DraftBody {
  /** The final fields. */
  body: JsonObject;
  /** The caller's bytes. */
  raw: Buffer;
  /** Set if they are a form. */
  form: RequestForm | undefined;
  /** The upstream model name. */
  model: string;
}

/** A body in its provider's format. */
export interface WrittenBody {
  contentType: string;
  bytes: Buffer;
}

/** The request that belongs to the converted answer. */
export interface ConversionRequest {
  /** The caller's body. */
  request: JsonObject;
  /** The path from the caller. */
  path: string;
  /** Secrets that an error must not repeat. */
  secrets: readonly string[];
}

/** An answer in the requested form. */
export interface Converted {
  contentType: string;
  body: Buffer;
  /** Reported usage, if any. */
  usage: Usage | undefined;
}

/** Model and time, for streams without them. */
export interface StreamOrigin {
  /** The upstream model name. */
  model: string;
  requestId: string;
  /** Unix seconds. */
  startedSeconds: number;
}

/** The address and format of a provider's calls in one protocol. */
export interface Endpoint {
  protocol: ProtocolId;
  /** The full URL. */
  url(channel: Channel, address: Address): string;
  /** False for models that this provider does not offer in this protocol; absent if it offers all. */
  serves?(model: string): boolean;
  /**
   * True for calls that this provider refuses in this protocol: another of its protocols is used if there is one.
   */
  refuses?(channel: Channel, model: string, facts: Pick<RequestFacts, 'functions'>): boolean;
  /** Headers of this protocol in addition to the provider's (anthropic-version …). */
  headers?(channel: Channel, call: HeaderContext): Record<string, string>;
  /** True if reasoning of earlier turns is read (`reasoning_content`); absent: the model family decides. */
  readonly readsReasoning?: boolean;
  /**
   * Hosted tools of the protocol's inventor that this provider has; absent if none is known to be missing. Calls that
   * offer another one are refused, so that another channel is tried.
   */
  readonly hosts?: readonly HostedKind[];
  /** Fields of a chat that turn on this provider's web search; `tools` are added to the caller's. */
  readonly search?: JsonObject;
  /** True if a search returns its pages on request (`include` of Responses). */
  readonly namesPages?: true;
  /** True if the provider does not understand plain bodies: `adapt` applies even if bodies pass through. */
  readonly isDialect?: true;
  /**
   * Adapts the body to this provider by setting or deleting top-level fields of `body`, a shallow copy. Other attempts
   * share nested values, so they are replaced, never changed. Unchanged fields pass as bytes.
   */
  adapt?(body: JsonObject, context: AdaptContext): Adapted | undefined;
  /**
   * Writes the whole body for a provider that takes neither JSON nor the caller's form; undefined: the body is sent
   * unchanged. Only for dialects.
   */
  readonly write?: (draft: DraftBody) => WrittenBody | undefined;
  /** Addresses in the body that this provider needs as data; the gateway fetches them through its guarded client. */
  filesNeeded?(body: JsonObject): string[];
  /** Counts the tokens of a request without answering it, free of charge. */
  readonly countTokens?: {
    url(channel: Channel, address: Pick<Address, 'model' | 'options'>): string;
    /** The body of the count, from that of the call. */
    write(body: JsonObject, model: string): JsonObject;
    read(answer: JsonObject): number | undefined;
  };
  /** Converts this provider's answer to the protocol's; whole answers only. */
  readonly rewrite?: (body: JsonObject, request: JsonObject, startedSeconds: number) => JsonObject;
  /**
   * Extracts sound or subtitles from this provider's JSON answer. Throws RelayError for a failure in the answer.
   */
  readonly convert?: (answer: JsonObject, asked: ConversionRequest) => Converted;
  /**
   * Opens the converter of this provider's stream to the protocol's, by Content-Type; undefined if none is needed. An
   * error must not repeat `secrets`.
   */
  readonly unframe?: (
    contentType: string,
    secrets: readonly string[],
    asked: StreamOrigin,
  ) => Unframer | undefined;
  /** Reads an error answer in this provider's own format. */
  readonly readError?: (answer: ErrorAnswer) => RelayError;
}

/**
 * The address of a provider's realtime sockets. It is not an `Endpoint`, because a socket has no body to adapt, no
 * answer to read and no translation.
 */
export interface RealtimeEndpoint {
  /** The full address, http or https; the scheme becomes that of sockets. */
  url(channel: Channel, address: Address): string;
  /** True if the key replaces the caller's in a sub-protocol (OpenAI); otherwise it is in the headers. */
  readonly keyInProtocol: boolean;
  /** Converses in the process instead of over the network; throws RelayError as a refused handshake would. */
  readonly converse?: (model: string) => LocalConversation;
}

/** A realtime server in the process: it receives events and answers with events. */
export interface LocalConversation {
  /** The first event. */
  greet(): JsonObject;
  hear(event: JsonObject): LocalEvent[];
}

/** One event after this many ms of silence; `cut` breaks the conversation off. */
export interface LocalEvent {
  delayMs: number;
  event: JsonObject | 'cut';
}
