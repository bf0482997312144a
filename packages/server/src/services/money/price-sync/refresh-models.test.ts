import type { ModelBook } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { buildNameIndex } from './name-index.ts';
import { readLiteLlm } from './litellm.ts';
import { refreshModels } from './refresh-models.ts';

const taken = { name: 'LiteLLM', date: '2027-01-02' };
const book: ModelBook = {
  factsTaken: { name: 'LiteLLM', date: '2026-11-23' },
  dollarsOfYuan: 0.14,
  sources: { openai: 'a page', yuan: 'another' },
  models: {
    'gpt-6-astra': {
      price: { input: 10, output: 50, cacheRead: 1, source: 'openai' },
      terms: { tiers: { batch: { factor: 0.5 } } },
      facts: { vendor: 'openai', input: 922_000, ends: '2028-01-01', abilities: ['vision'] },
    },
    'gpt-4o': { defaults: { ModelRatio: 1.25 } },
    'ernie-5.1': { price: { input: 4, output: 18, currency: 'CNY', source: 'yuan' } },
  },
};
const list = {
  'gpt-6-astra': {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 8e-6,
    output_cost_per_token: 4e-5,
    max_input_tokens: 1_000_000,
    max_output_tokens: 128_000,
    supports_vision: true,
    supports_function_calling: true,
  },
  'gpt-4o': {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 5e-6,
    output_cost_per_token: 2e-5,
  },
  'ernie-5.1': {
    litellm_provider: 'baidu',
    mode: 'chat',
    input_cost_per_token: 9e-6,
    output_cost_per_token: 2e-5,
  },
};
const refresh = (models: object) =>
  refreshModels(book, new Map([['litellm' as const, buildNameIndex(readLiteLlm(models))]]), models, taken);

test('lists change list prices in dollars, limits and abilities, and leave all that they do not have', () => {
  const { book: after, changed, undecided } = refresh(list);
  expect(changed).toEqual(['gpt-6-astra']);
  expect(after.models['gpt-6-astra']).toEqual({
    price: { input: 8, output: 40, cacheRead: 1, source: 'openai' },
    terms: { tiers: { batch: { factor: 0.5 } } },
    facts: {
      vendor: 'openai',
      input: 1_000_000,
      output: 128_000,
      ends: '2028-01-01',
      abilities: ['vision', 'tools'],
    },
  });
  expect(undecided).toEqual(['gpt-4o', 'ernie-5.1']);
  expect(after.models['gpt-4o']).toEqual(book.models['gpt-4o']);
  expect(after.factsTaken).toEqual(taken);
});

test('a list of nothing changes nothing', () => {
  expect(refresh({})).toMatchObject({ changed: [], undecided: [] });
});
