import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainHead } from './plain-head.ts';

/** A plain request. Its body comes while it is looked at. */
export class PlainRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** Bytes of the body that have not come. */
  private missing: number;
  private pieces: Buffer[] = [];
  private waiting: { resolve(body: Buffer): void; reject(error: Error): void } | undefined;
  private fault: Error | undefined;
  private isUnwanted = false;

  constructor({ url, headers, length }: PlainHead, socket: Socket) {
    this.url = url;
    this.headers = headers;
    this.socket = socket;
    this.missing = length;
  }

  /** True once the body is here. */
  get isComplete(): boolean {
    return this.missing === 0;
  }

  /** The body, at once where all of it is here. Rejects when the caller breaks off. To be asked for once. */
  body(): Buffer | Promise<Buffer> {
    if (this.missing === 0) return this.take();
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

  /** Takes what belongs to the body and answers how much of `bytes` that is. For the connection alone. */
  push(bytes: Buffer): number {
    const taken = Math.min(this.missing, bytes.length);
    this.missing -= taken;
    if (!this.isUnwanted && taken > 0) this.pieces.push(bytes.subarray(0, taken));
    if (this.missing === 0) this.waiting?.resolve(this.take());
    return taken;
  }

  /** It was answered: what still comes is read over. */
  drop(): void {
    this.isUnwanted = true;
    this.pieces = [];
  }

  /** The connection broke. */
  fail(error: Error): void {
    if (this.missing === 0) return;
    this.fault = error;
    this.waiting?.reject(error);
  }
}
