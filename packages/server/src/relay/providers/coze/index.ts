import { defineProvider } from '../../model/define-provider.ts';
import { RelayError } from '../../model/relay-error.ts';
import { uploadFiles } from '../../protocols/coze-chat/index.ts';
import { models } from './models.ts';

/** Coze: each channel is one bot, named in its extra field, which brings its own model. */
export const coze = defineProvider({
  type: 49,
  id: 'coze',
  name: 'Coze',
  baseUrl: 'https://api.coze.cn',
  hints: { key: 'a personal access token: pat_…', other: 'id of the bot' },
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

const withoutBot = (): RelayError =>
  new RelayError({
    status: 503,
    code: 'invalid_channel',
    message: 'this channel names no bot',
    blame: 'channel',
  });
