import type { Channel, ProtocolId, Endpoint, FetchedModels } from '../../types/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { bearer, tidyRerank, callOf } from '../../provider-kit/index.ts';
import { adaptResponses } from './reasoning-effort.ts';
import { geminiEmbeddingsAt } from '../embeddings/index.ts';

/** Where OpenAI's own API has its calls; reranking is where those that copy it have it. */
const openaiPaths = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'openai-completions': '/v1/completions',
  'openai-embeddings': '/v1/embeddings',
  'openai-moderations': '/v1/moderations',
  // Protocols with several calls: the rest of the path names the call (provider-kit/define-provider.ts).
  'openai-images': '/v1/images',
  'openai-audio': '/v1/audio',
  'cohere-rerank': '/v1/rerank',
} as const satisfies Partial<Record<ProtocolId, string>>;

/** The protocols that OpenAI and those that copy its API have. */
export type OpenaiProtocol = keyof typeof openaiPaths;

/** All that OpenAI's own API offers, for OpenAI and for those that resell it. */
export const openaiProtocols = [
  'openai-chat',
  'openai-responses',
  'openai-completions',
  'openai-embeddings',
  'openai-moderations',
  'openai-images',
  'openai-audio',
] as const satisfies readonly OpenaiProtocol[];

const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

/**
 * Joins base address and path. Cloudflare's gateway has the version at another place
 * (docs/compatibility.md#channel-types).
 */
export function joinUrl(channel: Pick<Channel, 'baseUrl'>, path: string, prefix = '/v1'): string {
  const isCut = channel.baseUrl.startsWith(cloudflareGateway) && path.startsWith(prefix);
  return channel.baseUrl + (isCut ? path.slice(prefix.length) : path);
}

interface Differences<Offered extends OpenaiProtocol> {
  /** Paths that are not OpenAI's. */
  paths?: Partial<Record<Offered, string>>;
  /**
   * Changes to bodies (`Endpoint.adapt`), each for the protocol it is named for and for no other: what chat needs is not
   * done to completions. Responses are adapted as OpenAI's where nothing is said.
   */
  adapt?: Partial<Record<Offered, Endpoint['adapt']>>;
  /** What is known of the tools that are run (`Endpoint.hosts`), each for the protocol it is named for. */
  hosts?: Partial<Record<Offered, Endpoint['hosts']>>;
  /** How chats search the web (`Endpoint.search`). */
  search?: JsonObject;
  /** Whether thoughts of earlier turns are read in chats (`Endpoint.readsReasoning`). */
  readsReasoning?: boolean;
  /** Calls that are refused in chats (`Endpoint.refuses`). */
  refusesInChats?: Endpoint['refuses'];
  /** Searches of Responses tell their pages when asked to (`Endpoint.namesPages`). */
  namesPages?: true;
}

/**
 * The endpoints of a provider that copies OpenAI's API: one for each protocol that its documentation offers, and none
 * beside them. A call in another protocol is refused before anything is sent.
 */
export function openaiEndpoints<Offered extends OpenaiProtocol>(
  offered: readonly Offered[],
  {
    paths = {},
    adapt = {},
    hosts = {},
    search,
    readsReasoning,
    namesPages,
    refusesInChats,
  }: Differences<NoInfer<Offered>> = {},
): Partial<Record<ProtocolId, Endpoint>> {
  const ownPaths: Partial<Record<OpenaiProtocol, string>> = paths;
  const ownAdapt: Partial<Record<OpenaiProtocol, Endpoint['adapt']>> = adapt;
  const ownHosts: Partial<Record<OpenaiProtocol, Endpoint['hosts']>> = hosts;
  const endpoints: Partial<Record<ProtocolId, Endpoint>> = {};
  for (const protocol of offered) {
    const path = ownPaths[protocol] ?? openaiPaths[protocol];
    const change = ownAdapt[protocol] ?? defaultAdapt[protocol];
    endpoints[protocol] = {
      protocol,
      url: (channel, address) => joinUrl(channel, path + callOf(protocol, address.path)),
      ...(change && { adapt: change }),
      ...(ownHosts[protocol] && { hosts: ownHosts[protocol] }),
      ...(search && protocol === 'openai-chat' && { search }),
      ...(readsReasoning !== undefined && protocol === 'openai-chat' && { readsReasoning }),
      ...(refusesInChats && protocol === 'openai-chat' && { refuses: refusesInChats }),
      ...(namesPages && protocol === 'openai-responses' && { namesPages }),
      ...(protocol === 'cohere-rerank' && { rewrite: tidyRerank }),
    };
  }
  const embeddings = endpoints['openai-embeddings'];
  if (embeddings) endpoints['gemini-embeddings'] = geminiEmbeddingsAt(embeddings);
  return endpoints;
}

const defaultAdapt: Partial<Record<OpenaiProtocol, Endpoint['adapt']>> = {
  'openai-responses': adaptResponses,
};

/** GET /v1/models with the key as bearer, or at another path. */
export const listModels = (path = '/v1/models'): FetchedModels => ({
  request: (channel) => ({
    url: joinUrl(channel, path),
    headers: bearer(channel),
  }),
  read: (body) => namesIn(body, 'data', 'id'),
});

/** The names in a list of models. */
export function namesIn(body: unknown, list: string, field: string): string[] {
  const entries = isObject(body) ? body[list] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry) => {
    const name = isObject(entry) ? entry[field] : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}
