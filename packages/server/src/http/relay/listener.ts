import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import type { PlainRequest } from '@tollgate/http-engine';
import type { BodyMemory } from '../../lib/body-memory.ts';
import { newRequestId } from '../../lib/request-id.ts';
import {
  beginTrace,
  type Caller,
  ClientStream,
  type IdempotentRelayCall,
  type ClientSink,
  hopHeader,
  type Refusable,
  type SiteLanguage,
} from '../../gateway/index.ts';
import { type Inbound, refuse, type RelayError } from '../../relay/types/index.ts';
import type { CallTrace, CallTraces } from '../../services/traces/index.ts';
import { type Incoming, isHere } from './read-body.ts';
import { readCall, type AuthorizedRequest } from './read-call.ts';
import type { RouteProtocols, MatchedRoute, RelayRoute } from './relay-route.ts';
import { ResponseSink, SameOriginSink } from './response-sink.ts';
import { RelayTable } from './routes.ts';
import { isForRelay, protocolOf, unofferedRoute } from './unoffered.ts';
import { closeAfterAnswer } from './unread-body.ts';

/** What the listener rests on. */
export interface RelayListenerDeps extends SiteLanguage {
  routes: readonly RelayRoute[];
  clock: Clock;
  maxBodyBytes: number;
  /** The protocols that requests are answered in which no route matches. */
  protocols: RouteProtocols;
  /** Counts the bodies of all calls. */
  memory: BodyMemory;
  /**
   * Looks whether a call could be paid for, and counts it against its caller's limits, before a body that has not come is
   * waited for. Rejects with the refusal. What it may cost is judged when the body is known.
   */
  precheck(caller: Caller): Promise<void>;
  /** The caller's own address, behind trusted proxies. */
  clientIp(req: Pick<IncomingMessage, 'headers' | 'socket'>): string;
  /** Finds out who calls; throws the refusal of docs/compatibility.md#relay-keys as a RelayError. */
  identify(
    incoming: Required<Pick<IncomingRequest, 'req' | 'path' | 'query'>> & { route: RelayRoute; ip: string },
  ): Promise<Caller>;
  /** How often keys, people or teams have changed as far as this process knows. */
  keyChanges(): number;
  serve(relayCall: IdempotentRelayCall): Promise<void>;
  /** Answers the routes that are not carried to a channel. */
  answer(authorized: AuthorizedRequest): Promise<void>;
  /** Answers the routes about tasks. */
  answerTask(authorized: AuthorizedRequest): Promise<void>;
  /** Writes any error in the route's protocol; answers what went wrong. */
  refuse(target: Refusable, error: unknown): RelayError;
  /** Told of a call that was refused although its caller is known: it leaves a row. Never waits. */
  onRefused(authorized: AuthorizedRequest, error: RelayError): void;
  /** Traces calls; undefined where nobody wants them. */
  traces: CallTraces | undefined;
  /** True from the moment the process was told to stop. */
  isStopping(): boolean;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': '86400',
};

/** Calls of the console's own pages, by session: no other site has anything to read there. */
const isForOwnPages = (path: string): boolean => path.startsWith('/pg/');

/** The relay's two doors. Both answer true when the request was its own; else they have done nothing. */
export interface RelayListener {
  /** For requests of Node's server. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** The same for requests that wait to be asked for their body (`Expect: 100-continue`). */
  readonly expectant: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** For plain requests, which have not been to Node's server. */
  readonly take: (req: PlainRequest, res: ClientSink) => boolean;
}

/**
 * The relay's side of the server: works on the raw request and response, because the web framework's layers would cost
 * more than the relay itself (docs/performance.md).
 */
export function createRelayListener(deps: RelayListenerDeps): RelayListener {
  const table = new RelayTable(deps.routes);
  const listen = (req: IncomingMessage, res: ServerResponse, invite?: () => void): boolean => {
    const { path, query } = addressOf(req.url);
    const strange = { path, query, headers: req.headers };
    const matched = table.match(req.method ?? 'GET', path) ?? unofferedRoute(strange, deps.protocols);
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
      // Sessions are read by the console's guard, which knows Node's requests alone.
      if (matched?.route.access !== 'key') return false;
      handle(deps, { req, res, path, query, matched });
      return true;
    },
  };
}

function addressOf(url = '/'): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark) };
}

/** A request as it came, and the route that it matched. */
export interface IncomingRequest {
  req: Incoming;
  res: ClientSink;
  path: string;
  query: string;
  matched: MatchedRoute | undefined;
  /** Asks a caller who waits for it to send the body. */
  invite?: (() => void) | undefined;
  /** Called before a refusal is written: the body, as far as it has not come, is not wanted. */
  giveUp?: () => void;
}

/** Finds the caller of a request and carries it to its end. */
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

/** The request with its caller, and with the share of the memory that its body may take. Rejects with the refusal. */
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

/** The trace of a call, where it is sampled. */
export const traceOf = (
  traces: CallTraces,
  { req, res, path, matched }: Pick<IncomingRequest, 'req' | 'res' | 'path' | 'matched'>,
  known: { requestId: string; startedAt: number; isSession: boolean },
): CallTrace | undefined => {
  const { method = 'GET', headers } = req;
  return beginTrace(traces, { ...known, method, path, route: matched?.route.path, headers }, res);
};

/** Whose bytes a caller's are: the key's, or the user's where there is none. */
export const ownerOf = ({ tokenId, userId }: Caller): string | number =>
  tokenId > 0 ? tokenId : `user ${userId}`;

/** Carries a call to its end; then its body leaves the memory. */
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

/** A call that costs something leaves a row where it is refused. */
const isCharged = ({ matched: { route } }: AuthorizedRequest): boolean =>
  route.kind === 'relay' || (route.task !== undefined && chargedTasks.has(route.task));
const chargedTasks: ReadonlySet<string> = new Set([
  'mj-submit',
  'suno-submit',
  'video-create',
  'video-remix',
  'generation-create',
  'kling-create',
  'veo-create',
]);

async function checkAndServe(deps: RelayListenerDeps, authorized: AuthorizedRequest): Promise<void> {
  await deps.precheck(authorized.caller);
  authorized.isRateCounted = true;
  await serveVisit(deps, authorized);
}

async function serveVisit(deps: RelayListenerDeps, authorized: AuthorizedRequest): Promise<void> {
  const { kind } = authorized.matched.route;
  if (kind === 'task') return deps.answerTask(authorized);
  if (kind !== 'relay') return deps.answer(authorized);
  await deps.serve(await readCall(deps, authorized));
}

/**
 * A path that nobody serves; OpenAI has a type of its own for it (docs/compatibility.md#relay-errors), the others
 * tell it by the status.
 */
const unknownPath = ({ id }: Inbound, what: string): RelayError =>
  refuse('unknown_path', { path: what }, id === 'openai-chat' ? { type: 'invalid_request_error' } : {});
