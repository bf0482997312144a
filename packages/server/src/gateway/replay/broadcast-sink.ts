import { EventEmitter } from 'node:events';
import type { AnswerSink } from '../call/index.ts';

/** The response of one caller: Node's own, or one that writes the answer in another format. */
export interface ClientSink extends AnswerSink {
  /** Bytes that the caller has not read yet. */
  readonly writableLength: number;
}

/** Several responses as one, for a short answer to all of them; slow ones are not waited for. */
export class BroadcastSink extends EventEmitter implements AnswerSink {
  readonly destroyed = false;
  headersSent: boolean;
  writableEnded = false;
  private readonly all: readonly ClientSink[];

  constructor(all: readonly ClientSink[], headersSent: boolean) {
    super();
    this.all = all;
    this.headersSent = headersSent;
  }

  get writableFinished(): boolean {
    return this.writableEnded;
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true;
    for (const res of this.all) res.writeHead(status, headers);
  }

  write(chunk: Buffer): boolean {
    for (const res of this.all) res.write(chunk);
    return true;
  }

  addTrailers(trailers: Record<string, string>): void {
    for (const res of this.all) res.addTrailers(trailers);
  }

  end(chunk?: Buffer): void {
    this.writableEnded = true;
    for (const res of this.all) res.end(chunk);
  }

  destroy(): void {
    for (const res of this.all) res.destroy();
  }
}
