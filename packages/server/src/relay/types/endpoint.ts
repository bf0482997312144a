import type { Usage } from '@tollgate/contract';
import type { Channel } from './channel.ts';
import type { FetchedFile } from './chat.ts';
import type { HostedKind } from './hosted.ts';
import type { RequestForm } from './form.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Unframer, ErrorAnswer, RequestFacts } from './protocol.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';

/** Switches of the site that change how a call is carried. */
export interface RelayOptions {
  /** FORCE_STREAM_OPTION: ask upstreams for stream usage. */
  forceStreamUsage: boolean;
  /** global.pass_through_request_enabled or the channel's own. */
  passThroughBody: boolean;
  /** True for a protocol whose path a channel's server was found not to have. */
  lacks?: (channel: Channel, protocol: ProtocolId) => boolean;
  /** AZURE_DEFAULT_API_VERSION. */
  azureApiVersion: string;
  /** GEMINI_VISION_MAX_IMAGE_NUM: images in one message; negative for any number. */
  geminiMaxImages: number;
  /** Claude, Gemini and other model-family options, by option key; providers read what concerns them. */
  settings: Readonly<Record<string, unknown>>;
}

/** What a provider's URLs depend on. */
export interface Address {
  /** The upstream model name. */
  model: string;
  /** Path and query as the caller sent them. */
  path: string;
  query: string;
  stream: boolean;
  options: RelayOptions;
}

/** What a provider's changes to a body depend on. */
export interface AdaptContext {
  channel: Channel;
  /** The upstream model name, the channel's mapping applied. */
  model: string;
  /** The path as the caller sent it; it distinguishes the calls of one protocol. */
  path: string;
  query: string;
  stream: boolean;
  options: RelayOptions;
  files: ReadonlyMap<string, FetchedFile>;
  /** The model as the caller named it. */
  requestedModel: string;
  /** Headers of the caller that may be passed on, when the caller speaks this protocol; else empty. */
  caller: Readonly<Record<string, string>>;
  /** Told of each field that this provider has no word for and that is left out. */
  drop: (what: string) => void;
}

/** What headers of a protocol depend on. */
export interface HeaderContext {
  /** The upstream model name. */
  model: string;
  /** The model as the caller named it. */
  requestedModel: string;
  /** Headers of the caller that may be passed on, when the caller speaks this protocol; else empty. */
  caller: Readonly<Record<string, string>>;
  stream: boolean;
  options: RelayOptions;
  /** The body as it will be sent. */
  body: JsonObject;
}

/** What `adapt` reports besides the fields that it changed. */
export interface Adapted {
  /** The model name to send, where it differs (a suffix was cut). */
  model?: string;
  /** The reasoning effort that a suffix chose. */
  reasoningEffort?: string;
}

/** A body that is to be written by its provider. */
export interface DraftBody {
  /** The fields as they will be sent. */
  body: JsonObject;
  /** The caller's bytes. */
  raw: Buffer;
  /** Set where they are a form. */
  form: RequestForm | undefined;
  /** The upstream model name. */
  model: string;
}

/** A body as its provider wants it. */
export interface WrittenBody {
  contentType: string;
  bytes: Buffer;
}

/** The request that belongs to the converted answer. */
export interface ConversionRequest {
  /** The caller's body. */
  request: JsonObject;
  /** The path as the caller sent it. */
  path: string;
  /** Secrets that an error must not repeat. */
  secrets: readonly string[];
}

/** An answer in the form that was requested. */
export interface Converted {
  contentType: string;
  body: Buffer;
  /** What the vendor reported, where it did. */
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

/** How a provider is addressed in one protocol. */
export interface Endpoint {
  protocol: ProtocolId;
  /** The full URL. */
  url(channel: Channel, address: Address): string;
  /** False for models that this provider does not offer in this protocol; absent where it offers all. */
  serves?(model: string): boolean;
  /**
   * True for calls that this provider refuses in this protocol: they go by another one where it has one, translated as
   * far as there are words.
   */
  refuses?(channel: Channel, model: string, facts: Pick<RequestFacts, 'functions'>): boolean;
  /** Headers that this protocol wants beside the provider's own (anthropic-version …). */
  headers?(channel: Channel, call: HeaderContext): Record<string, string>;
  /** Whether thoughts of earlier turns are read (`reasoning_content`); the family of the model decides where it is absent. */
  readonly readsReasoning?: boolean;
  /**
   * The tools of the protocol's inventor that this provider has too; absent where it has all of them, or none is known to
   * be missing. Calls that offer another one are refused, so that another channel is tried.
   */
  readonly hosts?: readonly HostedKind[];
  /** Fields of a chat by which this provider's models search the web for the answer; `tools` stand beside the caller's. */
  readonly search?: JsonObject;
  /** True if a search returns its pages on request (`include` of Responses). */
  readonly namesPages?: true;
  /** True where no body of the plain protocol is understood: `adapt` is needed even where bodies pass through. */
  readonly isDialect?: true;
  /**
   * Changes the body where this provider differs from the plain protocol, by setting or deleting top-level fields of
   * `body`, a shallow copy: nested values are shared with other tries and are replaced, never changed in place.
   * Fields it leaves alone pass as bytes.
   */
  adapt?(body: JsonObject, context: AdaptContext): Adapted | undefined;
  /**
   * Writes the whole body, where this provider takes neither JSON nor the caller's form; undefined where it takes what
   * came. Only for dialects.
   */
  readonly write?: (draft: DraftBody) => WrittenBody | undefined;
  /** Addresses in the body that this provider wants as data; the gateway fetches them through its guarded client. */
  filesNeeded?(body: JsonObject): string[];
  /** Counts the tokens of a request without answering it, free of charge. */
  readonly countTokens?: {
    url(channel: Channel, address: Pick<Address, 'model' | 'options'>): string;
    /** The body of the count, from that of the call. */
    write(body: JsonObject, model: string): JsonObject;
    read(answer: JsonObject): number | undefined;
  };
  /** Turns this provider's own answer into the protocol's, where it differs; whole answers only. */
  readonly rewrite?: (body: JsonObject, request: JsonObject, startedSeconds: number) => JsonObject;
  /**
   * Takes what was asked for out of this provider's own answer, where it is no JSON in the protocol (sound, subtitles);
   * throws RelayError where the answer tells of a failure.
   */
  readonly convert?: (answer: JsonObject, asked: ConversionRequest) => Converted;
  /**
   * Opens what turns this provider's stream into the protocol's, where its Content-Type says that it is another one;
   * undefined where it is not. `secrets` are words that an error must not repeat.
   */
  readonly unframe?: (
    contentType: string,
    secrets: readonly string[],
    asked: StreamOrigin,
  ) => Unframer | undefined;
  /** Reads an answer that was no success, where this provider words it otherwise than the protocol. */
  readonly readError?: (answer: ErrorAnswer) => RelayError;
}

/**
 * How a provider's realtime sockets are addressed. Beside `Endpoint` and not one of them: a socket has no body to
 * adapt, no answer to read and no other protocol to be translated to.
 */
export interface RealtimeEndpoint {
  /** The full address, http or https; the scheme becomes that of sockets. */
  url(channel: Channel, address: Address): string;
  /** True where a caller's sub-protocol that carries a key is answered in kind (OpenAI), instead of by the headers. */
  readonly keyInProtocol: boolean;
  /** Converses in the process instead of over the network; throws RelayError as a refused handshake would. */
  readonly converse?: (model: string) => LocalConversation;
}

/** A realtime server in the process: hears events and answers with events. */
export interface LocalConversation {
  /** What is said at the beginning. */
  greet(): JsonObject;
  hear(event: JsonObject): LocalEvent[];
}

/** One event after a silence of so many ms; `cut` breaks the conversation off. */
export interface LocalEvent {
  delayMs: number;
  event: JsonObject | 'cut';
}
