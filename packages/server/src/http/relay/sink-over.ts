import type { Listener } from '../../gateway/index.ts';

/** A way to the caller that lies over another one: what it does not change is the other's. */
export class SinkOver<Lower extends Listener> {
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
