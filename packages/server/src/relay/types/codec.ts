import type { SseEvent } from '../../lib/sse/index.ts';
import type { ChatEvent, ChatRequest, FetchedFile } from './chat.ts';
import type { DeliveredMedia } from './delivered.ts';
import type { MemberPath } from '../../lib/exact-numbers.ts';
import type { JsonObject } from '../../lib/json.ts';

/** Takes events one by one: translation is a chain of such calls, without arrays or promises in between. */
export type Emit = (event: ChatEvent) => void;

/** Reads the stream of one answer into neutral events. */
export interface ChatStreamReader {
  read(event: SseEvent, emit: Emit): void;
  /** The stream ended, properly or not: closes what is open, so that the events stay balanced. */
  end(emit: Emit): void;
  /** The vendor's end marker came. */
  readonly ended: boolean;
}

/** Writes neutral events as the stream of one answer. */
export interface ChatStreamWriter {
  /** The bytes of an event as text; '' when this protocol says nothing at that point. */
  write(event: ChatEvent): string;
  /** The end marker of this protocol; '' when the end of the connection is all there is. */
  end(): string;
}

/** What an answer is written with. */
export interface WriterOptions {
  /** False keeps the usage to ourselves: the caller did not ask for it. */
  showUsage: boolean;
  /** What the answer is called where its vendor gave no name, or one that this protocol's clients would not take. */
  fallback: AnswerName;
  /** The caller's body: some protocols repeat its fields in their answers, or answer by what it offered. */
  request: JsonObject;
}

/** How an answer is called. */
export interface AnswerName {
  /** Our request id; each protocol puts its own prefix before it (`chatcmpl-`, `msg_`). */
  requestId: string;
  /** The model as the caller named it. */
  model: string;
  createdSeconds: number;
}

/** What a request is written for. */
export interface RequestContext {
  /** The upstream model name, the channel's mapping applied. */
  model: string;
  /** Files that `filesNeeded` named, by their address. */
  files: ReadonlyMap<string, FetchedFile>;
  /** True where the provider reads `reasoning_content` of earlier turns (`Endpoint.readsReasoning`). */
  readsReasoning: boolean;
  /** True where searches tell their pages when asked to (`Endpoint.namesPages`). */
  readonly namesPages?: boolean;
  /** Fields by which this provider searches the web in chats (`Endpoint.search`). */
  readonly search?: JsonObject;
  /**
   * Told of each thing that this protocol cannot say and that is left out, as `ChatRequest` names it (`seed`,
   * `metadata`).
   */
  readonly drop: (what: string) => void;
}

/** The images and sounds in the answers of a protocol. */
export interface MediaRule {
  /** As `AnswerPipe.mediaMarks`. */
  readonly marks: readonly Buffer[];
  /** What a file of an answer counts, by the model that made it and the request that it answers. */
  measure(file: Extract<ChatEvent, { type: 'file' }>, by: MediaMaker): Partial<DeliveredMedia>;
}

/** Who made an image or a sound, as far as that is known. */
export interface MediaMaker {
  /** As the answer names it; '' where it does not. */
  model: string;
  asked: JsonObject;
}

/** A chat protocol as upstreams speak it: how they are asked, and how their answers are read into neutral words. */
export interface UpstreamCodec {
  /** Opens the reader of a stream; `settings` are the options of the site (`RelayOptions.settings`). */
  openReader(settings?: Readonly<Record<string, unknown>>): ChatStreamReader;
  /**
   * Where bodies have a tool's arguments or results as objects: their numbers reach `readRequest` and `readAnswer` with
   * their text. Absent where these are texts.
   */
  readonly toolObjects?: readonly MemberPath[];
  /** Names of functions that its vendors take; absent where they take any. */
  readonly functionName?: RegExp;
  /** Reads a whole answer. */
  readAnswer(body: JsonObject, emit: Emit): void;
  /** Absent where files cost no tokens: an application puts them beside what its model says, or there are none. */
  readonly media?: MediaRule;
  /**
   * Writes a request, its `stream` included. Leaves out what the protocol cannot say (`context.drop`); throws RelayError
   * (400, `cannot_translate`) where silence would change the meaning: see conversation/untranslatable.ts.
   */
  readonly writeRequest?: (request: ChatRequest, context: RequestContext) => JsonObject;
  /** Addresses in a request that this protocol can carry only as data; the gateway fetches them. */
  readonly filesNeeded?: (request: ChatRequest) => string[];
}

/** One chat protocol, both ways: how requests and answers in it are read into neutral words and written from them. */
export interface ChatCodec extends UpstreamCodec {
  openWriter(options: WriterOptions): ChatStreamWriter;
  /** Writes a whole answer from the events of one. */
  writeAnswer(events: readonly ChatEvent[], options: WriterOptions): JsonObject;
  /** Reads a body that `Inbound.readFacts` has accepted. Throws RelayError (400) where it is malformed. */
  readonly readRequest?: (body: JsonObject) => ChatRequest;
}
