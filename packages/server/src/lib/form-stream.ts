import { Transform, type TransformCallback } from 'node:stream';
import { FormError, maxHeadBytes, maxParts, readPartHead } from './form.ts';

/** Checks of a form on its way. What they throw ends the stream. */
interface FormChecks {
  /** The field of the one file that the form must have. */
  fileField: string;
  maxFileBytes: number;
  /** The error for a longer file. */
  tooLarge(): Error;
  /** The error for another file, or for none. */
  wrongFile(field: string): Error;
  /** Called for each text field. */
  field(name: string, value: string): void;
  /** True if only the bytes of the file are passed on. */
  fileOnly?: boolean;
  /** Called when the whole form has arrived, before its end is passed on. */
  complete(): void | Promise<void>;
}

/** Text of all fields together. */
const maxTextBytes = 64 * 1024;
const CRLF = '\r\n';
const headEnd = Buffer.from('\r\n\r\n');

/**
 * Passes a form with one file on while it arrives, byte for byte. All that is behind the file is held back until the
 * whole form is checked: the receiver of a refused form never has a whole one. As strict as `scanForm`.
 */
export class FormStream extends Transform {
  /** Bytes of the file so far. */
  fileBytes = 0;
  private readonly delimiter: Buffer;
  private readonly begin: Buffer;
  private readonly checks: FormChecks;
  private state: 'delimiter' | 'head' | 'text' | 'file' | 'end' = 'delimiter';
  /** Bytes that are not read yet. */
  private rest: Buffer = Buffer.alloc(0);
  /** Bytes that are read and not passed on. */
  private held: Buffer[] = [];
  private parts = 0;
  private textBytes = 0;
  private field = '';
  private readonly fields = new Set<string>();
  private hasFile = false;

  constructor(boundary: string, checks: FormChecks) {
    super();
    this.delimiter = Buffer.from(`${CRLF}--${boundary}`);
    this.checks = checks;
    // The first delimiter may be without the line end before it.
    this.begin = Buffer.from(`--${boundary}`);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    try {
      while (this.step()) continue;
    } catch (error) {
      return done(error as Error);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    void this.finish(done);
  }

  private async finish(done: TransformCallback): Promise<void> {
    const fault = await this.checkEnd().catch((error: Error) => error);
    done(fault ?? null);
  }

  private async checkEnd(): Promise<void> {
    if (this.state !== 'end') throw new FormError('broken_off');
    if (this.rest.length > 0 && this.rest.toString('latin1') !== CRLF) throw new FormError('trailing_bytes');
    if (!this.hasFile) throw this.checks.wrongFile(this.checks.fileField);
    await this.checks.complete();
    this.hold(this.rest.length);
    this.release();
  }

  /** Reads on; false if more bytes are needed. */
  private step(): boolean {
    switch (this.state) {
      case 'delimiter':
        return this.readDelimiter();
      case 'head':
        return this.readHead();
      case 'text':
      case 'file':
        return this.readValue();
      case 'end':
        if (this.rest.length > CRLF.length) throw new FormError('trailing_bytes');
        return false;
    }
  }

  private readDelimiter(): boolean {
    const { rest } = this;
    const line = rest[0] === 0x0d ? this.delimiter : this.begin;
    if (rest.length < line.length + 2) return false;
    if (!rest.subarray(0, line.length).equals(line)) throw new FormError('wrong_start');
    const behind = rest.toString('latin1', line.length, line.length + 2);
    if (behind === '--') this.state = 'end';
    else if (behind !== CRLF) throw new FormError('boundary_without_line_end');
    else if (this.parts === maxParts) throw new FormError('too_many_parts', String(maxParts));
    else this.state = 'head';
    this.parts += 1;
    this.hold(line.length + 2);
    return true;
  }

  private readHead(): boolean {
    const { rest, checks, fields } = this;
    const end = rest.indexOf(headEnd);
    if (end > maxHeadBytes || (end < 0 && rest.length > maxHeadBytes))
      throw new FormError('headers_too_long');
    if (end < 0) return false;
    const { name, isFile } = readPartHead(rest.subarray(0, end));
    if (fields.has(name)) throw new FormError('repeated_field', name.slice(0, 60));
    fields.add(name);
    if (isFile !== (name === checks.fileField)) throw checks.wrongFile(name);
    this.field = name;
    this.state = isFile ? 'file' : 'text';
    // The last line end stays: a delimiter at once after it would be read in two ways.
    this.hold(end + CRLF.length);
    if (isFile) {
      this.hasFile = true;
      this.fileBytes = -CRLF.length;
      this.release();
    }
    return true;
  }

  private readValue(): boolean {
    const { rest, state, delimiter } = this;
    const end = rest.indexOf(delimiter);
    // The last line end of the head is the first of the value.
    if (end === 0 && (state === 'text' || this.fileBytes < 0)) throw new FormError('part_without_value');
    if (state === 'text') return this.readText(end);
    const passed = end < 0 ? Math.max(0, rest.length - delimiter.length + 1) : end;
    // The line end before the file is none of its bytes.
    const start = this.checks.fileOnly ? Math.min(passed, Math.max(0, 0 - this.fileBytes)) : 0;
    this.fileBytes += passed;
    if (this.fileBytes > this.checks.maxFileBytes) throw this.checks.tooLarge();
    if (passed > start) this.push(rest.subarray(start, passed));
    this.rest = rest.subarray(passed);
    if (end >= 0) this.state = 'delimiter';
    return end >= 0;
  }

  private readText(end: number): boolean {
    const length = end < 0 ? this.rest.length : end;
    if (this.textBytes + length > maxTextBytes) throw new FormError('texts_too_long');
    if (end < 0) return false;
    this.textBytes += length;
    this.checks.field(this.field, this.rest.toString('utf8', CRLF.length, end));
    this.hold(end);
    this.state = 'delimiter';
    return true;
  }

  private hold(bytes: number): void {
    if (bytes > 0) this.held.push(this.rest.subarray(0, bytes));
    this.rest = this.rest.subarray(bytes);
  }

  private release(): void {
    if (!this.checks.fileOnly) for (const bytes of this.held) this.push(bytes);
    this.held = [];
  }
}

interface BoundedChecks extends Pick<FormChecks, 'tooLarge'> {
  maxBytes: number;
  complete(): void | Promise<void> | undefined;
}

/** Longer than the end of any body in parts: without it, no receiver takes the rest for a whole one. */
const heldBytes = 256;

/** Passes a body of several parts on while it arrives, up to a length. Its end is held back until it is checked. */
export class BoundedStream extends Transform {
  /** Bytes so far. */
  fileBytes = 0;
  private rest: Buffer = Buffer.alloc(0);
  private readonly checks: BoundedChecks;

  constructor(checks: BoundedChecks) {
    super();
    this.checks = checks;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.fileBytes += chunk.length;
    if (this.fileBytes > this.checks.maxBytes) return done(this.checks.tooLarge());
    const bytes = Buffer.concat([this.rest, chunk]);
    const passed = Math.max(0, bytes.length - heldBytes);
    if (passed > 0) this.push(bytes.subarray(0, passed));
    this.rest = bytes.subarray(passed);
    done();
  }

  override _flush(done: TransformCallback): void {
    void this.finish(done);
  }

  private async finish(done: TransformCallback): Promise<void> {
    try {
      await this.checks.complete();
    } catch (error) {
      return done(error as Error);
    }
    done(null, this.rest);
  }
}
