import { defineProvider } from '../../provider-kit/index.ts';
import { openaiEndpoints } from '../../families/openai/index.ts';
import { adaptSearch } from './adapt.ts';

/** Perplexity answers from the web. OpenAI's chats under a shorter path, with fields of its own for the search. */
export const perplexity = defineProvider({
  type: 27,
  id: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  models: ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'],
  endpoints: openaiEndpoints(['openai-chat'], {
    paths: { 'openai-chat': '/chat/completions' },
    hosts: { 'openai-chat': ['web-search'] },
    adapt: { 'openai-chat': adaptSearch },
  }),
});
