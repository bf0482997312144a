import type { AnswerHandler, Controller } from '../../lib/outbound/http.ts';
import type { FrameHandler, FrameSocket } from '../../lib/websocket/frame-socket.ts';
import { HandshakeRefused, openSocket } from '../../lib/websocket/websocket.ts';
import type { UpstreamCall } from '../../relay/types/index.ts';
import { hopHeader } from '../call/index.ts';

/** Answers come in messages of a few hundred bytes; larger ones than this are none. */
const maxPayloadBytes = 16 * 1024 * 1024;
const lineEnd = Buffer.from('\n');

/** Times in ms; 0 for ever. */
interface SocketTimes {
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
}

/**
 * A call that is one message over a websocket, told to its handler as an HTTP answer: each message that comes back is a
 * line of it. Opened through the same address check as every call that leaves the house.
 */
export class SocketCall implements Controller, FrameHandler {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  private readonly call: UpstreamCall;
  private readonly proxy: string;
  private readonly times: SocketTimes;
  private readonly handshake = new AbortController();
  private handler!: AnswerHandler;
  private socket: FrameSocket | undefined;
  private silence: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(call: UpstreamCall, proxy: string, times: SocketTimes) {
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
    this.handler.onResponseStart(this, 200, { 'content-type': 'application/x-ndjson' });
    socket.send({ data: this.call.body, isBinary: false });
    this.listen();
    socket.listen(this);
    if (this.paused) socket.pause();
  }

  /** A handshake that was answered otherwise is the vendor's refusal; a redirect is never followed. */
  private refused(error: unknown): void {
    if (this.isOver) return;
    if (!(error instanceof HandshakeRefused)) return this.fail(error as Error);
    this.isOver = true;
    const { status, contentType, body, retryAfter } = error;
    this.handler.onResponseStart(this, status < 300 ? 502 : status, {
      'content-type': contentType,
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    this.handler.onResponseData(this, body);
    this.handler.onResponseEnd();
  }

  onFrame({ data }: { data: Buffer }): void {
    if (this.isOver) return;
    this.listen();
    const isLast = this.call.overSocket?.isLast(data) ?? false;
    this.handler.onResponseData(this, Buffer.concat([data, lineEnd]));
    if (!isLast || this.isOver) return;
    this.close();
    this.handler.onResponseEnd();
  }

  onRoom(): void {
    // One message is sent, so nothing waits for room.
  }

  onClose(code: number): void {
    this.fail(new Error(`the socket was closed with ${code} before its answer was whole`));
  }

  /** Gives the vendor so long for its next message. */
  private listen(): void {
    clearTimeout(this.silence);
    const { bodyTimeoutMs } = this.times;
    if (bodyTimeoutMs <= 0 || this.paused) return;
    this.silence = setTimeout(() => this.abort(new Error('the socket fell silent')), bodyTimeoutMs);
  }

  pause(): void {
    this.paused = true;
    clearTimeout(this.silence);
    this.socket?.pause();
  }

  resume(): void {
    this.paused = false;
    if (this.isOver) return;
    if (this.socket) this.listen();
    this.socket?.resume();
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.fail(reason);
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.close();
    this.handler.onResponseError(this, error);
  }

  private close(): void {
    this.isOver = true;
    clearTimeout(this.silence);
    this.handshake.abort();
    void this.socket?.close(1000, '');
  }
}
