import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import type { PlainRequest } from '@tollgate/http-engine';
import type { BodyMemory } from '../../lib/body-memory.ts';
import { newRequestId } from '../../lib/request-id.ts';
import {
  beginTrace,
  type Caller,
  type ClientSink,
  ClientStream,
  hopHeader,
  type IdempotentRelayCall,
  type RefusalTarget,
  isDryRun,
} from '../../gateway/index.ts';
import { type Inbound, refuse, type RelayError } from '../../relay/types/index.ts';
import type { CallTrace, CallTraces } from '../../services/site/traces/index.ts';
import { type AuthorizedRequest, type Incoming, isHere, readCall, type ReadDeps } from './read-call.ts';
import { type MatchedRoute, type RelayRoute, type RouteProtocols, submitsTask } from './relay-route.ts';
import { ResponseSink, SameOriginSink } from './response-sink.ts';
import { isForRelay, protocolOf, RelayTable, unofferedRoute } from './routes.ts';

/** Maximum time for which a caller may continue to send an unwanted body while reading the answer. */
const lingerMs = 5_000;
/** Most bytes of a body that are read and discarded to keep its connection. */
const smallBytes = 64 * 1024;

/**
 * Prepares an answer to a request with an unread body that is long or of unknown length: the connection closes after
 * the answer, which announces it. A socket that is closed while bytes arrive is reset, and the answer may be lost. So
 * these bytes are discarded until the caller is done, or for a while.
 */
function closeAfterAnswer(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete || res.headersSent) return;
  const length = req.headers['content-length'];
  const isSmall = length !== undefined && Number(length) <= smallBytes;
  if (isSmall && req.headers.expect === undefined) return;
  res.setHeader('connection', 'close');
  req.unpipe();
  req.resume();
  const { socket } = req;
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}

/** Dependencies of the listener. */
export interface RelayListenerDeps extends ReadDeps {
  routes: readonly RelayRoute[];
  clock: Clock;
  /** The protocols for answers to requests without a matching route. */
  protocols: RouteProtocols;
  /** Counts the bodies of all calls. */
  memory: BodyMemory;
  /**
   * Checks the caller's balance and counts the call against the rate limits before a body is read; false if those
   * depend on the body. Rejects with the error. The cost of the call is checked when the body is known.
   */
  precheck(caller: Caller): Promise<boolean>;
  /** The caller's own address, behind trusted proxies. */
  clientIp(req: Pick<IncomingMessage, 'headers' | 'socket'>): string;
  /** Identifies the caller; throws the error of docs/compatibility.md#relay-keys as a RelayError. */
  identify(
    incoming: Required<Pick<IncomingRequest, 'req' | 'path' | 'query'>> & { route: RelayRoute; ip: string },
  ): Promise<Caller>;
  /** A counter that changes whenever cached keys, users or teams change. */
  keyChanges(): number;
  serve(relayCall: IdempotentRelayCall): Promise<void>;
  /** Answers the routes that are not sent to a channel. */
  answer(authorized: AuthorizedRequest): Promise<void>;
  /** Answers the routes about tasks. */
  answerTask(authorized: AuthorizedRequest): Promise<void>;
  /** Writes any error in the route's protocol; returns the error. */
  refuse(target: RefusalTarget, error: unknown): RelayError;
  /** Called for a refused call of a known caller, which gets a log row. Must not wait. */
  onRefused(authorized: AuthorizedRequest, error: RelayError): void;
  /** Traces calls; undefined if disabled. */
  traces: CallTraces | undefined;
  /** True from the moment the process is stopping. */
  isStopping(): boolean;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': '86400',
};

/** Calls of the console's own pages, by session: pages of other sites must not read the answers. */
const isForOwnPages = (path: string): boolean => path.startsWith('/pg/');

/**
 * The two entry points of the relay. Both return true if the request was theirs; otherwise they have done nothing.
 */
export interface RelayListener {
  /** For requests of Node's server. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** The same for requests that wait for a `100 Continue` (`Expect: 100-continue`). */
  readonly expectant: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** For plain requests, which did not pass through Node's server. */
  readonly take: (req: PlainRequest, res: ClientSink) => boolean;
}

/**
 * The relay's side of the server. It uses the raw request and response, because the layers of the web framework would
 * cost more than the relay itself (docs/decisions/0004-relay-on-the-raw-server.md).
 */
export function createRelayListener(deps: RelayListenerDeps): RelayListener {
  const table = new RelayTable(deps.routes);
  const listen = (req: IncomingMessage, res: ServerResponse, invite?: () => void): boolean => {
    const { path, query } = addressOf(req.url);
    const strange = { path, query, headers: req.headers };
    const matched = table.match(methodOf(req), path) ?? unofferedRoute(strange, deps.protocols);
    if (!matched && !isForRelay(strange)) return false;
    if (req.method === 'OPTIONS') {
      res.writeHead(204, isForOwnPages(path) ? {} : corsHeaders).end();
      return true;
    }
    if (matched?.route.kind === 'realtime') res.setHeader('upgrade', 'websocket');
    const giveUp = (): void => closeAfterAnswer(req, res);
    const sink = isForOwnPages(path) ? new SameOriginSink(res) : new ResponseSink(res);
    handle(deps, { req, res: sink, path, query, matched, invite, giveUp });
    return true;
  };
  return {
    listener: (req, res) => listen(req, res),
    expectant: (req, res) => listen(req, res, () => res.writeContinue()),
    take(req, res) {
      const { path, query } = addressOf(req.url);
      const matched = table.match(req.method, path);
      // The console's guard reads sessions, and only accepts Node's requests.
      if (matched?.route.access !== 'key') return false;
      handle(deps, { req, res, path, query, matched });
      return true;
    },
  };
}

/** The method of a request; for a preflight that of the announced call. */
const methodOf = ({ method = 'GET', headers }: IncomingMessage): string =>
  method === 'OPTIONS' ? (headers['access-control-request-method'] ?? method) : method;

function addressOf(url = '/'): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark) };
}

/** A request as it arrived, and its matching route. */
export interface IncomingRequest {
  req: Incoming;
  res: ClientSink;
  path: string;
  query: string;
  matched: MatchedRoute | undefined;
  /** Sends `100 Continue` to a caller who waits for it. */
  invite?: (() => void) | undefined;
  /** Called before an error is written: the rest of the body will not be read. */
  giveUp?: () => void;
}

/** Identifies the caller of a request and serves it. */
function handle(deps: RelayListenerDeps, incoming: IncomingRequest): void {
  const { req, res, path, query, matched } = incoming;
  const startedAt = deps.clock();
  const requestId = newRequestId(startedAt);
  const client = new ClientStream(res);
  client.open();
  const route = matched?.route;
  const inbound =
    route?.inboundFor?.(req.headers) ??
    route?.inbound ??
    protocolOf({ path, query, headers: req.headers }, deps.protocols);
  const trace = deps.traces && traceOf(deps.traces, incoming, { requestId, startedAt, isSession: false });
  const refused = (error: unknown): RelayError => {
    incoming.giveUp?.();
    const reason = deps.refuse({ client, inbound, requestId, req, trace }, error);
    trace?.refused(reason);
    trace?.end();
    return reason;
  };
  try {
    faultPoint('request-arrived');
    if (!matched) throw unknownPath(inbound, `${req.method} ${path}`);
    if (deps.isStopping()) throw refuse('shutting_down');
    if (req.headers[hopHeader] !== undefined) throw refuse('loop_detected');
    const ip = deps.clientIp(req);
    authorize(deps, { ...incoming, matched, client, requestId, startedAt, inbound, ip, trace })
      .then((authorized) => carry(deps, authorized, refused))
      .catch(refused);
  } catch (error) {
    refused(error);
  }
}

type Identified = Pick<
  AuthorizedRequest,
  'matched' | 'client' | 'requestId' | 'startedAt' | 'inbound' | 'ip' | 'trace'
>;

/** The request with its caller, and with its account of body memory. Rejects with the error. */
async function authorize(
  deps: RelayListenerDeps,
  arrived: Omit<IncomingRequest, 'matched' | 'giveUp'> & Identified,
): Promise<AuthorizedRequest> {
  const { req, res, path, query, matched, client, requestId, startedAt, inbound, ip, trace, invite } =
    arrived;
  const keyChanges = deps.keyChanges();
  const identify = (): Promise<Caller> => deps.identify({ route: matched.route, req, path, query, ip });
  const caller = await identify();
  trace?.calledBy(caller);
  return {
    req,
    res,
    client,
    requestId,
    path,
    query,
    ip,
    matched,
    inbound,
    caller,
    startedAt,
    memory: deps.memory.open(ownerOf(caller)),
    isRateCounted: false,
    model: '',
    askedGroup: '',
    trace,
    invite,
    identifyAgain: () => (deps.keyChanges() === keyChanges ? undefined : identify()),
  };
}

/** The trace of a call, if it is sampled. */
export const traceOf = (
  traces: CallTraces,
  { req, res, path, matched }: Pick<IncomingRequest, 'req' | 'res' | 'path' | 'matched'>,
  known: { requestId: string; startedAt: number; isSession: boolean },
): CallTrace | undefined => {
  const { method = 'GET', headers } = req;
  return beginTrace(traces, { ...known, method, path, route: matched?.route.path, headers }, res);
};

/** The owner of a body's memory: the key, or the user if there is no key. */
export const ownerOf = ({ tokenId, userId }: Caller): string | number =>
  tokenId > 0 ? tokenId : `user ${userId}`;

/** Serves a call; then its body's memory is released. */
function carry(
  deps: RelayListenerDeps,
  authorized: AuthorizedRequest,
  refused: (error: unknown) => RelayError,
): void {
  const { memory } = authorized;
  const over = (): void => {
    memory.free();
    authorized.trace?.end();
  };
  const failed = (error: unknown): void => {
    memory.free();
    const reason = refused(error);
    if (isCharged(authorized)) deps.onRefused(authorized, reason);
  };
  const isChecked = authorized.matched.route.kind === 'relay' && !isHere(authorized.req);
  const carried = isChecked ? checkAndServe(deps, authorized) : serveVisit(deps, authorized);
  carried.then(over, failed);
}

/** A refused call that would have cost something gets a log row. */
const isCharged = ({ matched: { route } }: AuthorizedRequest): boolean =>
  route.kind === 'relay' || route.kind === 'hold' || submitsTask(route);

async function checkAndServe(deps: RelayListenerDeps, authorized: AuthorizedRequest): Promise<void> {
  authorized.isRateCounted = await deps.precheck(authorized.caller);
  await serveVisit(deps, authorized);
}

async function serveVisit(deps: RelayListenerDeps, authorized: AuthorizedRequest): Promise<void> {
  const { kind } = authorized.matched.route;
  // Neither has a choice to explain, and the caller expects no charge.
  if (kind !== 'relay' && isDryRun(authorized)) throw refuse('api_not_implemented');
  if (kind === 'task') return deps.answerTask(authorized);
  if (kind !== 'relay') return deps.answer(authorized);
  await deps.serve(await readCall(deps, authorized));
}

/**
 * An unknown path; OpenAI has its own error type for it (docs/compatibility.md#relay-errors), the other protocols
 * only the status.
 */
const unknownPath = ({ id }: Inbound, what: string): RelayError =>
  refuse('unknown_path', { path: what }, id === 'openai-chat' ? { type: 'invalid_request_error' } : {});
