import { BadAnswer } from './faults.ts';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

/** 2^48 bytes: larger than any answer, and still an exact number. */
const maxSizeDigits = 12;
/** Extensions are not used in practice. A longer extension is an attack. */
const maxExtensionBytes = 4 * 1024;
const maxTrailerBytes = 64 * 1024;

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const quoted = String.raw`"(?:[\t\x20!\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"`;
/** Extension after the semicolon of a size. */
const extensions = new RegExp(
  `^${token}(?:=(?:${token}|${quoted}))?(?:;${token}(?:=(?:${token}|${quoted}))?)*$`,
);
/** A trailer. A trailer that defines the end of the body is too late to be trusted (RFC 9110, 6.5.1). */
const trailers = new RegExp(
  `^(?!(?:content-length|transfer-encoding):)${token}:[\\t\\x20-\\x7e\\x80-\\xff]*$`,
  'i',
);

/** The value of a byte as a hexadecimal digit; −1 for all other bytes. */
const digitOf = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit += 1) {
  const text = digit.toString(16);
  digitOf[text.charCodeAt(0)] = digit;
  digitOf[text.toUpperCase().charCodeAt(0)] = digit;
}

/** The part of the body that the next byte belongs to. */
const Part = {
  size: 0,
  extension: 1,
  sizeEnd: 2,
  data: 3,
  dataCr: 4,
  dataLf: 5,
  trailerStart: 6,
  trailer: 7,
  trailerLf: 8,
  lastLf: 9,
  done: 10,
} as const;
type Part = (typeof Part)[keyof typeof Part];

/**
 * Decodes the chunks of a body (RFC 9112, 7.1), divided in any way. Extensions and trailers are skipped, within bounds.
 */
export class ChunkDecoder {
  /** The start of the last `decode` call's data in its bytes. */
  dataStart = 0;
  dataEnd = 0;
  private part: Part = Part.size;
  /** Digits of the chunk's size. */
  private digits = 0;
  /** Bytes of the chunk that have not arrived. */
  private remaining = 0;
  /** Bytes of the extension or the trailers so far. */
  private skipped = 0;
  /** The extension, or the line of a trailer, so far. */
  private line = '';

  get isDone(): boolean {
    return this.part === Part.done;
  }

  /** Before the first byte of a body. */
  start(): void {
    this.part = Part.size;
    this.digits = 0;
    this.remaining = 0;
    this.skipped = 0;
    this.line = '';
  }

  /**
   * Reads `bytes` from `from` to `to` and returns the end position: less than `to` only after the last chunk. The data
   * of all chunks is moved together within `bytes`, so that many small chunks cost one copy. `dataStart` and `dataEnd`
   * are its bounds. Throws BadAnswer; the data before the fault is then available too.
   */
  decode(bytes: Buffer, from: number, to: number): number {
    this.dataStart = from;
    this.dataEnd = from;
    let at = from;
    while (at < to && this.part !== Part.done) {
      if (this.part === Part.data) at = this.takeData(bytes, at, to);
      else if (this.part === Part.size && this.digits === 0) at = this.takeSizeLine(bytes, at, to);
      else this.takeByte(bytes[at++]!);
    }
    return at;
  }

  /**
   * Reads a size and its line end at once if the bytes contain both, which is nearly always true; otherwise byte by
   * byte.
   */
  private takeSizeLine(bytes: Buffer, from: number, to: number): number {
    let at = from;
    let size = 0;
    for (let digit = 0; at < to && at - from < maxSizeDigits; at += 1) {
      digit = digitOf[bytes[at]!]!;
      if (digit < 0) break;
      size = size * 16 + digit;
    }
    if (at === from || at + 2 > to || bytes[at] !== CR || bytes[at + 1] !== LF) {
      this.remaining = 0;
      this.takeByte(bytes[from]!);
      return from + 1;
    }
    this.remaining = size;
    this.part = size > 0 ? Part.data : Part.trailerStart;
    this.skipped = 0;
    return at + 2;
  }

  private takeData(bytes: Buffer, at: number, to: number): number {
    const end = Math.min(at + this.remaining, to);
    if (this.dataEnd === this.dataStart) {
      this.dataStart = at;
      this.dataEnd = end;
    } else {
      bytes.copyWithin(this.dataEnd, at, end);
      this.dataEnd += end - at;
    }
    this.remaining -= end - at;
    if (this.remaining > 0) return end;
    this.digits = 0;
    const isLineWhole = end + 2 <= to && bytes[end] === CR && bytes[end + 1] === LF;
    this.part = isLineWhole ? Part.size : Part.dataCr;
    return isLineWhole ? end + 2 : end;
  }

  private takeByte(byte: number): void {
    switch (this.part) {
      case Part.size:
        return this.takeSize(byte);
      case Part.sizeEnd:
        expect(byte, LF);
        this.part = this.remaining > 0 ? Part.data : Part.trailerStart;
        return;
      case Part.dataCr:
        expect(byte, CR);
        this.part = Part.dataLf;
        return;
      case Part.dataLf:
        expect(byte, LF);
        this.part = Part.size;
        this.digits = 0;
        return;
      default:
        return this.skip(byte);
    }
  }

  private takeSize(byte: number): void {
    const digit = digitOf[byte]!;
    if (digit >= 0 && this.digits < maxSizeDigits) {
      this.remaining = this.remaining * 16 + digit;
      this.digits += 1;
      return;
    }
    if (this.digits === 0 || (byte !== CR && byte !== SEMICOLON)) throw new BadAnswer('the size of a chunk');
    this.skipped = 0;
    this.line = '';
    this.part = byte === CR ? Part.sizeEnd : Part.extension;
  }

  /** Extensions and trailers, of which only the end matters. */
  private skip(byte: number): void {
    this.skipped += 1;
    switch (this.part) {
      case Part.extension:
        if (this.skipped > maxExtensionBytes) throw new BadAnswer('the extension of a chunk is too long');
        if (byte !== CR) return this.add(byte);
        if (!extensions.test(this.line)) throw new BadAnswer('the extension of a chunk');
        this.part = Part.sizeEnd;
        this.line = '';
        return;
      case Part.trailerStart:
      case Part.trailer:
        if (this.skipped > maxTrailerBytes) throw new BadAnswer('its trailers are too long');
        return this.skipTrailer(byte);
      case Part.trailerLf:
        expect(byte, LF);
        this.part = Part.trailerStart;
        return;
      default:
        expect(byte, LF);
        this.part = Part.done;
    }
  }

  private skipTrailer(byte: number): void {
    if (byte !== CR) {
      this.part = Part.trailer;
      return this.add(byte);
    }
    const isLine = this.part === Part.trailer;
    if (isLine && !trailers.test(this.line)) throw new BadAnswer('its trailers');
    this.part = isLine ? Part.trailerLf : Part.lastLf;
    this.line = '';
  }

  private add(byte: number): void {
    this.line += String.fromCharCode(byte);
  }
}

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw new BadAnswer('the end of a line');
}
