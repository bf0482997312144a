import type { Channel } from '../../model/channel.ts';
import { defineProvider } from '../../model/define-provider.ts';
import { joinUrl, listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';
import { models } from './models.ts';

/** The key may have the application's id behind it, which gets a header of its own. */
function keyHeaders({ key }: Channel): Record<string, string> {
  const [apiKey = '', application = ''] = key.split('|');
  return { authorization: `Bearer ${apiKey}`, ...(application !== '' && { appid: application }) };
}

/** Baidu's Qianfan, second version: OpenAI's bodies below /v2. */
export const baiduV2 = defineProvider({
  type: 46,
  id: 'baidu-v2',
  name: 'Baidu Qianfan',
  baseUrl: 'https://qianfan.baidubce.com',
  hints: { key: 'APIKey or APIKey|AppId', other: '' },
  models,
  headers: keyHeaders,
  secrets: ({ key }) => [key, ...key.split('|').slice(0, 1)],
  endpoints: openaiEndpoints({
    only: true,
    paths: { 'openai-chat': '/v2/chat/completions', 'openai-embeddings': '/v2/embeddings' },
  }),
  streamUsage: true,
  fetchModels: {
    ...listModels(),
    request: (channel) => ({ url: joinUrl(channel, '/v2/models'), headers: keyHeaders(channel) }),
  },
});
