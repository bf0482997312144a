import type { RawData, WebSocket } from 'ws';

/** Bounds of one socket. Times are in milliseconds. */
export interface SocketLimits {
  /** A larger frame, or one in more pieces than that, closes the socket with 1009. */
  maxPayloadBytes: number;
  /** Waiting bytes above which the writer should pause. */
  fullBytes: number;
  /** A side that takes nothing for so long while it is full is gone without saying so. */
  stuckAfterMs: number;
  /** Pings that prove a silent side to be there. */
  pingEveryMs: number;
  /** How long the other side may take to answer a close. */
  closeGraceMs: number;
}

/** One message, whole, as it came. */
export interface Frame {
  data: Buffer;
  isBinary: boolean;
}

/** Who is told what comes of a socket. */
export interface FrameHandler {
  onFrame(frame: Frame): void;
  /** There is room again after `isFull` was true. */
  onRoom(): void;
  /** It is over, no matter who ended it; told once, after the last frame. 1006: without a word. */
  onClose(code: number, reason: string): void;
}

/** A stream of frames both ways, no matter who is at its other end. */
export interface FrameLink {
  /** True while more waits to be written than should. */
  readonly isFull: boolean;
  /** Starts the flow. */
  listen(handler: FrameHandler): void;
  send(frame: Frame): void;
  pause(): void;
  resume(): void;
  /** Ends it; resolves when it is gone. The handler hears no more. */
  close(code: number, reason: string): Promise<void>;
}

/** Reasons are at most 123 bytes long (RFC 6455, 5.5). */
const maxReasonBytes = 123;

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};

/** True for codes that may stand in a close frame. */
export const isSendable = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);

/**
 * A socket as a stream of frames with back-pressure. It begins paused: nothing is lost between its opening and the
 * moment when somebody listens. What had been read before a pause waits here; that is never more than one read of the
 * network and one frame.
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
  private stuckTimer: NodeJS.Timeout | undefined;
  private graceTimer: NodeJS.Timeout | undefined;
  private readonly pinging: NodeJS.Timeout;

  constructor(ws: WebSocket, limits: SocketLimits) {
    this.ws = ws;
    this.limits = limits;
    ws.pause();
    ws.on('message', (data, isBinary) => this.take({ data: bytesOf(data), isBinary }));
    // A side that asks without end and reads no answers would have them pile up here.
    ws.on('ping', (data) => {
      if (this.isOpen && ws.bufferedAmount <= limits.fullBytes) ws.pong(data);
    });
    ws.on('pong', () => {
      this.heard = true;
    });
    // What went wrong is told by the close that follows: 1009 for a frame that was too large, 1006 for a cut.
    ws.on('error', () => undefined);
    ws.on('close', (code, reason) => this.ended(code, reason.toString()));
    this.pinging = setInterval(() => this.ping(), limits.pingEveryMs);
  }

  /** Starts the flow. */
  listen(handler: FrameHandler): void {
    this.handler = handler;
    this.resume();
  }

  /** True while more waits to be written than should. */
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
    this.stuckTimer = setTimeout(() => {
      if (this.ws.bufferedAmount >= before) this.ws.terminate();
      else this.watchStuck();
    }, this.limits.stuckAfterMs);
  }

  private written(): void {
    if (!this.full || this.ws.bufferedAmount > this.limits.fullBytes / 2) return;
    this.full = false;
    clearTimeout(this.stuckTimer);
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
    clearTimeout(this.stuckTimer);
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
    // A side that we do not read cannot prove that it is there.
    if (!this.isOpen || this.isPaused) return;
    if (!this.heard) return this.ws.terminate();
    this.heard = false;
    this.ws.ping();
  }

  /** Says goodbye; a side that does not answer is cut off. Resolves when the connection is gone. */
  close(code: number, reason: string): Promise<void> {
    if (this.ws.readyState === this.ws.CLOSED) return Promise.resolve();
    const gone = new Promise<void>((resolve) => {
      this.ws.once('close', () => resolve());
    });
    // The answer to a close comes behind whatever was not read yet; nobody wants that any more.
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
