import { defineProvider } from '../../model/define-provider.ts';
import { uploadFiles } from '../../protocols/dify-chat/index.ts';

/**
 * Dify: each channel is one application, which brings its own model; the model names of the channel are the operator's
 * choice.
 */
export const dify = defineProvider({
  type: 37,
  id: 'dify',
  name: 'Dify',
  baseUrl: 'https://api.dify.ai',
  hints: { key: 'the key of one application: app-…', other: '' },
  endpoints: {
    'dify-chat': { protocol: 'dify-chat', url: (channel) => `${channel.baseUrl}/v1/chat-messages` },
  },
  translateTo: ['dify-chat'],
  beforeSend: uploadFiles,
});
