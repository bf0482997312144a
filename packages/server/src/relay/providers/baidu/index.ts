import { defineProvider, OwnStream } from '../../provider-kit/index.ts';
import { ErnieReader, rewriteEmbeddings, rewriteErnie, tokenRefusals } from './answer.ts';
import { adaptEmbeddings, adaptErnie } from './body.ts';
import { models, pathOf } from './models.ts';
import { readKey, withToken } from './token.ts';

const shop = '/rpc/2.0/ai_custom/v1/wenxinworkshop';

/** Baidu's first API for ERNIE: a key of two halves is exchanged for a token, and each model has a path of its own. */
export const baidu = defineProvider({
  type: 15,
  id: 'baidu',
  name: { zh: '百度文心千帆', en: 'Baidu ERNIE' },
  baseUrl: 'https://aip.baidubce.com',
  hints: { key: 'APIKey|SecretKey' },
  models,
  headers: () => ({}),
  secrets: (channel) => [channel.key, ...Object.values(readKey(channel))],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: [],
      isDialect: true,
      url: ({ baseUrl }, { model }) => `${baseUrl}${shop}/chat/${pathOf(model)}`,
      adapt: adaptErnie,
      rewrite: rewriteErnie,
      unframe: (contentType, _secrets, asked) =>
        contentType.startsWith('text/event-stream') ? new OwnStream(new ErnieReader(asked)) : undefined,
    },
    'openai-embeddings': {
      protocol: 'openai-embeddings',
      isDialect: true,
      url: ({ baseUrl }, { model }) => `${baseUrl}${shop}/embeddings/${pathOf(model)}`,
      adapt: adaptEmbeddings,
      rewrite: rewriteEmbeddings,
    },
  },
  beforeSend: withToken,
  refusesToken: ({ code }) => tokenRefusals.has(code),
});
