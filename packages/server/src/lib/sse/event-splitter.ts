import { CrSplit } from './cr-split.ts';

const LF = 0x0a;
const CR = 0x0d;
const nothing = Buffer.alloc(0);

/** An event larger than this is a fault or an attack. */
export const maxEventBytes = 16 * 1024 * 1024;

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
