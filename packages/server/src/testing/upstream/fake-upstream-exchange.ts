import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request received by the fake upstream, and the state of its answer. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly path: string;
  /** Lower-case names; repeated headers are joined as by node:http. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, unchanged from the wire. */
  readonly rawHeaders: readonly string[];
  /** The body's bytes as received. */
  readonly body: Buffer;
  /** The body parsed as JSON. Throws SyntaxError when it is not JSON. */
  json(): Record<string, unknown>;
  /** Bytes of the answer's body (raw answers: all bytes) written to the socket so far. */
  readonly bytesWritten: number;
  /** Of those, bytes written after the peer had closed: a real vendor would still charge for them. */
  readonly bytesAfterClose: number;
  /** True once the peer closed before the end of the script. */
  readonly cutByPeer: boolean;
  /** Resolves when the answer's socket is closed, by either side. */
  readonly closed: Promise<void>;
  /** Resolves when the script of the answer has ended. */
  readonly finished: Promise<void>;
}

/**
 * The upstream's side of one request: the methods that a script uses to answer, correctly or not. Regular calls
 * (`head`, `write`, `end`) go through node:http; `raw`, `cut` and `fin` bypass it and use the socket, because node:http
 * refuses to write most output of a broken upstream.
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
    // Every request on a kept-alive connection listens for its end. Their number depends on the test and is not a leak.
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
      // 'end' is the peer's FIN, 'close' its reset. node:http keeps the socket half-open after a FIN.
      this.socket.once('end', gone);
      this.socket.once('close', gone);
    });
  }

  json(): Record<string, unknown> {
    const parsed: unknown = JSON.parse(this.body.toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null) throw new SyntaxError('the body is not a JSON object');
    return parsed as Record<string, unknown>;
  }

  /** True when the peer has closed; scripts with loops check it. */
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

  /** Ends the answer according to HTTP and waits until the system has the bytes. */
  async end(bytes: string | Buffer = ''): Promise<void> {
    this.count(bytes);
    if (this.peerGone) return;
    await Promise.race([new Promise<void>((resolve) => this.res.end(bytes, () => resolve())), this.closed]);
  }

  /** Writes bytes straight to the socket, including status line and headers, without node:http. */
  async raw(bytes: string | Buffer): Promise<void> {
    this.count(bytes);
    if (this.peerGone) return;
    if (!this.socket.write(bytes)) await this.drained(this.socket);
  }

  /** Closes the sending side with a FIN after the written bytes, regardless of HTTP. */
  async fin(): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => this.socket.end(() => resolve())), this.closed]);
  }

  /** Resets the connection: unsent bytes of the system are lost. */
  cut(): void {
    this.hasFinished = true;
    this.socket.resetAndDestroy();
  }

  /** Waits, but not longer than the peer stays connected. */
  async pause(ms: number): Promise<void> {
    if (this.peerGone || ms <= 0) return;
    const timer = new AbortController();
    await Promise.race([sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined), this.closed]);
    timer.abort();
  }

  /** Yields to the event loop, so that the next write arrives as a separate read. */
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

/** The parts of a request that a model needs to answer it, over HTTP or over its own socket. */
export type ModelExchange = Pick<
  FakeExchange,
  'path' | 'body' | 'json' | 'head' | 'write' | 'end' | 'cut' | 'turn' | 'closed'
>;
