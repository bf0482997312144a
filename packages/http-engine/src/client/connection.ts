import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { AnswerParser } from './answer-parser.ts';
import type { Call, CallTransport } from './call.ts';
import type { Deadlines, Timed } from '../deadlines.ts';
import { BadAnswer, ConnectionLost, TimedOut } from './faults.ts';
import { type Endpoint, openSocket } from './open-socket.ts';
import type { Written } from './request-head.ts';
import { writeChunk } from '../server/chunk-frame.ts';

/** Up to this size, head and body are copied into one piece: this is cheaper than two pieces for the system. */
const copyBytes = 16 * 1024;

/** Writes a request, in one system call if possible. */
function send(socket: Socket, { head, body }: Written): void {
  if (!body) {
    socket.write(head, 'latin1');
  } else if (body.length <= copyBytes) {
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 'latin1');
    body.copy(bytes, head.length);
    socket.write(bytes);
  } else {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }
}

/** The part that decides what a connection does next. */
export interface Owner {
  /** Its answer is complete, and it can be reused. */
  released(connection: Connection): void;
  /** It was closed. */
  closed(connection: Connection): void;
}

/** The parts of a new connection. */
export interface ConnectionOptions {
  endpoint: Endpoint;
  deadlines: Deadlines<Connection>;
  /** Shared by all connections: a read is over before the next one begins. */
  readBuffer: Buffer;
}

const connectTimeoutMs = 10_000;

/** One socket, and at most one call on it. */
export class Connection implements Timed, CallTransport {
  deadline = Infinity;
  index = -1;
  /** Its neighbours among the idle ones; kept by the pool. */
  newer: Connection | undefined;
  older: Connection | undefined;
  isOpen = true;
  private isReady = false;
  private isReadingPaused = false;
  private call: Call | undefined;
  /** The streamed body of its call, which is its last one. */
  private streamed: Readable | undefined;
  /** Bytes that arrived over TLS in this turn of the event loop. */
  private tlsChunks: Buffer[] = [];
  private readonly socket: Socket;
  private readonly parser = new AnswerParser();
  private readonly options: ConnectionOptions;
  private readonly owner: Owner;

  /** Connects, and then sends `call`. */
  constructor(options: ConnectionOptions, owner: Owner, call: Call) {
    this.options = options;
    this.owner = owner;
    this.call = call;
    const { endpoint, deadlines, readBuffer } = options;
    this.socket = openSocket(endpoint, { buffer: readBuffer, callback: (length) => this.onRead(length) });
    call.transport = this;
    this.socket
      .on(endpoint.secureName === undefined ? 'connect' : 'secureConnect', () => this.onConnect())
      .on('end', () => this.onEnd())
      // The error is read from the socket when it closes.
      .on('error', () => undefined)
      .on('close', () => this.onClose());
    deadlines.add(this);
    deadlines.set(this, connectTimeoutMs);
  }

  /** Sends a call. False if the connection turns out to be closed, and nothing of the call was sent. */
  carry(call: Call): boolean {
    const { socket } = this;
    if (!this.isOpen || !socket.writable) {
      this.drop();
      return false;
    }
    this.call = call;
    call.transport = this;
    this.parser.start();
    socket.ref();
    const { request } = call;
    send(socket, request);
    // The system refuses a write as a whole: an error at once means that no byte was sent.
    if (socket.errored) {
      call.transport = undefined;
      this.call = undefined;
      this.drop();
      return false;
    }
    call.sent();
    this.options.deadlines.set(this, call.times.headersTimeoutMs);
    if (request.stream) this.sendStream(call, request.stream);
    return true;
  }

  /** Sends a body as it arrives, no faster than the socket takes it; a body that breaks off ends its call. */
  private sendStream(call: Call, { source, isChunked }: NonNullable<Written['stream']>): void {
    const { socket, options } = this;
    const write = (chunk: Buffer): boolean => (isChunked ? writeChunk(socket, chunk) : socket.write(chunk));
    this.streamed = source;
    source
      .on('data', (chunk: Buffer) => {
        if (call.isOver || chunk.length === 0) return;
        if (!write(chunk)) source.pause();
        if (!this.parser.hasHead) options.deadlines.set(this, call.times.headersTimeoutMs);
      })
      .on('end', () => {
        if (isChunked && !call.isOver) socket.write('0\r\n\r\n', 'latin1');
      })
      .on('error', (error) => call.abort(error))
      .on('close', () => {
        if (!source.readableEnded) call.abort(new Error('the body broke off'));
      });
    if (source.destroyed) call.abort(source.errored ?? new Error('the body broke off'));
    socket.on('drain', () => source.resume());
  }

  private get isSecure(): boolean {
    return this.options.endpoint.secureName !== undefined;
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
    else if (this.isSecure) this.bufferTls(length);
    else {
      parser.push(this.options.readBuffer, length);
      this.deliver(call);
    }
    return true;
  }

  /**
   * TLS delivers record by record: all records of a turn of the event loop are read together at its end. By then Node
   * has also reported that the writes of the turn before were sent.
   */
  private bufferTls(length: number): void {
    if (this.tlsChunks.length === 0) setImmediate(() => this.readTlsBuffer());
    this.tlsChunks.push(Buffer.from(this.options.readBuffer.subarray(0, length)));
  }

  private readTlsBuffer(): void {
    const { call, tlsChunks } = this;
    if (tlsChunks.length === 0) return;
    this.tlsChunks = [];
    if (!call) return;
    const bytes = tlsChunks.length === 1 ? tlsChunks[0]! : Buffer.concat(tlsChunks);
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
    // An answer to a request that was not sent yet is invalid; the answer to the next call may follow it.
    const staysOpen = !parser.hasMore && !call.isLast && socket.writableLength === 0;
    if (staysOpen && parser.keepMs > 0) this.release(parser.keepMs);
    else this.drop();
    call.end();
  }

  private release(keepMs: number): void {
    if (this.isReadingPaused) this.resumeReading();
    this.socket.unref();
    this.options.deadlines.set(this, keepMs);
    this.owner.released(this);
  }

  /** Stops reading, once there is a head; before it at most the bytes of a head arrive. */
  pause(): void {
    if (this.isReadingPaused || !this.parser.hasHead) return;
    this.isReadingPaused = true;
    this.socket.pause();
    this.options.deadlines.set(this, 0);
  }

  resume(): void {
    if (!this.isReadingPaused) return;
    this.resumeReading();
    this.options.deadlines.set(this, this.call?.times.bodyTimeoutMs ?? 0);
  }

  private resumeReading(): void {
    this.isReadingPaused = false;
    this.socket.resume();
  }

  private onEnd(): void {
    this.readTlsBuffer();
    const { call } = this;
    const failure = call && this.parser.close();
    if (failure) call.abort(failure);
    else if (call) this.complete(call);
    this.drop();
  }

  private onClose(): void {
    this.readTlsBuffer();
    const { call } = this;
    this.drop();
    call?.abort(this.socket.errored ?? new ConnectionLost('other side closed'));
  }

  expire(): void {
    const { call } = this;
    if (call) call.abort(new TimedOut(this.timeoutReason(call)));
    else this.drop();
  }

  private timeoutReason({ times }: Call): string {
    if (!this.isReady) return `no connection within ${connectTimeoutMs} ms`;
    if (!this.parser.hasHead) return `no answer within ${times.headersTimeoutMs} ms`;
    return `no byte of the answer for ${times.bodyTimeoutMs} ms`;
  }

  /** Closes the connection; a running call fails with `error`. */
  close(error: Error): void {
    this.call?.abort(error);
    this.drop();
  }

  drop(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.call = undefined;
    this.options.deadlines.remove(this);
    this.streamed?.destroy();
    this.owner.closed(this);
    this.socket.destroy();
  }
}
