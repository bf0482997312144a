import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeHttp } from '@tollgate/http-engine';
import type { Duplex } from 'node:stream';
import { seconds } from '../../lib/clock.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import { newRequestId } from '../../lib/request-id.ts';
import type { FrameSocket } from '../../lib/websocket/frame-socket.ts';
import { type Acceptor, isHandshake } from '../../lib/websocket/websocket.ts';
import {
  type Caller,
  ClientStream,
  type RelayCall,
  hopHeader,
  readTags,
  type RefusalTarget,
  type Sessions,
  type SocketRequest,
} from '../../gateway/index.ts';
import { type JsonObject, textOf } from '../../lib/json.ts';
import { refuse } from '../../relay/types/index.ts';
import { readCredential, type SessionGrant, sessionSecretIn } from '../../services/people/tokens/index.ts';
import { chooseProtocol } from '../../relay/realtime/handshake.ts';
import { isSameOrigin } from '../context.ts';
import { transcriberOf } from '../../relay/realtime/transcription.ts';
import type { LiveSetup } from '../../relay/realtime/live.ts';
import { CloseSink, fixedSetup, readSetup } from './live-socket.ts';
import { ownerOf, type RelayListenerDeps, traceOf } from './listener.ts';
import type { MatchedRoute } from './relay-route.ts';
import { ResponseSink } from './response-sink.ts';
import type { ResponsesHandshake } from './responses-socket.ts';
import { RelayTable } from './routes.ts';

/** Dependencies of the relay's WebSockets. */
export interface UpgradeDeps extends Pick<
  RelayListenerDeps,
  'routes' | 'clock' | 'clientIp' | 'identify' | 'refuse' | 'isStopping' | 'memory' | 'traces'
> {
  acceptor: Acceptor;
  /** Scheme and host in the caller's browser, and the address in the settings. */
  ownOrigin(req: IncomingMessage): string;
  serverAddress(): string;
  identityHeaders(requestId: string): Record<string, string>;
  /** What a secret for sessions was made for; undefined for an unknown or expired one. */
  findGrant(secret: string): Promise<SessionGrant | undefined>;
  /** Counts a session of a secret; false if it opens no more. */
  useGrant(secret: string): Promise<boolean>;
  /** The caller of its key; throws the error. */
  identifyGrant(grant: SessionGrant): Promise<Caller>;
  sessions: Pick<Sessions, 'admit'>;
  serve(authorized: SocketRequest): Promise<void>;
  /** Serves Responses over the socket. */
  serveResponses(handshake: ResponsesHandshake): Promise<void>;
}

/** Handles upgrade requests. */
export interface UpgradeListener {
  /** True for requests with an upgrade to a WebSocket; every other request is a plain one, with any headers. */
  takes(this: void, req: IncomingMessage): boolean;
  upgrade(this: void, req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** An upgrade request, and its matching route. */
interface HandshakeRequest {
  req: IncomingMessage;
  path: string;
  query: string;
  matched: MatchedRoute;
}

/**
 * The relay's WebSockets: the same route table, keys and errors as its calls. Until a channel's socket is open an
 * error is an HTTP answer in OpenAI's format; from then on it is an event on the socket.
 */
export function createUpgradeListener(deps: UpgradeDeps): UpgradeListener {
  const table = new RelayTable(deps.routes.filter((route) => route.kind === 'realtime'));
  const plain = new RelayTable(deps.routes);
  const handshakeOf = (req: IncomingMessage): HandshakeRequest | undefined => {
    const address = req.url ?? '/';
    const mark = address.indexOf('?');
    // Google's client writes two slashes.
    const path = (mark < 0 ? address : address.slice(0, mark)).replace(/^\/\/ws\//, '/ws/');
    const matched = table.match(req.method ?? 'GET', path);
    return matched && { req, path, query: mark < 0 ? '' : address.slice(mark), matched };
  };
  return {
    takes: (req) => req.headers.upgrade?.toLowerCase() === 'websocket' && handshakeOf(req) !== undefined,
    upgrade(req, socket, head) {
      const incoming = handshakeOf(req);
      // The close event reports a broken connection; without a listener its error would end the process.
      socket.on('error', () => undefined);
      const res = incoming && responseOn(req, socket);
      if (res) void handle(deps, incoming, { res, socket, head, plain });
      else socket.destroy();
    },
  };
}

/**
 * An HTTP answer on the connection until it has become a WebSocket; none if an earlier request on the same connection
 * is still being answered.
 */
function responseOn(req: IncomingMessage, socket: Duplex): ServerResponse | undefined {
  const res = new nodeHttp.ServerResponse(req);
  res.shouldKeepAlive = false;
  try {
    res.assignSocket(req.socket);
  } catch {
    return undefined;
  }
  res.on('finish', () => {
    res.detachSocket(req.socket);
    socket.end();
    // Everything needed was read; a caller that keeps the connection open holds no resources.
    req.socket.destroySoon();
  });
  return res;
}

/** The connection of a handshake, and the HTTP answer on it until it is a WebSocket. */
interface Connection {
  res: ServerResponse;
  socket: Duplex;
  /** Bytes after the handshake. */
  head: Buffer;
  /** The routes of plain calls. */
  plain: RelayTable;
}

async function handle(
  deps: UpgradeDeps,
  incoming: HandshakeRequest,
  { res, socket, head, plain }: Connection,
): Promise<void> {
  const { req, path, query, matched } = incoming;
  const startedAt = deps.clock();
  const requestId = newRequestId(startedAt);
  const sink = new ResponseSink(res);
  const client = new ClientStream(sink);
  client.open();
  const { inbound } = matched.route;
  const arrived = { ...incoming, res: sink };
  const trace = deps.traces && traceOf(deps.traces, arrived, { requestId, startedAt, isSession: true });
  const known = { client, requestId, trace };
  const target: RefusalTarget = { ...known, inbound, req };
  try {
    faultPoint('request-arrived');
    checkHandshake(deps, req);
    const ip = deps.clientIp(req);
    const granted = await readGrant(deps, incoming);
    const grant = granted?.grant;
    // A secret is for the sessions of its protocol only.
    const isLive = inbound.id === 'gemini';
    if (grant && (inbound.id === 'openai-responses' || isLive !== (grant.live !== undefined)))
      throw refuse('invalid_api_key');
    // A session goes on when its secret expires, and ends with the key.
    const ask = async (): Promise<Caller> => {
      if (grant?.live && seconds(deps.clock) >= grant.live.end) throw refuse('invalid_api_key');
      return grant
        ? deps.identifyGrant(grant)
        : deps.identify({ route: matched.route, req, path, query, ip });
    };
    const caller = await ask();
    trace?.calledBy(caller);
    const protocols = protocolsOf(req);
    const accept = (): FrameSocket => {
      res.detachSocket(req.socket);
      trace?.answered(101);
      const headers = deps.identityHeaders(requestId);
      const memory = deps.memory.open(ownerOf(caller));
      const protocol = chooseProtocol(protocols);
      return deps.acceptor.accept({ req, socket, head, headers, protocol, memory });
    };
    const created = plain.match('POST', path);
    if (inbound.id === 'openai-responses' && created) {
      const handshake = { req, path, query, ip, caller, matched: created };
      return await deps.serveResponses({ ...handshake, identify: ask, accept });
    }
    const confirm = async (): Promise<void> => {
      await ask();
    };
    const visit = { ...known, res: sink, caller, ip, startedAt };
    if (isLive) return await serveLive(deps, incoming, { accept, granted, visit, confirm });
    const asked = askedSocket(incoming, grant?.session);
    const relayCall = socketExchange(incoming, asked.model, visit);
    await deps.serve({ relayCall, asked, accept, confirm });
  } catch (error) {
    const reason = deps.refuse(target, error);
    trace?.refused(reason);
  } finally {
    trace?.end();
  }
}

/** A secret of a handshake, and what it was made for. */
interface Granted {
  secret: string;
  grant: SessionGrant;
}

/** The secret of a handshake; undefined for a handshake with a key. Throws `invalid_api_key`. */
async function readGrant(
  deps: Pick<UpgradeDeps, 'findGrant'>,
  { req, path, query }: HandshakeRequest,
): Promise<Granted | undefined> {
  const secret = sessionSecretIn(readCredential(path, query, req.headers));
  if (secret === undefined) return undefined;
  const grant = await deps.findGrant(secret);
  if (!grant) throw refuse('invalid_api_key');
  return { secret, grant };
}

/** A socket of Gemini Live before its first message. */
interface LiveVisit {
  accept: () => FrameSocket;
  granted: Granted | undefined;
  visit: Parameters<typeof socketExchange>[2];
  confirm: () => Promise<void>;
}

/** The model is in the first message, so that the socket is open before anything can be checked. */
async function serveLive(
  deps: UpgradeDeps,
  incoming: HandshakeRequest,
  { accept, granted, visit, confirm }: LiveVisit,
): Promise<void> {
  // A socket counts from its handshake on.
  const free = deps.sessions.admit(visit.caller.userId);
  let link: FrameSocket;
  try {
    link = accept();
  } catch (error) {
    free();
    throw error;
  }
  const sink = new CloseSink(link);
  const client = new ClientStream(sink);
  client.open();
  const known = { ...visit, res: sink, client };
  const { path, query, req, matched } = incoming;
  let live: LiveSetup;
  try {
    live = await readSetup(link, (setup) => (granted ? fixedSetup(granted.grant, setup) : setup));
    if (live.model === '') throw refuse('model_required');
    if (granted) await useGrant(deps, granted, live);
  } catch (error) {
    const { requestId, trace } = visit;
    const reason = deps.refuse({ client, requestId, trace, inbound: matched.route.inbound, req }, error);
    return visit.trace?.refused(reason);
  } finally {
    free();
  }
  const { model, setup, words } = live;
  const relayCall = { ...socketExchange(incoming, model, known), json: { input: words } };
  const asked = { model, path, query, protocols: [], beta: '', setup };
  await deps.serve({ relayCall, asked, live, accept: () => link, confirm });
}

/** Counts a new session of a token; a session that is resumed is no other one. Throws `invalid_api_key`. */
async function useGrant(
  deps: Pick<UpgradeDeps, 'clock' | 'useGrant'>,
  { secret, grant }: Granted,
  { handle }: LiveSetup,
): Promise<void> {
  if (handle !== '') return;
  const isLate = seconds(deps.clock) >= (grant.live?.beginsBefore ?? 0);
  if (isLate || !(await deps.useGrant(secret))) throw refuse('invalid_api_key');
}

/** A handshake as a request of the gateway: without a body, with a streamed answer. */
const socketExchange = (
  { req, path, query, matched }: HandshakeRequest,
  model: string,
  known: Pick<RelayCall, 'res' | 'client' | 'requestId' | 'caller' | 'ip' | 'startedAt' | 'trace'>,
): RelayCall => ({
  ...known,
  tags: readTags({ req, caller: known.caller }, {}),
  req,
  inbound: matched.route.inbound,
  path,
  query,
  raw: Buffer.alloc(0),
  json: {},
  facts: {
    model,
    stream: true,
    wantsStreamUsage: false,
    maxOutputTokens: 0,
    estimatedInputTokens: 0,
    choices: 1,
  },
  askedGroup: '',
});

/**
 * Refuses invalid handshakes, requests from Tollgate itself, and requests of other sites' pages with a user's cookie.
 */
function checkHandshake(deps: UpgradeDeps, req: IncomingMessage): void {
  if (deps.isStopping()) throw refuse('shutting_down');
  if (req.headers[hopHeader] !== undefined) {
    throw refuse('loop_detected');
  }
  if (!isHandshake(req)) throw refuse('invalid_handshake');
  // Callers send keys, and cookies are not read here. A cookie shows that a browser with a session sends the request,
  // and then the page must be our own (ASVS 4.4.2).
  if (
    req.headers.cookie !== undefined &&
    !isSameOrigin(req.headers, deps.ownOrigin(req), deps.serverAddress())
  ) {
    throw refuse('origin_not_allowed');
  }
}

function askedSocket(
  { req, path, query }: HandshakeRequest,
  session: JsonObject | undefined,
): SocketRequest['asked'] {
  const parameters = new URLSearchParams(query);
  const named = parameters.get('model') ?? '';
  const transcribes = session
    ? session['type'] === 'transcription'
    : parameters.get('intent') === 'transcription';
  const bound = session && transcribes ? transcriberOf(session) : textOf(session?.['model']);
  if (bound !== '' && named !== '' && named !== bound) throw refuse('session_model_fixed', { model: bound });
  const model = bound === '' ? named : bound;
  if (model === '') throw refuse('model_required');
  const beta = req.headers['openai-beta'];
  return {
    model,
    path,
    // A secret alone says that its session only transcribes.
    query: transcribes && session ? '?intent=transcription' : query,
    transcribes,
    protocols: protocolsOf(req),
    beta: Array.isArray(beta) ? beta.join(',') : (beta ?? ''),
    ...(session && { session }),
  };
}

/** The sub-protocols of a handshake. */
const protocolsOf = ({ headers }: IncomingMessage): string[] =>
  (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
