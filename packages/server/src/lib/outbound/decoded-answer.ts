import type { AnswerHandler, AnswerHeaders, Controller } from '@tollgate/http-engine';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';
import { asError } from './as-error.ts';

/** Decoder of each coding (RFC 9110, section 8.4.1). */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Decompresses an answer for its handler. Tollgate does not request compression, but proxies and caches in front of an
 * upstream may compress anyway. Other answers pass unchanged. At most a few pieces are decompressed ahead of a paused
 * handler, so that a small answer cannot become a large one in memory.
 */
export class DecodedAnswer implements AnswerHandler, Controller {
  private readonly handler: AnswerHandler;
  private carrier!: Controller;
  /** Set if the answer is compressed. */
  private open: (() => Transform) | undefined;
  /** Set from the first byte of such an answer on. */
  private decoder: Transform | undefined;
  private isPaused = false;
  private isOver = false;
  /** Reason of an upstream's break, reported after the earlier bytes. */
  private broken: Error | undefined;

  constructor(handler: AnswerHandler) {
    this.handler = handler;
  }

  onRequestStart(controller: Controller): void {
    this.carrier = controller;
    this.handler.onRequestStart(this);
  }

  /** Throws for an unknown coding, which ends the call. */
  onResponseStart(_controller: Controller, status: number, headers: AnswerHeaders): void {
    const coding = String(headers['content-encoding'] ?? '')
      .trim()
      .toLowerCase();
    if (coding === '' || coding === 'identity') return this.handler.onResponseStart(this, status, headers);
    this.open = createDecoder(coding);
    // The reported length is that of the compressed bytes.
    const { 'content-encoding': _coding, 'content-length': _length, ...rest } = headers;
    this.handler.onResponseStart(this, status, rest);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (!this.open) return this.handler.onResponseData(this, chunk);
    if (this.isOver) return;
    this.decoder ??= this.listenTo(this.open());
    if (!this.decoder.write(chunk)) this.carrier.pause();
  }

  private listenTo(decoder: Transform): Transform {
    decoder.on('data', (data: Buffer) => this.handOn(data));
    decoder.on('drain', () => this.carrier.resume());
    decoder.on('end', () => this.finish());
    decoder.on('error', (error) => this.fail(this.broken ?? error));
    if (this.isPaused) decoder.pause();
    return decoder;
  }

  /** An exception of the handler ends the call, as on HTTP; in an event it would end the process. */
  private handOn(data: Buffer): void {
    if (this.isOver) return;
    try {
      this.handler.onResponseData(this, data);
    } catch (error) {
      this.fail(asError(error));
    }
  }

  private finish(): void {
    if (this.isOver) return;
    if (this.broken) return this.fail(this.broken);
    this.isOver = true;
    try {
      this.handler.onResponseEnd();
    } catch (error) {
      this.handler.onResponseError(this, asError(error));
    }
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.decoder?.destroy();
    this.carrier.abort(error);
    this.handler.onResponseError(this, error);
  }

  onResponseEnd(): void {
    if (this.decoder) this.decoder.end();
    else this.handler.onResponseEnd();
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (!this.decoder) this.handler.onResponseError(this, error);
    else if (!this.isOver) {
      this.broken = error;
      this.decoder.end();
    }
  }

  pause(): void {
    this.isPaused = true;
    if (this.decoder) this.decoder.pause();
    else this.carrier.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.decoder?.resume();
    // Resumes after a pause for any reason; the next piece pauses again if the buffer is still full.
    this.carrier.resume();
  }

  abort(error: Error): void {
    if (this.decoder) this.fail(error);
    else this.carrier.abort(error);
  }
}

function createDecoder(coding: string): () => Transform {
  const open = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (!open) throw new Error(`the answer is encoded as ${coding}, which is not read here`);
  return open;
}
