import { Socket } from 'node:net';
import type { ReadInto } from '../read-into.ts';

/** What Node keeps in a socket of a server, without telling it. */
interface Inside {
  _handle: { useUserBuffer?: unknown } | null;
  /** Counts its open connections. */
  _server: unknown;
  server: unknown;
}

/**
 * The same connection as a socket that reads into a given buffer. Node offers this to those who connect (`onread` of
 * `net.connect`), but not to those who are connected to: each of their reads takes 64 KB from the system, copies what
 * came out of it, and gives it back. Undefined where this Node's sockets are made in another way (docs/decisions/0011);
 * `accepted` can be used then as it is.
 */
export function readInto(accepted: Socket, onread: ReadInto): Socket | undefined {
  const old = accepted as unknown as Inside;
  const handle = old._handle;
  if (typeof handle?.useUserBuffer !== 'function') return undefined;
  // The types know neither `handle` nor `onread` here; `allowHalfOpen` is what a server of HTTP has.
  const options: object = { handle, onread, allowHalfOpen: true };
  const socket = new Socket(options);
  const own = socket as unknown as Inside;
  own._server = old._server;
  own.server = old.server;
  // Nobody listens to the first one, and whatever it does, it can no longer do it to the connection.
  old._handle = null;
  old._server = null;
  return socket;
}
