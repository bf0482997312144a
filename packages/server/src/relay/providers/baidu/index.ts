import { defineProvider, OwnStream } from '../../provider-kit/index.ts';
import { ErnieReader, rewriteEmbeddings, rewriteErnie, tokenRefusals } from './answer.ts';
import { adaptEmbeddings, adaptErnie } from './body.ts';
import { readKey, withToken } from './token.ts';

/** Models of the first API by the end of their path, if it is not their name in lower case. */
const paths: Readonly<Record<string, string>> = {
  'ERNIE-4.0': 'completions_pro',
  'ERNIE-4.0-8K': 'completions_pro',
  'ERNIE-Bot-4': 'completions_pro',
  'ERNIE-Bot': 'completions',
  'ERNIE-3.5-8K': 'completions',
  'ERNIE-Bot-8K': 'ernie_bot_8k',
  'ERNIE-Bot-turbo': 'eb-instant',
  'ERNIE-Lite-8K-0922': 'eb-instant',
  'ERNIE-Speed': 'ernie_speed',
  'ERNIE-Speed-8K': 'ernie_speed',
  'BLOOMZ-7B': 'bloomz_7b1',
  'Embedding-V1': 'embedding-v1',
  'bge-large-zh': 'bge_large_zh',
  'bge-large-en': 'bge_large_en',
  'tao-8k': 'tao_8k',
};

/** The end of a model's path, as one segment of an address. */
const pathOf = (model: string): string =>
  encodeURIComponent(Object.hasOwn(paths, model) ? paths[model]! : model.toLowerCase()).replace(/^\.+$/, '_');

const basePath = '/rpc/2.0/ai_custom/v1/wenxinworkshop';

/**
 * Baidu's first API for ERNIE: a key of two halves is exchanged for a token, and each model has its own path. Baidu
 * shut it down on 31 August 2026 (cloud.baidu.com/doc/qianfan/s/rmse4vxp8), so no model is offered.
 */
export const baidu = defineProvider({
  type: 15,
  id: 'baidu',
  name: { zh: '百度文心千帆', en: 'Baidu ERNIE' },
  baseUrl: 'https://aip.baidubce.com',
  hints: {
    key: 'APIKey|SecretKey',
    address: {
      placeholder: 'https://ernie.example.com',
      meaning: {
        zh: '百度已于 2026 年 8 月 31 日停止这一接口（V1）：请改用“百度千帆”类型的渠道，或填写提供相同接口的其他服务地址',
        en: 'Baidu shut this API (V1) down on 31 August 2026: use the type Baidu Qianfan, or a server with the same calls',
      },
    },
  },
  headers: () => ({}),
  secrets: (channel) => [channel.key, ...Object.values(readKey(channel))],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: [],
      isDialect: true,
      url: ({ baseUrl }, { model }) => `${baseUrl}${basePath}/chat/${pathOf(model)}`,
      adapt: adaptErnie,
      rewrite: rewriteErnie,
      unframe: (contentType, _secrets, asked) =>
        contentType.startsWith('text/event-stream') ? new OwnStream(new ErnieReader(asked)) : undefined,
    },
    'openai-embeddings': {
      protocol: 'openai-embeddings',
      isDialect: true,
      url: ({ baseUrl }, { model }) => `${baseUrl}${basePath}/embeddings/${pathOf(model)}`,
      adapt: adaptEmbeddings,
      rewrite: rewriteEmbeddings,
    },
  },
  beforeSend: withToken,
  refusesToken: ({ code }) => tokenRefusals.has(code),
});
