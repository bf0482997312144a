import { defineProvider } from '../../provider-kit/index.ts';
import { uploadFiles } from '../../protocols/dify-chat/index.ts';

/**
 * Dify: each channel is one application, which has its own model; the operator chooses the model names of the channel.
 */
export const dify = defineProvider({
  type: 37,
  id: 'dify',
  name: 'Dify',
  baseUrl: 'https://api.dify.ai',
  hints: { key: { zh: '单个应用的密钥：app-…', en: 'the key of one application: app-…' } },
  endpoints: {
    'dify-chat': { protocol: 'dify-chat', url: (channel) => `${channel.baseUrl}/v1/chat-messages` },
  },
  translateTo: ['dify-chat'],
  beforeSend: uploadFiles,
});
