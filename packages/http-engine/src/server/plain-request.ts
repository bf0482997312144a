import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainHead } from './plain-head.ts';

/** A plain request. Its body may arrive while it is handled. */
export class PlainRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** Bytes of the body that have not arrived. */
  private remaining: number;
  private pieces: Buffer[] = [];
  private waiting: { resolve(body: Buffer): void; reject(error: Error): void } | undefined;
  private fault: Error | undefined;
  private isDiscarded = false;

  constructor({ url, headers, length }: PlainHead, socket: Socket) {
    this.url = url;
    this.headers = headers;
    this.socket = socket;
    this.remaining = length;
  }

  /** True once the body has arrived. */
  get isComplete(): boolean {
    return this.remaining === 0;
  }

  /** The body; not a promise if all of it has arrived. Rejects when the caller breaks off. May be called once. */
  body(): Buffer | Promise<Buffer> {
    if (this.remaining === 0) return this.take();
    if (this.fault) return Promise.reject(this.fault);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  private take(): Buffer {
    const { pieces } = this;
    this.pieces = [];
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** Takes the bytes of the body and returns their number. Called by the connection only. */
  push(bytes: Buffer): number {
    const taken = Math.min(this.remaining, bytes.length);
    this.remaining -= taken;
    if (!this.isDiscarded && taken > 0) this.pieces.push(bytes.subarray(0, taken));
    if (this.remaining === 0) this.waiting?.resolve(this.take());
    return taken;
  }

  /** The request was answered: the rest of its body is discarded. */
  drop(): void {
    this.isDiscarded = true;
    this.pieces = [];
  }

  /** The connection broke. */
  fail(error: Error): void {
    if (this.remaining === 0) return;
    this.fault = error;
    this.waiting?.reject(error);
  }
}
