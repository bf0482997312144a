import type { IncomingHttpHeaders } from 'node:http';
import {
  accessRole,
  AppError,
  currentPasswordHeader,
  type ErrorCode,
  errors,
  type ExtraOf,
  fieldName,
  type InputOf,
  type Language,
  readFault,
  type Route,
  unknownMembers,
  worksInDemo,
} from '@tollgate/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Identity } from '../services/people/auth/index.ts';
import type { Membership, Teams } from '../services/people/teams/index.ts';
import type { Audit, AuditedCall } from '../services/site/audit/index.ts';
import { type GuardDeps, guardRequest, isFromOwnSite, notingLanguage, readLanguage } from './access.ts';
import { Answer, type AnswerParts, FileAnswer, type Served } from './answer.ts';
import { type CallContext, readCookie, type ReplyEdge } from './context.ts';
import type { IpLimiter } from './ip-limit.ts';

/** Result of a handler: only data, `{ data, extra }` if the call has top-level fields, `answer(…)`, or a file. */
type Answered<R extends Route> =
  | FileAnswer
  | Answer<z.input<R['data']>, ExtraOf<R>>
  | (R['extra'] extends z.ZodType ? { data: z.input<R['data']>; extra: ExtraOf<R> } : z.input<R['data']>);

type Handler<R extends Route> = (
  input: InputOf<R>,
  context: CallContext,
) => Answered<R> | Promise<Answered<R>>;

/** One handler for each call of an api; leaving one out is a type error. */
export type Handlers<Api extends Record<string, Route>> = { [Name in keyof Api]: Handler<Api[Name]> };

/** The raw input of a call: path slots override the body, and the body the query. */
interface RawInput {
  query: unknown;
  body: unknown;
  slots: unknown;
}

/** A body that the caller signed: its text as received, and the signature. */
export interface SignedBody {
  text: string;
  signature: string;
}

export const isSignedBody = (body: unknown): body is SignedBody =>
  isObject(body) && typeof body['text'] === 'string' && typeof body['signature'] === 'string';

/** A call with its handler, ready to be mounted. `serve` throws; the app renders its errors. */
export interface MountedRoute extends Pick<
  Route,
  | 'method'
  | 'path'
  | 'access'
  | 'teamRole'
  | 'critical'
  | 'humanCheck'
  | 'reauthenticate'
  | 'reauthenticateFor'
  | 'demo'
  | 'audit'
  | 'scope'
> {
  /** Slots of the address that accept only digits. */
  numbers?: readonly string[];
  /** True for a form that the page of another site posts, and that signs nobody in by itself. */
  isCrossSite?: boolean;
  serve(raw: RawInput, context: CallContext): Promise<Served>;
}

/** The slots of an address that the input reads as numbers, with any name; an id is always one. */
export function numbersIn({ path, input }: Route): string[] {
  const fields: Record<string, z.ZodType> = input instanceof z.ZodObject ? input.shape : {};
  const isNumber = (slot: string): boolean =>
    slot === 'id' || typeof fields[slot]?.safeParse('1').data === 'number';
  return [...path.matchAll(/:(\w+)/g)].map(([, slot = '']) => slot).filter(isNumber);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * An error message: that of the error code in the schema, otherwise the name of the invalid field and the reason. The
 * validation library's own messages are not for users.
 */
function refusalOf({ fieldNames = {} }: Route, issue: z.core.$ZodIssue | undefined): AppError {
  if (!issue) return new AppError('invalid_parameter');
  const { message, field, words } = readFault(issue, (name) => fieldNames[name] ?? fieldName(name));
  if (Object.hasOwn(errors, message)) return new AppError(message as ErrorCode, { member: field });
  return new AppError('invalid_input', { detail: words });
}

const noNul = {
  zh: '文字中不能包含空字符（NUL）',
  en: 'texts must not contain the character NUL',
};

/** Deeper than any input of a call. */
const maxDepth = 20;

/** True if a text of an input contains NUL, which PostgreSQL can neither store nor search for. */
function hasNul(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false;
  return Object.entries(value).some(([name, each]) => name.includes('\0') || hasNul(each, depth + 1));
}

/** Maximum number of names in a message. */
const maxNames = 10;

/** Refuses members of a body that no code reads. If they were ignored, the caller would believe that they are saved. */
function refuseUnknown({ input, echoes }: Route, body: unknown): void {
  const unknown = unknownMembers(input, body).filter((name) => !Object.hasOwn(echoes?.shape ?? {}, name));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, maxNames).map((name) => name.slice(0, 64));
  throw new AppError('unknown_members', { members: names.join(', ') });
}

function readInput<R extends Route>(route: R, raw: RawInput): InputOf<R> {
  const { query, body, slots } = raw;
  if (body !== undefined && body !== null && !isObject(body)) throw new AppError('invalid_parameter');
  const merged = Object.assign({}, query, body, slots);
  if (hasNul(merged)) throw new AppError('invalid_input', { detail: noNul });
  if (route.method !== 'GET') refuseUnknown(route, body);
  const parsed = z.safeParse(route.input, merged, { reportInput: true });
  if (!parsed.success) throw refusalOf(route, parsed.error.issues[0]);
  return parsed.data as InputOf<R>;
}

function partsOf(route: Route, answered: unknown): AnswerParts<unknown, unknown> {
  if (answered instanceof Answer) return answered.parts;
  if (route.extra !== undefined && isObject(answered))
    return { data: answered['data'], extra: answered['extra'] };
  return { data: answered };
}

/**
 * The envelope of an answer. Data pass through the declared schema, so that a field which the contract does not have
 * (a hash, a key) can never leak from a row.
 */
function envelope(route: Route, answered: unknown, language: Language): Served {
  const { data, extra, message, success = true, status = 200 } = partsOf(route, answered);
  if (route.bare === 'data') return { status, body: route.data.parse(data) as object };
  return {
    status,
    body: {
      success,
      message: message ?? (success ? (route.done?.[language] ?? '') : ''),
      data: success ? route.data.parse(data) : (data ?? null),
      ...(route.extra !== undefined && extra !== undefined ? (route.extra.parse(extra) as object) : {}),
    },
  };
}

/** Binds an api's declarations to their handlers: input validation before, envelope after. */
export function implement<Api extends Record<string, Route>>(
  api: Api,
  handlers: Handlers<Api>,
): MountedRoute[] {
  return Object.keys(api).map((name) => {
    const route = api[name] as Api[string];
    const handler = handlers[name] as Handler<Api[string]>;
    return {
      method: route.method,
      path: route.path,
      access: route.access,
      numbers: numbersIn(route),
      ...(route.teamRole !== undefined && { teamRole: route.teamRole }),
      ...(route.critical !== undefined && { critical: route.critical }),
      ...(route.reauthenticate !== undefined && { reauthenticate: route.reauthenticate }),
      ...(route.reauthenticateFor !== undefined && { reauthenticateFor: route.reauthenticateFor }),
      ...(route.demo !== undefined && { demo: route.demo }),
      ...(route.humanCheck !== undefined && { humanCheck: route.humanCheck }),
      ...(route.audit !== undefined && { audit: route.audit }),
      ...(route.scope !== undefined && { scope: route.scope }),
      async serve(raw, context) {
        const input = readInput(route, raw);
        const answered = await handler(input, context);
        if (answered instanceof FileAnswer) return answered.serve();
        return envelope(route, answered, context.language);
      },
    };
  });
}

/** Length of a header that can contain a password: 128 characters, each of up to 12 when percent-encoded. */
const maxHeaderLength = 128 * 12;

/**
 * The current password that a call sends as a confirmation; '' for none. It is in a header, because the calls that
 * need it are GET and DELETE: a query would appear in logs, and many programs send no body with them. Throws
 * `invalid_parameter` if it is not percent-encoded UTF-8.
 */
function readCurrentPassword(headers: IncomingHttpHeaders): string {
  const given = headers[currentPasswordHeader];
  if (typeof given !== 'string') return '';
  if (given.length > maxHeaderLength) throw new AppError('wrong_password');
  try {
    return decodeURIComponent(given);
  } catch (error) {
    throw new AppError('invalid_parameter', {}, error);
  }
}

/** Checks that the caller is a person and not a program (Turnstile); throws if it is enabled and the check fails. */
type HumanCheck = (answer: string, ip: string) => Promise<void>;

export interface MountDeps extends GuardDeps {
  limit: IpLimiter;
  checkHuman: HumanCheck;
  /** True if this is a demo site for the caller: changes that a demo does not allow are refused. */
  isDemoFor(actor: Identity['actor'] | null): boolean;
  audit: Pick<Audit, 'during'>;
  /** Decides by the requirements of a call beside a role; throws if they are not met. */
  meetDemand(
    identity: Identity,
    demand: Pick<MountedRoute, 'access' | 'method' | 'demo' | 'scope' | 'reauthenticate'>,
    given: { password: string; ip: string },
  ): Promise<void>;
  /** The caller's membership in a team; throws for outsiders and for lower roles. */
  membership: Teams['membership'];
}

/**
 * The access table: every mounted route, once. A route without an access level, or two routes at one address, prevent
 * the start (ASVS 8.1.1).
 */
function checkAccessTable(routes: readonly MountedRoute[]): void {
  const seen = new Set<string>();
  for (const { method, path, access, teamRole, reauthenticate } of routes) {
    const name = `${method} ${path}`;
    // Names of slots do not matter: /user/:id and /user/:name are the same address.
    const address = `${method} ${path.replace(/:[^/]+/g, ':').replace(/\/$/, '')}`;
    if (!Object.hasOwn(accessRole, access)) throw new Error(`${name} has no entry in the access table`);
    if (reauthenticate && (access === 'public' || access === 'try-user'))
      throw new Error(`${name} asks guests to prove who they are`);
    if (teamRole !== undefined && (access !== 'user' || !path.startsWith('/api/team/:id')))
      throw new Error(`${name} asks for a role in a team that its address does not name`);
    if (seen.has(address)) throw new Error(`${name} is mounted twice`);
    seen.add(address);
  }
}

const replyEdge = (reply: FastifyReply): ReplyEdge => ({
  setCookie(name, value, { secure, maxAgeSeconds }) {
    void reply.setCookie(name, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge: maxAgeSeconds,
    });
  },
  clearCookie(name, { secure }) {
    void reply.clearCookie(name, { path: '/', httpOnly: true, sameSite: 'lax', secure });
  },
  header(name, value) {
    void reply.header(name, value);
  },
});

/** Writes the result of a route. */
export function send(reply: FastifyReply, { status, body, headers }: Served): FastifyReply {
  for (const [name, value] of Object.entries(headers ?? {})) void reply.header(name, value);
  if (typeof body === 'string' && !reply.hasHeader('content-type'))
    void reply.type('text/plain; charset=utf-8');
  return reply.code(status).send(body);
}

async function buildContext(
  route: MountedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: MountDeps,
): Promise<CallContext> {
  const { raw, headers } = request;
  const ip = deps.clients.ip(raw);
  const isSameOrigin = isFromOwnSite(deps, raw);
  // A guest's call that changes something must not come from another site either (it could sign the user in as the
  // attacker, or send mails from the addresses of a page's visitors). Critical calls do, by whatever method.
  const isGuarded = (route.method !== 'GET' || route.critical) && route.isCrossSite !== true;
  if (isGuarded && !isSameOrigin) throw new AppError('cross_site');
  // After that check, so that a page of another site cannot use up the attempts of its visitors.
  if (route.critical) await deps.limit('critical', ip);
  const auth = notingLanguage(deps.auth, request);
  const identity = await guardRequest({ ...deps, auth }, raw, route.access, {
    isProgram: route.scope !== undefined,
  });
  if (!worksInDemo(route) && deps.isDemoFor(identity?.actor ?? null)) throw new AppError('demo_site');
  if (identity)
    await deps.meetDemand(identity, demandOf(route, request), { password: readCurrentPassword(headers), ip });
  const membership = await membershipFor(route, identity, request.params, deps);
  if (route.humanCheck) await deps.checkHuman(turnstileOf(request.query), ip);
  return {
    actor: identity?.actor ?? null,
    credential: identity?.credential ?? null,
    membership,
    requestId: request.id,
    ip,
    isHttps: deps.clients.isHttps(raw),
    origin: deps.clients.origin(raw),
    isSameOrigin,
    userAgent: (headers['user-agent'] ?? '').slice(0, 255),
    cookie: (name) => readCookie(headers.cookie, name),
    header: (name) => String(headers[name] ?? ''),
    language: readLanguage(headers['accept-language'], request.readerLanguage),
    reply: replyEdge(reply),
  };
}

/** Requirements of this request beside a role: some routes require a confirmation only for certain fields. */
function demandOf(
  { access, method, demo, scope, reauthenticate, reauthenticateFor }: MountedRoute,
  { query, body }: Pick<FastifyRequest, 'query' | 'body'>,
): Pick<MountedRoute, 'access' | 'method' | 'demo' | 'scope' | 'reauthenticate'> {
  const call = { access, method, ...(demo !== undefined && { demo }), ...(scope && { scope }) };
  if (reauthenticate === undefined) return call;
  const sent: Record<string, unknown> = Object.assign({}, query, body);
  const isAsked = reauthenticateFor?.some((field) => !['', null, undefined].includes(sent[field] as string));
  return isAsked === false ? call : { ...call, reauthenticate };
}

/** The caller's membership in the team of the address, if the route requires one. */
async function membershipFor(
  { teamRole }: MountedRoute,
  identity: Identity | null,
  slots: unknown,
  deps: Pick<MountDeps, 'membership'>,
): Promise<Membership | null> {
  if (teamRole === undefined || !identity) return null;
  const { id } = slots as { id: string };
  return deps.membership(identity.actor.id, Number(id), teamRole);
}

const turnstileOf = (query: unknown): string =>
  typeof query === 'object' && query !== null && 'turnstile' in query && typeof query.turnstile === 'string'
    ? query.turnstile
    : '';

/** A call, as recorded in the audit log. */
const auditedCall = ({ audit }: MountedRoute, context: CallContext): AuditedCall => ({
  kind: audit,
  actor: context.actor,
  method: context.credential?.kind ?? '',
  ip: context.ip,
  userAgent: context.userAgent,
  requestId: context.requestId,
});

/** The address for the router: a number accepts only digits, so that no other segment matches it. */
const patternOf = ({ path, numbers }: Pick<MountedRoute, 'path' | 'numbers'>): string =>
  path.replace(/:(\w+)/g, (slot, name: string) => (numbers?.includes(name) ? `${slot}(^\\d+$)` : slot));

/** Mounts console calls: limits, authentication, authorisation, then the call itself. */
export function mountRoutes(app: FastifyInstance, routes: readonly MountedRoute[], deps: MountDeps): void {
  checkAccessTable(routes);
  for (const route of routes) {
    app.route({
      method: route.method,
      url: patternOf(route),
      async handler(request, reply) {
        const context = await buildContext(route, request, reply, deps);
        const raw = { query: request.query, body: request.body, slots: request.params };
        const served = await deps.audit.during(auditedCall(route, context), () => route.serve(raw, context));
        return send(reply, served);
      },
    });
  }
}
