import type { RequestFacts, ProtocolId, Provider, RelayRequest } from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { findTranslationRoute } from '../../relay/translation-route.ts';
import type { RoutedChannel } from '../../services/calls/channels/index.ts';

/**
 * The model a channel is tested with: the requested one, else its own test model, else its first, else a common one
 * (docs/compatibility.md#automatic-disabling).
 */
export const testModelOf = (routed: RoutedChannel, asked: string): string =>
  asked || routed.testModel || routed.models[0] || 'gpt-4o-mini';

/** Names of embedding models, if the provider has both kinds. */
const embeddingNames = /embed|^m3e|^bge-|^tao-8k$/i;

/** Names of rerankers; those of BGE would otherwise count as embedding models. */
const rerankNames = /rerank/i;

/** Models that count their reasoning and only accept the newer name of the limit. */
const thinkingNames = /^(o\d|gpt-5)/;

/**
 * The cheapest request that shows whether a channel works: one word, a few tokens
 * (docs/compatibility.md#automatic-disabling).
 */
export function buildTestRequest(provider: Provider, model: string): RelayRequest {
  const protocol = protocolFor(provider, model);
  const json = bodyFor(protocol, model);
  const raw = Buffer.from(JSON.stringify(json));
  return {
    protocol,
    requestId: 'test',
    startedSeconds: 0,
    path: pathOf[protocol] ?? '/v1/chat/completions',
    query: '',
    contentType: 'application/json',
    accept: 'application/json',
    headers: {},
    raw,
    json,
    facts: factsOf(model, json),
  };
}

function protocolFor(provider: Provider, model: string): ProtocolId {
  const { endpoints } = provider;
  if (endpoints['cohere-rerank'] && rerankNames.test(model)) return 'cohere-rerank';
  const canEmbed = endpoints['openai-embeddings'] !== undefined;
  const canChat = findTranslationRoute(provider, { protocol: 'openai-chat', model }) !== undefined;
  return canEmbed && (!canChat || embeddingNames.test(model)) ? 'openai-embeddings' : 'openai-chat';
}

const pathOf: Partial<Record<ProtocolId, string>> = {
  'openai-embeddings': '/v1/embeddings',
  'cohere-rerank': '/v1/rerank',
};

function bodyFor(protocol: ProtocolId, model: string): JsonObject {
  if (protocol === 'openai-embeddings') return { model, input: ['hello world'] };
  if (protocol === 'cohere-rerank') return { model, query: 'hello', documents: ['hello world'] };
  return chatBody(model);
}

function chatBody(model: string): JsonObject {
  const body: JsonObject = { model, messages: [{ role: 'user', content: 'hi' }] };
  const bound = maxTokensFor(model);
  if (thinkingNames.test(model)) body.max_completion_tokens = bound;
  else body.max_tokens = bound;
  return body;
}

/** Reasoning models need tokens for their reasoning before the first visible word. */
function maxTokensFor(model: string): number {
  if (model.includes('gemini')) return 300;
  return model.includes('thinking') ? 50 : 10;
}

const factsOf = (model: string, json: JsonObject): RequestFacts => ({
  model,
  stream: false,
  wantsStreamUsage: false,
  maxOutputTokens: Number(json.max_completion_tokens ?? json.max_tokens ?? 0),
  estimatedInputTokens: 10,
  choices: 1,
});
