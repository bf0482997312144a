import { type CallOf, consoleApis, currentPasswordHeader, type Route } from '@tollgate/contract';
import type { InjectOptions } from 'fastify';
import type { ConsoleApp } from '../http/app.ts';
import { refusalsOf } from '../http/openapi/index.ts';

/** An answer in wire format. */
interface Reply {
  status: number;
  headers: Record<string, unknown>;
  /** The envelope and all fields next to it. */
  body: { success?: boolean; message?: string; code?: string; data?: unknown; [field: string]: unknown };
  /** Unparsed Set-Cookie headers. */
  cookies: string[];
}

/** The current password, for calls that require it again. */
interface Again {
  password: string;
}

/** A user with a browser: keeps cookies and sends the user-id header, as the console does. */
export interface Agent {
  /** 0 until signed in. */
  readonly userId: number;
  /** Sent with every call. Tests may change it to act as another user. */
  headers: Record<string, string>;
  signIn(username: string, password: string): Promise<void>;
  /** Makes a declared call. */
  call<R extends Route>(route: R, input: CallOf<R>, again?: Again): Promise<Reply>;
  /** Data of a declared call; throws on a refusal. */
  must<R extends Route>(route: R, input: CallOf<R>, again?: Again): Promise<unknown>;
  /** Sends an arbitrary request. */
  send(options: InjectOptions): Promise<Reply>;
}

/** Fills the path parameters and puts the other fields into the query or body, depending on the method. */
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

/** The declared call of a request. Paths without parameters take precedence. */
function declaredCall({ method = 'GET', url }: InjectOptions): Route | undefined {
  const path = (typeof url === 'string' ? url : (url?.pathname ?? '')).split('?', 1)[0]!;
  const fitting = declared.filter((each) => each.route.method === method && each.pattern.test(path));
  return (fitting.find(({ route }) => !route.path.includes(':')) ?? fitting[0])?.route;
}

/** Throws if the API reference does not list the error code for this call. */
function requireDocumented(options: InjectOptions, { body: { code } }: Reply): void {
  const route = code === undefined ? undefined : declaredCall(options);
  if (route === undefined) return;
  const codes: readonly string[] = refusalsOf(route);
  if (!codes.includes(code!))
    throw new Error(`${route.method} ${route.path} answers ${code}, which its declaration does not name`);
}

/** An agent for an app, not signed in at first. */
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
      // Refusals of SCIM have the code at the end of their text.
      const code = /\((\w+)\)$/.exec(String(reply.body['detail']))?.[1];
      if (code !== undefined) reply.body.code ??= code;
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
