import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import type { PlainRequest } from '../../lib/plain-http/plain-request.ts';
import { newRequestId } from '../../lib/request-id.ts';
import {
  type Caller,
  ClientStream,
  type KeyedExchange,
  type Listener,
  hopHeader,
  type Refusable,
} from '../../gateway/index.ts';
import type { Inbound } from '../../relay/model/protocol.ts';
import { refuse, RelayError } from '../../relay/model/relay-error.ts';
import type { Incoming } from './read-body.ts';
import { readExchange, type Visit } from './read-exchange.ts';
import type { MatchedRoute, RelayRoute } from './relay-route.ts';
import { ResponseSink } from './response-sink.ts';
import { RelayTable } from './routes.ts';

/** What the listener rests on. */
export interface RelayListenerDeps {
  routes: readonly RelayRoute[];
  clock: Clock;
  maxBodyBytes: number;
  /** True for paths of the relay even when no route matches: they answer 404 in the callers' language. */
  owns(path: string): boolean;
  /** The caller's own address, behind trusted proxies. */
  clientIp(req: Pick<IncomingMessage, 'headers' | 'socket'>): string;
  /** Finds out who calls; throws the refusal of wire-facts 2.3 as a RelayError. */
  identify(
    arrival: Required<Pick<Arrival, 'req' | 'path' | 'query'>> & { route: RelayRoute; ip: string },
  ): Caller | Promise<Caller>;
  serve(exchange: KeyedExchange): Promise<void>;
  /** Answers the routes that are not carried to a channel. */
  answer(visit: Visit): Promise<void>;
  /** Writes any error in the route's language. */
  refuse(target: Refusable, error: unknown): void;
  /** The language of a path that matches nothing. */
  fallback(path: string): Inbound;
  /** True from the moment the process was told to stop. */
  isStopping(): boolean;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': '86400',
};

/** The relay's two doors. Both answer true when the request was its own; else they have done nothing. */
export interface RelayListener {
  /** For requests of Node's server. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** For plain requests, which have not been to Node's server. */
  readonly take: (req: PlainRequest, res: Listener) => boolean;
}

/**
 * The relay's side of the server: works on the raw request and response, because the web framework's layers would cost
 * more than the relay itself (docs/performance.md).
 */
export function createRelayListener(deps: RelayListenerDeps): RelayListener {
  const table = new RelayTable(deps.routes);
  return {
    listener(req, res) {
      const { path, query } = addressOf(req.url);
      const matched = table.match(req.method ?? 'GET', path);
      if (!matched && !deps.owns(path)) return false;
      if (req.method === 'OPTIONS') {
        res.writeHead(204, corsHeaders).end();
        return true;
      }
      if (matched?.route.kind === 'realtime') res.setHeader('upgrade', 'websocket');
      handle(deps, { req, res: new ResponseSink(res), path, query, matched });
      return true;
    },
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
export interface Arrival {
  req: Incoming;
  res: Listener;
  path: string;
  query: string;
  matched: MatchedRoute | undefined;
}

/** A known caller's request is carried on in the same turn: each layer that waits would cost a call its own promise. */
function handle(deps: RelayListenerDeps, { req, res, path, query, matched }: Arrival): void {
  const startedAt = deps.clock();
  const requestId = newRequestId(startedAt);
  const client = new ClientStream(res);
  client.open();
  const route = matched?.route;
  const inbound = route?.inboundFor?.(req.headers) ?? route?.inbound ?? deps.fallback(path);
  const target: Refusable = { client, inbound, requestId };
  try {
    faultPoint('K1');
    if (!matched) throw unknownPath(inbound, `${req.method} ${path}`);
    if (deps.isStopping()) throw refuse(503, 'shutting_down', 'the gateway is shutting down');
    if (req.headers[hopHeader] !== undefined)
      throw refuse(508, 'loop_detected', 'the request came back to the gateway');
    const ip = deps.clientIp(req);
    const visitOf = (caller: Caller): Visit => {
      return { req, res, client, requestId, path, query, ip, matched, inbound, caller, startedAt };
    };
    const caller = deps.identify({ route: matched.route, req, path, query, ip });
    const carried =
      caller instanceof Promise
        ? caller.then((known) => carry(deps, visitOf(known)))
        : carry(deps, visitOf(caller));
    carried.catch((error: unknown) => deps.refuse(target, error));
  } catch (error) {
    deps.refuse(target, error);
  }
}

function carry(deps: RelayListenerDeps, visit: Visit): Promise<void> {
  if (visit.matched.route.kind !== 'relay') return deps.answer(visit);
  const exchange = readExchange(deps, visit);
  return exchange instanceof Promise ? exchange.then((read) => deps.serve(read)) : deps.serve(exchange);
}

/**
 * A path that nobody serves; OpenAI has a type of its own for it (wire-facts 2.4), the others tell it by the status.
 */
const unknownPath = ({ id }: Inbound, what: string): RelayError =>
  new RelayError({
    status: 404,
    code: '',
    ...(id === 'openai-chat' && { type: 'invalid_request_error' }),
    message: `Invalid URL (${what})`,
    blame: 'caller',
  });
