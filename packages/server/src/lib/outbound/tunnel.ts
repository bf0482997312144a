import { once } from 'node:events';
import type { ClientRequestArgs } from 'node:http';
import { nodeHttp } from '@tollgate/http-engine';
import { isIP, connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { timeoutAfterReads } from '../processes/timeout-after-reads.ts';
import type { AddressScope } from './address.ts';
import { type HostAndPort, type OutboundGuard, placeOf } from './outbound-guard.ts';
import { asError } from './as-error.ts';

/** Timeout for a proxy to connect. */
const tunnelTimeoutMs = 10_000;
/** Limit of a proxy's answer to CONNECT, which is a head without a body. */
const maxHeadBytes = 16 * 1024;

/** A connection from here to a proxy, and from there to a destination. */
export interface Hop {
  guard: OutboundGuard;
  proxy: URL;
  place: HostAndPort;
  /** Scope of the destination; proxies are set up by operators. */
  scope: AddressScope;
  /** The name that the destination's certificate must have, if it is not its host name. */
  secureName?: string;
}

/**
 * Connections to `target` through a proxy: CONNECT on http and https proxies, SOCKS5 (RFC 1928, with names and
 * passwords of RFC 1929) on the others. The proxy resolves the name. TLS to the target runs inside the tunnel, checked
 * against the target's own name.
 */
export class TunnelAgent extends nodeHttp.Agent {
  /** Node asks the agent for the protocol of its requests. */
  readonly protocol: 'http:' | 'https:';
  private readonly hop: Hop & { isSecure: boolean };

  /** Throws TypeError if the proxy's address is not a URL. */
  constructor(target: URL, { proxy, scope, guard }: { proxy: string } & Pick<Hop, 'scope' | 'guard'>) {
    super({ keepAlive: false });
    const isSecure = target.protocol === 'https:' || target.protocol === 'wss:';
    this.hop = { guard, proxy: new URL(proxy), place: placeOf(target), scope, isSecure };
    this.protocol = isSecure ? 'https:' : 'http:';
  }

  override createConnection(_options: ClientRequestArgs, done?: Connected): undefined {
    void this.connectFor(done);
    return undefined;
  }

  private async connectFor(done: Connected | undefined): Promise<void> {
    let socket: Socket;
    try {
      socket = await openTunnel(this.hop);
    } catch (error) {
      // Node uses the socket only if there is no error, but its type requires one.
      (done as ((error: unknown) => void) | undefined)?.(error);
      return;
    }
    done?.(null, socket);
  }
}

type Connected = (error: Error | null, socket: Duplex) => void;

/** A socket through a proxy to a destination, with TLS inside if it is secure. Rejects as `connectToProxy` does. */
export async function openTunnel(hop: Hop & { isSecure: boolean }): Promise<Socket> {
  const { proxy, place } = hop;
  const socket = await connectToProxy(hop);
  const cancelTimeout = timeoutAfterReads(tunnelTimeoutMs, () =>
    socket.destroy(new Error('the proxy did not answer')),
  );
  try {
    if (proxy.protocol.startsWith('socks5')) await askSocks(socket, proxy, place);
    else await askConnect(socket, proxy, place);
    return hop.isSecure ? await wrap(socket, hop.secureName ?? place.host) : socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    cancelTimeout();
  }
}

/**
 * A socket to a proxy, after the guard has checked both the proxy and the destination. Rejects with ForbiddenAddress,
 * or the error of the connection.
 */
export async function connectToProxy({ guard, proxy, place, scope }: Hop): Promise<Socket> {
  await guard.checkRemote(place, scope);
  const isSecure = proxy.protocol === 'https:';
  const connection = guard.connection(placeOf(proxy), 'operator');
  const { host } = connection;
  const socket = isSecure
    ? connectTls({ ...connection, ...(isIP(host) === 0 && { servername: host }) })
    : connectTcp(connection);
  const cancelTimeout = timeoutAfterReads(tunnelTimeoutMs, () =>
    socket.destroy(new Error('the proxy cannot be reached in time')),
  );
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    cancelTimeout();
  }
}

async function wrap(socket: Socket, name: string): Promise<Socket> {
  const secure = connectTls({
    socket,
    ...(isIP(name) === 0 && { servername: name }),
    ALPNProtocols: ['http/1.1'],
  });
  await once(secure, 'secureConnect');
  return secure;
}

const decoded = (text: string): string => decodeURIComponent(text);

/** The value of `Proxy-Authorization`; '' for none. */
export function proxyCredential({ username, password }: URL): string {
  if (username === '') return '';
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}

async function askConnect(socket: Socket, proxy: URL, { host, port }: HostAndPort): Promise<void> {
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const credential = proxyCredential(proxy);
  const lines = [
    `CONNECT ${place} HTTP/1.1`,
    `Host: ${place}`,
    ...(credential === '' ? [] : [`Proxy-Authorization: ${credential}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await readUntil(socket, (bytes) => bytes.indexOf('\r\n\r\n') + 4, 4);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1];
  if (status?.startsWith('2') !== true)
    throw new Error(`the proxy answered ${status ?? 'something else than HTTP'}`);
}

async function askSocks(socket: Socket, proxy: URL, { host, port }: HostAndPort): Promise<void> {
  const hasName = proxy.username !== '';
  socket.write(Buffer.from(hasName ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await readUntil(socket, () => 2, 0);
  if (version !== 5 || (method !== 0 && !(method === 2 && hasName))) {
    throw new Error('the proxy offers no way to authenticate that we know');
  }
  if (method === 2) {
    socket.write(
      Buffer.concat([Buffer.from([1]), field(decoded(proxy.username)), field(decoded(proxy.password))]),
    );
    const [, verdict] = await readUntil(socket, () => 2, 0);
    if (verdict !== 0) throw new Error('the proxy refused the authentication');
  }
  const place = Buffer.alloc(2);
  place.writeUInt16BE(port);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), addressOf(host), place]));
  const answer = await readUntil(socket, socksAnswerEnd, 0);
  if (answer[1] !== 0) throw new Error(`the proxy could not connect (${answer[1]})`);
}

/** A text preceded by its length. */
function field(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('too long for the proxy');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function addressOf(host: string): Buffer {
  if (isIP(host) !== 4) return Buffer.concat([Buffer.from([3]), field(host)]);
  return Buffer.from([1, ...host.split('.').map(Number)]);
}

/** End of a SOCKS answer, which contains an address (RFC 1928, 6). */
function socksAnswerEnd(bytes: Buffer): number {
  if (bytes.length < 5) return 5;
  const length = { 1: 4, 3: bytes[4]! + 1, 4: 16 }[bytes[3]!];
  if (length === undefined) throw new Error('the proxy answered something else than SOCKS');
  return 4 + length + 2;
}

/**
 * Reads up to the end that `endOf` finds in the received bytes, and puts back what comes after it. At least `least`
 * more bytes are needed.
 */
function readUntil(socket: Socket, endOf: (bytes: Buffer) => number, least: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const leave = (): void => {
      socket.off('readable', onReadable);
      socket.off('error', onError);
      socket.off('close', onClose);
    };
    const onError = (error: Error): void => {
      leave();
      reject(error);
    };
    const onClose = (): void => onError(new Error('the proxy closed the connection'));
    const onReadable = (): void => {
      try {
        for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null) {
          read = Buffer.concat([read, chunk]);
        }
        const end = endOf(read);
        if (read.length > maxHeadBytes) throw new Error('the proxy talks too much');
        if (end < least || end > read.length) return;
        leave();
        if (end < read.length) socket.unshift(read.subarray(end));
        resolve(read.subarray(0, end));
      } catch (error) {
        onError(asError(error));
      }
    };
    socket.on('readable', onReadable);
    socket.on('error', onError);
    socket.on('close', onClose);
    onReadable();
  });
}
