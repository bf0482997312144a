const LF = 0x0a;
const CR = 0x0d;
const crlfBlankLine = Buffer.from('\r\n\r\n');

/** Ends an event if lines end with LF. */
const blankLine = Buffer.from('\n\n');

/** True when the bytes end with the blank line that ends an event. */
export function endsEvent(chunk: Buffer): boolean {
  const end = chunk.length;
  if (end < 2 || chunk[end - 1] !== LF) return false;
  return chunk[end - 2] === LF || (end >= 4 && chunk[end - 2] === CR && chunk[end - 3] === LF);
}

/** Position after the first blank line that starts at `from` or later; −1 if there is none. */
export function eventEnd(bytes: Buffer, from = 0): number {
  const lf = bytes.indexOf(blankLine, from);
  const crlf = bytes.indexOf(crlfBlankLine, from);
  if (lf < 0 && crlf < 0) return -1;
  return lf >= 0 && (crlf < 0 || lf < crlf) ? lf + 2 : crlf + 4;
}

/** Position after the last blank line; −1 if there is none. */
export function lastEventEnd(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(blankLine);
  const crlf = bytes.lastIndexOf(crlfBlankLine);
  return lf < 0 && crlf < 0 ? -1 : Math.max(lf + 2, crlf + 4);
}

/**
 * Number of bytes to take: all if they are at most `room`, otherwise the complete events within it, or the first event
 * if none fits.
 */
export function eventsWithin(bytes: Buffer, room: number): number {
  if (bytes.length <= room) return bytes.length;
  const last = room > 0 ? lastEventEnd(bytes.subarray(0, room)) : -1;
  if (last > 0) return last;
  const first = eventEnd(bytes);
  return first < 0 ? bytes.length : first;
}

const COLON = 0x3a;
const SPACE = 0x20;
const nothing = Buffer.alloc(0);

/** Iterates over complete events. Its fields describe the current one until the next `next()`. */
export class EventCursor {
  /** Start and end of the event, including its blank line. */
  start = 0;
  end = 0;
  /** Value of the `event:` line; '' without one. */
  name = '';
  /** Number of `data:` lines: 0 for a comment, which clients do not see as an event. */
  dataLines = 0;
  /** Position of the value of the last data line; for readers that make no copies. */
  dataStart = 0;
  dataEnd = 0;
  private bytes: Buffer = nothing;
  private hasCr = false;
  private joined: Buffer[] | undefined;

  /** Restarts on `bytes`, which are complete events; `atStart` if they start the stream, where a BOM is allowed. */
  read(bytes: Buffer, atStart = false): this {
    this.bytes = bytes;
    this.hasCr = bytes.includes(CR);
    this.end = atStart && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    return this;
  }

  /** Skips all events that end at or before `at`, so that the next one is the event with that byte. */
  skipTo(at: number): this {
    // If a CR may end a line, the events must be read one by one; such streams are rare.
    const boundary = this.hasCr || at < 2 ? -1 : this.bytes.lastIndexOf(blankLine, at - 2);
    if (boundary >= 0) this.end = Math.max(this.end, boundary + blankLine.length);
    return this;
  }

  /**
   * Moves to the next event; false at the end of the bytes, which are released there: a few of them keep the memory of
   * all that was received around them.
   */
  next(): boolean {
    const { bytes } = this;
    let at = this.end;
    if (at >= bytes.length) {
      this.bytes = nothing;
      return false;
    }
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

  /**
   * The data of the current event, its lines joined with LF; undefined for a comment. Valid as long as the bytes are.
   */
  data(): Buffer | undefined {
    if (this.dataLines === 0) return undefined;
    if (!this.joined) return this.bytes.subarray(this.dataStart, this.dataEnd);
    return Buffer.concat(this.joined.flatMap((line, index) => (index === 0 ? [line] : [lineFeed, line])));
  }

  /** The data as text, without an intermediate view of the bytes; '' for a comment. */
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

  /** A field's value starts after the colon and one space, if there is one. */
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
