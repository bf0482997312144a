/**
 * Server-sent events on bytes (WHATWG HTML, section 9.2): LF, CRLF or CR ends a line, a blank line ends an event.
 * `EventSplitter` cuts what comes from a socket into whole events, mostly without looking at each of them;
 * `EventCursor` walks over whole events without making objects; `SseScanner` puts both together.
 * Each byte is looked at a bounded number of times, however the stream is cut into pieces.
 */

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const nothing = Buffer.alloc(0);
const blankLine = Buffer.from('\n\n');
const crlfBlankLine = Buffer.from('\r\n\r\n');

/** An event larger than this is a fault or an attack. */
const maxEventBytes = 16 * 1024 * 1024;

/** An event grew beyond the bound. */
export class EventTooLong extends Error {
  constructor(bytes: number) {
    super(`a stream event is longer than ${bytes} bytes`);
    this.name = 'EventTooLong';
  }
}

/** True when a CR stands in the bytes that no LF follows. The last byte is not judged: its LF may be on its way. */
function hasLoneCr(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(CR); at >= 0 && at < bytes.length - 1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) return true;
  }
  return false;
}

/** True when the bytes end with the blank line that ends an event. */
export function endsEvent(chunk: Buffer): boolean {
  const end = chunk.length;
  if (end < 2 || chunk[end - 1] !== LF) return false;
  return chunk[end - 2] === LF || (end >= 4 && chunk[end - 2] === CR && chunk[end - 3] === LF);
}

/** Behind the first blank line that begins at `from` or later; −1 when there is none. */
export function eventEnd(bytes: Buffer, from = 0): number {
  const lf = bytes.indexOf(blankLine, from);
  const crlf = bytes.indexOf(crlfBlankLine, from);
  if (lf < 0 && crlf < 0) return -1;
  return lf >= 0 && (crlf < 0 || lf < crlf) ? lf + 2 : crlf + 4;
}

/** Behind the last blank line; −1 when there is none. */
export function lastEventEnd(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(blankLine);
  const crlf = bytes.lastIndexOf(crlfBlankLine);
  return lf < 0 && crlf < 0 ? -1 : Math.max(lf + 2, crlf + 4);
}

/** How many bytes to take: all of at most `room`, else the whole events in it, or the first one where it has none. */
export function eventsWithin(bytes: Buffer, room: number): number {
  if (bytes.length <= room) return bytes.length;
  const last = room > 0 ? lastEventEnd(bytes.subarray(0, room)) : -1;
  if (last > 0) return last;
  const first = eventEnd(bytes);
  return first < 0 ? bytes.length : first;
}

/** Cuts a stream into whole events. What is not whole yet waits inside, at most `maxBytes` of it. */
export class EventSplitter {
  private readonly maxBytes: number;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** The last two bytes that came, for a blank line that lies across the cut. */
  private last = 0;
  private beforeLast = 0;
  /** Set once a CR alone ended a line: from then on every byte is looked at, because such streams are next to unknown. */
  private slow: CrSplit | undefined;

  constructor(maxBytes = maxEventBytes) {
    this.maxBytes = maxBytes;
  }

  /** The whole events that the chunk completes, as one run of bytes; undefined when it completes none. */
  push(chunk: Buffer): Buffer | undefined {
    if (chunk.length === 0) return undefined;
    if (this.slow) return this.cut(chunk, this.slow.cutAt(chunk));
    const { length } = chunk;
    // By far the most frequent case: the chunk ends with an event, so whatever is in it is whole.
    if (length > 1 && chunk[length - 1] === LF && chunk[length - 2] === LF) {
      this.beforeLast = LF;
      this.last = LF;
      return this.join(chunk);
    }
    if ((this.last === CR && chunk[0] !== LF) || hasLoneCr(chunk)) return this.goSlow(chunk);
    const end = this.lastBlankLine(chunk);
    this.beforeLast = chunk.length > 1 ? chunk[chunk.length - 2]! : this.last;
    this.last = chunk[chunk.length - 1]!;
    return this.cut(chunk, end === 0 ? -1 : end);
  }

  /** What is left when the stream ends: an event without its blank line, or a torn one; undefined when nothing is. */
  rest(): Buffer | undefined {
    return this.waitingBytes === 0 ? undefined : this.join(nothing);
  }

  /** Behind the last blank line of the chunk, 0 when there is none. Lines end with LF or CRLF. */
  private lastBlankLine(chunk: Buffer): number {
    for (let lf = chunk.lastIndexOf(LF); lf >= 0; lf = lf === 0 ? -1 : chunk.lastIndexOf(LF, lf - 1)) {
      const previous = lf > 0 ? chunk[lf - 1] : this.last;
      if (previous === LF) return lf + 1;
      if (previous !== CR) continue;
      const earlier = lf > 1 ? chunk[lf - 2] : lf === 1 ? this.last : this.beforeLast;
      if (earlier === LF) return lf + 1;
    }
    return 0;
  }

  /** Whatever waits begins at the start of an event, so it can be looked at again from there. */
  private goSlow(chunk: Buffer): Buffer | undefined {
    this.slow = new CrSplit();
    const all = this.join(chunk);
    return this.cut(all, this.slow.cutAt(all));
  }

  /** Hands out what waits and the chunk up to `end`; -1 when the chunk completes nothing. */
  private cut(chunk: Buffer, end: number): Buffer | undefined {
    const whole = end < 0 ? undefined : this.join(end === chunk.length ? chunk : chunk.subarray(0, end));
    const left = end < 0 ? chunk : chunk.subarray(end);
    if (left.length > 0) {
      this.waitingBytes += left.length;
      if (this.waitingBytes > this.maxBytes) throw new EventTooLong(this.maxBytes);
      this.waiting.push(left);
    }
    return whole;
  }

  private join(last: Buffer): Buffer {
    if (this.waitingBytes === 0) return last;
    if (last.length > 0) this.waiting.push(last);
    const whole = this.waiting.length === 1 ? this.waiting[0]! : Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    return whole;
  }
}

/** Finds blank lines byte by byte, a CR alone being a line end too. */
class CrSplit {
  private lineIsEmpty = true;
  private afterCr = false;
  /** A blank line ended with CR; whether an LF belongs to it shows with the next byte. */
  private cutDue = false;

  /** Behind the last blank line that this chunk completes (0: the one before it), -1 when there is none. */
  cutAt(chunk: Buffer): number {
    let end = -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      const closesCr = this.afterCr && byte === LF;
      if (this.cutDue) end = closesCr ? at + 1 : at;
      this.cutDue = false;
      this.afterCr = byte === CR;
      if (closesCr) continue;
      if (byte === CR) this.cutDue = this.lineIsEmpty;
      else if (byte === LF && this.lineIsEmpty) end = at + 1;
      this.lineIsEmpty = byte === CR || byte === LF;
    }
    return end;
  }
}

/** Walks over whole events. Its fields describe the current one until the next `next()`. */
export class EventCursor {
  /** Where the event and the blank line behind it stand in the bytes. */
  start = 0;
  end = 0;
  /** Value of the `event:` line; '' without one. */
  name = '';
  /** Number of `data:` lines: 0 for a comment, which is no event to a client. */
  dataLines = 0;
  /** Where the value of the last data line stands in the bytes; for readers that make no copies. */
  dataStart = 0;
  dataEnd = 0;
  private bytes: Buffer = nothing;
  private hasCr = false;
  private joined: Buffer[] | undefined;

  /** Begins anew on `bytes`, which are whole events; `atStart` when they begin the stream, where a BOM may stand. */
  read(bytes: Buffer, atStart = false): this {
    this.bytes = bytes;
    this.hasCr = bytes.includes(CR);
    this.end = atStart && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    return this;
  }

  /** Skips all events that end at or before `at`, so that the next one is the one in which that byte stands. */
  skipTo(at: number): this {
    // Where a CR may end a line the events must be walked; such streams are rare.
    const boundary = this.hasCr || at < 2 ? -1 : this.bytes.lastIndexOf(blankLine, at - 2);
    if (boundary >= 0) this.end = Math.max(this.end, boundary + blankLine.length);
    return this;
  }

  /** Steps to the next event; false at the end of the bytes. */
  next(): boolean {
    const { bytes } = this;
    let at = this.end;
    if (at >= bytes.length) return false;
    this.start = at;
    this.name = '';
    this.dataLines = 0;
    this.joined = undefined;
    while (at < bytes.length) {
      const lineEnd = this.lineEnd(at);
      if (lineEnd === at) {
        at = this.behindLineEnd(at);
        break;
      }
      this.readLine(at, lineEnd);
      at = this.behindLineEnd(lineEnd);
    }
    this.end = at;
    return true;
  }

  /** The data of the current event, its lines joined with LF; undefined for a comment. Valid as long as the bytes are. */
  data(): Buffer | undefined {
    if (this.dataLines === 0) return undefined;
    if (!this.joined) return this.bytes.subarray(this.dataStart, this.dataEnd);
    return Buffer.concat(this.joined.flatMap((line, index) => (index === 0 ? [line] : [lineFeed, line])));
  }

  /** The data as text, without a view of its bytes where none is needed; '' for a comment. */
  text(): string {
    const { bytes, dataStart, dataEnd } = this;
    return this.joined
      ? String(this.data())
      : bytes.toString('utf8', dataStart, this.dataLines === 0 ? dataStart : dataEnd);
  }

  private lineEnd(from: number): number {
    const { bytes } = this;
    const lf = bytes.indexOf(LF, from);
    const end = lf < 0 ? bytes.length : lf;
    if (!this.hasCr) return end;
    const cr = bytes.indexOf(CR, from);
    return cr >= 0 && cr < end ? cr : end;
  }

  private behindLineEnd(at: number): number {
    if (at >= this.bytes.length) return at;
    return this.bytes[at] === CR && this.bytes[at + 1] === LF ? at + 2 : at + 1;
  }

  private readLine(start: number, end: number): void {
    const { bytes } = this;
    const first = bytes[start];
    if (first === 0x64 && isField(bytes, start, end, dataField)) this.addData(start + dataField.length, end);
    else if (first === 0x65 && isField(bytes, start, end, eventField)) {
      this.name = bytes.toString('utf8', this.valueStart(start + eventField.length, end), end);
    }
  }

  private addData(afterName: number, end: number): void {
    const start = this.valueStart(afterName, end);
    if (this.dataLines === 1) this.joined = [bytesOf(this.bytes, this.dataStart, this.dataEnd)];
    this.dataStart = start;
    this.dataEnd = end;
    this.joined?.push(bytesOf(this.bytes, start, end));
    this.dataLines += 1;
  }

  /** A field's value begins behind the colon and one blank, if they are there. */
  private valueStart(afterName: number, end: number): number {
    if (afterName >= end) return end;
    return this.bytes[afterName + 1] === SPACE && afterName + 1 < end ? afterName + 2 : afterName + 1;
  }
}

const lineFeed = Buffer.from('\n');
const dataField = Buffer.from('data');
const eventField = Buffer.from('event');
const bytesOf = (bytes: Buffer, start: number, end: number): Buffer => bytes.subarray(start, end);

/** True when the line is the field `name`, with a colon or without (then its value is empty). */
function isField(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  const colon = start + name.length;
  if (colon > end || (colon < end && bytes[colon] !== COLON)) return false;
  for (let index = 1; index < name.length; index += 1) {
    if (bytes[start + index] !== name[index]) return false;
  }
  return true;
}

/** One event as an object, for readers who translate every event. */
export interface SseEvent {
  name: string;
  data: string;
}

/** Turns chunks into events. Comments and events without data are left out, as in a browser. */
export class SseScanner {
  private readonly splitter: EventSplitter;
  private readonly cursor = new EventCursor();
  private atStart = true;

  constructor(maxBytes = maxEventBytes) {
    this.splitter = new EventSplitter(maxBytes);
  }

  /** The events that the chunk completes. Throws EventTooLong. */
  push(chunk: Buffer): SseEvent[] {
    const whole = this.splitter.push(chunk);
    return whole ? this.events(whole) : [];
  }

  /** The events at the end of the stream that no blank line closed. A browser drops them; some vendors forget the line. */
  end(): SseEvent[] {
    const rest = this.splitter.rest();
    return rest ? this.events(rest) : [];
  }

  private events(whole: Buffer): SseEvent[] {
    const { cursor } = this;
    const events: SseEvent[] = [];
    cursor.read(whole, this.atStart);
    this.atStart = false;
    while (cursor.next()) {
      if (cursor.dataLines > 0) events.push({ name: cursor.name, data: cursor.text() });
    }
    return events;
  }
}
