import { expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { openai } from '../../providers/openai/index.ts';
import { encodingOf } from '../../token-count.ts';
import { adaptReasoning } from './reasoning-effort.ts';

/** Offered OpenAI models that the chat API accepts and that reason. */
const reasoning = openai.models.filter(
  (model) => /^(o\d|gpt-([5-9]|\d\d))/.test(model) && !/-chat|-pro|-codex|-image|-deep-research/.test(model),
);

it('efforts are offered for models of the fifth generation and later', () => {
  expect(reasoning).toEqual(expect.arrayContaining(['o3', 'gpt-5']));
  expect(reasoning.some((model) => model.startsWith('gpt-6'))).toBe(true);
});

it.each(reasoning)('an effort suffix of %s becomes a field, and max_tokens its newer name', (model) => {
  const body: JsonObject = { messages: [], max_tokens: 10 };
  expect(adaptReasoning(body, { model: `${model}-high` })).toEqual({ model, reasoningEffort: 'high' });
  expect(body).toEqual({ messages: [], max_completion_tokens: 10, reasoning_effort: 'high' });
  expect(encodingOf(model)).toBe('o200k');
});

it.each(['gpt-5-chat-latest', 'gpt-35-turbo', 'gpt-4o', 'gpt-3.5-turbo'])(
  '%s is not a reasoning model',
  (model) => {
    const body: JsonObject = { messages: [], max_tokens: 10 };
    expect(adaptReasoning(body, { model })).toBeUndefined();
    expect(body).toEqual({ messages: [], max_tokens: 10 });
  },
);
