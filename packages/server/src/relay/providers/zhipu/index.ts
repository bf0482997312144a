import { defineProvider, OwnStream } from '../../provider-kit/index.ts';
import { PromptReader, rewritePrompt } from './answer.ts';
import { adaptPrompt } from './body.ts';
import { ZhipuScanner } from './events.ts';
import { readKey, signCall } from './sign.ts';

/**
 * Zhipu's third API for ChatGLM: the key signs a word for itself, and streams have a call of their own. Zhipu names none of
 * its models any more (docs.bigmodel.cn/cn/guide/start/model-overview, 2026), so no model is offered.
 */
export const zhipu = defineProvider({
  type: 16,
  id: 'zhipu',
  name: { zh: '智谱 ChatGLM（v3 接口）', en: 'Zhipu ChatGLM (API v3)' },
  baseUrl: 'https://open.bigmodel.cn',
  hints: {
    key: 'id.secret',
    address: {
      placeholder: 'https://chatglm.example.com',
      meaning: {
        zh: '智谱现在的模型列表里已没有这一接口（v3）的模型。智谱现在的模型请用“智谱”类型的渠道；只有提供相同接口的其他服务，才在这里填写地址',
        en: 'Zhipu lists no model of this API (v3) any more. For the models of today use a channel of the type Zhipu GLM; enter an address here only for another server that has the same calls',
      },
    },
  },
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
