import { EventEmitter } from 'node:events';
import { type AnswerSink, answerWithHead } from '../call/index.ts';
import { type Listener, Listeners } from './listeners.ts';

/** Said to those who did not cause an answer but share it. */
const replayedHeader = { 'idempotent-replayed': 'true' };
/** A listener with so much unread is dropped rather than waited for: the others read on. */
const maxUnreadBytes = 8 * 1024 * 1024;

/** ByteBudget for the recordings of all shared answers together. */
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
  room: ByteBudget;
  /** Bytes of one answer that are recorded at most. */
  maxBytes: number;
  /** The last listener left: true when the call may go on without one. */
  mayGoOn(): boolean;
  /** The answer is complete but its end has not left: a caller that sees the end can rely on what this has done. */
  beforeEnd(): Promise<void>;
}

/**
 * One answer for several callers: it takes the bytes as a response would, records them, and hands them on to everyone
 * who listens, now or later. When the last one leaves it goes on, so that a caller that comes back finds the answer.
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
  private readonly listening = new Map<Listener, 'first' | 'joined'>();
  private readonly blocked = new Set<Listener>();
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

  /** Everybody who listens has heard all there is to hear. */
  get done(): Promise<void> {
    return this.over.promise;
  }

  /** From now on nobody counts as the one who caused the answer: it was made before. */
  markReplayed(): void {
    for (const res of this.listening.keys()) this.listening.set(res, 'joined');
  }

  /** Lets a response hear the answer from its start. */
  join(res: Listener, as: 'first' | 'joined'): void {
    if (res.destroyed) return;
    this.listening.set(res, as);
    res.once('close', () => this.left(res));
    if (!this.headersSent) return;
    this.greet(res);
    for (const chunk of this.recorded ?? []) res.write(chunk);
    if (this.writableFinished) this.farewell(res);
  }

  private greet(res: Listener): void {
    const joined = this.listening.get(res) === 'joined';
    res.writeHead(this.status, joined ? { ...this.headers, ...replayedHeader } : this.headers);
  }

  private farewell(res: Listener): void {
    if (this.tail) res.write(this.tail);
    if (this.headers['trailer'] !== undefined) res.addTrailers(this.trailers);
    res.end();
  }

  private left(res: Listener): void {
    this.listening.delete(res);
    this.blocked.delete(res);
    if (this.listening.size > 0) return this.unblock();
    if (this.writableEnded || this.destroyed) return;
    if (this.options.mayGoOn()) return this.unblock();
    this.destroyed = true;
    this.emit('close');
  }

  /** Those who listen hear another end, which is written to what this answers; undefined where it may not go on. */
  dismiss(): AnswerSink | undefined {
    if (this.destroyed || this.writableEnded || !this.options.mayGoOn()) return undefined;
    const listeners = new Listeners([...this.listening.keys()], this.headersSent);
    this.listening.clear();
    this.blocked.clear();
    this.unblock();
    return listeners;
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
    for (const res of this.listening.keys()) this.greet(res);
  }

  answer(
    status: number,
    headers: Record<string, string>,
    late: Record<string, string>,
    body: Buffer | undefined,
  ): void {
    answerWithHead(this, status, { ...headers, ...late }, body);
  }

  /** False when nobody who listens has room for more; `drain` follows. */
  write(chunk: Buffer): boolean {
    this.record(chunk);
    for (const res of this.listening.keys()) {
      if (res.write(chunk)) continue;
      if (res.writableLength > maxUnreadBytes) res.destroy();
      else this.block(res);
    }
    return this.listening.size === 0 || this.blocked.size < this.listening.size;
  }

  private record(chunk: Buffer): void {
    if (!this.recorded) return;
    const { room, maxBytes } = this.options;
    if (this.recordedBytes + chunk.length <= maxBytes && room.take(chunk.length)) {
      this.recorded.push(chunk);
      this.recordedBytes += chunk.length;
    } else this.drop();
  }

  private block(res: Listener): void {
    if (this.blocked.has(res)) return;
    this.blocked.add(res);
    res.once('drain', () => {
      this.blocked.delete(res);
      this.unblock();
    });
  }

  private unblock(): void {
    if (this.listening.size === 0 || this.blocked.size < this.listening.size) this.emit('drain');
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
      for (const res of this.listening.keys()) this.farewell(res);
      this.over.resolve();
    });
  }

  /** Breaks every connection: nobody may take the answer for whole. */
  destroy(): void {
    this.destroyed = true;
    for (const res of this.listening.keys()) res.destroy();
    this.emit('close');
    this.over.resolve();
  }

  /** Forgets the recording. */
  drop(): void {
    this.options.room.give(this.recordedBytes);
    this.recorded = undefined;
    this.recordedBytes = 0;
  }
}
