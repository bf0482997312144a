import { type AnswerHead, type BodyEnd, readHead } from './answer-head.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import { BadAnswer, ConnectionLost } from './faults.ts';

/** An upstream that sends more head than this is hostile. Heads before the final one count too. */
const maxHeadBytes = 64 * 1024;
const blankLine = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);

/**
 * Reads the answers of one connection, one after the other: `start`, then `push` until it is complete. It knows no
 * sockets and calls nobody: after each push it is asked for what was found, which is at most one head, one piece of body
 * and one end.
 */
export class AnswerParser {
  isComplete = false;
  /** Bytes came behind the end of the answer. */
  hasMore = false;
  /** What is wrong; the answer ends here. */
  fault: BadAnswer | undefined;
  /** How long the connection may wait for its next call when the answer is complete; 0 when it must not have one. */
  keepMs = 0;
  /** Where the body ends; undefined before the head. The head itself is not kept while the body comes. */
  private end: BodyEnd | undefined;
  private head: AnswerHead | undefined;
  private data: Buffer | undefined;
  private readonly chunks = new ChunkDecoder();
  /** What has come of a head that is not whole yet. */
  private kept: Buffer = nothing;
  private headBytes = 0;
  /** Of a body whose length is known. */
  private left = 0;

  /** True once the final head is there. */
  get hasHead(): boolean {
    return this.end !== undefined;
  }

  /** The final head, when it came with this push. */
  takeHead(): AnswerHead | undefined {
    const { head } = this;
    this.head = undefined;
    return head;
  }

  /** The body's bytes that came with this push, in a buffer of their own. */
  takeData(): Buffer | undefined {
    const { data } = this;
    this.data = undefined;
    return data;
  }

  /** Before the first byte of an answer. */
  start(): void {
    this.end = undefined;
    this.isComplete = false;
    this.hasMore = false;
    this.headBytes = 0;
  }

  /** Reads the first `length` of `bytes`. They may be changed, and are not needed any longer after it. */
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

  /** The other side sends no more. Only a body without a known end is complete then. */
  close(): ConnectionLost | undefined {
    if (this.end?.kind !== 'close') return new ConnectionLost('other side closed');
    this.isComplete = true;
    return undefined;
  }

  private readHead(bytes: Buffer, from: number, length: number): number {
    const { kept } = this;
    // Most heads come in one piece; what came before is looked at again only where the blank line may lie across.
    const text = kept.length === 0 ? bytes : Buffer.concat([kept, bytes.subarray(from, length)]);
    const start = kept.length === 0 ? from : 0;
    const end = kept.length === 0 ? length : text.length;
    const blank = text.indexOf(blankLine, Math.max(start, start + kept.length - 3));
    const isWhole = blank >= 0 && blank + blankLine.length <= end;
    const size = (isWhole ? blank + blankLine.length : end) - start;
    if (this.headBytes + size > maxHeadBytes) throw new BadAnswer('its head is too long');
    if (!isWhole) {
      this.kept = kept.length === 0 ? Buffer.from(text.subarray(start, end)) : text;
      return length;
    }
    this.kept = nothing;
    this.headBytes += size;
    this.accept(readHead(text.toString('latin1', start, blank + 2)));
    return from + size - kept.length;
  }

  private accept(head: AnswerHead): void {
    if (head.status === 101) throw new BadAnswer('a change of protocol that we did not ask for');
    if (head.status < 200) {
      // Version 1.0 has no such heads, and behind one that ends the connection other parsers read nothing.
      if (head.keepMs === 0) throw new BadAnswer('an early head that ends the connection');
      return;
    }
    this.head = head;
    this.end = head.end;
    this.keepMs = head.keepMs;
    if (head.end.kind === 'chunked') this.chunks.start();
    if (head.end.kind === 'length') this.left = head.end.bytes;
  }

  /** Where the body ends in these bytes. */
  private readBody(end: BodyEnd, bytes: Buffer, from: number, length: number): number {
    if (end.kind === 'chunked') return this.readChunks(bytes, from, length);
    const to = end.kind === 'close' ? length : Math.min(from + this.left, length);
    this.left -= to - from;
    this.isComplete = end.kind === 'length' && this.left === 0;
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
