import { EventEmitter } from 'node:events';
import { type AnswerSink, answerWithHead } from '../call/index.ts';

/** A response that hears an answer: node's own, or one that writes it in another form. */
export interface Listener extends AnswerSink {
  /** Bytes that wait for their reader. */
  readonly writableLength: number;
}

/** Several responses as one, for a few words that all of them hear and nobody keeps. */
export class Listeners extends EventEmitter implements AnswerSink {
  readonly destroyed = false;
  headersSent: boolean;
  writableEnded = false;
  private readonly all: readonly Listener[];

  constructor(all: readonly Listener[], headersSent: boolean) {
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

  answer(
    status: number,
    headers: Record<string, string>,
    late: Record<string, string>,
    body: Buffer | undefined,
  ): void {
    answerWithHead(this, status, { ...headers, ...late }, body);
  }

  /** Nobody is waited for: what is said here is short. */
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
