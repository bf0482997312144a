import type { RawData, WebSocket } from 'ws';
import { afterReads, timeoutAfterReads } from '../processes/timeout-after-reads.ts';

/** Limits of one socket. Times are in milliseconds. */
export interface SocketLimits {
  /** A larger frame, or one in more fragments than this, closes the socket with 1009. */
  maxPayloadBytes: number;
  /** Buffered bytes above which the writer should pause. */
  fullBytes: number;
  /** A side that reads nothing for this long while its buffer is full counts as disconnected. */
  stuckAfterMs: number;
  /** Interval of pings, which check that a side without traffic is still connected. */
  pingEveryMs: number;
  /** Timeout for the other side to answer a close. */
  closeGraceMs: number;
}

/** One complete message. */
export interface Frame {
  data: Buffer;
  isBinary: boolean;
}

/** The handler of a socket's events. */
export interface FrameHandler {
  onFrame(frame: Frame): void;
  /** The buffer has drained after `isFull` was true. */
  onRoom(): void;
  /** The socket is closed, by either side; called once, after the last frame. 1006: without a close frame. */
  onClose(code: number, reason: string): void;
}

/** A stream of frames in both directions. */
export interface FrameLink {
  /** True while the write buffer is above its limit. */
  readonly isFull: boolean;
  /** Starts reading. */
  listen(handler: FrameHandler): void;
  send(frame: Frame): void;
  pause(): void;
  resume(): void;
  /** Closes it; resolves when the connection is closed. The handler is no longer called. */
  close(code: number, reason: string): Promise<void>;
}

/** Reasons are at most 123 bytes long (RFC 6455, 5.5). */
const maxReasonBytes = 123;

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};

/** True for codes that are allowed in a close frame. */
export const isSendable = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);

/**
 * A socket as a stream of frames with back-pressure. It starts paused, so that nothing is lost before there is a
 * listener. Data read before a pause are buffered here; that is never more than one read of the network and one
 * frame.
 */
export class FrameSocket implements FrameLink {
  private readonly ws: WebSocket;
  private readonly limits: SocketLimits;
  private handler: FrameHandler | undefined;
  private backlog: Frame[] = [];
  private closed: { code: number; reason: string } | undefined;
  private isPaused = true;
  private isCloseReported = false;
  private full = false;
  private heard = true;
  private cancelStuck: (() => void) | undefined;
  private graceTimer: NodeJS.Timeout | undefined;
  private readonly pinging: NodeJS.Timeout;

  constructor(ws: WebSocket, limits: SocketLimits) {
    this.ws = ws;
    this.limits = limits;
    ws.pause();
    ws.on('message', (data, isBinary) => this.take({ data: bytesOf(data), isBinary }));
    // If a side sends requests endlessly and reads no answers, they would accumulate here.
    ws.on('ping', (data) => {
      if (this.isOpen && ws.bufferedAmount <= limits.fullBytes) ws.pong(data);
    });
    ws.on('pong', () => {
      this.heard = true;
    });
    // The close event that follows has the reason: 1009 for a frame that was too large, 1006 for a broken connection.
    ws.on('error', () => undefined);
    ws.on('close', (code, reason) => this.ended(code, reason.toString()));
    this.pinging = setInterval(() => afterReads(() => this.ping()), limits.pingEveryMs);
  }

  /** Starts reading. */
  listen(handler: FrameHandler): void {
    this.handler = handler;
    this.resume();
  }

  /** True while the write buffer is above its limit. */
  get isFull(): boolean {
    return this.full;
  }

  get isOpen(): boolean {
    return this.ws.readyState === this.ws.OPEN;
  }

  send({ data, isBinary }: Frame): void {
    if (!this.isOpen) return;
    this.ws.send(data, { binary: isBinary }, () => this.written());
    if (this.full || this.ws.bufferedAmount <= this.limits.fullBytes) return;
    this.full = true;
    this.watchStuck();
  }

  private watchStuck(): void {
    const before = this.ws.bufferedAmount;
    this.cancelStuck = timeoutAfterReads(this.limits.stuckAfterMs, () => {
      if (this.ws.bufferedAmount >= before) this.ws.terminate();
      else this.watchStuck();
    });
  }

  private written(): void {
    if (!this.full || this.ws.bufferedAmount > this.limits.fullBytes / 2) return;
    this.full = false;
    this.cancelStuck?.();
    this.handler?.onRoom();
  }

  pause(): void {
    this.isPaused = true;
    this.ws.pause();
  }

  resume(): void {
    this.isPaused = false;
    while (this.backlog.length > 0 && !this.isPaused) this.handler?.onFrame(this.backlog.shift()!);
    if (this.isPaused) return;
    if (this.closed) this.reportClose(this.closed);
    else this.ws.resume();
  }

  private take(frame: Frame): void {
    this.heard = true;
    if (this.isPaused) this.backlog.push(frame);
    else this.handler?.onFrame(frame);
  }

  private ended(code: number, reason: string): void {
    clearInterval(this.pinging);
    this.cancelStuck?.();
    clearTimeout(this.graceTimer);
    this.closed = { code, reason };
    if (!this.isPaused) this.reportClose(this.closed);
  }

  private reportClose({ code, reason }: { code: number; reason: string }): void {
    if (this.isCloseReported || !this.handler) return;
    this.isCloseReported = true;
    this.handler.onClose(code, reason);
  }

  private ping(): void {
    // A side cannot prove that it is connected while its data is not read.
    if (!this.isOpen || this.isPaused) return;
    if (!this.heard) return this.ws.terminate();
    this.heard = false;
    this.ws.ping();
  }

  /** Sends a close frame; a side that does not answer is disconnected. Resolves when the connection is closed. */
  close(code: number, reason: string): Promise<void> {
    if (this.ws.readyState === this.ws.CLOSED) return Promise.resolve();
    const gone = new Promise<void>((resolve) => {
      this.ws.once('close', () => resolve());
    });
    // The answer to a close arrives after all unread data, which are no longer needed.
    this.backlog = [];
    this.isPaused = false;
    this.isCloseReported = true;
    this.ws.resume();
    if (this.isOpen) this.ws.close(code, cutReason(reason));
    this.graceTimer ??= setTimeout(() => this.ws.terminate(), this.limits.closeGraceMs);
    return gone;
  }
}

function cutReason(reason: string): string {
  let text = reason.slice(0, maxReasonBytes);
  while (Buffer.byteLength(text) > maxReasonBytes) text = text.slice(0, -1);
  return text;
}
