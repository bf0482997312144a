import type { Channel } from '../../types/index.ts';
import { claudeModels, defineProvider } from '../../provider-kit/index.ts';
import { namesIn } from '../../families/openai/index.ts';
import { anthropicEndpoint, countable, countedTokens } from '../../protocols/anthropic-messages/index.ts';

const headers = (channel: Channel): Record<string, string> => ({ 'x-api-key': channel.key });

/** Anthropic itself. */
export const anthropic = defineProvider({
  type: 14,
  id: 'anthropic',
  name: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  ownedBy: 'claude',
  models: claudeModels,
  headers,
  endpoints: {
    'anthropic-messages': {
      ...anthropicEndpoint(),
      countTokens: {
        url: (channel) => `${channel.baseUrl}/v1/messages/count_tokens`,
        write: countable,
        read: countedTokens,
      },
    },
  },
  files: { api: 'anthropic', url: (channel, behind) => `${channel.baseUrl}/v1/files${behind}` },
  batches: {
    api: 'anthropic',
    priceFactor: 0.5,
    url: (channel, behind) => `${channel.baseUrl}/v1/messages/batches${behind}`,
  },
  fetchModels: {
    request: (channel) => ({
      url: `${channel.baseUrl}/v1/models?limit=1000`,
      headers: { ...headers(channel), 'anthropic-version': '2023-06-01' },
    }),
    read: (body) => namesIn(body, 'data', 'id'),
  },
});
