import { callOf, defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type AdaptContext, refuse } from '../../types/index.ts';
import { adaptMessages } from './messages.ts';

/** Mistral offers transcriptions; its speech has another format, and it has no translations. */
function adaptTranscription(_body: JsonObject, { path }: AdaptContext): undefined {
  const call = callOf('openai-audio', path);
  if (call === '/speech') throw refuse('transcription_alone', { provider });
  if (call === '/translations') throw refuse('transcription_not_translated', { provider });
}

const provider = 'Mistral AI';

/** Mistral offers OpenAI's API, with image addresses as plain texts and tool call ids of nine letters. */
export const mistral = defineProvider({
  type: 42,
  id: 'mistral',
  name: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai',
  // It refuses the field, and reports usage without it.
  streamUsage: false,
  models: [
    'mistral-small-latest',
    'mistral-medium-latest',
    'mistral-large-latest',
    'mistral-embed',
    'mistral-large-4',
    'codestral-latest',
    'devstral-latest',
    'magistral-medium-latest',
    'ministral-14b-latest',
    'ministral-8b-latest',
    'ministral-3b-latest',
  ],
  endpoints: openaiEndpoints(['openai-chat', 'openai-embeddings', 'openai-moderations', 'openai-audio'], {
    hosts: { 'openai-chat': ['other'] },
    adapt: { 'openai-chat': adaptMessages, 'openai-audio': adaptTranscription },
  }),
  fetchModels: listModels(),
});
