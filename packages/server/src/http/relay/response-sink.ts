import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientSink } from '../../gateway/index.ts';
import { chunkFrame } from '@tollgate/http-engine';
import { SinkOver } from './sink-over.ts';

/** An answer up to this long leaves as one string together with its head; a longer one is not worth a copy. */
const maxJoinedBytes = 64 * 1024;

/**
 * A response of Node's server, as the gateway writes it. Node frames each chunk of a stream as four pieces, which costs
 * more than all that the gateway does with it; here a chunk is framed (RFC 9112 section 7.1) in one piece and goes
 * straight to the socket. The head, the first chunk, the last one with its trailers, and every answer that is not
 * chunked are left to Node.
 */
export class ResponseSink extends SinkOver<ServerResponse> implements ClientSink {
  /** Set once chunks may go to it directly: behind the head, on a response whose turn it is. */
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
      // Ends the cork, too.
      res.end();
    } else if (chunk.length <= maxJoinedBytes) {
      // Node joins head and body to one write if both are strings; in Latin-1 every byte is itself.
      res.end(chunk.toString('latin1'), 'latin1');
    } else {
      res.end(chunk);
    }
  }

  override once(event: 'close' | 'drain', listener: () => void): void {
    // What fills the socket behind Node's back is not told to the response.
    if (event === 'drain' && this.socket) this.socket.once('drain', listener);
    else super.once(event, listener);
  }
}

/** For pages of this site alone: without the headers that let pages of other sites read the answer, or show it. */
export class SameOriginSink extends ResponseSink {
  override writeHead(status: number, headers: Record<string, string>): void {
    const own = Object.entries(headers).filter(([name]) => !name.startsWith('access-control-'));
    super.writeHead(status, { ...Object.fromEntries(own), 'cross-origin-resource-policy': 'same-origin' });
  }
}
