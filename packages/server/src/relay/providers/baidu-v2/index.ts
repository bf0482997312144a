import type { AdaptContext, Adapted, Channel } from '../../types/index.ts';
import { cutSuffix } from '@tollgate/contract';
import { defineProvider, imagesAsData, imagesAsked } from '../../provider-kit/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { joinUrl, listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** Models of Qianfan's second version (docs/compatibility.md#default-model-lists). */
const models: readonly string[] = [
  'ernie-5.1',
  'ernie-5.0',
  'ernie-5.0-thinking-latest',
  'ernie-4.5-turbo-128k',
  'ernie-4.5-turbo-32k',
  'ernie-4.5-turbo-latest',
  'ernie-4.5-turbo-20260402',
  'ernie-4.5-turbo-vl',
  'ernie-4.5-turbo-vl-32k',
  'ernie-4.5-turbo-vl-latest',
  'ernie-x1.1',
  'ernie-char-fiction-8k',
  'ernie-novel-8k',
  'qianfan-8b',
  'qianfan-70b',
  'deepseek-v3.2-think',
];

/** The key may be followed by the application's id, which is sent in a separate header. */
function keyHeaders({ key }: Channel): Record<string, string> {
  const [apiKey = '', application = ''] = key.split('|');
  return { authorization: `Bearer ${apiKey}`, ...(application !== '' && { appid: application }) };
}

const maker = { name: 'Qianfan', most: 4, edits: false };

/** OpenAI's fields that Qianfan does not have. It returns image addresses, which are fetched if data are requested. */
const unknown = ['response_format', 'quality', 'style', 'background', 'moderation', 'output_format'];

const search = { enable: true, enable_citation: true, enable_trace: true, enable_status: false };

/** A name that ends with `-search` requests a web search (docs/compatibility.md#steps-of-a-chat-call). */
function adaptChat(body: JsonObject, { model }: AdaptContext): Adapted | undefined {
  const searched = cutSuffix(model, 'ernie-search')?.model;
  if (searched === undefined) return undefined;
  body.web_search ??= search;
  return { model: searched };
}

function adaptImages(body: JsonObject, context: AdaptContext): undefined {
  imagesAsked(body, context, maker);
  for (const key of unknown) delete body[key];
  if (body.size === 'auto') delete body.size;
}

/** Baidu's Qianfan, second version: OpenAI's bodies below /v2. */
export const baiduV2 = defineProvider({
  type: 46,
  id: 'baidu-v2',
  name: { zh: '百度千帆', en: 'Baidu Qianfan' },
  baseUrl: 'https://qianfan.baidubce.com',
  hints: { key: { zh: 'APIKey 或 APIKey|AppId', en: 'APIKey or APIKey|AppId' } },
  models,
  headers: keyHeaders,
  secrets: ({ key }) => [key, ...key.split('|').slice(0, 1)],
  endpoints: openaiEndpoints(['openai-chat', 'openai-embeddings', 'openai-images', 'cohere-rerank'], {
    paths: {
      'openai-chat': '/v2/chat/completions',
      'openai-embeddings': '/v2/embeddings',
      'openai-images': '/v2/images',
      'cohere-rerank': '/v2/rerank',
    },
    search: { web_search: search },
    adapt: { 'openai-chat': adaptChat, 'openai-images': adaptImages },
  }),
  beforeSend: (call, _channel, tools) =>
    call.url.endsWith('/images/generations') ? imagesAsData(call, 'data', tools) : call,
  fetchModels: {
    ...listModels(),
    request: (channel) => ({ url: joinUrl(channel, '/v2/models'), headers: keyHeaders(channel) }),
  },
});
