import type { Socket } from 'node:net';
import { writeFields } from '../header-text.ts';
import { nodeHttp } from '../node-http.ts';
import { chunkFrame } from './chunk-frame.ts';

/** Where an answer is written to, and who is told that it is over. */
export interface ResponsePlace {
  readonly socket: Socket;
  /** No request follows on this connection. */
  readonly isLast: boolean;
  /** What the `Connection` header says of a connection that stays, and the line behind it for how long. */
  readonly keepAlive: string;
  /** The answer has been handed to the system. */
  answered(): void;
}

/** Up to here an answer leaves as one string with its head; a longer one is not worth a copy. */
const maxJoinedBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** The answer to a plain request, with as much of Node's response as the relay needs. */
export class PlainResponse {
  headersSent = false;
  writableEnded = false;
  /** All of it was handed to the system. */
  writableFinished = false;
  /** Nothing more can be written: it is over, or its caller is gone. */
  destroyed = false;
  private readonly place: ResponsePlace;
  /** The head, until it leaves with the first bytes. */
  private head = '';
  private isChunked = false;
  private trailers = '';
  private closing: (() => void)[] = [];

  constructor(place: ResponsePlace) {
    this.place = place;
  }

  /** Bytes that wait for their reader. */
  get writableLength(): number {
    return this.place.socket.writableLength;
  }

  /** Throws TypeError where a header cannot be sent; nothing has been written then. */
  writeHead(status: number, headers: Record<string, string>): void {
    const isChunked = headers['content-length'] === undefined;
    this.beginHead(status, headers, '', isChunked ? '\r\nTransfer-Encoding: chunked' : '');
    // Only now: a head that was refused says nothing of the body that is sent in its place.
    this.isChunked = isChunked;
  }

  /** An answer in one piece. `late` are headers too, of other names. Throws as `writeHead` does. */
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
    const { isLast, keepAlive } = this.place;
    const fields = writeFields(headers, 'connection');
    this.headersSent = true;
    const kept = headers['connection'] ?? keepAlive;
    this.head = `${firstLine(status)}${fields}${own}${dateLine()}\r\nConnection: ${isLast ? 'close' : kept}${coding}\r\n\r\n`;
  }

  /** False when there is no room for more; `drain` follows. */
  write(chunk: Buffer): boolean {
    const { socket } = this.place;
    if (this.destroyed || chunk.length === 0) return true;
    const head = this.takeHead();
    if (this.isChunked) return socket.write(chunkFrame(chunk, head));
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
    const { socket } = this.place;
    // Behind the last bytes: the system has taken them when it has taken nothing.
    if (socket.writableLength > 0) socket.write(nothing, (error) => error ?? this.finish());
    else this.finish();
  }

  private writeLast(chunk: Buffer): void {
    const { socket } = this.place;
    const head = this.takeHead();
    if (this.isChunked) {
      const last = `0${this.trailers}\r\n\r\n`;
      if (chunk.length > 0) socket.write(chunkFrame(chunk, head, last));
      else socket.write(head + last, 'latin1');
    } else if (chunk.length <= maxJoinedBytes) {
      // In Latin-1 every byte is itself.
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
    this.place.answered();
    process.nextTick(close, this);
  }

  /** Breaks the connection: the caller must see that the answer is not whole. */
  destroy(): void {
    if (!this.destroyed) this.place.socket.destroy();
  }

  /** The connection is gone, or the answer is over: what waits for that is called, once. */
  close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    const { closing } = this;
    this.closing = [];
    for (const listener of closing) listener();
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    if (event === 'drain') this.place.socket.once('drain', listener);
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
