import { defineProvider } from '../../provider-kit/index.ts';
import { type Channel, type Endpoint, type RelayError, refuse } from '../../types/index.ts';
import { geminiEmbeddingsAt } from '../../families/embeddings/index.ts';
import { kindOf } from '../../streams/index.ts';
import { adaptCompletion, rewriteCompletion } from './completions.ts';
import { adaptTranscription, readTranscription, writeTranscription } from './transcription.ts';
import { models } from './models.ts';
import { RunPipe } from './run-pipe.ts';

const address = (channel: Channel, path: string): string =>
  `${channel.baseUrl}/client/v4/accounts/${encodeURIComponent(channel.other)}/ai${path}`;

/** Names of models are paths: each step is written for itself, so that a name cannot leave the place of models. */
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

/** Cloudflare Workers AI speaks OpenAI for chats and embeddings, and has a call of its own for texts and for sound. */
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
  streamUsage: true,
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
