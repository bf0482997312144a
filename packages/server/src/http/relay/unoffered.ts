import type { IncomingHttpHeaders } from 'node:http';
import type { Inbound } from '../../relay/types/index.ts';
import { kling, midjourney, suno } from './task-shapes.ts';
import type { RouteProtocols, MatchedRoute } from './relay-route.ts';

/** A request that no route matches, as far as its answer depends on it. */
export interface UnmatchedRequest {
  path: string;
  /** With its question mark; '' for none. */
  query: string;
  headers: IncomingHttpHeaders;
}

/** What vendors offer below `/v1` and a gateway that may ask another vendor next time does not, by its first words. */
const belowV1 = [
  // OpenAI: what is kept for a caller, and what is made in the background.
  'edits|images/variations|files|uploads|batches|assistants|threads|vector_stores|fine-tunes|fine_tuning|containers',
  'conversations|evals|graders|organization|chatkit|videos?|live|chat/completions|responses|realtime',
  'content_provenance_checks|webhook_endpoints|decisions|safety',
  // Anthropic.
  'messages/batches|skills|complete|organizations|agents|sessions|environments|vaults|memory_stores|user_profiles',
  'tunnels|deployments|deployment_runs|dreams|webhooks',
  // Google.
  'cachedContents|tunedModels|tuningJobs|batchPredictionJobs|fileSearchStores|corpora|auth_tokens|interactions|operations',
].join('|');

/** Calls that exist at their vendors and are not offered here. Everything else that no route matches does not exist. */
const unoffered: readonly RegExp[] = [
  // `/v1/responses/{id}` is such a call, `/v1/responses` is not.
  new RegExp(`^/(?:upload/|download/)?v1(?:beta|alpha)?(?:/openai)?/(?:${belowV1})(?:[/:]|$)`),
  /^\/v1(?:beta|alpha)?(?:\/openai)?\/models\/[^:]+(?::(?:async)?(?:batch\w+|predict\w*|computeTokens|generateAnswer))?$/i,
  /^\/ws\/google\./,
  // The console's lists of drawings are below `/api/mj`, where a mode could stand.
  /^\/(?!api\/)(?:[\w-]+\/)?mj\//,
  /^\/suno\//,
  /^\/kling\//,
  /^\/jimeng(?:\/|$)/,
];

/** Paths that belong to the relay even where nothing is there, so that a program never gets a page of the console. */
const apiPath =
  /^\/+(?:v\d+(?:alpha|beta)?\d*|pg|dashboard\/billing|(?:[\w-]+\/)?mj|suno|kling|jimeng|ws|upload|download|openai|anthropic)(?:\/|$)/;

/** Headers that only programs send. */
const keyHeaders = ['x-api-key', 'x-goog-api-key', 'mj-api-secret', 'anthropic-version'];

/**
 * True for requests that a program meant for the relay: by the path, by the key they carry, or because they ask for a
 * socket. Below `/api` the console answers, in its own words, and machines that watch the process have addresses of theirs.
 */
export function isForRelay({ path, headers }: UnmatchedRequest): boolean {
  if (/^\/+(?:api|assets|metrics|healthz|readyz)(?:\/|$)/.test(path)) return false;
  if (apiPath.test(path) || headers.upgrade?.toLowerCase() === 'websocket') return true;
  if (keyHeaders.some((name) => headers[name] !== undefined)) return true;
  return /^bearer\s/i.test(headers.authorization ?? '');
}

/** Google's paths: its versions, sockets, uploads and verbs, and what nobody else calls so. */
const isGeminiPath = (path: string): boolean =>
  /^\/(?:upload\/|download\/|ws\/)/.test(path) ||
  /^\/v1(?:beta|alpha)\d*\/(?!openai(?:\/|$))/.test(path) ||
  /^\/v1\/models\/[^/]+:\w+$/.test(path) ||
  /^\/v1\/(?:cachedContents|tunedModels|tuningJobs|fileSearchStores|corpora|auth_tokens|interactions)(?:\/|$)/.test(
    path,
  );

const isAnthropicPath = (path: string): boolean =>
  /^\/(?:v1\/(?:messages|complete)|anthropic)(?:\/|$)/.test(path);

/** The protocol in which a request is answered that no route matches: what its path says, else what its headers say. */
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

/** The refusal of a call that its vendor has and this gateway does not; undefined for a call that nobody knows. */
export function unofferedRoute(request: UnmatchedRequest, protocols: RouteProtocols): MatchedRoute | undefined {
  if (!unoffered.some((pattern) => pattern.test(request.path))) return undefined;
  const inbound = protocolOf(request, protocols);
  return {
    route: { method: 'GET', path: request.path, access: 'key', kind: 'not-implemented', inbound },
    slots: {},
  };
}
