import { EventEmitter } from 'node:events';
import type { AnswerSink } from '../call/index.ts';

/** The response of one caller: Node's own, or one that writes the answer in another format. */
export interface ClientSink extends AnswerSink {
  /** Bytes that the caller has not read yet. */
  readonly writableLength: number;
}

/** Header for callers that get the answer of another caller's call. */
const replayedHeader = { 'idempotent-replayed': 'true' };
/** A caller with this many unread bytes is disconnected, so that the others need not wait. */
const maxUnreadBytes = 8 * 1024 * 1024;

/** Total bytes of the recordings of all shared answers. */
export class ByteBudget {
  private left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.left += bytes;
  }
}

/** Dependencies of an answer with several callers. */
export interface SharedAnswerOptions {
  budget: ByteBudget;
  /** Most recorded bytes of one answer. */
  maxBytes: number;
  /** Called when the last caller has disconnected: true if the call may continue without one. */
  mayContinue(): boolean;
  /**
   * Called when the answer is complete but its end has not been sent: a caller that sees the end can rely on the
   * effect of this call.
   */
  beforeEnd(): Promise<void>;
}

/**
 * One answer for several callers: it takes the bytes like a response, records them, and writes them to every caller
 * that has joined. If the last one disconnects it continues, so that a caller that comes back finds the answer.
 */
export class SharedAnswer extends EventEmitter implements ClientSink {
  /** Callers that read too slowly are disconnected, so that nothing waits for them. */
  readonly writableLength = 0;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  status = 0;
  headers: Record<string, string> = {};
  trailers: Record<string, string> = {};
  private readonly options: SharedAnswerOptions;
  private readonly callers = new Map<ClientSink, 'first' | 'joined'>();
  private readonly blocked = new Set<ClientSink>();
  private recorded: Buffer[] | undefined = [];
  private recordedBytes = 0;
  private isRefused = false;
  /** The last bytes, which wait for `beforeEnd`. */
  private tail: Buffer | undefined;
  private readonly over = Promise.withResolvers<void>();

  constructor(options: SharedAnswerOptions) {
    super();
    this.options = options;
  }

  /** The whole answer so far; undefined if it grew too large to be stored. */
  get body(): Buffer | undefined {
    return this.recorded && Buffer.concat(this.tail ? [...this.recorded, this.tail] : this.recorded);
  }

  /** True if another caller may still join: everything from the start is recorded. */
  get isJoinable(): boolean {
    return this.recorded !== undefined && !this.destroyed;
  }

  /** Resolves when every caller has got the end, or the answer has broken off. */
  get done(): Promise<void> {
    return this.over.promise;
  }

  /** The answer was produced earlier: its headers contain that for every caller. */
  markReplayed(): void {
    for (const res of this.callers.keys()) this.callers.set(res, 'joined');
  }

  /** The call was refused because of its key: its callers do not get a replay. */
  markRefused(): void {
    this.isRefused = true;
  }

  /** Writes the answer to `res` from its start: for the caller that started the call, or for a further one. */
  join(res: ClientSink, as: 'first' | 'joined'): void {
    if (res.destroyed) return;
    this.callers.set(res, as);
    res.once('close', () => this.leave(res));
    if (!this.headersSent) return;
    this.sendHead(res);
    for (const chunk of this.recorded ?? []) res.write(chunk);
    if (this.writableFinished) this.sendEnd(res);
  }

  private sendHead(res: ClientSink): void {
    const joined = this.callers.get(res) === 'joined' && !this.isRefused;
    res.writeHead(this.status, joined ? { ...this.headers, ...replayedHeader } : this.headers);
  }

  private sendEnd(res: ClientSink): void {
    if (this.tail) res.write(this.tail);
    if (this.headers['trailer'] !== undefined) res.addTrailers(this.trailers);
    res.end();
  }

  private leave(res: ClientSink): void {
    this.callers.delete(res);
    this.blocked.delete(res);
    if (this.callers.size > 0) return this.unblock();
    if (this.writableEnded || this.destroyed) return;
    if (this.options.mayContinue()) return this.unblock();
    this.destroyed = true;
    this.emit('close');
  }

  /**
   * Detaches the present callers while the call continues. Returns the sink for their replacement answer; undefined if
   * the call may not continue without them.
   */
  detach(): AnswerSink | undefined {
    if (this.destroyed || this.writableEnded || !this.options.mayContinue()) return undefined;
    const beforeEnd = (): Promise<void> => Promise.resolve();
    const detached = new SharedAnswer({ ...this.options, mayContinue: () => false, beforeEnd });
    detached.drop();
    detached.markRefused();
    detached.headersSent = this.headersSent;
    detached.headers = this.headers;
    for (const [res, as] of this.callers) {
      detached.callers.set(res, as);
      res.once('close', () => detached.leave(res));
    }
    this.callers.clear();
    this.blocked.clear();
    this.unblock();
    return detached;
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
    for (const res of this.callers.keys()) this.sendHead(res);
  }

  /** False when the buffers of all callers are full; `drain` follows. */
  write(chunk: Buffer): boolean {
    this.record(chunk);
    for (const res of this.callers.keys()) {
      if (res.write(chunk)) continue;
      if (res.writableLength > maxUnreadBytes) res.destroy();
      else this.block(res);
    }
    return this.callers.size === 0 || this.blocked.size < this.callers.size;
  }

  private record(chunk: Buffer): void {
    if (!this.recorded) return;
    const { budget, maxBytes } = this.options;
    if (this.recordedBytes + chunk.length <= maxBytes && budget.take(chunk.length)) {
      this.recorded.push(chunk);
      this.recordedBytes += chunk.length;
    } else this.drop();
  }

  private block(res: ClientSink): void {
    if (this.blocked.has(res)) return;
    this.blocked.add(res);
    res.once('drain', () => {
      this.blocked.delete(res);
      this.unblock();
    });
  }

  private unblock(): void {
    if (this.callers.size === 0 || this.blocked.size < this.callers.size) this.emit('drain');
  }

  addTrailers(trailers: Record<string, string>): void {
    this.trailers = trailers;
  }

  /** The last bytes are sent when everything that must be stored is stored. */
  end(chunk?: Buffer): void {
    if (this.writableEnded) return;
    this.writableEnded = true;
    this.tail = chunk;
    void this.options.beforeEnd().finally(() => {
      this.writableFinished = true;
      for (const res of this.callers.keys()) this.sendEnd(res);
      this.over.resolve();
    });
  }

  /** Breaks every connection, so that no caller takes the answer for complete. */
  destroy(): void {
    this.destroyed = true;
    for (const res of this.callers.keys()) res.destroy();
    this.emit('close');
    this.over.resolve();
  }

  /** Discards the recording. */
  drop(): void {
    this.options.budget.give(this.recordedBytes);
    this.recorded = undefined;
    this.recordedBytes = 0;
  }
}
