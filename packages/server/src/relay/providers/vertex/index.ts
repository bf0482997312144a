import {
  type Endpoint,
  type UpstreamCall,
  type Channel,
  refuse,
  type SendTools,
  type VideoVendor,
} from '../../types/index.ts';
import { claudeModels, defineProvider, geminiModels } from '../../provider-kit/index.ts';
import { imagenEndpoint, predictEndpoint } from '../../families/google/index.ts';
import { bucketIn, googleUrl, keyOrigins, openUrl } from './address.ts';
import { claude, isClaude } from './claude.ts';
import { geminiEmbeddings, openaiEmbeddings } from './embeddings.ts';
import { readGuestError } from './errors.ts';
import { gemini } from './gemini.ts';
import { isAccountKey, readAccount, secretsOf } from './key.ts';
import { buyToken } from './token.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { postJson, veoVideo } from '../../tasks/index.ts';

/**
 * Veo on Vertex writes videos to a bucket, and they are streamed from the bucket: in the answer, a video would be
 * megabytes of text at each poll. Only an account can read a bucket.
 */
function parseBucket(channel: Channel): JsonObject {
  const storageUri = bucketIn(channel.other);
  if (storageUri === '' || !isAccountKey(channel)) throw refuse('video_without_bucket');
  return { storageUri, sampleCount: 1 };
}

async function headers(channel: Channel, tools: SendTools): Promise<Record<string, string>> {
  const token = await tools.token('access', () => buyToken(readAccount(channel), tools));
  return { authorization: `Bearer ${token}` };
}

/** The operation is polled in its model's region. */
const vertexVideo: VideoVendor = veoVideo({
  submitUrl: (channel, model) => googleUrl(channel, model, 'predictLongRunning'),
  poll: ({ vendorId, model }, channel, known) =>
    postJson(googleUrl(channel, model, 'fetchPredictOperation'), known, { operationName: vendorId }),
  headers,
  keyOrigins,
  parameters: parseBucket,
});

/** Names of other makers' models contain the maker: `meta/llama3-405b-instruct-maas`. */
const isOpenModel = (model: string): boolean => /^(?!google\/)[a-z0-9-]+\/\S+$|-maas$/.test(model);

const open: Endpoint = {
  protocol: 'openai-chat',
  hosts: ['other'],
  serves: isOpenModel,
  url: (channel, { model }) => openUrl(channel, model),
  readError: readGuestError,
};

/** Exchanges the key for a token, once for all calls of half an hour. */
async function beforeSend(call: UpstreamCall, channel: Channel, tools: SendTools): Promise<UpstreamCall> {
  if (!isAccountKey(channel)) return call;
  const token = await tools.token('access', () => buyToken(readAccount(channel), tools));
  call.secrets.push(token);
  return { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } };
}

const predictUrl: Endpoint['url'] = (channel, { model }) => googleUrl(channel, model, 'predict');

/** Google's Vertex AI: Gemini, Claude and open models, by a service account or an API key. */
export const vertex = defineProvider({
  type: 41,
  id: 'vertex',
  name: 'Vertex AI',
  ownedBy: 'vertex-ai',
  hints: {
    key: {
      zh: '服务账号的 JSON 文件，或 API Key（仅限 Gemini）',
      en: 'the JSON file of a service account, or an API key (Gemini alone)',
    },
    other: {
      zh: '区域，例如 global；或 JSON {"model": "region", "default": "region"}；生成视频还需 "storageUri": "gs://…"',
      en: 'region, e.g. global, or JSON {"model": "region", "default": "region"}; for videos also "storageUri": "gs://…"',
    },
    address: {
      placeholder: 'https://REGION-aiplatform.googleapis.com',
      meaning: { zh: '留空则由区域决定', en: 'Leave empty: the region decides' },
    },
  },
  models: [...claudeModels, ...geminiModels],
  headers: (channel): Record<string, string> =>
    isAccountKey(channel) ? {} : { 'x-goog-api-key': channel.key },
  keyOrigins,
  secrets: secretsOf,
  endpoints: {
    'openai-chat': open,
    'anthropic-messages': claude,
    gemini: { ...gemini, serves: (model) => !isClaude(model) && !isOpenModel(model) },
    'openai-embeddings': openaiEmbeddings,
    'gemini-embeddings': geminiEmbeddings,
    'gemini-predict': predictEndpoint(predictUrl),
    'openai-images': imagenEndpoint(predictUrl),
  },
  tasks: { video: vertexVideo },
  beforeSend,
});
