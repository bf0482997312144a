import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { AddressScope } from '../outbound/address.ts';
import type { BodyShare } from '../body-memory.ts';
import { FrameSocket, type SocketLimits } from './frame-socket.ts';
import { createGuard, type OutboundGuard, placeOf } from '../outbound/outbound-guard.ts';
import { TunnelAgent } from '../outbound/tunnel.ts';

/** A socket to be opened. Times are in milliseconds. */
export interface OutgoingSocket {
  /** http, https, ws or wss. */
  url: string;
  headers: Record<string, string>;
  /** Sub-protocols to offer; with any, the other side must choose one. */
  protocols: readonly string[];
  scope: AddressScope;
  /** http, https, socks5 or socks5h URL; '' for none. */
  proxy: string;
  /** Until the other side has answered the handshake. */
  handshakeTimeoutMs: number;
  limits: SocketLimits;
  /** Gives the handshake up. */
  signal: AbortSignal;
}

/** The other side answered the handshake with something else than an open socket. */
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

/** More of a refusal's body is not read. */
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
 * Opens a socket through the same address check as every other call that leaves the house: a literal address is judged
 * before anything is sent, a name when it resolves, and what was judged is what is connected to. A proxy is judged, too, as
 * is what it is asked for; it resolves the name. Redirects are refusals, never followed.
 * Rejects with HandshakeRefused, ForbiddenAddress, or what went wrong below.
 */
export async function openSocket(
  call: OutgoingSocket,
  guard: OutboundGuard = createGuard(),
): Promise<FrameSocket> {
  const url = asSocketUrl(call.url);
  guard.check(placeOf(url), call.scope);
  const socket = new WebSocket(url, [...call.protocols], {
    headers: call.headers,
    handshakeTimeout: call.handshakeTimeoutMs,
    maxPayload: call.limits.maxPayloadBytes,
    // FrameSocket answers pings.
    autoPong: false,
    // Compressed frames would let 30 kB become 30 MB here, and cost more than they save on base64 sound.
    perMessageDeflate: false,
    followRedirects: false,
    agent: agentFor(call, url, guard),
  });
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      socket.terminate();
      reject(new Error('the handshake was given up'));
    };
    const settle = (): void => call.signal.removeEventListener('abort', giveUp);
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

/** What connects: `ws` hands its handshake to Node's http client, whose agent makes the connection. */
function agentFor({ proxy, scope }: OutgoingSocket, url: URL, guard: OutboundGuard): HttpAgent {
  if (proxy !== '') return new TunnelAgent(url, { proxy, scope, guard });
  const { lookup } = guard.connection(placeOf(url), scope);
  const options = { keepAlive: false, lookup };
  return url.protocol === 'wss:' ? new HttpsAgent(options) : new HttpAgent(options);
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
    // A refusal that breaks off is a refusal all the same; its status says most.
  }
  const type = answer.headers['content-type'] ?? '';
  return new HandshakeRefused({
    status: answer.statusCode ?? 0,
    contentType: type,
    body: Buffer.concat(chunks),
    retryAfter: answer.headers['retry-after'],
  });
}

/** A caller's request for a socket, after it was granted. */
export interface Acceptance {
  req: IncomingMessage;
  socket: Duplex;
  /** First bytes behind the handshake. */
  head: Buffer;
  /** Headers of the 101. */
  headers: Record<string, string>;
  /** The sub-protocol chosen among those offered; '' for none. */
  protocol: string;
  /** Counts the bytes of frames that are not whole yet; given back when the socket closes. */
  memory: BodyShare;
}

/** Answers handshakes with 101. */
export interface Acceptor {
  /** Throws when the caller's connection is gone already. The handshake's own headers must have been checked. */
  accept(acceptance: Acceptance): FrameSocket;
}

/** Opens the side that faces callers. */
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

/** "Try again later": there is no room for what the caller sends. */
const tryAgainLater = 1013;

/** Counts what comes of a frame until it is whole. Where there is no room for more, the socket ends with 1013. */
function countPieces(ws: WebSocket, socket: Duplex, memory: BodyShare): void {
  let pieces = 0;
  // Before `ws` reads them: what it makes whole of them is given back behind.
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

/** True when the headers ask for a socket that `accept` can open (RFC 6455, 4.2.1). */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  const version = headers['sec-websocket-version'];
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    (version === '13' || version === '8') &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  );
}
