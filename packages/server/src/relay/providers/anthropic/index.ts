import type { Channel } from '../../model/channel.ts';
import { defineProvider } from '../../model/define-provider.ts';
import type { JsonObject } from '../../model/json.ts';
import { namesIn } from '../../model/openai/endpoints.ts';
import { anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { anthropicModels } from './models.ts';

const headers = (channel: Channel): Record<string, string> => ({ 'x-api-key': channel.key });

/** What steers the answer and not the input: the vendor refuses it in a count. */
const answerOnly = new Set([
  'max_tokens',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
]);
const countable = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !answerOnly.has(name)));

/** Anthropic itself. */
export const anthropic = defineProvider({
  type: 14,
  id: 'anthropic',
  name: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  ownedBy: 'claude',
  models: anthropicModels,
  headers,
  endpoints: {
    'anthropic-messages': {
      ...anthropicEndpoint(),
      countTokens: {
        url: (channel) => `${channel.baseUrl}/v1/messages/count_tokens`,
        write: countable,
        read: (answer) => (typeof answer.input_tokens === 'number' ? answer.input_tokens : undefined),
      },
    },
  },
  fetchModels: {
    request: (channel) => ({
      url: `${channel.baseUrl}/v1/models?limit=1000`,
      headers: { ...headers(channel), 'anthropic-version': '2023-06-01' },
    }),
    read: (body) => namesIn(body, 'data', 'id'),
  },
});
