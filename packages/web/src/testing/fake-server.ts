import {
  attentionApi,
  autoTopUpApi,
  budgetApi,
  grantApi,
  planApi,
  pricingApi,
  selfApi,
  statusApi,
  unknownMembers,
  type DataOf,
  type ExtraOf,
  type InputOf,
  type Route,
} from '@tollgate/contract';
import { statusSample } from './samples.ts';
import { noAutoTopUp, noPriceGroups } from './usage-samples.ts';

/** Answer of a call: its data, or data and extra fields if the contract has any. */
export type AnswerOf<R extends Route> = [ExtraOf<R>] extends [undefined]
  ? DataOf<R>
  : { data: DataOf<R>; extra: ExtraOf<R> };

type Maker<R extends Route> = (input: InputOf<R>) => AnswerOf<R> | Promise<AnswerOf<R>>;
/** A constant answer, or a function of the request. */
type Answering<R extends Route> = AnswerOf<R> | Maker<R>;

/** Data of the contract is JSON, and never a function. */
const isMaker = <R extends Route>(answering: Answering<R>): answering is Maker<R> =>
  typeof answering === 'function';

interface Handler {
  route: Route;
  respond: (input: unknown) => Response | Promise<Response>;
}

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The slots of a path, by name; null for another path. `:id` takes only digits, as on the server. */
function slotsOf(path: string, pathname: string): Record<string, string> | null {
  const pattern = path
    .replace(/\/$/, '')
    .replace(/:(\w+)/g, (_slot, name: string) => (name === 'id' ? `(?<${name}>\\d+)` : `(?<${name}>[^/]+)`));
  const match = new RegExp(`^${pattern}/?$`).exec(pathname);
  return match ? Object.fromEntries(Object.entries(match.groups ?? {})) : null;
}

/** Ids from the address are numbers for the contract's schemas. */
const asNumbers = (slots: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(slots).map(([name, value]) => [name, name === 'id' ? Number(value) : value]),
  );

/**
 * The server as a page sees it, made of the contract's calls: an answer of the wrong shape is a type error, and a
 * request that the contract does not know, or whose input it refuses, is kept in `unexpected`.
 */
export class FakeServer {
  /** Requests without an answer, or refused by the contract. A test that ends with any has failed. */
  readonly unexpected: string[] = [];
  private readonly handlers: Handler[] = [];
  private readonly streams = new Map<string, (body: unknown) => Response | Promise<Response>>();
  private readonly asked: { route: Route; input: unknown }[] = [];
  private readonly streamed: { path: string; body: unknown }[] = [];

  constructor() {
    this.answer(statusApi.status, statusSample());
    this.answer(statusApi.notice, '');
    this.answer(attentionApi.get, { unpriced: 0, settings: [], retries: 1 });
    this.answer(budgetApi.list, []);
    this.answer(budgetApi.runs, []);
    for (const route of [grantApi.own, grantApi.ofUser, grantApi.ofTeam])
      this.answer(route, { balance: 0, grants: [] });
    this.answer(autoTopUpApi.get, noAutoTopUp);
    this.answer(planApi.offers, { plans: [], subscriptions: [] });
    this.answer(selfApi.accessTokens, []);
    this.answer(pricingApi.list, { data: [], extra: noPriceGroups });
  }

  /** Answers a call from now on; replaces an earlier answer. */
  answer<R extends Route>(route: R, answering: Answering<R>): this {
    return this.handle(route, async (input) => {
      const answer = await (isMaker(answering) ? answering(input as InputOf<R>) : answering);
      const { data, extra } =
        route.extra === undefined
          ? { data: answer as unknown, extra: {} }
          : (answer as { data: unknown; extra: Record<string, unknown> });
      return json(200, route.bare === 'data' ? data : { success: true, message: '', data, ...extra });
    });
  }

  /** Refuses a call from now on, with the server's error format. */
  refuse(route: Route, message: string, code = 'refused'): this {
    return this.handle(route, () => json(200, { success: false, message, data: null, code }));
  }

  /** Answers a call with an internal error from now on. */
  fail(route: Route, status = 500): this {
    return this.handle(route, () =>
      json(status, { success: false, message: '', data: null, code: 'internal' }),
    );
  }

  /** Answers a call with a file from now on, a CSV file by default. */
  file(route: Route, content: () => ReadableStream<Uint8Array>, type = 'text/csv; charset=utf-8'): this {
    const headers = { 'content-type': type };
    return this.handle(route, () => new Response(content(), { headers }));
  }

  /** Answers a relay call, which the contract does not describe: one event for each text. */
  stream(path: string, events: (body: unknown) => readonly string[]): this {
    this.streams.set(path, (body) => {
      this.streamed.push({ path, body });
      const text = events(body)
        .map((data) => `data: ${data}\n\n`)
        .join('');
      const headers = { 'content-type': 'text/event-stream', 'x-tollgate-request-id': 'req-1' };
      return new Response(text, { headers });
    });
    return this;
  }

  /** Answers a relay call with the result of `reply` for its body: JSON, or a complete response. */
  relay(path: string, reply: (body: unknown) => object): this {
    this.streams.set(path, (body) => {
      this.streamed.push({ path, body });
      const answer = reply(body);
      if (answer instanceof Response) return answer;
      const headers = { 'content-type': 'application/json', 'x-tollgate-request-id': 'req-1' };
      return new Response(JSON.stringify(answer), { headers });
    });
    return this;
  }

  /** The inputs of the requests to a call, as parsed by the contract. */
  inputs<R extends Route>(route: R): InputOf<R>[] {
    return this.asked.filter((each) => each.route === route).map(({ input }) => input as InputOf<R>);
  }

  /** The bodies of the requests to a relay call. */
  bodies(path: string): unknown[] {
    return this.streamed.filter((each) => each.path === path).map(({ body }) => body);
  }

  /** Replaces the browser's `fetch`. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const method = init.method ?? 'GET';
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : {};
    const stream = this.streams.get(pathname);
    if (stream) return stream(body);
    for (const { route, respond } of this.handlers) {
      const slots = route.method === method ? slotsOf(route.path, pathname) : null;
      if (!slots) continue;
      const fields = {
        ...(isObject(body) ? body : {}),
        ...Object.fromEntries(searchParams),
        ...asNumbers(slots),
      };
      const read = route.input.safeParse(fields);
      if (!read.success) return this.complain(`${method} ${url}: ${read.error.message}`);
      const unknown = unknownMembers(route.input, body);
      if (unknown.length > 0) return this.complain(`${method} ${url}: unknown ${unknown.join(', ')}`);
      this.asked.push({ route, input: read.data });
      return respond(read.data);
    }
    return this.complain(`${method} ${url}: nobody answers`);
  };

  private complain(what: string): Response {
    this.unexpected.push(what);
    return json(404, { success: false, message: what, data: null, code: 'unexpected' });
  }

  private handle(route: Route, respond: Handler['respond']): this {
    const earlier = this.handlers.findIndex((handler) => handler.route === route);
    if (earlier >= 0) this.handlers.splice(earlier, 1);
    this.handlers.push({ route, respond });
    return this;
  }
}
