const LF = 0x0a;
const CR = 0x0d;

/** Finds blank lines byte by byte; a single CR is a line end too. */
class CrSplit {
  private lineIsEmpty = true;
  private afterCr = false;
  /** A blank line ended with CR; the next byte shows whether an LF belongs to it. */
  private cutDue = false;

  /**
   * Position after the last blank line that this chunk completes (0: that of an earlier chunk), -1 if there is none.
   */
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

const nothing = Buffer.alloc(0);

/** A larger event is an error or an attack. */
export const maxEventBytes = 16 * 1024 * 1024;

/** An event grew beyond the bound. */
export class EventTooLong extends Error {
  constructor(bytes: number) {
    super(`a stream event is longer than ${bytes} bytes`);
    this.name = 'EventTooLong';
  }
}

/** True if the bytes have a CR without an LF after it. The last byte is ignored: its LF may still arrive. */
function hasLoneCr(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(CR); at >= 0 && at < bytes.length - 1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) return true;
  }
  return false;
}

/** Splits a stream into complete events. An incomplete event is buffered, at most `maxBytes` of it. */
export class EventSplitter {
  private readonly maxBytes: number;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** The last two received bytes, for a blank line across the boundary of chunks. */
  private last = 0;
  private beforeLast = 0;
  /**
   * Set once a single CR ended a line: from then on every byte is examined, because such streams are extremely rare.
   */
  private slow: CrSplit | undefined;

  constructor(maxBytes = maxEventBytes) {
    this.maxBytes = maxBytes;
  }

  /** The complete events of the chunk, as one run of bytes; undefined if there are none. */
  push(chunk: Buffer): Buffer | undefined {
    if (chunk.length === 0) return undefined;
    if (this.slow) return this.cut(chunk, this.slow.cutAt(chunk));
    const { length } = chunk;
    // By far the most frequent case: the chunk ends with an event, so all of it is complete.
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

  /**
   * The rest at the end of the stream: an event without its blank line, or an incomplete one; undefined if there is
   * none.
   */
  rest(): Buffer | undefined {
    return this.waitingBytes === 0 ? undefined : this.join(nothing);
  }

  /** Position after the last blank line of the chunk, 0 if there is none. Lines end with LF or CRLF. */
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

  /** The buffered bytes start with an event, so they can be examined again from there. */
  private goSlow(chunk: Buffer): Buffer | undefined {
    this.slow = new CrSplit();
    const all = this.join(chunk);
    return this.cut(all, this.slow.cutAt(all));
  }

  /** Returns the buffered bytes and the chunk up to `end`; -1 if the chunk completes no event. */
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
