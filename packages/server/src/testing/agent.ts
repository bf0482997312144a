import { type CallOf, consoleApis, currentPasswordHeader, type Route } from '@tollgate/contract';
import type { InjectOptions } from 'fastify';
import type { ConsoleApp } from '../http/app.ts';
import { refusalsOf } from '../http/openapi/index.ts';

/** An answer as it came over the wire. */
interface Reply {
  status: number;
  headers: Record<string, unknown>;
  /** The envelope, with whatever stands beside it. */
  body: { success?: boolean; message?: string; code?: string; data?: unknown; [field: string]: unknown };
  /** Set-Cookie, as it came. */
  cookies: string[];
}

/** The current password, for the calls that ask for it again. */
interface Again {
  password: string;
}

/** Somebody with a browser: keeps cookies and sends the user-id header, as the console does. */
export interface Agent {
  /** 0 until signed in. */
  readonly userId: number;
  /** Sent with every call; change it to play another. */
  headers: Record<string, string>;
  signIn(username: string, password: string): Promise<void>;
  /** Makes a declared call. */
  call<R extends Route>(route: R, input: CallOf<R>, again?: Again): Promise<Reply>;
  /** The data of a declared call; throws when it is refused. */
  must<R extends Route>(route: R, input: CallOf<R>, again?: Again): Promise<unknown>;
  /** Any request at all. */
  send(options: InjectOptions): Promise<Reply>;
}

/** Fills the path's slots and puts the rest where the method wants it. */
function requestOf(route: Route, input: Record<string, unknown>): InjectOptions {
  const rest = { ...input };
  const path = route.path.replace(/:(\w+)/g, (_slot, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  if (route.method !== 'GET' && route.method !== 'DELETE')
    return { method: route.method, url: path, payload: rest };
  const query = Object.fromEntries(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
  return { method: route.method, url: path, query };
}

const declared = consoleApis
  .flatMap(({ calls }) => Object.values(calls))
  .map((route) => {
    const path = route.path
      .replace(/\/$/, '')
      .replace(/:(\w+)/g, (_slot, name) => (name === 'id' ? '\\d+' : '[^/]+'));
    return { route, pattern: new RegExp(`^${path}/?$`) };
  });

/** The call that is declared for a request; a path without slots comes before one that has them. */
function declaredCall({ method = 'GET', url }: InjectOptions): Route | undefined {
  const path = (typeof url === 'string' ? url : (url?.pathname ?? '')).split('?', 1)[0]!;
  const fitting = declared.filter((each) => each.route.method === method && each.pattern.test(path));
  return (fitting.find(({ route }) => !route.path.includes(':')) ?? fitting[0])?.route;
}

/** Throws when a call is refused in a way that the reference of the API does not name for it. */
function requireDocumented(options: InjectOptions, { body: { code } }: Reply): void {
  const route = code === undefined ? undefined : declaredCall(options);
  if (route === undefined) return;
  const codes: readonly string[] = refusalsOf(route);
  if (!codes.includes(code!))
    throw new Error(`${route.method} ${route.path} answers ${code}, which its declaration does not name`);
}

/** An agent for an app; a guest until it signs in. */
export function createAgent(app: ConsoleApp): Agent {
  let userId = 0;
  const agent: Agent = {
    get userId() {
      return userId;
    },
    headers: {},
    async send(options) {
      const response = await app.inject({ ...options, headers: { ...agent.headers, ...options.headers } });
      const set = response.headers['set-cookie'] ?? [];
      const isJson = String(response.headers['content-type']).includes('json');
      const reply: Reply = {
        status: response.statusCode,
        headers: response.headers,
        body: isJson ? response.json<Reply['body']>() : { message: response.body },
        cookies: Array.isArray(set) ? set : [set],
      };
      requireDocumented(options, reply);
      return reply;
    },
    call: (route, input, again) =>
      agent.send({
        ...requestOf(route, input as Record<string, unknown>),
        ...(again && { headers: { [currentPasswordHeader]: encodeURIComponent(again.password) } }),
      }),
    async must(route, input, again) {
      const { body } = await agent.call(route, input, again);
      if (body.success !== true) throw new Error(`${route.method} ${route.path}: ${body.message}`);
      return body.data;
    },
    async signIn(username, password) {
      const reply = await agent.send({
        method: 'POST',
        url: '/api/user/login',
        payload: { username, password },
      });
      if (reply.body.success !== true) throw new Error(`sign-in of ${username}: ${reply.body.message}`);
      userId = (reply.body.data as { id: number }).id;
      const cookie = reply.cookies[0]?.split(';', 1)[0] ?? '';
      agent.headers = { cookie, 'new-api-user': String(userId) };
    },
  };
  return agent;
}
