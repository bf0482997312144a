import type { Socket } from 'node:net';
import { writeFields } from '../header-text.ts';
import { nodeHttp } from '../node-http.ts';
import { writeChunk } from './chunk-frame.ts';

/** The connection that an answer is written to. */
export interface ResponseConnection {
  readonly socket: Socket;
  /** No request follows on this connection. */
  readonly isLast: boolean;
  /** The value of the `Connection` header for keep-alive, with the `Keep-Alive` line. */
  readonly keepAlive: string;
  /** Called when the answer was passed to the system. */
  answered(): void;
}

/** Up to this size an answer is sent as one string with its head; a longer one is not copied. */
const maxJoinedBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** The answer to a plain request, with as much of Node's response as the relay needs. */
export class PlainResponse {
  headersSent = false;
  writableEnded = false;
  /** All of it was passed to the system. */
  writableFinished = false;
  /** Nothing more can be written: it is over, or its caller has disconnected. */
  destroyed = false;
  private readonly connection: ResponseConnection;
  /** The head, until it is sent with the first bytes. */
  private head = '';
  private isChunked = false;
  private trailers = '';
  private closing: (() => void)[] = [];

  constructor(connection: ResponseConnection) {
    this.connection = connection;
  }

  /** Bytes that the caller has not read yet. */
  get writableLength(): number {
    return this.connection.socket.writableLength;
  }

  /** Throws TypeError if a header cannot be sent; nothing is written then. */
  writeHead(status: number, headers: Record<string, string>): void {
    const isChunked = headers['content-length'] === undefined;
    this.beginHead(status, headers, '', isChunked ? '\r\nTransfer-Encoding: chunked' : '');
    // Only now: a head that was refused must not affect the body that is sent in its place.
    this.isChunked = isChunked;
  }

  /** An answer in one piece. `late` are further headers with other names. Throws as `writeHead` does. */
  answer(
    status: number,
    headers: Record<string, string>,
    late: Record<string, string>,
    body: Buffer = nothing,
  ): void {
    this.beginHead(status, headers, `${writeFields(late)}\r\ncontent-length: ${body.length}`, '');
    this.end(body);
  }

  private beginHead(status: number, headers: Record<string, string>, own: string, coding: string): void {
    if (this.headersSent) throw new Error('the head was written before');
    const { isLast, keepAlive } = this.connection;
    const fields = writeFields(headers, 'connection');
    this.headersSent = true;
    const kept = headers['connection'] ?? keepAlive;
    this.head = `${firstLine(status)}${fields}${own}${dateLine()}\r\nConnection: ${isLast ? 'close' : kept}${coding}\r\n\r\n`;
  }

  /** False if the buffer is full; `drain` follows. */
  write(chunk: Buffer): boolean {
    const { socket } = this.connection;
    if (this.destroyed || chunk.length === 0) return true;
    const head = this.takeHead();
    if (this.isChunked) return writeChunk(socket, chunk, head);
    if (head !== '') socket.write(head, 'latin1');
    return socket.write(chunk);
  }

  addTrailers(trailers: Record<string, string>): void {
    this.trailers = writeFields(trailers);
  }

  end(chunk: Buffer = nothing): void {
    if (this.writableEnded || this.destroyed) return;
    this.writableEnded = true;
    this.writeLast(chunk);
    const { socket } = this.connection;
    // An empty write after the last bytes: when the system accepts it, it has accepted them too.
    if (socket.writableLength > 0) socket.write(nothing, (error) => error ?? this.finish());
    else this.finish();
  }

  private writeLast(chunk: Buffer): void {
    const { socket } = this.connection;
    const head = this.takeHead();
    if (this.isChunked) {
      const last = `0${this.trailers}\r\n\r\n`;
      if (chunk.length > 0) writeChunk(socket, chunk, head, last);
      else socket.write(head + last, 'latin1');
    } else if (chunk.length <= maxJoinedBytes) {
      // Latin-1 maps every byte to the character of the same number.
      socket.write(head + chunk.toString('latin1'), 'latin1');
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(chunk);
      socket.uncork();
    }
  }

  private takeHead(): string {
    const { head } = this;
    this.head = '';
    return head;
  }

  private finish(): void {
    if (this.destroyed) return;
    this.writableFinished = true;
    this.connection.answered();
    process.nextTick(close, this);
  }

  /** Closes the connection, so that the caller sees that the answer is incomplete. */
  destroy(): void {
    if (!this.destroyed) this.connection.socket.destroy();
  }

  /** The connection was closed, or the answer is over: calls the `close` listeners, once. */
  close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    const { closing } = this;
    this.closing = [];
    for (const listener of closing) listener();
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    if (event === 'drain') this.connection.socket.once('drain', listener);
    else this.closing.push(listener);
  }
}

const close = (response: PlainResponse): void => response.close();

const firstLines = new Map<number, string>();

function firstLine(status: number): string {
  let line = firstLines.get(status);
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? 'unknown'}`;
    firstLines.set(status, line);
  }
  return line;
}

let dateText = '';
let dateSecond = 0;

/** The `Date` header, written anew once a second. */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `\r\nDate: ${new Date(second * 1000).toUTCString()}`;
  }
  return dateText;
}
