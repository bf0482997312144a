import { defineProvider } from '../../provider-kit/index.ts';
import { type Channel, type Endpoint, refuse, type RelayError } from '../../types/index.ts';
import { geminiEmbeddingsAt } from '../../families/embeddings/index.ts';
import { kindOf } from '../../streams/index.ts';
import { adaptCompletion, rewriteCompletion } from './completions.ts';
import { adaptTranscription, readTranscription, writeTranscription } from './transcription.ts';
import { RunPipe } from './run-pipe.ts';

/** Models of Workers AI (docs/compatibility.md#default-model-lists). */
const models: readonly string[] = [
  '@cf/openai/gpt-oss-120b',
  '@cf/openai/gpt-oss-20b',
  '@cf/zai-org/glm-5.3',
  '@cf/zai-org/glm-5.2',
  '@cf/zai-org/glm-4.7-flash',
  '@cf/moonshotai/kimi-k2.7-code',
  '@cf/moonshotai/kimi-k2.6',
  '@cf/deepseek-ai/deepseek-v4-flash-0731',
  '@cf/deepseek-ai/deepseek-r1-distill-qwen-32b',
  '@cf/google/gemma-4-26b-a4b-it',
  '@cf/aisingapore/gemma-sea-lion-v4-27b-it',
  '@cf/meta/llama-4-scout-17b-16e-instruct',
  '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
  '@cf/meta/llama-3.2-11b-vision-instruct',
  '@cf/meta/llama-3.2-3b-instruct',
  '@cf/meta/llama-3.2-1b-instruct',
  '@cf/meta/llama-3.1-8b-instruct-fp8',
  '@cf/meta/llama-guard-3-8b',
  '@cf/mistralai/mistral-small-3.1-24b-instruct',
  '@cf/nvidia/nemotron-3-120b-a12b',
  '@cf/qwen/qwen3-30b-a3b-fp8',
  '@cf/qwen/qwen2.5-coder-32b-instruct',
  '@cf/qwen/qwq-32b',
  '@cf/ibm-granite/granite-4.0-h-micro',
];

const address = (channel: Channel, path: string): string =>
  `${channel.baseUrl}/client/v4/accounts/${encodeURIComponent(channel.other)}/ai${path}`;

/** Model names are paths: each segment is encoded separately, so that a name cannot leave the path of models. */
const runPath = (model: string): string =>
  `/run/${model
    .split('/')
    .filter((step) => !/^\.*$/.test(step))
    .map((step) => encodeURIComponent(step).replaceAll('%40', '@'))
    .join('/')}`;

const embeddings: Endpoint = {
  protocol: 'openai-embeddings',
  url: (channel) => address(channel, '/v1/embeddings'),
};

/** Cloudflare Workers AI offers OpenAI's API for chats and embeddings, and its own call for texts and for sound. */
export const cloudflare = defineProvider({
  type: 39,
  id: 'cloudflare',
  name: 'Cloudflare Workers AI',
  baseUrl: 'https://api.cloudflare.com',
  hints: {
    key: { zh: '可访问 Workers AI 的 API 令牌', en: 'an API token with access to Workers AI' },
    other: { zh: '账户 ID', en: 'id of the account' },
  },
  models,
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: ['other'],
      url: (channel) => address(channel, '/v1/chat/completions'),
    },
    'openai-embeddings': embeddings,
    'gemini-embeddings': geminiEmbeddingsAt(embeddings),
    'openai-completions': {
      protocol: 'openai-completions',
      url: (channel, { model }) => address(channel, runPath(model)),
      adapt: adaptCompletion,
      rewrite: rewriteCompletion,
    },
    'openai-audio': {
      protocol: 'openai-audio',
      isDialect: true,
      url: (channel, { model }) => address(channel, runPath(model)),
      adapt: adaptTranscription,
      write: writeTranscription,
      convert: readTranscription,
    },
  },
  beforeSend(call, channel, tools) {
    if (channel.other === '') throw withoutAccount();
    if (!call.url.includes('/ai/run/')) return call;
    return {
      ...call,
      openPipe(status, contentType) {
        const pipe = call.openPipe(status, contentType);
        if (kindOf(contentType) !== 'stream') return pipe;
        return new RunPipe(pipe, call.upstreamModel, Math.floor(tools.nowMs() / 1000));
      },
    };
  },
});

const withoutAccount = (): RelayError => refuse('channel_without_account');
