import { asError } from '../../lib/outbound/as-error.ts';
import type { AnswerHandler, Controller } from '../../lib/outbound/http.ts';
import { timeoutAfterReads } from '../../lib/processes/timeout-after-reads.ts';
import type { FrameHandler, FrameSocket } from '../../lib/websocket/frame-socket.ts';
import { HandshakeRefused, openSocket } from '../../lib/websocket/websocket.ts';
import type { UpstreamCall } from '../../relay/types/index.ts';
import { hopHeader } from '../call/index.ts';

/** Answers consist of messages of a few hundred bytes; larger messages are refused. */
const maxPayloadBytes = 16 * 1024 * 1024;
const lineEnd = Buffer.from('\n');

/** The message to send, and how its last answer is recognised. */
type SocketMessage = Pick<UpstreamCall, 'url' | 'headers' | 'body' | 'overSocket'>;

/** Times in ms; 0 for ever. */
interface SocketTimes {
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
}

/**
 * A call that is one message over a WebSocket, presented to its handler as an HTTP answer: each message that comes
 * back is a line of it. Opened through the same address check as all outgoing calls.
 */
export class SocketCall implements Controller, FrameHandler {
  private readonly call: SocketMessage;
  private readonly proxy: string;
  private readonly times: SocketTimes;
  private readonly handshake = new AbortController();
  private handler!: AnswerHandler;
  private socket: FrameSocket | undefined;
  private cancelSilence: (() => void) | undefined;
  private isPaused = false;
  private isOver = false;

  constructor(call: SocketMessage, proxy: string, times: SocketTimes) {
    this.call = call;
    this.proxy = proxy;
    this.times = times;
  }

  run(handler: AnswerHandler): void {
    this.handler = handler;
    handler.onRequestStart(this);
    this.open().then(
      (socket) => this.begin(socket),
      (error: unknown) => this.refused(error),
    );
  }

  private open(): Promise<FrameSocket> {
    const { url, headers } = this.call;
    return openSocket({
      url,
      headers: { ...headers, [hopHeader]: '1' },
      protocols: [],
      scope: 'operator',
      proxy: this.proxy,
      handshakeTimeoutMs: this.times.headersTimeoutMs,
      limits: {
        maxPayloadBytes,
        fullBytes: 1024 * 1024,
        stuckAfterMs: 60_000,
        pingEveryMs: 30_000,
        closeGraceMs: 1_000,
      },
      signal: this.handshake.signal,
    });
  }

  private begin(socket: FrameSocket): void {
    this.socket = socket;
    if (this.isOver) return void socket.close(1000, '');
    const headers = { 'content-type': 'application/x-ndjson' };
    this.guard(() => this.handler.onResponseStart(this, 200, headers));
    if (this.isOver) return;
    socket.send({ data: this.call.body, isBinary: false });
    this.listen();
    socket.listen(this);
    if (this.isPaused) socket.pause();
  }

  /** A handshake with another answer is the vendor's error; redirects are never followed. */
  private refused(error: unknown): void {
    if (this.isOver) return;
    if (!(error instanceof HandshakeRefused)) return this.abort(asError(error));
    const { status, contentType, body, retryAfter } = error;
    this.guard(() => {
      this.handler.onResponseStart(this, status < 300 ? 502 : status, {
        'content-type': contentType,
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      });
      this.handler.onResponseData(this, body);
    });
    if (!this.isOver) this.finish();
  }

  onFrame({ data }: { data: Buffer }): void {
    if (this.isOver) return;
    this.listen();
    const isLast = this.call.overSocket?.isLast(data) ?? false;
    this.guard(() => this.handler.onResponseData(this, Buffer.concat([data, lineEnd])));
    if (isLast && !this.isOver) this.finish();
  }

  /**
   * An exception of the handler ends this call, as on HTTP; thrown from a socket's event it would end the process.
   */
  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.abort(asError(error));
    }
  }

  private finish(): void {
    this.close();
    try {
      this.handler.onResponseEnd();
    } catch (error) {
      this.handler.onResponseError(this, asError(error));
    }
  }

  onRoom(): void {
    // Only one message is sent, so backpressure does not matter.
  }

  onClose(code: number): void {
    this.abort(new Error(`the socket was closed with ${code} before its answer was whole`));
  }

  /** Starts the timeout for the vendor's next message. */
  private listen(): void {
    this.cancelSilence?.();
    const { bodyTimeoutMs } = this.times;
    if (bodyTimeoutMs <= 0 || this.isPaused) return;
    this.cancelSilence = timeoutAfterReads(bodyTimeoutMs, () =>
      this.abort(new Error('the socket fell silent')),
    );
  }

  pause(): void {
    this.isPaused = true;
    this.cancelSilence?.();
    this.socket?.pause();
  }

  resume(): void {
    this.isPaused = false;
    if (this.isOver) return;
    if (this.socket) this.listen();
    this.socket?.resume();
  }

  abort(reason: Error): void {
    if (this.isOver) return;
    this.close();
    this.handler.onResponseError(this, reason);
  }

  private close(): void {
    this.isOver = true;
    this.cancelSilence?.();
    this.handshake.abort();
    void this.socket?.close(1000, '');
  }
}
