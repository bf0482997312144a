import { defineProvider, OwnStream } from '../../provider-kit/index.ts';
import { HunyuanReader, rewriteHunyuan } from './answer.ts';
import { adaptHunyuan } from './body.ts';
import { readKey, signCall } from './sign.ts';

/** Tencent's Hunyuan behind Tencent Cloud's own API: one address, signed calls, fields in capitals. */
export const tencent = defineProvider({
  type: 23,
  id: 'tencent',
  name: { zh: '腾讯混元', en: 'Tencent Hunyuan' },
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  hints: { key: 'AppId|SecretId|SecretKey' },
  models: ['hy3-preview', 'hunyuan-role-latest'],
  headers: () => ({
    'content-type': 'application/json',
    'x-tc-action': 'ChatCompletions',
    'x-tc-version': '2023-09-01',
  }),
  secrets: (channel) => [channel.key, readKey(channel).id, readKey(channel).secret],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: ['web-search'],
      search: { EnableEnhancement: true, ForceSearchEnhancement: true },
      isDialect: true,
      url: ({ baseUrl }) => `${baseUrl}/`,
      adapt: adaptHunyuan,
      rewrite: rewriteHunyuan,
      unframe: (contentType, _secrets, asked) =>
        contentType.startsWith('text/event-stream') ? new OwnStream(new HunyuanReader(asked)) : undefined,
    },
  },
  beforeSend: signCall,
});
