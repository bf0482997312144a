import { minimax } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(minimax, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'abab6.5s-chat',
      url: 'https://api.minimax.chat/v1/text/chatcompletion_v2',
      answer: 'chat.sse',
      shown: '"base_resp"',
      usage: { input: 20, output: 5 },
    },
    {
      asked: 'openai-audio',
      path: '/v1/audio/speech',
      model: 'speech-02-turbo',
      url: 'https://api.minimax.chat/v1/t2a_v2',
      sent: { model: 'speech-02-turbo', text: 'hi', stream: false, output_format: 'hex' },
      body: { voice: 'English_Graceful_Lady' },
      answer: 'speech.json',
      shown: 'ID3',
      usage: 'counted here',
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-completions',
    'openai-embeddings',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'cohere-rerank',
  ],
});
