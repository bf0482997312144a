import type { EventCursor } from '../../lib/sse/index.ts';
import { type JsonObject, parseObject } from '../../lib/json.ts';
import type { RelayError } from '../types/index.ts';
import type { TextReader } from './text-tap.ts';

/** What a look at one event of a passing stream found. */
export type Verdict =
  /** An event like any other: it passes. */
  | { kind: 'pass' }
  /** It passes; its usage object is remembered, the last one counts. */
  | { kind: 'usage'; raw: JsonObject }
  /** It carries nothing but usage that the caller did not ask for. */
  | { kind: 'usage-only'; raw: JsonObject }
  /**
   * The end marker: it and all behind it wait until the settlement is durable, or until the answer goes on behind it
   * (`goesOn`). It may tell the usage.
   */
  | { kind: 'end'; raw?: JsonObject | undefined }
  /** The upstream failed in mid-stream; it may tell the usage so far. */
  | { kind: 'error'; error: RelayError; raw?: JsonObject | undefined };

/** What must be known of a wire protocol so that its streams can pass without being read. */
export interface StreamWire {
  /**
   * Bytes of which at least one stands in every event that needs a look: usage, end, error. Chosen so that ordinary
   * text does not hold them; a false find costs time and nothing else. Below eight bytes the search jumps from one first
   * letter to the next as fast as memory is read, so a short mark with a rare first letter costs a tenth of a long one.
   */
  readonly landmarks: readonly Buffer[];
  look(event: EventCursor): Verdict;
  /** True where an event tells something of an answer: content, a tool call, the reason of its end. */
  isContent(event: EventCursor): boolean;
  /**
   * True where an event behind an end says more of the answer, so that it was none. Absent where an end marker is a
   * marker.
   */
  goesOn?(event: EventCursor): boolean;
  /** As `AnswerPipe.mediaMarks`. */
  readonly mediaMarks?: readonly Buffer[];
  /** Absent where streams hold no text that could be counted: their events are not read beyond the landmarks. */
  readonly readText?: TextReader;
}

/** What must be known of a wire protocol so that its whole answers can pass. */
export interface AnswerWire {
  /** True for an object that is an answer of this protocol. */
  isAnswer(body: JsonObject): boolean;
  /** True where such an object holds content, a tool call or the reason of its end, and not its frame alone. */
  hasContent(body: JsonObject): boolean;
  /** The failure that an object tells of, although its status was a success. */
  readFailure(body: JsonObject): RelayError | undefined;
  readonly readText: TextReader;
  /** False where answers hold no text that could be counted; of long ones the beginning then leaves before the end is there. */
  readonly hasText: boolean;
  /** The key of the usage object, where it is not `usage`. */
  readonly usageKey?: string;
}

/** `isContent` of a protocol whose events are JSON objects. */
export const contentIn =
  (hasContent: (body: JsonObject) => boolean) =>
  (event: EventCursor): boolean => {
    const data = event.data();
    const body = data && parseObject(data);
    return body !== undefined && hasContent(body);
  };

/** The event is the caller's and means nothing to us. */
export const pass: Verdict = { kind: 'pass' };
