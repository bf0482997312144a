import { defineProvider } from '../../provider-kit/index.ts';
import { refuse, type RelayError } from '../../types/index.ts';
import { uploadFiles } from '../../protocols/coze-chat/index.ts';

/**
 * Models of bots (docs/compatibility.md#default-model-lists). The name determines only the price; the bot has its own
 * model.
 */
const models: readonly string[] = [
  'doubao-seed-2-1-pro-260915',
  'doubao-seed-2-0-pro-260215',
  'doubao-seed-2-0-lite-260215',
  'Doubao-1.5-pro-32k',
  'Doubao-1.5-pro-256k',
  'Doubao-1.5-lite-32k',
  'Doubao-1.5-pro-vision-32k',
  'Doubao-1.5-thinking-pro',
  'Doubao-pro-32k',
  'Doubao-lite-32k',
  'deepseek-v3',
  'deepseek-r1',
  'kimi-k2.6',
  'qwen-max',
  'glm-4.7',
];

/** Coze: each channel is one bot, which is named in the extra field and has its own model. */
export const coze = defineProvider({
  type: 49,
  id: 'coze',
  name: { zh: '扣子', en: 'Coze' },
  baseUrl: 'https://api.coze.cn',
  hints: {
    key: { zh: '个人访问令牌：pat_…', en: 'a personal access token: pat_…' },
    other: { zh: '智能体（Bot）的 ID', en: 'id of the bot' },
  },
  models,
  endpoints: {
    'coze-chat': {
      protocol: 'coze-chat',
      url: (channel) => `${channel.baseUrl}/v3/chat`,
      headers: () => ({ accept: 'text/event-stream' }),
      adapt(body, { channel }) {
        body.bot_id = channel.other;
        return undefined;
      },
    },
  },
  translateTo: ['coze-chat'],
  beforeSend(call, channel, tools) {
    if (channel.other === '') throw withoutBot();
    return uploadFiles(call, channel, tools);
  },
});

const withoutBot = (): RelayError => refuse('channel_without_bot');
