import { defineProvider } from '../../provider-kit/index.ts';
import { type RelayError, refuse } from '../../types/index.ts';
import { uploadFiles } from '../../protocols/coze-chat/index.ts';
import { models } from './models.ts';

/** Coze: each channel is one bot, named in its extra field, which brings its own model. */
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
