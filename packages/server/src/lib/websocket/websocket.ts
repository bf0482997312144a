import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { nodeHttp } from '@tollgate/http-engine';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { AddressScope } from '../outbound/address.ts';
import type { BodyShare } from '../body-memory.ts';
import { FrameSocket, type SocketLimits } from './frame-socket.ts';
import { timeoutAfterReads } from '../processes/timeout-after-reads.ts';
import { createGuard, type OutboundGuard, placeOf } from '../outbound/outbound-guard.ts';
import { TunnelAgent } from '../outbound/tunnel.ts';

/** Options for opening a socket. Times are in milliseconds. */
export interface OutgoingSocket {
  /** http, https, ws or wss. */
  url: string;
  headers: Record<string, string>;
  /** Sub-protocols to offer; if there are any, the other side must choose one. */
  protocols: readonly string[];
  scope: AddressScope;
  /** http, https, socks5 or socks5h URL; '' for none. */
  proxy: string;
  /** Timeout of the handshake. */
  handshakeTimeoutMs: number;
  limits: SocketLimits;
  /** Aborts the handshake. */
  signal: AbortSignal;
}

/** The other side did not answer the handshake with an open socket. */
export class HandshakeRefused extends Error {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  readonly retryAfter: string | undefined;

  constructor(answer: Pick<HandshakeRefused, 'status' | 'contentType' | 'body' | 'retryAfter'>) {
    super(`the handshake was answered with ${answer.status}`);
    this.name = 'HandshakeRefused';
    this.status = answer.status;
    this.contentType = answer.contentType;
    this.body = answer.body;
    this.retryAfter = answer.retryAfter;
  }
}

/** Most bytes read of an error response. */
const maxRefusalBytes = 64 * 1024;

const asSocketUrl = (text: string): URL => {
  const url = new URL(text);
  if (url.protocol === 'https:') url.protocol = 'wss:';
  else if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:')
    throw new TypeError(`not a socket address: ${url.protocol}`);
  return url;
};

/**
 * Opens a socket through the same address check as all outgoing calls: an IP literal is checked before anything is
 * sent, a name when it is resolved, and the checked address is the one connected to. A proxy is checked too, as is
 * its target; it resolves the name. Redirects are errors, never followed. Rejects with HandshakeRefused,
 * ForbiddenAddress, or the error of the connection.
 */
export async function openSocket(
  call: OutgoingSocket,
  guard: OutboundGuard = createGuard(),
): Promise<FrameSocket> {
  const url = asSocketUrl(call.url);
  guard.check(placeOf(url), call.scope);
  const socket = new WebSocket(url, [...call.protocols], {
    headers: call.headers,
    maxPayload: call.limits.maxPayloadBytes,
    // FrameSocket answers pings.
    autoPong: false,
    // Compressed frames could turn 30 kB into 30 MB here, and cost more than they save for base64 sound.
    perMessageDeflate: false,
    followRedirects: false,
    agent: agentFor(call, url, guard),
  });
  return new Promise((resolve, reject) => {
    const abandon = (reason: string): void => {
      socket.terminate();
      reject(new Error(reason));
    };
    const giveUp = (): void => abandon('the handshake was given up');
    const cancelTimeout = timeoutAfterReads(call.handshakeTimeoutMs, () =>
      abandon('the handshake timed out'),
    );
    const settle = (): void => {
      cancelTimeout();
      call.signal.removeEventListener('abort', giveUp);
    };
    socket.once('open', () => {
      settle();
      resolve(new FrameSocket(socket, call.limits));
    });
    socket.once('unexpected-response', (_request, answer) => {
      settle();
      readRefusal(answer).then((refused) => {
        reject(refused);
        socket.terminate();
      }, reject);
    });
    socket.on('error', (error) => {
      settle();
      reject(error);
    });
    if (call.signal.aborted) giveUp();
    else call.signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** The connection: `ws` uses Node's http client for its handshake, whose agent connects. */
function agentFor({ proxy, scope }: OutgoingSocket, url: URL, guard: OutboundGuard): HttpAgent {
  if (proxy !== '') return new TunnelAgent(url, { proxy, scope, guard });
  const { lookup } = guard.connection(placeOf(url), scope);
  const options = { keepAlive: false, lookup };
  return url.protocol === 'wss:' ? new HttpsAgent(options) : new nodeHttp.Agent(options);
}

async function readRefusal(answer: IncomingMessage): Promise<HandshakeRefused> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxRefusalBytes) break;
    }
  } catch {
    // An incomplete error response is still an error, because only its status is needed.
  }
  const type = answer.headers['content-type'] ?? '';
  return new HandshakeRefused({
    status: answer.statusCode ?? 0,
    contentType: type,
    body: Buffer.concat(chunks),
    retryAfter: answer.headers['retry-after'],
  });
}

/** A caller's upgrade request, after it was admitted. */
interface Acceptance {
  req: IncomingMessage;
  socket: Duplex;
  /** First bytes after the handshake. */
  head: Buffer;
  /** Headers of the 101. */
  headers: Record<string, string>;
  /** The sub-protocol chosen from those offered; '' for none. */
  protocol: string;
  /** Counts the bytes of incomplete frames; released when the socket closes. */
  memory: BodyShare;
}

/** Answers handshakes with 101. */
export interface Acceptor {
  /** Throws if the caller's connection is already closed. The handshake's headers must have been checked. */
  accept(acceptance: Acceptance): FrameSocket;
}

/** Opens the callers' side. */
export function createAcceptor(limits: SocketLimits): Acceptor {
  const granted = new WeakMap<IncomingMessage, Acceptance>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxPayloadBytes,
    autoPong: false,
    handleProtocols: (_offered, req) => granted.get(req)?.protocol || false,
  });
  server.on('headers', (lines: string[], req: IncomingMessage) => {
    for (const [name, value] of Object.entries(granted.get(req)?.headers ?? {}))
      lines.push(`${name}: ${value}`);
  });
  return {
    accept(acceptance) {
      const { req, socket, head, memory } = acceptance;
      granted.set(req, acceptance);
      let accepted: FrameSocket | undefined;
      server.handleUpgrade(req, socket, head, (ws) => {
        countPieces(ws, socket, memory);
        accepted = new FrameSocket(ws, limits);
      });
      if (!accepted) throw new Error('the caller left before its socket was open');
      return accepted;
    },
  };
}

/** "Try again later": no memory for the caller's data. */
const tryAgainLater = 1013;

/**
 * Counts the received bytes of a frame until it is complete. If the limit is reached, the socket is closed with 1013.
 */
function countPieces(ws: WebSocket, socket: Duplex, memory: BodyShare): void {
  let pieces = 0;
  // Before `ws` reads them; the bytes of a completed frame are released afterwards.
  socket.prependListener('data', (bytes: Buffer) => {
    if (memory.take(bytes.length) === undefined) pieces += bytes.length;
    else if (ws.readyState === WebSocket.OPEN)
      ws.close(tryAgainLater, 'too many bytes of requests in progress');
    else ws.terminate();
  });
  ws.prependListener('message', () => {
    memory.give(pieces);
    pieces = 0;
  });
  socket.once('close', () => memory.free());
}

/** True if the headers ask for a socket that `accept` can open (RFC 6455, 4.2.1). */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  const version = headers['sec-websocket-version'];
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    (version === '13' || version === '8') &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  );
}
