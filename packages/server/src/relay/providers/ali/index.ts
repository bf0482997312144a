import { bearer, defineProvider, documentText, tidyRerank } from '../../provider-kit/index.ts';
import { joinUrl, listModels, openaiEndpoints } from '../../families/openai/index.ts';
import { type AdaptContext, type Provider, type Endpoint, refuse } from '../../types/index.ts';
import { wanVideo } from './video.ts';
import { aliImages, synthesisPath } from './images.ts';
import { waitForImages } from './wait.ts';
import { isObject, type JsonObject, objectOf } from '../../../lib/json.ts';
import { readDashscopeError } from './errors.ts';

/** Reranking in DashScope's format: only texts, the options in `parameters`. */
const aliRerank: Endpoint = {
  protocol: 'cohere-rerank',
  isDialect: true,
  url: (channel) => joinUrl(channel, '/api/v1/services/rerank/text-rerank/text-rerank'),
  adapt(body) {
    const { model, query, documents, top_n, return_documents } = body;
    const texts = (Array.isArray(documents) ? documents : []).map((document) => {
      const text = documentText(document);
      if (text === undefined) throw refuse('texts_reranked_alone', { provider: 'DashScope' });
      return text;
    });
    for (const key of Object.keys(body)) delete body[key];
    Object.assign(body, { model, input: { query, documents: texts } });
    body.parameters = { ...(top_n !== undefined && { top_n }), return_documents: return_documents === true };
    return undefined;
  },
  rewrite: (answer: JsonObject, request: JsonObject) =>
    isObject(answer.output)
      ? tidyRerank({ ...objectOf(answer.output), usage: answer.usage }, request)
      : answer,
  readError: readDashscopeError,
};

/** DashScope's bounds of `top_p`, both included. */
const minTopP = 0.001;
const maxTopP = 0.999;

/**
 * Reasoning models of Qwen refuse a whole answer with reasoning, and do not turn it off. Unless the caller sets it,
 * reasoning is turned off (docs/compatibility.md#channel-types). Models with permanent reasoning have no such switch.
 */
function adaptQwen(body: JsonObject, { model, stream }: AdaptContext): undefined {
  if (typeof body.top_p === 'number') {
    const within = Math.min(maxTopP, Math.max(minTopP, body.top_p));
    if (within !== body.top_p) body.top_p = within;
  }
  if (!stream && !/^qwq|^qvq|-thinking/.test(model)) body.enable_thinking ??= false;
}

/** The calls in OpenAI's form; streams also need a header (docs/compatibility.md#channel-types). */
function compatible(): Provider['endpoints'] {
  const headers: Endpoint['headers'] = (_channel, { stream }) =>
    stream ? { 'x-dashscope-sse': 'enable' } : {};
  const endpoints = openaiEndpoints(['openai-chat', 'openai-completions', 'openai-embeddings'], {
    paths: {
      'openai-chat': '/compatible-mode/v1/chat/completions',
      'openai-completions': '/compatible-mode/v1/completions',
      'openai-embeddings': '/compatible-mode/v1/embeddings',
    },
    search: { enable_search: true },
    adapt: { 'openai-chat': adaptQwen },
  });
  return Object.fromEntries(
    Object.entries(endpoints).map(([protocol, endpoint]) => [protocol, { ...endpoint, headers }]),
  );
}

/**
 * Alibaba's DashScope (Qwen) offers OpenAI's API under its own path; images and reranking have their own calls, and
 * plugins of an account have a header.
 */
export const ali = defineProvider({
  type: 17,
  id: 'ali',
  name: { zh: '阿里云百炼', en: 'Alibaba DashScope' },
  baseUrl: 'https://dashscope.aliyuncs.com',
  hints: { other: { zh: '插件名称；不使用则留空', en: 'name of a plugin; empty for none' } },
  models: [
    'qwen-flash',
    'qwen-plus',
    'qwen-max',
    'qwen3-235b-a22b',
    'qwen3-max',
    'qwen3-coder-flash',
    'qwen3-coder-plus',
    'qwen3-vl-plus',
    'qwen3.5-plus',
    'qwen3.7-plus',
    'qwen3.7-max',
    'qwen3.8-max',
    'qwen3.8-max-prime',
    'qwen3.8-flash',
    'text-embedding-v1',
    'wan2.2-t2v-plus',
    'wan2.2-i2v-plus',
    'wan2.5-t2v-preview',
    'wan2.5-i2v-preview',
  ],
  headers: (channel) => ({
    ...bearer(channel),
    ...(channel.other !== '' && { 'x-dashscope-plugin': channel.other }),
  }),
  endpoints: { ...compatible(), 'openai-images': aliImages, 'cohere-rerank': aliRerank },
  beforeSend: (call, channel, tools) =>
    call.url.endsWith(synthesisPath) ? waitForImages(call, channel, tools) : call,
  tasks: { video: wanVideo },
  fetchModels: listModels('/compatible-mode/v1/models'),
});
