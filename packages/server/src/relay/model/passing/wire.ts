import type { EventCursor } from '../../../lib/sse.ts';
import type { JsonObject } from '../json.ts';
import type { RelayError } from '../relay-error.ts';
import type { TextReader } from './text-tap.ts';

/** What a look at one event of a passing stream found. */
export type Verdict =
  /** An event like any other: it passes. */
  | { kind: 'pass' }
  /** It passes; its usage object is remembered, the last one counts. */
  | { kind: 'usage'; raw: JsonObject }
  /** It carries nothing but usage that the caller did not ask for. */
  | { kind: 'usage-only'; raw: JsonObject }
  /** The end marker: it and all behind it wait until the settlement is durable. It may tell the usage. */
  | { kind: 'end'; raw?: JsonObject | undefined }
  /** The upstream failed in mid-stream; it may tell the usage so far. */
  | { kind: 'error'; error: RelayError; raw?: JsonObject | undefined };

/** What must be known of a wire language so that its streams can pass without being read. */
export interface StreamWire {
  /**
   * Bytes of which at least one stands in every event that needs a look: usage, end, error. Chosen so that ordinary
   * text does not hold them; a false find costs time and nothing else. Below eight bytes the search jumps from one first
   * letter to the next as fast as memory is read, so a short mark with a rare first letter costs a tenth of a long one.
   */
  readonly landmarks: readonly Buffer[];
  look(event: EventCursor): Verdict;
  /** Absent where streams hold no text that could be counted: their events are not read beyond the landmarks. */
  readonly readText?: TextReader;
}

/** What must be known of a wire language so that its whole answers can pass. */
export interface AnswerWire {
  /** True for an object that is an answer of this language. */
  isAnswer(body: JsonObject): boolean;
  /** The failure that an object tells of, although its status was a success. */
  readFailure(body: JsonObject): RelayError | undefined;
  readonly readText: TextReader;
  /** False where answers hold no text that could be counted. */
  readonly hasText: boolean;
  /** The key of the usage object, where it is not `usage`. */
  readonly usageKey?: string;
}

/** The event is the caller's and means nothing to us. */
export const pass: Verdict = { kind: 'pass' };
