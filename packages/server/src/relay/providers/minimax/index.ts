import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';
import { hailuoVideo } from './video.ts';
import { minimaxSpeech } from './speech.ts';

/**
 * MiniMax: an OpenAI body at a path of its own, speech and videos in words of their own; failures may come with status 200 and a
 * `base_resp`.
 */
export const minimax = defineProvider({
  type: 35,
  id: 'minimax',
  name: 'MiniMax',
  baseUrl: 'https://api.minimax.chat',
  models: [
    'MiniMax-Hailuo-2.3',
    'MiniMax-Hailuo-02',
    'MiniMax-M2',
    'MiniMax-M2.1',
    'MiniMax-M2.5',
    'MiniMax-M2.7',
    'MiniMax-M3',
    'MiniMax-M3.1-Flash',
  ],
  endpoints: {
    ...openaiEndpoints(['openai-chat'], { paths: { 'openai-chat': '/v1/text/chatcompletion_v2' } }),
    'openai-audio': minimaxSpeech,
  },
  tasks: { video: hailuoVideo },
  fetchModels: listModels(),
});
