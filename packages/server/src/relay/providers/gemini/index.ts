import { type Channel, type Address, type Endpoint, originOf } from '../../types/index.ts';
import { defineProvider, geminiModels } from '../../provider-kit/index.ts';
import { fromGeminiEmbeddings, toGeminiEmbeddings } from '../../families/embeddings/index.ts';
import { imagenEndpoint, predictEndpoint } from '../../families/google/index.ts';
import { objectOf, type JsonObject } from '../../../lib/json.ts';
import { namesIn } from '../../families/openai/index.ts';
import { veoVideo } from '../../tasks/index.ts';
import { adaptGemini } from '../../protocols/gemini/index.ts';

/** The version of the API by model (option gemini.version_settings). */
function versionOf(model: string, options: Address['options']): string {
  const table = objectOf(options.settings['gemini.version_settings'] as JsonObject | undefined);
  const version = (Object.hasOwn(table, model) ? table[model] : undefined) ?? table.default;
  return typeof version === 'string' ? version : 'v1beta';
}

const call = (
  channel: Channel,
  { model, options }: Pick<Address, 'model' | 'options'>,
  verb: string,
): string => `${channel.baseUrl}/${versionOf(model, options)}/models/${encodeURIComponent(model)}:${verb}`;

const chat: Endpoint = {
  protocol: 'gemini',
  url: (channel, address) =>
    call(channel, address, address.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  adapt: adaptGemini,
  countTokens: {
    url: (channel, address) => call(channel, address, 'countTokens'),
    write: (body, model) => ({ generateContentRequest: { model: `models/${model}`, ...body } }),
    read: ({ totalTokens }) => (typeof totalTokens === 'number' ? totalTokens : undefined),
  },
};

/** A Gemini caller's request, single or a batch, by the path. */
const embeddings: Endpoint = {
  protocol: 'gemini-embeddings',
  url: (channel, address) =>
    call(channel, address, address.path.endsWith(':embedContent') ? 'embedContent' : 'batchEmbedContents'),
  adapt(body, { model }) {
    delete body.model;
    delete body.stream;
    // Each request of a batch repeats the model; the channel may map it to another.
    if (Array.isArray(body.requests)) {
      body.requests = body.requests.map((each) => ({ ...objectOf(each), model: `models/${model}` }));
    }
    return undefined;
  },
};

const openaiEmbeddings: Endpoint = {
  protocol: 'openai-embeddings',
  isDialect: true,
  url: (channel, address) => call(channel, address, 'batchEmbedContents'),
  adapt(body, { model }) {
    const wanted = toGeminiEmbeddings(body, model);
    for (const key of Object.keys(body)) delete body[key];
    Object.assign(body, wanted);
    return undefined;
  },
  rewrite: fromGeminiEmbeddings,
};

const predictUrl: Endpoint['url'] = (channel, address) => call(channel, address, 'predict');

const headers = (channel: Channel): Record<string, string> => ({ 'x-goog-api-key': channel.key });

/** A video is an operation; its name is its path below the version. */
const video = veoVideo({
  submitUrl: (channel, model) =>
    `${channel.baseUrl}/v1beta/models/${encodeURIComponent(model)}:predictLongRunning`,
  poll: ({ vendorId }, channel, known) => ({
    method: 'GET',
    url: `${channel.baseUrl}/v1beta/${vendorId.split('/').map(encodeURIComponent).join('/')}`,
    headers: known,
  }),
  headers,
  keyOrigins: (channel) => [originOf(channel.baseUrl)],
});

/** Google's Gemini (AI Studio), by an API key. */
export const gemini = defineProvider({
  type: 24,
  id: 'gemini',
  name: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  ownedBy: 'google gemini',
  models: geminiModels,
  headers,
  endpoints: {
    gemini: chat,
    'gemini-embeddings': embeddings,
    'openai-embeddings': openaiEmbeddings,
    'gemini-predict': predictEndpoint(predictUrl),
    'openai-images': imagenEndpoint(predictUrl),
  },
  tasks: { video },
  files: {
    api: 'gemini',
    url: (channel, behind) => `${channel.baseUrl}/v1beta/files${behind}`,
    uploadUrl: (channel) => `${channel.baseUrl}/upload/v1beta/files`,
  },
  batches: {
    api: 'gemini',
    priceFactor: 0.5,
    url: (channel, behind) => `${channel.baseUrl}/v1beta/batches${behind}`,
    createUrl: (channel, model, protocol) =>
      `${channel.baseUrl}/v1beta/models/${encodeURIComponent(model)}:${protocol === 'gemini-embeddings' ? 'asyncBatchEmbedContent' : 'batchGenerateContent'}`,
  },
  // Some settings are in v1alpha only.
  liveUrl: (channel, path) =>
    `${channel.baseUrl}/ws/google.ai.generativelanguage.${path.includes('.v1alpha.') ? 'v1alpha' : 'v1beta'}.GenerativeService.BidiGenerateContent`,
  cachesUrl: (channel, behind) => `${channel.baseUrl}/v1beta/cachedContents${behind}`,
  fetchModels: {
    request: (channel) => ({
      url: `${channel.baseUrl}/v1beta/openai/models`,
      headers: { authorization: `Bearer ${channel.key}` },
    }),
    read: (body) => namesIn(body, 'data', 'id').map((name) => name.replace(/^models\//, '')),
  },
});
