import { bearer, defineProvider, LineScanner, OwnStream } from '../../provider-kit/index.ts';
import { joinUrl, namesIn } from '../../families/openai/index.ts';
import { adaptChat, imageAddresses } from './chat.ts';
import { NativeReader } from './native-answer.ts';
import { adaptNative } from './native-body.ts';
import type { Channel, RelayOptions } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { packFloats } from '../../families/embeddings/index.ts';

/** Fields of OpenAI's call that are model options at Ollama. */
const options = ['temperature', 'top_p', 'seed', 'frequency_penalty', 'presence_penalty'] as const;

/** OpenAI's embeddings call as Ollama's. */
function adaptEmbeddings(body: JsonObject): undefined {
  const given: JsonObject = {};
  for (const key of options) if (body[key] !== undefined) given[key] = body[key];
  const wanted: JsonObject = {
    model: body.model,
    input: body.input,
    ...(body.dimensions !== undefined && { dimensions: body.dimensions }),
    ...(Object.keys(given).length > 0 && { options: given }),
  };
  for (const key of Object.keys(body)) if (!Object.hasOwn(wanted, key)) delete body[key];
  Object.assign(body, wanted);
}

/** Ollama's answer as OpenAI's; vectors as base64 if the caller requested that. */
function rewriteEmbeddings(answer: JsonObject, request: JsonObject): JsonObject {
  const vectors = Array.isArray(answer.embeddings) ? answer.embeddings : undefined;
  // An object without vectors is not an answer and stays unchanged.
  if (!vectors) return answer;
  const asBase64 = request.encoding_format === 'base64';
  const tokens = typeof answer.prompt_eval_count === 'number' ? answer.prompt_eval_count : 0;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: asBase64 ? packFloats(vector) : vector,
    })),
    model: answer.model ?? request.model,
    ...(tokens > 0 && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

/** A channel with chats in Ollama's own format; a body that passes unchanged is OpenAI's. */
const isNative = ({ other, setting }: Channel, { passThroughBody }: RelayOptions): boolean =>
  other.trim() === 'native' && !passThroughBody && !setting.passThroughBody;

/**
 * Ollama: models on the operator's machines. Chat in OpenAI's format, or in Ollama's own if the channel is set to it;
 * embeddings in Ollama's own format.
 */
export const ollama = defineProvider({
  type: 4,
  id: 'ollama',
  name: 'Ollama',
  baseUrl: 'http://localhost:11434',
  hints: {
    other: {
      zh: '填 native 使用 Ollama 自己的接口（/api/chat）；留空使用 OpenAI 兼容接口',
      en: 'native for chats in the words of Ollama itself (/api/chat); nothing for those of OpenAI',
    },
  },
  models: ['llama3-7b'],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: [],
      url: (channel, { options }) =>
        joinUrl(channel, isNative(channel, options) ? '/api/chat' : '/v1/chat/completions'),
      adapt: (body, context) =>
        isNative(context.channel, context.options) ? adaptNative(body, context) : adaptChat(body, context),
      unframe: (contentType, _secrets, asked) =>
        contentType.startsWith('application/x-ndjson')
          ? new OwnStream(new NativeReader(asked), new LineScanner())
          : undefined,
      filesNeeded: imageAddresses,
    },
    'openai-completions': {
      protocol: 'openai-completions',
      url: (channel) => joinUrl(channel, '/v1/completions'),
    },
    'openai-embeddings': {
      protocol: 'openai-embeddings',
      url: (channel) => joinUrl(channel, '/api/embed'),
      adapt: adaptEmbeddings,
      rewrite: rewriteEmbeddings,
    },
  },
  fetchModels: {
    request: (channel) => ({ url: joinUrl(channel, '/api/tags'), headers: bearer(channel) }),
    read: (body) => namesIn(body, 'models', 'name'),
  },
});
