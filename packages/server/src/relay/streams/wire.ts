import { type JsonObject, parseObject } from '../../lib/json.ts';
import type { EventCursor } from '../../lib/sse/index.ts';
import type { AnswerEnd, Outbound, ProtocolId, RelayError, VendorMade } from '../types/index.ts';
import type { TextReader } from './text-tap.ts';

/** Result of examining one event of a passing stream. */
export type Verdict =
  /** An ordinary event: it is passed. */
  | { kind: 'pass' }
  /** It is passed; its usage object is stored, the last one counts. */
  | { kind: 'usage'; raw: JsonObject }
  /** It contains only usage that the caller did not ask for. */
  | { kind: 'usage-only'; raw: JsonObject }
  /**
   * The end marker: it and everything after it wait until the settlement is durable, or until the answer continues
   * after it (`continuesAnswer`). It may have the usage.
   */
  | { kind: 'end'; raw?: JsonObject | undefined }
  /** The upstream failed during the stream; it may report the usage so far. */
  | { kind: 'error'; error: RelayError; raw?: JsonObject | undefined };

/** The properties of a wire protocol that allow its streams to pass unread. */
export interface StreamWire {
  /**
   * Byte strings of which at least one is in every event that must be examined: usage, end, error. Chosen so that
   * ordinary text rarely contains them; a false match only costs time. For strings below eight bytes the search jumps
   * between first letters at memory speed, so a short one with a rare first letter costs a tenth of a long one.
   */
  readonly markers: readonly Buffer[];
  examine(event: EventCursor): Verdict;
  /** True if an event has content, a tool call, or the finish reason. */
  isContent(event: EventCursor): boolean;
  /** True if an event after an end continues the answer, so that it was no end. Absent if an end marker is final. */
  continuesAnswer?(event: EventCursor): boolean;
  /** As `AnswerPipe.mediaMarks`. */
  readonly mediaMarks?: readonly Buffer[];
  /** The response that the vendor has stored, or has not, once its end was read. */
  stored?(): Pick<AnswerEnd, 'storedId' | 'answer'>;
  /** As `AnswerEnd.made`. */
  made?(): readonly VendorMade[];
  /** Absent if streams have no text to count: only events with markers are read. */
  readonly readText?: TextReader;
}

/** The properties of a wire protocol that allow its whole answers to pass. */
export interface AnswerWire {
  /** True for an object that is an answer of this protocol. */
  isAnswer(body: JsonObject): boolean;
  /** True if such an object has content, a tool call or the finish reason. */
  hasContent(body: JsonObject): boolean;
  /** The failure in an object, although its status was a success. */
  readFailure(body: JsonObject): RelayError | undefined;
  /** The same in a whole answer. */
  stored?(body: JsonObject): Pick<AnswerEnd, 'storedId' | 'answer'>;
  /** As `AnswerEnd.made`. */
  made?(body: JsonObject): readonly VendorMade[];
  readonly readText: TextReader;
  /** False if answers have no text to count; the start of long ones is then sent before the end has arrived. */
  readonly hasText: boolean;
  /** The key of the usage object, if it is not `usage`. */
  readonly usageKey?: string;
}

/** `isContent` of a protocol with JSON objects as events. */
export const contentIn =
  (hasContent: (body: JsonObject) => boolean) =>
  (event: EventCursor): boolean => {
    const data = event.data();
    const body = data && parseObject(data);
    return body !== undefined && hasContent(body);
  };

/** The event is passed to the caller without further meaning. */
export const pass: Verdict = { kind: 'pass' };

/**
 * The passing pipe of a protocol that no caller uses: its answers are always translated, so it must never be used.
 */
export const unsupportedPassing =
  (id: ProtocolId): Outbound['openPipe'] =>
  () => {
    throw new Error(`answers in ${id} are translated and never passed`);
  };
