import type { Usage } from '@tollgate/contract';
import { EventCursor, EventSplitter } from '../../lib/sse/index.ts';
import { type JsonObject, parseObject } from '../../lib/json.ts';
import {
  type AnswerEnd,
  type AnswerPipe,
  type DeliveredText,
  type RelayError,
  refuse,
} from '../types/index.ts';
import { emptyText, TextTap } from './text-tap.ts';
import type { StreamWire, Verdict } from './wire.ts';

/** Bytes buffered after an end or error event; a vendor sends none, a line feed, a comment, or a second marker. */
const maxHeldBytes = 64 * 1024;

/** Readers of a stream. */
export interface StreamPassOptions {
  wire: StreamWire;
  hideUsage: boolean;
  readUsage(raw: JsonObject): Usage | undefined;
  /** Reads the input usage from a raw usage when `readUsage` cannot read all of it. */
  readInput?(raw: JsonObject): Usage | undefined;
  secrets: readonly string[];
}

/**
 * Passes a stream to a caller of the same protocol, bytes unchanged, in complete events. Only events that contain a
 * marker are examined; the end marker is held back, and a usage event that the caller did not ask for is removed.
 */
export class StreamPass implements AnswerPipe {
  readonly contentType: string;
  isEmpty = true;
  private readonly options: StreamPassOptions;
  private splitter = new EventSplitter();
  private readonly cursor = new EventCursor();
  /** Absent if text is not read. */
  private readonly tap: TextTap | undefined;
  /** Bytes that wait for the settlement: the end marker and everything after it. */
  private readonly held: Buffer[] = [];
  /** Of those, the bytes after the event that ended the stream. */
  private bytesBehind = 0;
  /** After an end or error nothing is passed any more. */
  private stopped = false;
  private ended = false;
  private error: RelayError | undefined;
  private rawUsage: JsonObject | undefined;
  /** The usage that `takeReport` returned last. */
  private reported: JsonObject | undefined;
  private atStart = true;
  /** The upstream ended in the middle of an event. */
  private torn = false;

  constructor(contentType: string, options: StreamPassOptions) {
    this.contentType = contentType;
    this.options = options;
    this.tap = options.wire.readText && new TextTap(options.wire.readText);
  }

  /** After an error event the upstream ends by itself, and may still report usage: only endless data are cut off. */
  get failed(): boolean {
    return this.error !== undefined && (!this.stopped || this.bytesBehind > maxHeldBytes);
  }

  get mediaMarks(): readonly Buffer[] | undefined {
    return this.options.wire.mediaMarks;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.failed) return undefined;
    let whole: Buffer | undefined;
    try {
      whole = this.splitter.push(chunk);
    } catch (cause) {
      this.splitter = new EventSplitter();
      this.error = refuse('event_too_long', {}, { cause });
      return undefined;
    }
    return whole && this.take(whole);
  }

  private take(whole: Buffer): Buffer | undefined {
    if (this.ended && this.lastMore(whole) >= 0) return this.goOn(whole);
    const atStart = this.atStart;
    this.atStart = false;
    if (this.isEmpty) this.findContent(whole, atStart);
    const found = this.firstMarker(whole);
    if (found >= 0) return this.examine(whole, found, atStart);
    if (this.stopped) return this.hold(whole);
    this.tap?.gather(whole);
    return whole;
  }

  /** Reads events until one has content: usually the first or the second of a stream. */
  private findContent(whole: Buffer, atStart: boolean): void {
    // Uses a separate cursor: the stream's would keep these bytes until its end.
    const cursor = new EventCursor().read(whole, atStart);
    while (this.isEmpty && cursor.next()) this.isEmpty = !this.options.wire.isContent(cursor);
  }

  /** Position of the first marker; -1 if there is none. */
  private firstMarker(bytes: Buffer): number {
    let first = -1;
    for (const marker of this.options.wire.markers) {
      const at = bytes.indexOf(marker);
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    return first;
  }

  /** Examines each event from the one with the marker on; after an end or error all are held back. */
  private examine(whole: Buffer, found: number, atStart: boolean): Buffer | undefined {
    const { cursor } = this;
    if (this.stopped) this.hold(whole);
    const passing: Buffer[] = [];
    let last: Buffer | undefined;
    let from = this.stopped ? whole.length : 0;
    let more: number | undefined;
    cursor.read(whole, atStart).skipTo(found);
    while (cursor.next()) {
      const verdict = this.options.wire.examine(cursor);
      if (verdict.kind === 'pass') continue;
      this.noteUsage(verdict.raw);
      if (this.stopped || verdict.kind === 'usage') continue;
      if (verdict.kind === 'usage-only' && !this.options.hideUsage) continue;
      if (verdict.kind === 'end' && (more ??= this.lastMore(whole)) >= cursor.end) continue;
      if (cursor.start > from) passing.push(whole.subarray(from, cursor.start));
      from = cursor.end;
      if (verdict.kind === 'usage-only') continue;
      last = whole.subarray(cursor.start, cursor.end);
      this.stopAt(verdict, last);
      this.hold(whole.subarray(cursor.end));
      from = whole.length;
    }
    if (from < whole.length) passing.push(whole.subarray(from));
    const passed = this.passOn(passing);
    // In some protocols the event that ends the stream contains the last text.
    if (last) this.tap?.gather(last);
    return passed;
  }

  /** The start of the last event that continues an answer after a possible end; −1 without one. */
  private lastMore(bytes: Buffer): number {
    const { wire } = this.options;
    if (!wire.continuesAnswer || this.bytesBehind > maxHeldBytes) return -1;
    let last = -1;
    const cursor = new EventCursor().read(bytes);
    while (cursor.next()) if (wire.continuesAnswer(cursor)) last = cursor.start;
    return last;
  }

  /** The held-back bytes are passed together with the next ones. */
  private goOn(whole: Buffer): Buffer {
    const before = this.held.splice(0);
    this.bytesBehind = 0;
    this.stopped = false;
    this.ended = false;
    const passed = this.take(whole);
    return Buffer.concat(passed ? [...before, passed] : before);
  }

  /** The event itself is buffered completely, at any length: some protocols repeat the whole answer in it. */
  private stopAt(verdict: Verdict, event: Buffer): void {
    if (verdict.kind === 'end') this.ended = true;
    else if (verdict.kind === 'error') this.error = verdict.error;
    this.stopped = true;
    this.held.push(event);
  }

  private passOn(passing: Buffer[]): Buffer | undefined {
    if (passing.length === 0) return undefined;
    const out = passing.length === 1 ? passing[0]! : Buffer.concat(passing);
    this.tap?.gather(out);
    return out;
  }

  private hold(bytes: Buffer): undefined {
    const room = maxHeldBytes - this.bytesBehind;
    // Endless data of a hostile upstream after its end are not buffered.
    if (room > 0) this.held.push(bytes.subarray(0, room));
    this.bytesBehind += bytes.length;
    return undefined;
  }

  end(broken: boolean): AnswerEnd {
    const rest = broken ? undefined : this.takeRest();
    const outcome = this.outcome(broken, rest);
    const usage = this.usage();
    const inputUsage = usage ? undefined : this.inputUsage();
    const tail = this.held.length > 0 ? Buffer.concat(this.held) : undefined;
    if (this.error)
      return { outcome, tail: this.deliverableTail(tail), usage, inputUsage, error: this.error };
    const { wire } = this.options;
    const sent = outcome === 'complete' ? tail : undefined;
    return {
      outcome,
      tail: sent,
      usage,
      inputUsage,
      error: undefined,
      ...wire.stored?.(),
      ...(wire.made && { made: wire.made() }),
    };
  }
  private outcome(broken: boolean, rest: Buffer | undefined): AnswerEnd['outcome'] {
    if (!this.error && !this.ended) return this.outcomeOfUnmarked(broken, rest);
    // Collected events are read only when their text is needed. With a complete usage it is not.
    if (rest) this.tap?.gather(rest);
    return this.error ? 'error' : 'complete';
  }

  /** Without an end event the stream is complete if it had a finish reason and its last event is complete. */
  private outcomeOfUnmarked(broken: boolean, rest: Buffer | undefined): AnswerEnd['outcome'] {
    const { tap } = this;
    const delivered = tap?.delivered();
    if (rest) tap?.gather(rest);
    tap?.readGathered();
    if (!broken && !this.torn && tap?.finished) return 'complete';
    // The rest was never sent, so it is not charged.
    if (delivered) tap?.forgetBehind(delivered);
    return 'truncated';
  }

  /**
   * An upstream may omit the last blank line. The rest is a complete event if its data can be parsed, otherwise it is
   * incomplete. Returns the event if it may contain text.
   */
  private takeRest(): Buffer | undefined {
    const rest = this.splitter.rest();
    if (!rest) return undefined;
    if (this.isEmpty) this.findContent(rest, this.atStart);
    this.cursor.read(rest);
    this.cursor.next();
    const data = this.cursor.data();
    const verdict = this.options.wire.examine(this.cursor);
    if (verdict.kind === 'error') this.error ??= verdict.error;
    else if (verdict.kind === 'end') this.ended = true;
    if (verdict.kind !== 'pass') this.noteUsage(verdict.raw);
    else if (data && !parseObject(data)) {
      this.torn = true;
      return undefined;
    }
    if (verdict.kind === 'usage-only' && this.options.hideUsage) return undefined;
    this.held.push(rest);
    return rest;
  }

  /** The last usage with values counts: zeros after it are ignored. */
  private noteUsage(raw: JsonObject | undefined): void {
    if (!raw || raw === this.rawUsage) return;
    const { options } = this;
    if (!this.rawUsage || options.readUsage(raw) || !options.readUsage(this.rawUsage)) this.rawUsage = raw;
  }

  /** If no marker showed the usage, it may be among the collected events. */
  private usage(): Usage | undefined {
    if (!this.rawUsage) this.tap?.readGathered();
    const raw = this.rawUsage ?? this.tap?.rawUsage;
    return raw && this.options.readUsage(raw);
  }

  private inputUsage(): Usage | undefined {
    return this.rawUsage && this.options.readInput?.(this.rawUsage);
  }

  /** The upstream's own error event, unless it contains a secret or is too long. */
  private deliverableTail(tail: Buffer | undefined): Buffer | undefined {
    if (this.bytesBehind > maxHeldBytes) return undefined;
    return tail && this.options.secrets.some((secret) => tail.includes(secret)) ? undefined : tail;
  }

  takeText(): DeliveredText {
    return this.tap?.take() ?? emptyText();
  }

  takeReport(): Usage | undefined {
    if (this.rawUsage === this.reported) return undefined;
    this.reported = this.rawUsage;
    return this.usage() ?? this.inputUsage();
  }
}
