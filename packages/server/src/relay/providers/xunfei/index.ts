import { defineProvider, LineScanner, OwnStream } from '../../provider-kit/index.ts';
import { SparkReader } from './answer.ts';
import { adaptSpark } from './body.ts';
import { overSignedSocket, readKey } from './sign.ts';
import { models, versionOf } from './versions.ts';

/** iFLYTEK's Spark: a chat is one message over a WebSocket with a signed address. */
export const xunfei = defineProvider({
  type: 18,
  id: 'xunfei',
  name: { zh: '讯飞星火', en: 'iFLYTEK Spark' },
  baseUrl: 'https://spark-api.xf-yun.com',
  hints: {
    key: 'APPID|APISecret|APIKey',
    other: {
      zh: '模型名没有写明时使用的版本，例如 v3.5；留空为 v2.1',
      en: 'the version of models whose name says none, e.g. v3.5; v2.1 where nothing is said',
    },
  },
  models,
  headers: () => ({}),
  secrets: (channel) => [channel.key, readKey(channel).secret, readKey(channel).apiKey],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: [],
      isDialect: true,
      url: ({ baseUrl, other }, { model, query }) => baseUrl + versionOf(model, other, query).path,
      adapt: adaptSpark,
      unframe: (contentType, _secrets, asked) =>
        contentType === 'application/x-ndjson'
          ? new OwnStream(new SparkReader(asked), new LineScanner())
          : undefined,
    },
  },
  beforeSend: overSignedSocket,
});
