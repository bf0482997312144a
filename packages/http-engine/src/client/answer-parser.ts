import { type AnswerHead, type BodyEnd, readHead } from './answer-head.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import { BadAnswer, ConnectionLost } from './faults.ts';

/** An upstream that sends more head than this is hostile. Heads before the final one count too. */
const maxHeadBytes = 64 * 1024;
const blankLine = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);

/**
 * Parses the answers of one connection, one after the other: `start`, then `push` until the answer is complete. It has
 * no sockets and no callbacks. After each push its fields hold the result: at most one head, one piece of body and one
 * end.
 */
export class AnswerParser {
  isComplete = false;
  /** Bytes arrived after the end of the answer. */
  hasMore = false;
  /** The reason why the answer is invalid. The answer ends here. */
  fault: BadAnswer | undefined;
  /**
   * The time that the connection may wait for its next call after the answer, in ms; 0 if it must not be used again.
   */
  keepMs = 0;
  /** The end of the body; undefined before the head. The head itself is not kept while the body arrives. */
  private end: BodyEnd | undefined;
  private head: AnswerHead | undefined;
  private data: Buffer | undefined;
  private readonly chunks = new ChunkDecoder();
  /** The bytes of a head that is not complete yet. */
  private partialHead: Buffer = nothing;
  private headBytes = 0;
  /** Bytes of the body that have not arrived, if its length is known. */
  private remaining = 0;

  /** True once the final head has arrived. */
  get hasHead(): boolean {
    return this.end !== undefined;
  }

  /** The final head, if it arrived with this push. */
  takeHead(): AnswerHead | undefined {
    const { head } = this;
    this.head = undefined;
    return head;
  }

  /** The bytes of the body that arrived with this push, in a buffer of their own. */
  takeData(): Buffer | undefined {
    const { data } = this;
    this.data = undefined;
    return data;
  }

  /** To be called before the first byte of an answer. */
  start(): void {
    this.end = undefined;
    this.isComplete = false;
    this.hasMore = false;
    this.headBytes = 0;
  }

  /** Parses the first `length` of `bytes`, which it may change; they may be reused afterwards. */
  push(bytes: Buffer, length: number): void {
    try {
      let at = 0;
      while (!this.end && at < length) at = this.readHead(bytes, at, length);
      if (this.end) at = this.readBody(this.end, bytes, at, length);
      this.hasMore = at < length;
    } catch (fault) {
      if (!(fault instanceof BadAnswer)) throw fault;
      this.fault = fault;
    }
  }

  /** The server has closed the connection. Only a body without a known end is now complete. */
  close(): ConnectionLost | undefined {
    if (this.end?.kind !== 'close') return new ConnectionLost('other side closed');
    this.isComplete = true;
    return undefined;
  }

  private readHead(bytes: Buffer, from: number, length: number): number {
    const { partialHead } = this;
    // Most heads arrive in one piece; earlier bytes are searched again only at a place where the blank line may be
    // divided.
    const text =
      partialHead.length === 0 ? bytes : Buffer.concat([partialHead, bytes.subarray(from, length)]);
    const start = partialHead.length === 0 ? from : 0;
    const end = partialHead.length === 0 ? length : text.length;
    const blank = text.indexOf(blankLine, Math.max(start, start + partialHead.length - 3));
    const isWhole = blank >= 0 && blank + blankLine.length <= end;
    const size = (isWhole ? blank + blankLine.length : end) - start;
    if (this.headBytes + size > maxHeadBytes) throw new BadAnswer('its head is too long');
    if (!isWhole) {
      this.partialHead = partialHead.length === 0 ? Buffer.from(text.subarray(start, end)) : text;
      return length;
    }
    this.partialHead = nothing;
    this.headBytes += size;
    this.accept(readHead(text.toString('latin1', start, blank + 2)));
    return from + size - partialHead.length;
  }

  private accept(head: AnswerHead): void {
    if (head.status === 101) throw new BadAnswer('a change of protocol that we did not ask for');
    if (head.status < 200) {
      // Version 1.0 has no such heads, and after one that closes the connection other parsers read nothing.
      if (head.keepMs === 0) throw new BadAnswer('an early head that ends the connection');
      return;
    }
    this.head = head;
    this.end = head.end;
    this.keepMs = head.keepMs;
    if (head.end.kind === 'chunked') this.chunks.start();
    if (head.end.kind === 'length') this.remaining = head.end.bytes;
  }

  /** The end of the body in these bytes. */
  private readBody(end: BodyEnd, bytes: Buffer, from: number, length: number): number {
    if (end.kind === 'chunked') return this.readChunks(bytes, from, length);
    const to = end.kind === 'close' ? length : Math.min(from + this.remaining, length);
    this.remaining -= to - from;
    this.isComplete = end.kind === 'length' && this.remaining === 0;
    this.data = copyOf(bytes, from, to);
    return to;
  }

  private readChunks(bytes: Buffer, from: number, length: number): number {
    const { chunks } = this;
    try {
      return chunks.decode(bytes, from, length);
    } finally {
      this.isComplete = chunks.isDone;
      this.data = copyOf(bytes, chunks.dataStart, chunks.dataEnd);
    }
  }
}

function copyOf(bytes: Buffer, from: number, to: number): Buffer | undefined {
  if (from === to) return undefined;
  const copy = Buffer.allocUnsafe(to - from);
  bytes.copy(copy, 0, from, to);
  return copy;
}
