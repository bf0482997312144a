import { crc32 } from 'node:zlib';
import { EventStreamCodec } from '@smithy/eventstream-codec';

/**
 * Frames of `application/vnd.amazon.eventstream` (AWS event stream encoding): each starts with its length, the length
 * of its headers and a checksum of both, and ends with a checksum of the whole. Bytes may be split anywhere.
 */

/** Length of the frame, length of its headers, checksum of these two. */
const preludeBytes = 12;
/** A frame without headers and body: the prelude and the checksum at its end. */
const leastBytes = 16;
/** A larger frame is an error or an attack; AWS sends bodies of up to 16 MiB, and headers of up to 128 KiB. */
const mostBytes = 16 * 1024 * 1024 + 128 * 1024 + leastBytes;

/** The bytes are not frames, or are damaged. */
export class BadFrame extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BadFrame';
  }
}

/** One frame: its text headers (`:message-type`, `:event-type` …), except one named `__proto__`, which the codec drops, and its body. */
export interface AwsFrame {
  headers: Readonly<Record<string, string>>;
  /** Valid until the next `push`. */
  body: Buffer;
}

const utf8 = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : utf8.decode(bytes)),
  (text) => new TextEncoder().encode(text),
);

/** Splits a stream into frames and checks them. An incomplete frame is buffered, at most one. */
export class AwsFrameSplitter {
  private readonly maxBytes: number;
  /** The incomplete frame; grows with the received bytes, not with its announced length. */
  private room = Buffer.alloc(0);
  private filled = 0;

  constructor(maxBytes = mostBytes) {
    this.maxBytes = maxBytes;
  }

  /** True if the stream must not end here: a frame is incomplete. */
  get isTorn(): boolean {
    return this.filled > 0;
  }

  /** Calls `take` with each frame that the chunk completes. Throws BadFrame; after that nothing more can be read. */
  push(chunk: Buffer, take: (frame: AwsFrame) => void): void {
    let at = this.filled === 0 ? 0 : this.complete(chunk, take);
    while (chunk.length - at >= preludeBytes) {
      const length = this.lengthOf(chunk, at);
      if (chunk.length - at < length) break;
      take(decode(chunk.subarray(at, at + length)));
      at += length;
    }
    if (at < chunk.length) this.keep(chunk.subarray(at));
  }

  /** Adds the chunk to the buffered frame, up to the frame's end; returns the number of used bytes. */
  private complete(chunk: Buffer, take: (frame: AwsFrame) => void): number {
    let taken = 0;
    if (this.filled < preludeBytes) {
      taken = Math.min(preludeBytes - this.filled, chunk.length);
      this.keep(chunk.subarray(0, taken));
      if (this.filled < preludeBytes) return taken;
    }
    const length = this.lengthOf(this.room, 0);
    const rest = Math.min(length - this.filled, chunk.length - taken);
    this.keep(chunk.subarray(taken, taken + rest));
    if (this.filled < length) return taken + rest;
    this.filled = 0;
    take(decode(this.room.subarray(0, length)));
    return taken + rest;
  }

  private keep(bytes: Buffer): void {
    const wanted = this.filled + bytes.length;
    if (this.room.length < wanted) {
      const room = Buffer.allocUnsafe(Math.max(wanted, this.room.length * 2, 1_024));
      this.room.copy(room, 0, 0, this.filled);
      this.room = room;
    }
    bytes.copy(this.room, this.filled);
    this.filled = wanted;
  }

  /** Length of the frame at `at`. Its prelude is checked first: a wrong length would consume everything after it. */
  private lengthOf(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32BE(at);
    if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) {
      throw new BadFrame('a frame begins with a wrong checksum');
    }
    if (length < leastBytes || bytes.readUInt32BE(at + 4) > length - leastBytes) {
      throw new BadFrame('a frame has an impossible length');
    }
    if (length > this.maxBytes) throw new BadFrame(`a frame is longer than ${this.maxBytes} bytes`);
    return length;
  }
}

function decode(bytes: Buffer): AwsFrame {
  try {
    const { headers, body } = codec.decode(bytes);
    const texts = Object.entries(headers).flatMap(([name, { type, value }]) =>
      type === 'string' ? [[name, value] as const] : [],
    );
    return {
      headers: Object.fromEntries(texts),
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    };
  } catch (cause) {
    throw new BadFrame('a frame cannot be read', cause);
  }
}
