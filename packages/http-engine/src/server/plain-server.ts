import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Deadlines } from '../deadlines.ts';
import { PlainConnection, type PlainOwner, type PlainTimes } from './plain-connection.ts';

/** The fast path for plain requests before a server. */
export interface PlainServer {
  /**
   * Each connection may send one more request within a second, and its answer closes the connection: a caller whose
   * last answer announced keep-alive would otherwise find it closed.
   */
  stop(): void;
  /** Closes every connection. */
  close(): void;
}

/**
 * Puts a fast path before a server of Node: requests that are plain (`plain-head.ts`) and that `take` accepts are served
 * without Node's parser, streams and response objects, which cost more than relaying a call does (docs/decisions/0010).
 * All other connections are passed to the server with the first byte that has not been served, and stay there.
 */
export function servePlain(server: Server, times: PlainTimes, take: PlainOwner['take']): PlainServer {
  const toNode = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  const deadlines = new Deadlines<PlainConnection>();
  const owner = {
    times,
    keepAlive: `keep-alive\r\nKeep-Alive: timeout=${Math.floor(times.keepAliveTimeout / 1_000)}`,
    deadlines,
    isStopping: false,
    take,
    handOver(socket: Socket, bytes: Buffer): void {
      for (const listener of toNode) listener.call(server, socket);
      // Node listens to the socket now; first it gets the bytes that it has not read.
      socket.emit('data', bytes);
    },
  };
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // It lives as long as its socket, which references it.
    void new PlainConnection(socket, owner);
  });
  return {
    stop() {
      owner.isStopping = true;
      deadlines.forEach((connection) => connection.stop());
    },
    close() {
      owner.isStopping = true;
      deadlines.forEach((connection) => connection.socket.destroy());
    },
  };
}
