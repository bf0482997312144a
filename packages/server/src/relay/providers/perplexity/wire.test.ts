import { perplexity } from './index.ts';
import { describeWire, type WireCall } from '../../../testing/wire/wire-tests.ts';

const url = 'https://api.perplexity.ai/v1/responses';
/** Two searches; 20 of the 120 tokens were cached. */
const usage = { input: 100, cacheRead: 20, output: 9, webSearchCalls: 2 };
const plain = { url, usage, answer: 'agent.json' };
const search = { type: 'web_search' };

const calls: WireCall[] = [
  {
    ...plain,
    asked: 'openai-responses',
    model: 'perplexity/sonar',
    body: { input: 'hi', stream: false },
    sent: { model: 'perplexity/sonar', input: 'hi' },
    shown: '"search_results"',
  },
  {
    ...plain,
    asked: 'openai-responses',
    model: 'sonar-pro',
    body: { input: 'hi', stream: true },
    answer: 'agent.sse',
    sent: { preset: 'fast', stream: true },
    shown: 'response.reasoning.search_results',
  },
  {
    ...plain,
    asked: 'openai-chat',
    model: 'sonar',
    sent: { model: 'perplexity/sonar', tools: [search] },
    shown: '"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.test/1","title":"Paris"',
  },
  {
    ...plain,
    asked: 'openai-chat',
    model: 'sonar-reasoning-pro',
    body: { stream: true },
    answer: 'agent.sse',
    sent: { preset: 'low', stream: true },
    shown: '"url":"https://b.test/2"',
  },
  {
    ...plain,
    asked: 'anthropic-messages',
    model: 'sonar-deep-research',
    sent: { preset: 'medium' },
    shown: 'Paris is mild[1].',
  },
  { ...plain, asked: 'gemini', model: 'sonar', sent: { tools: [search] }, shown: 'Paris is mild[1].' },
];

describeWire(perplexity, {
  folder: import.meta.dirname,
  calls,
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
