import type { ClientSink } from '../../gateway/index.ts';

/** What is asked of the lower one. */
type Written = Omit<ClientSink, 'answer'>;

/** A sink on top of another one, with the behaviour of the lower one unless overridden. */
export abstract class SinkOver<Lower extends Written> {
  protected readonly res: Lower;

  constructor(res: Lower) {
    this.res = res;
  }

  get headersSent(): boolean {
    return this.res.headersSent;
  }

  get writableEnded(): boolean {
    return this.res.writableEnded;
  }

  get writableFinished(): boolean {
    return this.res.writableFinished;
  }

  get writableLength(): number {
    return this.res.writableLength;
  }

  get destroyed(): boolean {
    return this.res.destroyed;
  }

  abstract writeHead(status: number, headers: Record<string, string>): void;

  abstract end(chunk?: Buffer): void;

  addTrailers(trailers: Record<string, string>): void {
    this.res.addTrailers(trailers);
  }

  destroy(): void {
    this.res.destroy();
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    this.res.once(event, listener);
  }
}
