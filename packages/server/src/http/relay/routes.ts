import type { IncomingHttpHeaders } from 'node:http';
import type { Inbound } from '../../relay/types/index.ts';
import { geminiRoutes } from './gemini-routes.ts';
import type { FiguresFormat, MatchedRoute, RelayRoute, RouteProtocols, TaskCallName } from './relay-route.ts';
import { batchRoutes, midjourneyRoutes, sunoRoutes, videoRoutes } from './task-routes.ts';
import { kling, midjourney, suno, toolProtocol } from './task-shapes.ts';

/** Every relay route: the access table of the relay. A path that is not here does not exist. */
export function relayRoutes(protocols: RouteProtocols): RelayRoute[] {
  const { chat } = protocols;
  const batches = batchRoutes(protocols, asCalled(protocols));
  const openai = [...openaiRoutes(protocols), ...batches.filter(({ inbound }) => inbound === chat)];
  return [
    // Before those of Midjourney, because `pg` could be taken for a mode.
    ...playgroundRoutes(protocols),
    // Precedes the lists of models, which have names with slashes.
    ...videoRoutes(protocols),
    ...openai,
    ...geminiRoutes(protocols, openai),
    ...anthropicRoutes(protocols.messages),
    ...batches.filter(({ inbound }) => inbound !== chat),
    ...midjourneyRoutes(chat),
    ...sunoRoutes(chat),
    ...figuresRoutes(chat),
    {
      method: 'POST',
      path: '/v1/quote',
      access: 'key',
      kind: 'quote',
      inbound: chat,
      inboundFor: asCalled(protocols),
    },
    { method: 'POST', path: '/v1/keys', access: 'key', kind: 'make-key', inbound: chat },
    { method: 'DELETE', path: '/v1/keys', access: 'key', kind: 'end-key', inbound: chat },
    { method: 'POST', path: '/v1/ledger/hold', access: 'key', kind: 'hold', inbound: chat },
    { method: 'POST', path: '/v1/ledger/settle', access: 'key', kind: 'settle-hold', inbound: chat },
    { method: 'POST', path: '/v1/ledger/release', access: 'key', kind: 'release-hold', inbound: chat },
    ...(['POST', 'GET', 'DELETE'] as const).map((method) => ({
      method,
      path: '/mcp',
      access: 'key' as const,
      kind: 'tools' as const,
      inbound: toolProtocol(chat),
    })),
  ];
}

/**
 * Calls of the console's playground, by session: the same calls under another prefix, all with errors in OpenAI's
 * format.
 */
function playgroundRoutes({ chat, images, audio }: RouteProtocols): RelayRoute[] {
  const relay = (path: string, inbound: Inbound): RelayRoute => ({
    method: 'POST',
    path: `/pg/${path}`,
    inbound,
    access: 'session',
    kind: 'relay',
  });
  const task = (method: 'GET' | 'POST', path: string, name: TaskCallName): RelayRoute => ({
    method,
    path: `/pg/${path}`,
    inbound: chat,
    access: 'session',
    kind: 'task',
    task: name,
  });
  return [
    relay('chat/completions', chat),
    relay('images/generations', images),
    relay('audio/speech', audio),
    { ...relay('audio/transcriptions', audio), form: { required: true, sound: 'file' } },
    task('POST', 'videos', 'video-create'),
    task('POST', 'videos/price', 'video-price'),
    { ...task('GET', 'videos/{id}/content', 'video-watch'), access: 'element' },
    task('POST', 'mj/submit/imagine', 'mj-submit'),
    task('POST', 'mj/submit/action', 'mj-submit'),
    task('GET', 'mj/task/{id}/fetch', 'mj-fetch'),
    task('POST', 'suno/submit/{action}', 'suno-submit'),
  ];
}

function openaiRoutes(protocols: RouteProtocols): RelayRoute[] {
  const { chat, completions, responses, compact, embeddings, moderations, rerank, images, audio } = protocols;
  const list = {
    access: 'key' as const,
    method: 'GET' as const,
    inbound: chat,
    inboundFor: asCalled(protocols),
  };
  const relay = { access: 'key' as const, kind: 'relay' as const, method: 'POST' as const };
  const file = {
    access: 'key' as const,
    kind: 'file' as const,
    inbound: chat,
    // Anthropic's clients use the same path with their own calls; Google's are not offered.
    inboundFor: (headers: IncomingHttpHeaders) =>
      protocolOf({ path: '/v1/files', query: '', headers }, protocols),
  };
  const conversation = { access: 'key' as const, kind: 'conversation' as const, inbound: responses };
  const stored = { access: 'key' as const, kind: 'stored-response' as const, inbound: responses };
  return [
    { ...relay, path: '/v1/chat/completions', inbound: chat },
    { ...relay, path: '/v1/responses', inbound: responses },
    { ...relay, path: '/v1/responses/compact', inbound: compact },
    { ...relay, path: '/v1/responses/input_tokens', kind: 'count-tokens', inbound: responses },
    { ...stored, method: 'GET', path: '/v1/responses/{id}' },
    { ...stored, method: 'DELETE', path: '/v1/responses/{id}' },
    { ...stored, method: 'POST', path: '/v1/responses/{id}/cancel' },
    { ...stored, method: 'GET', path: '/v1/responses/{id}/input_items' },
    { ...conversation, method: 'POST', path: '/v1/conversations' },
    { ...conversation, method: 'GET', path: '/v1/conversations/{id}' },
    { ...conversation, method: 'POST', path: '/v1/conversations/{id}' },
    { ...conversation, method: 'DELETE', path: '/v1/conversations/{id}' },
    { ...conversation, method: 'GET', path: '/v1/conversations/{id}/items' },
    { ...conversation, method: 'POST', path: '/v1/conversations/{id}/items' },
    { ...conversation, method: 'GET', path: '/v1/conversations/{id}/items/{item}' },
    { ...conversation, method: 'DELETE', path: '/v1/conversations/{id}/items/{item}' },
    { ...file, method: 'POST', path: '/v1/files' },
    { ...file, method: 'GET', path: '/v1/files' },
    { ...file, method: 'GET', path: '/v1/files/{id}' },
    { ...file, method: 'DELETE', path: '/v1/files/{id}' },
    { ...file, method: 'GET', path: '/v1/files/{id}/content' },
    ...containerPaths.flatMap(([path, ...methods]) =>
      methods.map((method) => ({
        method,
        path,
        access: 'key' as const,
        kind: 'container' as const,
        inbound: chat,
      })),
    ),
    { ...relay, path: '/v1/completions', inbound: completions },
    { ...relay, path: '/v1/embeddings', inbound: embeddings },
    { ...relay, path: '/v1/engines/{model}/embeddings', inbound: embeddings, upstreamPath: '/v1/embeddings' },
    { ...relay, path: '/v1/moderations', inbound: moderations, defaultModel: 'text-moderation-stable' },
    { ...relay, path: '/v1/rerank', inbound: rerank },
    { ...relay, path: '/v1/images/generations', inbound: images, defaultModel: 'dall-e' },
    {
      ...relay,
      path: '/v1/images/edits',
      inbound: images,
      defaultModel: 'gpt-image-1',
      form: { required: false },
    },
    { ...relay, path: '/v1/audio/speech', inbound: audio, defaultModel: 'tts-1' },
    ...['transcriptions', 'translations'].map((call) => ({
      ...relay,
      path: `/v1/audio/${call}`,
      inbound: audio,
      defaultModel: 'whisper-1',
      form: { required: true, sound: 'file' },
    })),
    { access: 'key', method: 'GET', path: '/v1/realtime', kind: 'realtime', inbound: chat },
    { access: 'key', method: 'GET', path: '/v1/responses', kind: 'realtime', inbound: responses },
    { ...relay, path: '/v1/realtime/client_secrets', kind: 'session-secret', inbound: chat },
    { ...relay, path: '/v1/realtime/sessions', kind: 'session-secret', inbound: chat },
    { ...list, path: '/v1/models', kind: 'models' },
    { ...list, path: '/v1/models/{model}', kind: 'model' },
  ];
}

/** Containers of OpenAI, and their files. */
const containerPaths: readonly [string, ...RelayRoute['method'][]][] = [
  ['/v1/containers', 'POST', 'GET'],
  ['/v1/containers/{id}', 'GET', 'DELETE'],
  ['/v1/containers/{id}/files', 'POST', 'GET'],
  ['/v1/containers/{id}/files/{file}', 'GET', 'DELETE'],
  ['/v1/containers/{id}/files/{file}/content', 'GET'],
];

/** Google's and Anthropic's clients use the same path as OpenAI's, with their own headers. */
const asCalled =
  ({ chat, gemini, messages }: RouteProtocols) =>
  (headers: IncomingHttpHeaders): Inbound => {
    if (headers['x-goog-api-key'] !== undefined) return gemini;
    return headers['anthropic-version'] === undefined ? chat : messages;
  };

const anthropicRoutes = (inbound: Inbound): RelayRoute[] => {
  const call = { access: 'key' as const, method: 'POST' as const, inbound };
  return [
    { ...call, path: '/v1/messages', kind: 'relay' },
    { ...call, path: '/v1/messages/count_tokens', kind: 'count-tokens' },
  ];
};

/** Paths at which tools of each format read the figures of a key. */
const figuresPaths: Readonly<Record<FiguresFormat, readonly string[]>> = {
  'openai-subscription': ['/dashboard/billing/subscription', '/v1/dashboard/billing/subscription'],
  'openai-usage': ['/dashboard/billing/usage', '/v1/dashboard/billing/usage'],
  'openai-credits': ['/dashboard/billing/credit_grants', '/v1/dashboard/billing/credit_grants'],
  'openai-costs': ['/v1/organization/costs'],
  'openai-completions': ['/v1/organization/usage/completions'],
  'new-api-token': ['/api/usage/token'],
  'openrouter-key': ['/api/v1/key', '/api/v1/auth/key'],
  'openrouter-credits': ['/api/v1/credits'],
  'litellm-key': ['/key/info'],
  'litellm-user': ['/user/info'],
  'litellm-activity': ['/user/daily/activity'],
};

const figuresRoutes = (inbound: Inbound): RelayRoute[] =>
  (Object.keys(figuresPaths) as FiguresFormat[]).flatMap((figures) =>
    figuresPaths[figures].map((path) => ({
      method: 'GET' as const,
      path,
      access: 'key' as const,
      kind: 'figures' as const,
      inbound,
      figures,
    })),
  );

interface Pattern {
  route: RelayRoute;
  expression: RegExp;
  names: string[];
}

function compile(route: RelayRoute): Pattern {
  const names: string[] = [];
  const source = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    // A model name may contain slashes (`meta/llama3`), so the last slot takes the rest, up to Gemini's verb.
    return name === 'model' && /\}(:\w+)?$/.test(route.path) ? '(.+)' : '([^/]+)';
  });
  return { route, expression: new RegExp(`^${source}$`), names };
}

/** Finds the route of a method and path; exact paths by one look-up. */
export class RelayTable {
  /** Method → path → route. */
  private readonly exact = new Map<string, Map<string, MatchedRoute>>();
  private readonly patterns: Pattern[] = [];

  constructor(routes: readonly RelayRoute[]) {
    for (const route of routes) {
      if (route.path.includes('{')) this.patterns.push(compile(route));
      else this.pathsOf(route.method).set(route.path, { route, slots: {} });
    }
  }

  private pathsOf(method: string): Map<string, MatchedRoute> {
    const paths = this.exact.get(method) ?? new Map<string, MatchedRoute>();
    this.exact.set(method, paths);
    return paths;
  }

  match(method: string, path: string): MatchedRoute | undefined {
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const found = this.exact.get(method)?.get(plain);
    if (found) return found;
    for (const { route, expression, names } of this.patterns) {
      if (route.method !== method) continue;
      const values = expression.exec(plain);
      if (values) return { route, slots: slotsOf(names, values) };
    }
    return undefined;
  }
}

function slotsOf(names: string[], values: RegExpExecArray): Record<string, string> {
  const slots: Record<string, string> = {};
  for (const [index, name] of names.entries()) slots[name] = decode(values[index + 1] ?? '');
  return slots;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts of a request without a matching route that decide its answer. */
interface UnmatchedRequest {
  path: string;
  /** With its question mark; '' for none. */
  query: string;
  headers: IncomingHttpHeaders;
}

/**
 * First path segments below `/v1` that vendors offer and Tollgate does not, because the next call may go to another
 * vendor.
 */
const belowV1 = [
  // OpenAI: data stored for a caller, and background work.
  'edits|images/variations|files|uploads|batches|assistants|threads|vector_stores|fine-tunes|fine_tuning|containers',
  'conversations|evals|graders|organization|chatkit|videos?|live|chat/completions|responses|realtime',
  'content_provenance_checks|webhook_endpoints|decisions|safety',
  // Anthropic.
  'messages/batches|skills|complete|organizations|agents|sessions|environments|vaults|memory_stores|user_profiles',
  'tunnels|deployments|deployment_runs|dreams|webhooks',
  // Google.
  'cachedContents|tunedModels|tuningJobs|batchPredictionJobs|fileSearchStores|corpora|auth_tokens|interactions|operations',
].join('|');

/** Calls of vendors that are not offered here. Every other path without a route does not exist. */
const unoffered: readonly RegExp[] = [
  // `/v1/responses/{id}` is such a call, `/v1/responses` is not.
  new RegExp(`^/(?:upload/|download/)?v1(?:beta|alpha)?(?:/openai)?/(?:${belowV1})(?:[/:]|$)`),
  /^\/v1(?:beta|alpha)?(?:\/openai)?\/models\/[^:]+(?::(?:async)?(?:batch\w+|predict\w*|computeTokens|generateAnswer))?$/i,
  /^\/ws\/google\./,
  // The console's lists of drawings are below `/api/mj`, in the position of a mode.
  /^\/(?!api\/)(?:[\w-]+\/)?mj\//,
  /^\/suno\//,
  /^\/kling\//,
  /^\/jimeng(?:\/|$)/,
];

/** Paths that belong to the relay even without a route, so that a program never gets a console page. */
const apiPath =
  /^\/+(?:v\d+(?:alpha|beta)?\d*|pg|dashboard\/billing|(?:[\w-]+\/)?mj|suno|kling|jimeng|ws|upload|download|openai|anthropic)(?:\/|$)/;

/** Headers that only programs send. */
const keyHeaders = ['x-api-key', 'x-goog-api-key', 'mj-api-secret', 'anthropic-version'];

/**
 * True for requests that a program meant for the relay: by the path, by a key, or because they request a WebSocket.
 * Below `/api` the console answers with its own errors, and health and metrics have their own addresses.
 */
export function isForRelay({ path, headers }: UnmatchedRequest): boolean {
  if (/^\/+(?:api|assets|metrics|healthz|readyz)(?:\/|$)/.test(path)) return false;
  if (apiPath.test(path) || headers.upgrade?.toLowerCase() === 'websocket') return true;
  if (keyHeaders.some((name) => headers[name] !== undefined)) return true;
  return /^bearer\s/i.test(headers.authorization ?? '');
}

/** Google's paths: its versions, sockets, uploads and verbs. */
const isGeminiPath = (path: string): boolean =>
  /^\/(?:upload\/|download\/|ws\/)/.test(path) ||
  /^\/v1(?:beta|alpha)\d*\/(?!openai(?:\/|$))/.test(path) ||
  /^\/v1\/models\/[^/]+:\w+$/.test(path) ||
  /^\/v1\/(?:cachedContents|tunedModels|tuningJobs|fileSearchStores|corpora|auth_tokens|interactions)(?:\/|$)/.test(
    path,
  );

const isAnthropicPath = (path: string): boolean =>
  /^\/(?:v1\/(?:messages|complete)|anthropic)(?:\/|$)/.test(path);

/** The protocol of the answer to a request without a route: by its path, otherwise by its headers. */
export function protocolOf({ path, query, headers }: UnmatchedRequest, protocols: RouteProtocols): Inbound {
  if (/^\/(?:[\w-]+\/)?mj(?:\/|$)/.test(path)) return midjourney(protocols.chat);
  if (/^\/suno(?:\/|$)/.test(path)) return suno(protocols.chat);
  if (/^\/(?:kling|jimeng)(?:\/|$)/.test(path)) return kling(protocols.chat);
  if (isGeminiPath(path)) return protocols.gemini;
  if (isAnthropicPath(path)) return protocols.messages;
  if (headers['x-goog-api-key'] !== undefined || headers['x-goog-api-client'] !== undefined)
    return protocols.gemini;
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined)
    return protocols.messages;
  return headers.authorization === undefined && /[?&]key=/.test(query) ? protocols.gemini : protocols.chat;
}

/** The error for a call that vendors offer and this gateway does not; undefined for an unknown call. */
export function unofferedRoute(
  request: UnmatchedRequest,
  protocols: RouteProtocols,
): MatchedRoute | undefined {
  if (!unoffered.some((pattern) => pattern.test(request.path))) return undefined;
  const inbound = protocolOf(request, protocols);
  return {
    route: { method: 'GET', path: request.path, access: 'key', kind: 'not-implemented', inbound },
    slots: {},
  };
}
