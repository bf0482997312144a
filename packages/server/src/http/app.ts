import cookie from '@fastify/cookie';
import { AppError, type Language, product, receiptKeysPath } from '@tollgate/contract';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify';
import { namedLanguage } from '../lib/accept-language.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { newRequestId } from '../lib/request-id.ts';
import { refuse } from '../relay/types/index.ts';
import type { Settings } from '../services/site/settings/index.ts';
import { readLanguage } from './access.ts';
import type { Served } from './answer.ts';
import { renderError, renderScimError } from './errors.ts';
import { type HealthDeps, registerHealth } from './health.ts';
import { type MountDeps, type MountedRoute, mountRoutes, send, type SignedBody } from './implement.ts';
import { registerWebFiles } from './static.ts';

/**
 * Reads bodies as the original does: JSON for any content type, forms for payment callbacks, an empty body as an
 * empty object. `__proto__` and `constructor` keys are refused (ASVS 15.3.6).
 */
function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    const signature = request.headers['stripe-signature'];
    // The signature is over the text as it was sent.
    if (typeof signature === 'string') return done(null, { text, signature } satisfies SignedBody);
    if (text.trim() === '') return done(null, {});
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
    if (isForm && !text.trimStart().startsWith('{')) {
      return done(null, formFields(text));
    }
    // With a callback the parser reports through `done`; it returns nothing to wait for.
    void parseJson(request, text, done);
  });
}

/**
 * The fields of a form. A repeated field keeps all its values, as in a query: a signature must not be checked over one
 * value while another one is used.
 */
function formFields(text: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (typeof known === 'string') fields.set(name, [known, value]);
    else known.push(value);
  }
  fields.delete('__proto__');
  return Object.fromEntries(fields);
}

interface UnknownPath {
  /** The language of Accept-Language, otherwise the site's; undefined if there is neither. */
  language: Language | undefined;
  method: string;
  /** Without the query, which may contain secrets. */
  path: string;
}

const below = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** True for the calls of a company's directory. */
const isScimPath = (path: string): boolean => below(path, '/scim');

/** True for what a directory only reads: what the calls can do. */
const isDescription = (path: string): boolean =>
  /^\/scim\/v2\/(?:ServiceProviderConfig|ResourceTypes|Schemas)(?:\/|$)/.test(path);

/** True for the console's calls. */
const isApiPath = (path: string): boolean => below(path, '/api') || isScimPath(path);

/** True for paths that are never a console page, so that an unknown address is not answered with 200 and HTML. */
const isMachinePath = (path: string): boolean =>
  ['/api', '/v1', '/scim', '/assets', '/metrics', '/healthz', '/readyz', '/.well-known'].some((folder) =>
    below(path, folder),
  );

/** The answer for an unknown address: OpenAI's format everywhere (docs/compatibility.md#relay-errors). */
const serveUnknownPath = ({ method, path, language }: UnknownPath): Served => ({
  status: 404,
  body: {
    error: {
      message: refuse('unknown_path', { path: `${method} ${path}` }).in(language).message,
      type: 'invalid_request_error',
      param: '',
      code: '',
    },
  },
});

/** The console's side of the server; `server` is the raw one below it. */
export type ConsoleApp = FastifyInstance;

export interface AppDeps extends MountDeps {
  routes: readonly MountedRoute[];
  /** Health and metrics; absent in tests of the console. */
  health?: HealthDeps | undefined;
  /** The public keys of signed receipts; absent in tests of the console. */
  receiptKeys?: () => Promise<readonly object[]>;
  /** Outside scripts and frames that the settings enable. */
  outsideSources(): OutsideSources;
  /** Option DefaultLanguage; undefined if the site has none. */
  siteLanguage(): Language | undefined;
  /** The built console. */
  webRoot: string;
  /** The largest body of a console call. */
  maxBodyBytes: number;
  clock: Clock;
  log: Log;
  /** Creates the raw server, on which the relay puts its listener first. */
  serverFactory?: FastifyServerFactory;
}

/** The contract checks inputs and writes answers; Fastify would load its own schema checks unnecessarily. */
const schemaController = { compilersFactory: { buildValidator: hasNoSchema, buildSerializer: hasNoSchema } };

function hasNoSchema(): never {
  throw new Error('a route of the console has no schema of Fastify');
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '/';

/** Method and matched pattern: the address itself may contain secrets and is never logged. */
const whereOf = (request: FastifyRequest): string =>
  `${request.method} ${request.routeOptions.url ?? 'unknown'}`;

function handleErrors(app: FastifyInstance, deps: AppDeps): void {
  app.setErrorHandler((error, request, reply) => {
    const language = readLanguage(request.headers['accept-language'], request.readerLanguage);
    const scene = { requestId: request.id, language, where: whereOf(request) };
    const render = isScimPath(request.routeOptions.url ?? pathOf(request)) ? renderScimError : renderError;
    return send(reply, render(error, scene, deps.log));
  });
}

/** Malformed addresses never reach a hook or a handler. */
function refuseBadAddress(deps: AppDeps, error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const language = readLanguage(request.headers['accept-language'], deps.siteLanguage());
  void reply.headers(securityHeaders(deps.outsideSources(), deps.clients.isHttps(request.raw)));
  send(
    reply,
    renderError(error, { requestId: request.id, language, where: 'a malformed address' }, deps.log),
  );
}

/** Ids, headers and the rate limit of all console calls. */
function addHooks(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    request.readerLanguage = deps.siteLanguage();
    const isHttps = deps.clients.isHttps(request.raw);
    void reply.headers({
      [product.headers.requestId]: request.id,
      'x-oneapi-request-id': request.id,
      ...securityHeaders(deps.outsideSources(), isHttps),
    });
    // The matched pattern, since one call can be written in several ways (`/%61pi/…`).
    if (!isApiPath(request.routeOptions.url ?? pathOf(request))) return;
    void reply.header('cache-control', 'no-store');
    await deps.limit('api', deps.clients.ip(request.raw));
  });
  app.addHook('onResponse', async (request, reply) => {
    const fields = { requestId: request.id, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    deps.log.debug(fields, whereOf(request));
  });
}

/** Everything that is not a call: files of the console, its pages, or an unknown address. */
async function serveTheRest(app: FastifyInstance, deps: AppDeps): Promise<void> {
  const web = await registerWebFiles(app, deps.webRoot);
  const unknown = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    send(
      reply,
      serveUnknownPath({
        method: request.method,
        path: pathOf(request),
        language: namedLanguage(request.headers['accept-language']) ?? deps.siteLanguage(),
      }),
    );
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request);
    if (isScimPath(path))
      throw new AppError(isDescription(path) ? 'scim_method' : 'scim_not_found', { resource: path });
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads && web.sendFile(reply, path)) return reply;
    if (!reads || isMachinePath(path)) return unknown(request, reply);
    // Files are not counted: a page loads dozens of them once and then caches them.
    await deps.limit('web', deps.clients.ip(request.raw));
    web.sendPage(reply);
    return reply;
  });
}

/** The public keys of signed receipts, for everyone. */
function publishKeys(
  app: FastifyInstance,
  { limit, clients }: Pick<AppDeps, 'limit' | 'clients'>,
  keys: NonNullable<AppDeps['receiptKeys']>,
): void {
  app.get(receiptKeysPath, async (request, reply) => {
    await limit('web', clients.ip(request.raw));
    // Pages of other sites may verify receipts.
    const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };
    return reply.headers(headers).send({ keys: await keys() });
  });
}

/**
 * The console's side of the server. Relay calls never come here: their listener takes them from the raw server.
 * Throws if a route has no access level.
 */
export async function createApp(deps: AppDeps): Promise<ConsoleApp> {
  const app = Fastify({
    logger: false,
    schemaController,
    bodyLimit: deps.maxBodyBytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    genReqId: () => newRequestId(deps.clock()),
    return503OnClosing: true,
    frameworkErrors: (error, request, reply) => refuseBadAddress(deps, error, request, reply),
    ...(deps.serverFactory && { serverFactory: deps.serverFactory }),
  });
  app.decorateRequest('readerLanguage', undefined);
  handleErrors(app, deps);
  addHooks(app, deps);
  readBodies(app);
  await app.register(cookie);
  mountRoutes(app, deps.routes, deps);
  if (deps.health) registerHealth(app, deps.health);
  if (deps.receiptKeys) publishKeys(app, deps, deps.receiptKeys);
  await serveTheRest(app, deps);
  return app;
}

/** Outside sources that the console may use, depending on the settings. */
interface OutsideSources {
  /** Scripts: the human check, the Telegram log-in button. */
  scripts: readonly string[];
  /** Frames besides https pages, which are allowed anyway (chat links, home page). */
  frames: readonly string[];
}

/**
 * The content security policy of every page (ASVS 3.4.3): scripts from this site only, no inline scripts, no
 * plug-ins, no embedding by other sites. Inline styles are allowed because the component library sets them on
 * elements; they run no code. Frames and images may be any https page, since administrators link chats, logos and
 * home pages.
 */
function contentSecurityPolicy(outside: OutsideSources): string {
  return [
    `default-src 'self'`,
    `script-src ${["'self'", ...outside.scripts].join(' ')}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob: https:`,
    `media-src 'self' data: blob: https:`,
    `font-src 'self' data:`,
    `connect-src 'self'`,
    `frame-src ${["'self'", 'https:', ...outside.frames].join(' ')}`,
    `form-action 'self' https:`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The headers of all answers except the relay's. HSTS only over https, because browsers ignore it otherwise. */
function securityHeaders(outside: OutsideSources, isHttps: boolean): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(outside),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
    ...(isHttps && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

const none: OutsideSources = { scripts: [], frames: [] };

/** The outside script that an option enables: only the human check. */
export function outsideSources(settings: Pick<Settings, 'get'>, humanCheckUrl: string): OutsideSources {
  const scripts: string[] = [];
  if (settings.get('TurnstileCheckEnabled')) scripts.push(humanCheckUrl);
  return scripts.length === 0 ? none : { scripts, frames: [] };
}
