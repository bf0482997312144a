import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { chunkFrame } from '@tollgate/http-engine';
import type { ClientSink } from '../../gateway/index.ts';

/** The methods of the lower sink. */
type Written = Omit<ClientSink, 'answer'>;

/** A sink on top of another one, with the behaviour of the lower one unless overridden. */
export abstract class SinkOver<Lower extends Written> {
  protected readonly res: Lower;

  constructor(res: Lower) {
    this.res = res;
  }

  get headersSent(): boolean {
    return this.res.headersSent;
  }

  get writableEnded(): boolean {
    return this.res.writableEnded;
  }

  get writableFinished(): boolean {
    return this.res.writableFinished;
  }

  get writableLength(): number {
    return this.res.writableLength;
  }

  get destroyed(): boolean {
    return this.res.destroyed;
  }

  abstract writeHead(status: number, headers: Record<string, string>): void;

  abstract end(chunk?: Buffer): void;

  addTrailers(trailers: Record<string, string>): void {
    this.res.addTrailers(trailers);
  }

  destroy(): void {
    this.res.destroy();
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    this.res.once(event, listener);
  }
}

/** An answer up to this length is sent as one string together with its head; a longer one is not worth a copy. */
const maxJoinedBytes = 64 * 1024;

/**
 * A response of Node's server for the gateway. Node writes each chunk of a stream as four pieces, which costs more
 * than everything the gateway does with it; here a chunk is framed (RFC 9112 section 7.1) in one piece and written
 * directly to the socket. Node writes the head, the first chunk, the last one with its trailers, and every answer
 * that is not chunked.
 */
export class ResponseSink extends SinkOver<ServerResponse> implements ClientSink {
  /** Set when chunks may be written to it directly: after the head, on the response whose turn it is. */
  private socket: Socket | undefined;

  override writeHead(status: number, headers: Record<string, string>): void {
    this.res.writeHead(status, headers);
  }

  write(chunk: Buffer): boolean {
    if (chunk.length === 0) return true;
    if (this.socket) return this.socket.write(chunkFrame(chunk));
    const { res } = this;
    const hasRoom = res.write(chunk);
    // An answer that waits behind another one of its connection has no socket yet.
    if (res.chunkedEncoding && res.socket) this.socket = res.socket;
    return hasRoom;
  }

  override end(chunk?: Buffer): void {
    const { res } = this;
    if (!chunk || chunk.length === 0) {
      res.end();
    } else if (this.socket) {
      this.socket.cork();
      this.socket.write(chunkFrame(chunk));
      // Also ends the cork.
      res.end();
    } else if (chunk.length <= maxJoinedBytes) {
      // Node joins head and body to one write if both are strings; in Latin-1 every byte is one character.
      res.end(chunk.toString('latin1'), 'latin1');
    } else {
      res.end(chunk);
    }
  }

  override once(event: 'close' | 'drain', listener: () => void): void {
    // Node's response does not see bytes that are written directly to the socket.
    if (event === 'drain' && this.socket) this.socket.once('drain', listener);
    else super.once(event, listener);
  }
}

/** For pages of this site only: without the headers that let pages of other sites read the answer, or embed it. */
export class SameOriginSink extends ResponseSink {
  override writeHead(status: number, headers: Record<string, string>): void {
    const own = Object.entries(headers).filter(([name]) => !name.startsWith('access-control-'));
    super.writeHead(status, { ...Object.fromEntries(own), 'cross-origin-resource-policy': 'same-origin' });
  }
}
