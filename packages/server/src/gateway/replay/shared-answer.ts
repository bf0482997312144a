import { EventEmitter } from 'node:events';
import { type AnswerSink, answerWithHead } from '../call/index.ts';
import { type ClientSink, BroadcastSink } from './broadcast-sink.ts';

/** Header for callers that get the answer of a call made by another. */
const replayedHeader = { 'idempotent-replayed': 'true' };
/** A caller with so much unread is disconnected, so that the others need not wait. */
const maxUnreadBytes = 8 * 1024 * 1024;

/** Bytes that the recordings of all shared answers may take together. */
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

/** What an answer with several callers rests on. */
export interface SharedAnswerOptions {
  budget: ByteBudget;
  /** Bytes of one answer that are recorded at most. */
  maxBytes: number;
  /** Asked when the last caller has left: true when the call may go on without one. */
  mayGoOn(): boolean;
  /** The answer is complete but its end has not left: a caller that sees the end can rely on what this has done. */
  beforeEnd(): Promise<void>;
}

/**
 * One answer for several callers: it takes the bytes as a response would, records them, and writes them to every caller
 * that has joined. When the last one leaves it goes on, so that a caller that comes back finds the answer.
 */
export class SharedAnswer extends EventEmitter implements AnswerSink {
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
  /** The last bytes, which wait for `beforeEnd`. */
  private tail: Buffer | undefined;
  private readonly over = Promise.withResolvers<void>();

  constructor(options: SharedAnswerOptions) {
    super();
    this.options = options;
  }

  /** The whole answer so far; undefined when it grew too large to be kept. */
  get body(): Buffer | undefined {
    return this.recorded && Buffer.concat(this.tail ? [...this.recorded, this.tail] : this.recorded);
  }

  /** True when somebody may still join: everything from the start can be told. */
  get isJoinable(): boolean {
    return this.recorded !== undefined && !this.destroyed;
  }

  /** Resolves when every caller has got the end, or the answer is broken off. */
  get done(): Promise<void> {
    return this.over.promise;
  }

  /** The answer was made earlier: its head tells every caller so. */
  markReplayed(): void {
    for (const res of this.callers.keys()) this.callers.set(res, 'joined');
  }

  /** Writes the answer to `res` from its start: as the caller that caused it, or as one more. */
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
    const joined = this.callers.get(res) === 'joined';
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
    if (this.options.mayGoOn()) return this.unblock();
    this.destroyed = true;
    this.emit('close');
  }

  /**
   * Takes leave of the callers of now, while the call goes on: what they are told instead is written to the sink that this
   * answers. Undefined where the call may not go on without them.
   */
  detach(): AnswerSink | undefined {
    if (this.destroyed || this.writableEnded || !this.options.mayGoOn()) return undefined;
    const detached = new BroadcastSink([...this.callers.keys()], this.headersSent);
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

  answer(
    status: number,
    headers: Record<string, string>,
    late: Record<string, string>,
    body: Buffer | undefined,
  ): void {
    answerWithHead(this, status, { ...headers, ...late }, body);
  }

  /** False when no caller has room for more; `drain` follows. */
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

  /** The last bytes leave when what must be remembered is. */
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

  /** Breaks every connection: nobody may take the answer for whole. */
  destroy(): void {
    this.destroyed = true;
    for (const res of this.callers.keys()) res.destroy();
    this.emit('close');
    this.over.resolve();
  }

  /** Forgets the recording. */
  drop(): void {
    this.options.budget.give(this.recordedBytes);
    this.recorded = undefined;
    this.recordedBytes = 0;
  }
}
