import type { SseEvent } from '../../lib/sse/index.ts';
import type { ChatEvent, ChatRequest, FetchedFile } from './chat.ts';
import type { DeliveredMedia } from './delivered.ts';
import type { MemberPath } from '../../lib/exact-numbers.ts';
import type { JsonObject } from '../../lib/json.ts';

/** Receives events one by one: translation is a chain of calls, without arrays or promises in between. */
export type Emit = (event: ChatEvent) => void;

/** Reads the stream of one answer into neutral events. */
export interface ChatStreamReader {
  read(event: SseEvent, emit: Emit): void;
  /** The stream ended or broke off: closes open blocks, so that events stay balanced. */
  end(emit: Emit): void;
  /** The vendor's end marker has arrived. */
  readonly ended: boolean;
}

/** Writes neutral events as the stream of one answer. */
export interface ChatStreamWriter {
  /** The event as text of this protocol; '' if it writes nothing for it. */
  write(event: ChatEvent): string;
  /** The end marker of this protocol; '' without one. */
  end(): string;
  /** Texts that callers refer to by an id in later calls; absent in protocols without references. */
  texts?(): NamedText[];
  /** The whole answer, in protocols whose answers can be continued by their ids. */
  response?(): JsonObject;
}

/** A text of an answer, and its id there. */
export interface NamedText {
  id: string;
  text: string;
}

/** Context of a written answer. */
export interface WriterOptions {
  /** False leaves the usage out: the caller did not request it. */
  showUsage: boolean;
  /** Id of the answer if the vendor gave none, or one that this protocol's clients refuse. */
  fallback: AnswerName;
  /** The caller's body: some protocols repeat its fields in their answers. */
  request: JsonObject;
  /** As `RequestFacts.kept`. */
  kept?: KeptFacts | undefined;
}

/** What the gateway itself stores of a response's conversation. */
export interface KeptFacts {
  /** Id of the response that it continues; null for none. */
  after: string | null;
  store: boolean;
  /** The conversation that it belongs to, and the number of its items before. */
  conversation?: { id: string; items: number };
}

/** Names of an answer. */
export interface AnswerName {
  /** Our request id; each protocol puts its own prefix before it (`chatcmpl-`, `msg_`). */
  requestId: string;
  /** The model as the caller named it. */
  model: string;
  createdSeconds: number;
}

/** Context of a written request. */
export interface RequestContext {
  /** The upstream model name, the channel's mapping applied. */
  model: string;
  /** Files that `filesNeeded` named, by their address. */
  files: ReadonlyMap<string, FetchedFile>;
  /** True if the provider reads `reasoning_content` of earlier turns (`Endpoint.readsReasoning`). */
  readsReasoning: boolean;
  /** True if searches return their pages on request (`Endpoint.namesPages`). */
  readonly namesPages?: boolean;
  /** Fields that turn on web search in this provider's chats (`Endpoint.search`). */
  readonly search?: JsonObject;
  /** Reports content that this protocol cannot express and omits, by its name in `ChatRequest` (`seed`, `metadata`). */
  readonly drop: (what: string) => void;
}

/** The images and sounds in the answers of a protocol. */
export interface MediaRule {
  /** As `AnswerPipe.mediaMarks`. */
  readonly marks: readonly Buffer[];
  /** Tokens of an answer's file, by its model and request. */
  measure(file: Extract<ChatEvent, { type: 'file' }>, by: MediaMaker): Partial<DeliveredMedia>;
}

/** The maker of an image or a sound, as far as known. */
export interface MediaMaker {
  /** The maker according to the answer; '' if unknown. */
  model: string;
  asked: JsonObject;
}

/** A chat protocol of upstreams: writes requests, reads answers into the neutral form. */
export interface UpstreamCodec {
  /** Opens the reader of a stream; `settings` are the options of the site (`RelayOptions.settings`). */
  openReader(settings?: Readonly<Record<string, unknown>>): ChatStreamReader;
  /**
   * Members with a tool's arguments or results as objects: their numbers keep their text in `readRequest` and
   * `readAnswer`. Absent if these are texts.
   */
  readonly toolObjects?: readonly MemberPath[];
  /** Members of a request with JSON Schemas: their integers beyond 2^53 keep their text. */
  readonly schemas?: readonly MemberPath[];
  /** Valid function names; absent if any is valid. */
  readonly functionName?: RegExp;
  /** Reads a whole answer. */
  readAnswer(body: JsonObject, emit: Emit): void;
  /** Absent if answers have no files, or files without token costs. */
  readonly media?: MediaRule;
  /**
   * Writes a request, including `stream`. Omits content that the protocol cannot express (`context.drop`). Throws
   * RelayError (400, `cannot_translate`) if that would change the meaning: see conversation/untranslatable.ts.
   */
  readonly writeRequest?: (request: ChatRequest, context: RequestContext) => JsonObject;
  /** Addresses in a request that this protocol needs as data; the gateway fetches them. */
  readonly filesNeeded?: (request: ChatRequest) => string[];
}

/** A chat protocol in both directions, from and to the neutral form. */
export interface ChatCodec extends UpstreamCodec {
  openWriter(options: WriterOptions): ChatStreamWriter;
  /** Writes a whole answer from the events of one. */
  writeAnswer(events: readonly ChatEvent[], options: WriterOptions): JsonObject;
  /** As `ChatStreamWriter.texts`, of a whole answer. */
  textsIn?(answer: JsonObject): NamedText[];
  /** Reads a body that `Inbound.readFacts` has accepted. Throws RelayError (400) if it is malformed. */
  readonly readRequest?: (body: JsonObject) => ChatRequest;
}
