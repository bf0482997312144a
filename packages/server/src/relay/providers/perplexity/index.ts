import { defineProvider } from '../../provider-kit/index.ts';
import { joinUrl, listModels } from '../../families/openai/index.ts';
import { adaptAgent } from './adapt.ts';

/** Perplexity answers from the web, by its Agent API: OpenAI's Responses with fewer fields and tools of its own. */
export const perplexity = defineProvider({
  type: 27,
  id: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  models: ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'],
  endpoints: {
    'openai-responses': {
      protocol: 'openai-responses',
      url: (channel) => joinUrl(channel, '/v1/responses'),
      // It refuses a request for any field that it does not know.
      isDialect: true,
      hosts: ['web-search', 'url-context', 'mcp', 'other'],
      adapt: adaptAgent,
    },
  },
  fetchModels: listModels(),
});
