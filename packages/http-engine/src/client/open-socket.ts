import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { ConnectGuard, Scope } from '../guard.ts';
import type { ReadInto } from './read-into.ts';

/** The server that the connections of a pool lead to. */
export interface Endpoint {
  hostname: string;
  port: number;
  /** The name that the certificate must have; undefined without TLS. */
  secureName: string | undefined;
  guard: ConnectGuard;
  scope: Scope;
  /** The TLS session of the last connection, which the next one resumes. */
  session?: Buffer;
}

/** After this long without data the system probes the connection (TCP keep-alive). */
const probeAfterMs = 60_000;

/** Starts to connect. Certificates are checked as Node does. Throws what the guard throws. */
export function openSocket(endpoint: Endpoint, onread: ReadInto): Socket {
  const { hostname: host, port, scope } = endpoint;
  const guarded = endpoint.guard.connection({ host, port }, scope);
  const socket =
    endpoint.secureName === undefined
      ? connect({ ...guarded, onread })
      : openSecure(endpoint, { ...guarded, onread }, endpoint.secureName);
  return socket.setNoDelay(true).setKeepAlive(true, probeAfterMs);
}

/** Node hands `onread` on to the socket (its types forget it). */
type SecureOptions = ConnectionOptions & { onread: ReadInto };

function openSecure(endpoint: Endpoint, guarded: SecureOptions, secureName: string): Socket {
  const { session } = endpoint;
  const options: SecureOptions = {
    ...guarded,
    ALPNProtocols: ['http/1.1'],
    // An IP address has no server name; the certificate is compared with the address then.
    ...(isIP(secureName) === 0 && { servername: secureName }),
    ...(session && { session }),
  };
  const socket = connectTls(options);
  socket.on('session', (fresh: Buffer) => {
    endpoint.session = fresh;
  });
  return socket;
}
