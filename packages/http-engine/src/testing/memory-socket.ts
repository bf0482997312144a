import { Duplex } from 'node:stream';

/** A connection without a network: a test pushes received bytes and reads written ones. Replaces a Socket. */
export class MemorySocket extends Duplex {
  written = '';

  constructor() {
    super({ allowHalfOpen: true });
    this.on('error', () => undefined);
  }

  override _read(): void {
    // Received bytes are pushed.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written += chunk.toString('latin1');
    done();
  }

  /** Receives bytes, unless the connection is closed. */
  feed(text: string): void {
    if (!this.destroyed && !this.readableEnded) this.push(Buffer.from(text, 'latin1'));
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }

  // Members of a Socket without effect here.
  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  setTimeout = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
}

/** Waits for `count` turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
