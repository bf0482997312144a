import { bedrock } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(bedrock, {
  folder: import.meta.dirname,
  channel: { key: 'test-channel-key|us-east-1' },
  calls: [
    {
      asked: 'openai-chat',
      model: 'amazon.nova-micro-v1:0',
      body: { stream: false },
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-micro-v1%3A0/converse',
      headers: { accept: '*/*' },
      answer: 'converse.json',
      shown: 'Hello.',
      usage: { input: 9, output: 4 },
    },
    {
      asked: 'anthropic-messages',
      model: 'claude-3-haiku-20240307',
      body: { stream: false },
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-3-haiku-20240307-v1%3A0/invoke',
      headers: { accept: '*/*' },
      sent: { anthropic_version: 'bedrock-2023-05-31' },
      answer: 'invoke.json',
      shown: 'Hello.',
      usage: { input: 8, output: 5 },
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
    'openai-audio',
    'cohere-rerank',
  ],
});
