import type { IncomingHttpHeaders } from 'node:http';
import type { Inbound } from '../../relay/types/index.ts';
import { kling, midjourney, suno } from './task-shapes.ts';
import type { RouteProtocols, MatchedRoute } from './relay-route.ts';

/** The parts of a request without a matching route that decide its answer. */
export interface UnmatchedRequest {
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
  // The console's lists of drawings are below `/api/mj`, where a mode is possible.
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

/** The protocol for the answer to a request without a matching route: by its path, else by its headers. */
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
