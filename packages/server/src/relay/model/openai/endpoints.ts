import type { Channel } from '../channel.ts';
import { isObject } from '../json.ts';
import type { ProtocolId } from '../protocol.ts';
import type { Endpoint, FetchedModels } from '../provider.ts';
import { tidyRerank } from '../rerank.ts';
import { adaptResponses } from './effort.ts';
import { geminiEmbeddingsAt } from './gemini-embeddings.ts';
import { callOf } from './calls.ts';

/** Where OpenAI's own API has its calls. */
export const openaiPaths = {
  'openai-chat': '/v1/chat/completions',
  'openai-completions': '/v1/completions',
  'openai-embeddings': '/v1/embeddings',
  'openai-moderations': '/v1/moderations',
  'cohere-rerank': '/v1/rerank',
  // Languages with several calls: which it is stands behind it (model/openai/calls.ts).
  'openai-images': '/v1/images',
  'openai-audio': '/v1/audio',
} as const satisfies Partial<Record<ProtocolId, string>>;

/** Spoken only by those who say so: to all others a response is translated. */
export const responsesPath = { 'openai-responses': '/v1/responses' } as const;

/** The languages of OpenAI's API. */
export type OpenaiProtocol = keyof typeof openaiPaths | keyof typeof responsesPath;

const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

/** Base address and path; Cloudflare's gateway has its own idea of where the version stands (wire-facts 4.1). */
export function joinUrl(channel: Channel, path: string, prefix = '/v1'): string {
  const isCut = channel.baseUrl.startsWith(cloudflareGateway) && path.startsWith(prefix);
  return channel.baseUrl + (isCut ? path.slice(prefix.length) : path);
}

interface Changes {
  /** Path of each language where it is not OpenAI's; only the languages named here are spoken when `only` is set. */
  paths?: Partial<Record<OpenaiProtocol, string>>;
  only?: boolean;
  /** Changes to chat bodies, and to calls for images. */
  adapt?: Endpoint['adapt'];
  adaptImages?: Endpoint['adapt'];
  /** Thoughts of earlier turns are read in chats (`Endpoint.readsReasoning`). */
  readsReasoning?: true;
}

/** The calls of a provider that copies OpenAI's API. */
export function openaiEndpoints(changes: Changes = {}): Partial<Record<ProtocolId, Endpoint>> {
  const paths = changes.only ? (changes.paths ?? {}) : { ...openaiPaths, ...changes.paths };
  const endpoints: Partial<Record<ProtocolId, Endpoint>> = {};
  for (const [protocol, path] of Object.entries(paths) as [OpenaiProtocol, string][]) {
    const { adapt, adaptImages, readsReasoning } = changes;
    endpoints[protocol] = {
      protocol,
      url: (channel, address) => joinUrl(channel, path + callOf(protocol, address.path)),
      ...(adapt && protocol === 'openai-chat' && { adapt }),
      ...(adaptImages && protocol === 'openai-images' && { adapt: adaptImages }),
      ...(readsReasoning && protocol === 'openai-chat' && { readsReasoning }),
      ...(protocol === 'openai-responses' && { adapt: adaptResponses }),
      ...(protocol === 'cohere-rerank' && { rewrite: tidyRerank }),
    };
  }
  const embeddings = endpoints['openai-embeddings'];
  if (embeddings) endpoints['gemini-embeddings'] = geminiEmbeddingsAt(embeddings);
  return endpoints;
}

/** GET /v1/models with the key as bearer, or at another path. */
export const listModels = (path = '/v1/models'): FetchedModels => ({
  request: (channel) => ({
    url: joinUrl(channel, path),
    headers: { authorization: `Bearer ${channel.key}` },
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
