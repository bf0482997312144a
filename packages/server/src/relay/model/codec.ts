import type { SseEvent } from '../../lib/sse.ts';
import type { ChatEvent } from './chat.ts';
import type { JsonObject } from './json.ts';

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
  /** The bytes of an event as text; '' when this language says nothing at that point. */
  write(event: ChatEvent): string;
  /** The end marker of this language; '' when the end of the connection is all there is. */
  end(): string;
}

export interface WriterOptions {
  /** False keeps the usage to ourselves: the caller did not ask for it. */
  showUsage: boolean;
}

/** One chat language, both ways: how answers in it are read into neutral events and written from them. */
export interface ChatCodec {
  openReader(): ChatStreamReader;
  openWriter(options: WriterOptions): ChatStreamWriter;
  /** Reads a whole answer. */
  readAnswer(body: JsonObject, emit: Emit): void;
  /** Writes a whole answer from the events of one. */
  writeAnswer(events: readonly ChatEvent[]): JsonObject;
}
