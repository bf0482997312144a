import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request as it reached the fake upstream, and what became of its answer. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly path: string;
  /** Lower-case names; of repeated headers node:http's joined form. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they stood on the wire. */
  readonly rawHeaders: readonly string[];
  /** The body's bytes as received. */
  readonly body: Buffer;
  /** The body parsed as JSON. Throws SyntaxError when it is not JSON. */
  json(): Record<string, unknown>;
  /** Bytes of the answer's body (raw answers: all bytes) handed to the socket so far. */
  readonly bytesWritten: number;
  /** Of those, bytes handed over after the peer had closed: what a real vendor would still have charged for. */
  readonly bytesAfterClose: number;
  /** True once the peer closed before the script had ended. */
  readonly cutByPeer: boolean;
  /** Resolves when the answer's socket is closed, by either side. */
  readonly closed: Promise<void>;
  /** Resolves when the script that answers has run to its end. */
  readonly finished: Promise<void>;
}

/**
 * The upstream's side of one request: what a script uses to answer, well or badly.
 * Polite calls (`head`, `write`, `end`) go through node:http; `raw`, `cut` and `fin` go past it to the socket,
 * because node:http refuses to write most of what a broken upstream writes.
 */
export class FakeExchange implements RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly closed: Promise<void>;
  readonly finished: Promise<void>;
  bytesWritten = 0;
  bytesAfterClose = 0;
  cutByPeer = false;
  private readonly res: ServerResponse;
  private readonly socket: Socket;
  private peerGone = false;
  private hasFinished = false;
  private resolveFinished!: () => void;

  constructor(req: IncomingMessage, res: ServerResponse, body: Buffer) {
    this.method = req.method ?? '';
    this.path = req.url ?? '';
    this.headers = req.headers;
    this.rawHeaders = req.rawHeaders;
    this.body = body;
    this.res = res;
    this.socket = req.socket;
    this.socket.setNoDelay(true);
    // Every request on a kept-alive connection listens for its end; their number is the test's, not a leak.
    this.socket.setMaxListeners(0);
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
    this.closed = new Promise((resolve) => {
      const gone = () => {
        this.peerGone = true;
        if (!this.hasFinished) this.cutByPeer = true;
        resolve();
      };
      if (this.socket.destroyed) return gone();
      // 'end' is the peer's FIN, 'close' its reset; node:http keeps the socket half-open after a FIN.
      this.socket.once('end', gone);
      this.socket.once('close', gone);
    });
  }

  json(): Record<string, unknown> {
    const parsed: unknown = JSON.parse(this.body.toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null) throw new SyntaxError('the body is not a JSON object');
    return parsed as Record<string, unknown>;
  }

  /** True when the peer has closed; scripts that loop look here. */
  get isGone(): boolean {
    return this.peerGone;
  }

  /** Sends the status line and headers at once, before any body. */
  head(status: number, headers: Record<string, string | number | string[]> = {}): void {
    if (this.peerGone) return;
    this.res.writeHead(status, headers);
    this.res.flushHeaders();
  }

  /** Writes a piece of the body and waits until the peer has room for more or is gone. */
  async write(bytes: string | Buffer): Promise<void> {
    this.count(bytes);
    if (this.peerGone) return;
    if (!this.res.write(bytes)) await this.drained(this.res);
  }

  /** Ends the answer as HTTP wants it and waits until the bytes are with the system. */
  async end(bytes: string | Buffer = ''): Promise<void> {
    this.count(bytes);
    if (this.peerGone) return;
    await Promise.race([new Promise<void>((resolve) => this.res.end(bytes, () => resolve())), this.closed]);
  }

  /** Writes bytes straight to the socket, status line and headers included, past node:http. */
  async raw(bytes: string | Buffer): Promise<void> {
    this.count(bytes);
    if (this.peerGone) return;
    if (!this.socket.write(bytes)) await this.drained(this.socket);
  }

  /** Closes the sending side with a FIN after what was written, whatever HTTP says about it. */
  async fin(): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => this.socket.end(() => resolve())), this.closed]);
  }

  /** Resets the connection: what the system had not yet sent is lost. */
  cut(): void {
    this.hasFinished = true;
    this.socket.resetAndDestroy();
  }

  /** Waits, but not longer than the peer stays. */
  async pause(ms: number): Promise<void> {
    if (this.peerGone || ms <= 0) return;
    const timer = new AbortController();
    await Promise.race([sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined), this.closed]);
    timer.abort();
  }

  /** Lets the loop turn, so that the next write arrives as a read of its own. */
  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Called by the server when the script has ended. */
  markFinished(): void {
    this.hasFinished = true;
    this.resolveFinished();
  }

  private count(bytes: string | Buffer): void {
    const size = Buffer.byteLength(bytes);
    this.bytesWritten += size;
    if (this.peerGone) this.bytesAfterClose += size;
  }

  private async drained(stream: ServerResponse | Socket): Promise<void> {
    let onDrain = () => {};
    const drain = new Promise<void>((resolve) => {
      onDrain = resolve;
      stream.once('drain', onDrain);
    });
    await Promise.race([drain, this.closed]);
    stream.off('drain', onDrain);
  }
}

/** What a model needs of a request to answer it, over HTTP or over a socket of its own. */
export type ModelExchange = Pick<
  FakeExchange,
  'path' | 'body' | 'json' | 'head' | 'write' | 'end' | 'cut' | 'turn' | 'closed'
>;
