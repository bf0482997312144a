import { defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';
import { adaptMessages } from './messages.ts';

/** Mistral speaks OpenAI, with image addresses as plain texts and tool call ids of nine letters. */
export const mistral = defineProvider({
  type: 42,
  id: 'mistral',
  name: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai',
  models: [
    'open-mistral-7b',
    'open-mixtral-8x7b',
    'mistral-small-latest',
    'mistral-medium-latest',
    'mistral-large-latest',
    'mistral-embed',
  ],
  endpoints: openaiEndpoints({ adapt: adaptMessages }),
  fetchModels: listModels(),
});
