import { type ChannelTestKind, modelKindOf } from '@tollgate/contract';
import type { ProtocolId, Provider, RelayRequest } from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { findTranslationRoute } from '../../relay/translation-route.ts';
import type { RoutedChannel } from '../../services/calls/channels/index.ts';

/**
 * The model for a channel's test: the requested one, otherwise its own test model, its first model, or a common one
 * (docs/compatibility.md#automatic-disabling).
 */
export const testModelOf = (routed: RoutedChannel, asked: string): string =>
  asked || routed.testModel || routed.models[0] || 'gpt-4o-mini';

/** Models that count their reasoning and only accept the newer name of the limit. */
const thinkingNames = /^(o\d|gpt-5)/;

/**
 * The cheapest request that shows whether a channel works: one word, a few tokens
 * (docs/compatibility.md#automatic-disabling). Without a kind, the name of the model decides. An image is made only if
 * a person chose it, because each one costs money.
 */
export function buildTestRequest(
  provider: Provider,
  model: string,
  kind: ChannelTestKind = kindFor(provider, model),
): RelayRequest {
  const { protocol, path, fields, answer } = calls[kind];
  const json: JsonObject = { model, ...(fields ?? chatFields(model)) };
  return {
    protocol,
    requestId: 'test',
    startedSeconds: 0,
    path,
    query: '',
    contentType: 'application/json',
    accept: answer === 'sound' ? '*/*' : 'application/json',
    headers: {},
    raw: Buffer.from(JSON.stringify(json)),
    json,
    facts: {
      model,
      stream: false,
      wantsStreamUsage: false,
      maxOutputTokens: Number(json.max_completion_tokens ?? json.max_tokens ?? 0),
      estimatedInputTokens: 10,
      choices: 1,
      ...(answer && { media: { answer, calls: 1, factor: 1 } }),
    },
  };
}

interface TestCall {
  protocol: ProtocolId;
  path: string;
  /** Absent for chats, whose fields depend on the model. */
  fields?: JsonObject;
  answer?: 'images' | 'sound';
}

const calls: Readonly<Record<ChannelTestKind, TestCall>> = {
  chat: { protocol: 'openai-chat', path: '/v1/chat/completions' },
  embeddings: {
    protocol: 'openai-embeddings',
    path: '/v1/embeddings',
    fields: { input: ['hello world'] },
  },
  rerank: {
    protocol: 'cohere-rerank',
    path: '/v1/rerank',
    fields: { query: 'hello', documents: ['hello world'] },
  },
  image: {
    protocol: 'openai-images',
    path: '/v1/images/generations',
    fields: { prompt: 'a circle' },
    answer: 'images',
  },
  speech: {
    protocol: 'openai-audio',
    path: '/v1/audio/speech',
    fields: { input: 'hi', voice: 'alloy' },
    answer: 'sound',
  },
};

/** The kind of a model that the provider can serve; chat, if the provider has no other call for it. */
function kindFor(provider: Provider, model: string): ChannelTestKind {
  const kind = modelKindOf(model);
  const has = (one: ChannelTestKind) => provider.endpoints[calls[one].protocol] !== undefined;
  if ((kind === 'rerank' || kind === 'speech' || kind === 'embeddings') && has(kind)) return kind;
  const canChat = findTranslationRoute(provider, { protocol: 'openai-chat', model }) !== undefined;
  return !canChat && has('embeddings') ? 'embeddings' : 'chat';
}

/** True if a chat was the test of the model and the provider has embeddings as well. */
export const couldEmbed = (provider: Provider, model: string): boolean =>
  kindFor(provider, model) === 'chat' && provider.endpoints['openai-embeddings'] !== undefined;

function chatFields(model: string): JsonObject {
  const body: JsonObject = { messages: [{ role: 'user', content: 'hi' }] };
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
