import type { Socket } from 'node:net';
import { AnswerParser } from './answer-parser.ts';
import type { Call, Carrier } from './call.ts';
import type { Deadlines, Timed } from '../deadlines.ts';
import { BadAnswer, ConnectionLost, TimedOut } from './faults.ts';
import { openSocket, type Place } from './open-socket.ts';
import { send } from './send.ts';

/** The part that decides what a connection does next. */
export interface Owner {
  /** Its answer is whole, and it can carry another call. */
  released(connection: Connection): void;
  /** It is gone. */
  closed(connection: Connection): void;
}

/** What connections are made with. */
export interface ConnectionOptions {
  place: Place;
  deadlines: Deadlines<Connection>;
  /** Shared by all connections: a read is over before the next one begins. */
  readBuffer: Buffer;
}

const connectTimeoutMs = 10_000;

/** One socket, and at most one call on it. */
export class Connection implements Timed, Carrier {
  deadline = Infinity;
  place = -1;
  /** Its neighbours among the idle ones; kept by the pool. */
  newer: Connection | undefined;
  older: Connection | undefined;
  isOpen = true;
  private isReady = false;
  private isStopped = false;
  private call: Call | undefined;
  /** What came in this turn of the loop, over TLS. */
  private unread: Buffer[] = [];
  private readonly socket: Socket;
  private readonly parser = new AnswerParser();
  private readonly options: ConnectionOptions;
  private readonly owner: Owner;

  /** Connects, and sends `call` then. */
  constructor(options: ConnectionOptions, owner: Owner, call: Call) {
    this.options = options;
    this.owner = owner;
    this.call = call;
    const { place, deadlines, readBuffer } = options;
    this.socket = openSocket(place, { buffer: readBuffer, callback: (length) => this.onRead(length) });
    call.carrier = this;
    this.socket
      .on(place.secureName === undefined ? 'connect' : 'secureConnect', () => this.onConnect())
      .on('end', () => this.onEnd())
      // What went wrong is read from the socket when it closes.
      .on('error', () => undefined)
      .on('close', () => this.onClose());
    deadlines.add(this);
    deadlines.set(this, connectTimeoutMs);
  }

  /** Sends a call. False when the connection turns out to be dead, and nothing of the call has left. */
  carry(call: Call): boolean {
    const { socket } = this;
    if (!this.isOpen || !socket.writable) {
      this.drop();
      return false;
    }
    this.call = call;
    call.carrier = this;
    this.parser.start();
    socket.ref();
    send(socket, call.request);
    // The system refuses a write in one piece: an error that is here at once means that no byte left.
    if (socket.errored) {
      call.carrier = undefined;
      this.call = undefined;
      this.drop();
      return false;
    }
    call.sent();
    this.options.deadlines.set(this, call.times.headersTimeoutMs);
    return true;
  }

  private get isSecure(): boolean {
    return this.options.place.secureName !== undefined;
  }

  private onConnect(): void {
    const { call } = this;
    this.isReady = true;
    if (call && !this.carry(call)) call.abort(new ConnectionLost('closed as soon as it was open'));
  }

  private onRead(length: number): boolean {
    const { call, parser } = this;
    if (!call) this.drop();
    else if (!this.isReady) call.abort(new BadAnswer('it came before the question'));
    else if (this.isSecure) this.gather(length);
    else {
      parser.push(this.options.readBuffer, length);
      this.deliver(call);
    }
    return true;
  }

  /**
   * TLS hands out what it read record by record: all of a turn of the loop is read together, at its end. By then Node has
   * said, too, that what was written in the turn before has left.
   */
  private gather(length: number): void {
    if (this.unread.length === 0) setImmediate(() => this.readGathered());
    this.unread.push(Buffer.from(this.options.readBuffer.subarray(0, length)));
  }

  private readGathered(): void {
    const { call, unread } = this;
    if (unread.length === 0) return;
    this.unread = [];
    if (!call) return;
    const bytes = unread.length === 1 ? unread[0]! : Buffer.concat(unread);
    this.parser.push(bytes, bytes.length);
    this.deliver(call);
  }

  private deliver(call: Call): void {
    const { parser } = this;
    const head = parser.takeHead();
    if (head) call.head(head.status, head.headers);
    const data = parser.takeData();
    if (data && !call.isOver) call.data(data);
    if (call.isOver) return;
    if (parser.fault) call.abort(parser.fault);
    else if (parser.isComplete) this.complete(call);
    else if (call.isPaused) this.pause();
    else if (parser.hasHead) this.options.deadlines.set(this, call.times.bodyTimeoutMs);
  }

  private complete(call: Call): void {
    const { parser, socket } = this;
    this.call = undefined;
    // An answer to a question that has not left yet is none; behind it lies the next call's.
    const mayStay = !parser.hasMore && !call.isLast && socket.writableLength === 0;
    if (mayStay && parser.keepMs > 0) this.release(parser.keepMs);
    else this.drop();
    call.end();
  }

  private release(keepMs: number): void {
    if (this.isStopped) this.readOn();
    this.socket.unref();
    this.options.deadlines.set(this, keepMs);
    this.owner.released(this);
  }

  /** Stops reading, once there is a head: before it there is nothing that could be too much. */
  pause(): void {
    if (this.isStopped || !this.parser.hasHead) return;
    this.isStopped = true;
    this.socket.pause();
    this.options.deadlines.set(this, 0);
  }

  resume(): void {
    if (!this.isStopped) return;
    this.readOn();
    this.options.deadlines.set(this, this.call?.times.bodyTimeoutMs ?? 0);
  }

  private readOn(): void {
    this.isStopped = false;
    this.socket.resume();
  }

  private onEnd(): void {
    this.readGathered();
    const { call } = this;
    const lost = call && this.parser.close();
    if (lost) call.abort(lost);
    else if (call) this.complete(call);
    this.drop();
  }

  private onClose(): void {
    this.readGathered();
    const { call } = this;
    this.drop();
    call?.abort(this.socket.errored ?? new ConnectionLost('other side closed'));
  }

  expire(): void {
    const { call } = this;
    if (call) call.abort(new TimedOut(this.lateness(call)));
    else this.drop();
  }

  private lateness({ times }: Call): string {
    if (!this.isReady) return `no connection within ${connectTimeoutMs} ms`;
    if (!this.parser.hasHead) return `no answer within ${times.headersTimeoutMs} ms`;
    return `no byte of the answer for ${times.bodyTimeoutMs} ms`;
  }

  /** Ends it for good; a call that is on it fails with `error`. */
  close(error: Error): void {
    this.call?.abort(error);
    this.drop();
  }

  drop(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.call = undefined;
    this.options.deadlines.remove(this);
    this.owner.closed(this);
    this.socket.destroy();
  }
}
