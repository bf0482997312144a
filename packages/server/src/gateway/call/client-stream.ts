import type { BoundAnswer } from '../../services/calls/metering/index.ts';
import type { AnswerBinding } from './answer-binding.ts';
import type { Controller } from '../../lib/outbound/http.ts';
import { timeoutAfterReads } from '../../lib/processes/timeout-after-reads.ts';
import { endsEvent } from '../../lib/sse/index.ts';

/** The parts of a running request that a stop of the process needs. */
export interface InFlight {
  /** True while it reads the upstream's answer to its end after its caller disconnected. */
  readonly isDraining: boolean;
  /** Its index in the list of running requests; −1 if it is not in it. Set by `Running` only. */
  index: number;
  /** Ends it: its caller gets an error, and its hold is settled. */
  end(reason: 'shutdown'): void;
}

/** Most calls that may read to the end after their caller disconnected: each keeps an upstream busy without a reader. */
const maxDrains = 100;

/**
 * The running requests of this process, which a stop waits for. An array in which the last entry replaces a removed one, and
 * not a Set: a Set with many additions and removals reallocates its tables again and again, and old tables, which the
 * garbage collector frees late, keep every request they ever contained.
 */
export class Running {
  private readonly requests: InFlight[] = [];
  private drains = 0;
  private isEnding = false;
  private onEmpty: (() => void) | undefined;

  get size(): number {
    return this.requests.length;
  }

  add(request: InFlight): void {
    request.index = this.requests.push(request) - 1;
    // It was admitted before the stop and got its hold after it.
    if (this.isEnding) request.end('shutdown');
  }

  delete(request: InFlight): void {
    const { index } = request;
    if (index < 0) return;
    request.index = -1;
    const last = this.requests.pop()!;
    if (last !== request) {
      this.requests[index] = last;
      last.index = index;
    }
    if (request.isDraining) this.drains -= 1;
    if (this.requests.length === 0) this.onEmpty?.();
  }

  /** True if one more call may read to the end without its caller; it then counts until it is over. */
  takeDrain(): boolean {
    if (this.drains >= maxDrains) return false;
    this.drains += 1;
    return true;
  }

  /** Resolves when no request is running, or after `ms`; true in the first case. */
  settled(ms: number): Promise<boolean> {
    if (this.requests.length === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.onEmpty = undefined;
        resolve(false);
      }, ms);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** Ends all running requests: each caller gets an error, and each hold is settled. */
  endAll(): void {
    this.isEnding = true;
    // From the end, because a removed entry is replaced by a later one, which has been ended already.
    for (let at = this.requests.length - 1; at >= 0; at -= 1) this.requests[at]?.end('shutdown');
  }
}

/**
 * Cancels the preparation of a request (fetching files, waiting for tasks) when its result is no longer needed: the caller
 * disconnected, the hold was refused, or the process stops.
 */
export class Cancellation {
  private controller: AbortController | undefined;
  private isCancelled = false;

  /** The controller is created on first use, because most calls need no preparation. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isCancelled) this.controller.abort(cancelled());
    return this.controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.controller?.abort(cancelled());
  }

  /** The result of the work; undefined if the request was cancelled before. */
  unlessCancelled<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const leave = (): void => resolve(undefined);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      void work.then(resolve, reject).then(() => signal.removeEventListener('abort', leave));
    });
  }
}

const cancelled = (): Error => new Error('nothing waits for this call any longer');

/** Methods of a response that the gateway uses. */
export interface AnswerSink {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Like `answerWhole`; absent if head and body are written separately. */
  answer?(
    status: number,
    headers: Record<string, string>,
    late: Record<string, string>,
    body: Buffer | undefined,
  ): unknown;
  /** False when the buffer is full; `drain` follows. */
  write(chunk: Buffer): boolean;
  addTrailers(trailers: Record<string, string>): void;
  end(chunk?: Buffer): unknown;
  destroy(): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
}

/**
 * Sends a whole answer in one piece, with its length. `late` are headers that became known later; their names differ from
 * those of the others, so that the two need not be merged.
 */
function answerWhole(
  sink: Pick<AnswerSink, 'answer' | 'writeHead' | 'end'>,
  status: number,
  headers: Record<string, string>,
  late: Record<string, string>,
  body: Buffer | undefined,
): void {
  if (sink.answer) {
    sink.answer(status, headers, late, body);
    return;
  }
  sink.writeHead(status, { ...headers, ...late, 'content-length': String(body?.length ?? 0) });
  sink.end(body);
}

/** A paused client that reads nothing for this long counts as disconnected. */
const maxStallMs = 120_000;
/** Bytes buffered before the gate opens; above this the upstream is paused. */
const gateBufferBytes = 1024 * 1024;

/**
 * The stream to the caller. Bytes are buffered until the gate opens (the hold is durable) and are sent at once from then
 * on. A caller who reads slowly pauses the upstream (backpressure).
 */
export class ClientStream {
  private readonly res: AnswerSink;
  private queue: Buffer[] = [];
  private queuedBytes = 0;
  private isOpen = false;
  /** Two reasons to pause the upstream: the caller's buffer is full; the hold does not cover what was sent. */
  private isFull = false;
  private isHeldBack = false;
  private cancelStall: (() => void) | undefined;
  private status = 200;
  private headers: Record<string, string> = {};
  private upstream: Controller | undefined;
  /** Bytes handed to the socket. */
  sentBytes = 0;
  /** True when the last byte taken ended an event: a stream may be cut or commented here. */
  endsAtBoundary = true;
  /** The last bytes taken. */
  last: Buffer | undefined;
  /** Present while the site signs receipts. */
  bound: AnswerBinding | undefined;

  constructor(res: AnswerSink) {
    this.res = res;
  }

  /** True once a part of an answer was sent to the caller: from then on no other channel may be tried. */
  get started(): boolean {
    return this.sentBytes > 0;
  }

  /** Bytes of the answer, sent or buffered. */
  get takenBytes(): number {
    return this.sentBytes + this.queuedBytes;
  }

  /** True once the status was sent (also by a keep-alive comment): errors must then be sent within the stream. */
  get headSent(): boolean {
    return this.res.headersSent;
  }

  /** Called when the connection closes, whether or not the answer was complete. */
  onClose(listener: () => void): void {
    this.res.once('close', listener);
  }

  get closed(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }

  /** The head of the answer, sent with its first bytes. */
  head(status: number, headers: Record<string, string>): void {
    this.status = status;
    this.headers = headers;
  }

  /** The upstream to pause while the caller is slow. */
  follow(upstream: Controller | undefined): void {
    this.upstream = upstream;
    if (this.isPaused) upstream?.pause();
  }

  private get isPaused(): boolean {
    return this.isFull || this.isHeldBack;
  }

  /** Pauses the upstream until `resumeFromHold`, however fast the caller reads. */
  pauseForHold(): void {
    if (!this.isPaused) this.upstream?.pause();
    this.isHeldBack = true;
  }

  resumeFromHold(): void {
    if (!this.isHeldBack) return;
    this.isHeldBack = false;
    if (!this.isFull) this.upstream?.resume();
  }

  /** The hold is durable: bytes may be sent. */
  open(): void {
    this.isOpen = true;
    const hasWaited = this.isFull;
    this.isFull = false;
    if (this.queuedBytes > 0) this.send(this.takeQueue());
    if (hasWaited && !this.isPaused) this.upstream?.resume();
  }

  /** Drops buffered bytes, so that another channel can start again. */
  reset(): void {
    this.queue = [];
    this.queuedBytes = 0;
    this.last = undefined;
    this.endsAtBoundary = true;
    this.resumeFromHold();
  }

  /** Drops buffered bytes; those that follow wait for `open` again. */
  shut(): void {
    this.isOpen = false;
    this.reset();
  }

  /**
   * Sends a keep-alive comment between events, with the head if that was not sent yet
   * (docs/compatibility.md#steps-of-a-chat-call).
   */
  ping(comment: Buffer): void {
    if (!this.isOpen || this.closed || this.isFull || this.queue.length > 0 || !this.endsAtBoundary) return;
    if (this.bound?.isClosed) return;
    if (!this.res.headersSent) this.res.writeHead(this.status, this.headers);
    this.bound?.sent(comment);
    this.res.write(comment);
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.endsAtBoundary = endsEvent(chunk);
    this.last = chunk;
    if (this.isOpen) return this.send(chunk);
    this.queue.push(chunk);
    this.queuedBytes += chunk.length;
    if (this.queuedBytes > gateBufferBytes) this.pause();
  }

  private send(chunk: Buffer): void {
    if (this.closed) return;
    if (!this.res.headersSent) this.res.writeHead(this.status, this.headers);
    this.sentBytes += chunk.length;
    this.bound?.sent(chunk);
    if (!this.res.write(chunk)) this.pause();
    else if (this.isFull) this.resume();
  }

  private takeQueue(): Buffer {
    const chunk = this.queue.length === 1 ? this.queue[0]! : Buffer.concat(this.queue, this.queuedBytes);
    this.queue = [];
    this.queuedBytes = 0;
    return chunk;
  }

  private pause(): void {
    if (!this.isPaused) this.upstream?.pause();
    this.isFull = true;
    // Before the gate opens nothing is sent; when it opens, the caller may turn out to be slow.
    if (!this.isOpen || this.cancelStall) return;
    this.cancelStall = timeoutAfterReads(maxStallMs, () => this.res.destroy());
    this.res.once('drain', () => this.resume());
  }

  private resume(): void {
    this.cancelStall?.();
    this.cancelStall = undefined;
    if (!this.isFull) return;
    this.isFull = false;
    if (!this.isHeldBack) this.upstream?.resume();
  }

  /** What a receipt says about the answer; `tail` as for `finish`. Undefined while the site signs none. */
  bindAnswer(tail: Buffer | undefined): BoundAnswer | undefined {
    if (this.closed) return this.bound?.close([]);
    return this.bound?.close(tail ? [...this.queue, tail] : this.queue);
  }

  /**
   * Sends the last bytes and ends the answer. An answer of which nothing was sent yet is sent in one piece with its
   * length. `late` are fields that are known only now (the cost): headers of such an answer, trailers of a stream. A stream that
   * ended before its hold was durable is still sent as a stream.
   */
  finish(tail: Buffer | undefined, late: Record<string, string>): void {
    this.cancelStall?.();
    if (this.closed) return;
    const isStream = this.headers['trailer'] !== undefined;
    if (isStream && this.queuedBytes > 0 && !this.res.headersSent)
      this.res.writeHead(this.status, this.headers);
    if (tail) {
      this.queue.push(tail);
      this.queuedBytes += tail.length;
    }
    const rest = this.queuedBytes > 0 ? this.takeQueue() : undefined;
    if (!this.res.headersSent) {
      const headers = isStream ? withoutTrailer(this.headers) : this.headers;
      answerWhole(this.res, this.status, headers, late, rest);
    } else {
      if (isStream) this.res.addTrailers(late);
      this.res.end(rest);
    }
    this.sentBytes += rest?.length ?? 0;
  }

  /** Breaks the connection, so that the caller sees that the answer is incomplete. */
  destroy(): void {
    this.cancelStall?.();
    this.res.destroy();
  }
}

function withoutTrailer(headers: Record<string, string>): Record<string, string> {
  const { trailer: _, ...others } = headers;
  return others;
}
