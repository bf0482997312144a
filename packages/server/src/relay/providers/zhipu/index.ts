import { defineProvider, OwnStream } from '../../provider-kit/index.ts';
import { PromptReader, rewritePrompt } from './answer.ts';
import { adaptPrompt } from './body.ts';
import { ZhipuScanner } from './events.ts';
import { readKey, signCall } from './sign.ts';

/** Zhipu's third API for ChatGLM: the key signs a word for itself, and streams have a call of their own. */
export const zhipu = defineProvider({
  type: 16,
  id: 'zhipu',
  name: { zh: '智谱 ChatGLM（v3 接口）', en: 'Zhipu ChatGLM (API v3)' },
  baseUrl: 'https://open.bigmodel.cn',
  hints: { key: 'id.secret' },
  models: ['chatglm_turbo', 'chatglm_pro', 'chatglm_std', 'chatglm_lite'],
  headers: () => ({}),
  secrets: (channel) => [channel.key, readKey(channel).secret],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: [],
      isDialect: true,
      url: ({ baseUrl }, { model, stream }) =>
        `${baseUrl}/api/paas/v3/model-api/${encodeURIComponent(model).replace(/^\.+$/, '_')}/${stream ? 'sse-invoke' : 'invoke'}`,
      adapt: adaptPrompt,
      rewrite: rewritePrompt,
      unframe: (contentType, _secrets, asked) =>
        contentType.startsWith('text/event-stream')
          ? new OwnStream(new PromptReader(asked), new ZhipuScanner())
          : undefined,
    },
  },
  beforeSend: signCall,
});
