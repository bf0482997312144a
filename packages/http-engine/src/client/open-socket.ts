import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { ConnectGuard, Scope } from '../guard.ts';
import type { ReadInto } from './read-into.ts';

/** Where a pool's connections lead. */
export interface Place {
  hostname: string;
  port: number;
  /** The name that the certificate must have; undefined without TLS. */
  secureName: string | undefined;
  guard: ConnectGuard;
  scope: Scope;
  /** What the last TLS connection left for the next to begin with. */
  session?: Buffer;
}

/** A connection that is silent for this long is asked by the system whether it is still there. */
const probeAfterMs = 60_000;

/** Begins to connect. Certificates are checked as Node checks them. Throws what the guard throws. */
export function openSocket(place: Place, onread: ReadInto): Socket {
  const { hostname: host, port, scope } = place;
  const guarded = place.guard.connection({ host, port }, scope);
  const socket =
    place.secureName === undefined
      ? connect({ ...guarded, onread })
      : openSecure(place, { ...guarded, onread }, place.secureName);
  return socket.setNoDelay(true).setKeepAlive(true, probeAfterMs);
}

/** Node hands `onread` on to the socket (its types forget it). */
type SecureOptions = ConnectionOptions & { onread: ReadInto };

function openSecure(place: Place, guarded: SecureOptions, secureName: string): Socket {
  const { session } = place;
  const options: SecureOptions = {
    ...guarded,
    ALPNProtocols: ['http/1.1'],
    // An address has no name to ask for; the certificate is compared with the address then.
    ...(isIP(secureName) === 0 && { servername: secureName }),
    ...(session && { session }),
  };
  const socket = connectTls(options);
  socket.on('session', (fresh: Buffer) => {
    place.session = fresh;
  });
  return socket;
}
