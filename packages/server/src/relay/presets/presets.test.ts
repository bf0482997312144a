import { describe, expect, test } from 'vitest';
import { buildChannel } from '../../testing/protocols/build-relay.ts';
import { callOn, describeAnswers, sentBy, type WireCall } from '../../testing/wire/wire-tests.ts';
import { protocols } from '../protocols.ts';
import { providers } from '../registry.ts';
import type { ProtocolId } from '../types/index.ts';
import { presetProvider, presets } from './index.ts';

const answers: Partial<Record<ProtocolId, Pick<WireCall, 'answer' | 'usage'>>> = {
  'openai-chat': { answer: 'chat.sse', usage: { input: 9, output: 3 } },
  'openai-embeddings': { answer: 'embeddings.json', usage: { input: 2 } },
  'cohere-rerank': { answer: 'rerank.json', usage: { input: 7 } },
};
const ends: Partial<Record<ProtocolId, string>> = {
  'openai-chat': '/chat/completions',
  'openai-embeddings': '/embeddings',
  'cohere-rerank': '/rerank',
};

describe.each(presets.map((preset) => [preset.id, preset] as const))('%s', (_id, preset) => {
  const provider = presetProvider(preset);
  const offered = Object.keys(answers).filter((id) => id in preset.offers) as ProtocolId[];

  describeAnswers(
    provider,
    import.meta.dirname,
    offered.map((asked) => {
      const own = preset.offers[asked as keyof typeof preset.offers];
      const path = typeof own === 'string' ? own : `/v1${ends[asked]}`;
      return { asked, url: preset.baseUrl + path, ...answers[asked]! };
    }),
  );

  test('refuses what its vendor does not document', () => {
    const chats = ['anthropic-messages', 'gemini', 'openai-responses', 'openai-chat'];
    const unable = Object.entries(protocols).flatMap(([id, { inbound }]) => {
      if (!inbound || id in preset.offers) return [];
      const isReached = chats.includes(id) ? 'openai-chat' in preset.offers : id in provider.endpoints;
      return isReached ? [] : [id as ProtocolId];
    });
    for (const id of unable) expect(() => callOn(provider, id)).toThrow(/do not speak|不支持/);
  });

  test('is in the list of channel types with a number of Tollgate’s own range', () => {
    expect(providers.find(({ type }) => type === preset.type)?.id).toBe(preset.id);
    expect(preset.type).toBeGreaterThan(9100);
  });
});

test('a list of models is read with or without an object around it', () => {
  const list = presetProvider(presets.find(({ id }) => id === 'together')!).fetchModels!;
  expect(list.read([{ id: 'a' }, { id: 'b' }])).toEqual(['a', 'b']);
  expect(list.read({ data: [{ id: 'a' }] })).toEqual(['a']);
  expect(list.request(buildChannel({ baseUrl: 'https://api.together.xyz' })).url).toBe(
    'https://api.together.xyz/v1/models',
  );
});

test('an effort suffix of a model with open weights becomes a field, for every vendor', () => {
  const groq = presetProvider(presets.find(({ id }) => id === 'groq')!);
  const call = callOn(groq, 'openai-chat', { model: 'openai/gpt-oss-120b-high', body: { max_tokens: 5 } });
  expect(sentBy(call)).toMatchObject({
    model: 'openai/gpt-oss-120b',
    reasoning_effort: 'high',
    max_tokens: 5,
  });
  expect(call).toMatchObject({ upstreamModel: 'openai/gpt-oss-120b', reasoningEffort: 'high' });
  const other = callOn(groq, 'openai-chat', { model: 'a-model-high' });
  expect(sentBy(other)).toMatchObject({ model: 'a-model-high' });
});

test('fields with other names at a vendor are renamed, and its defaults left out', () => {
  const voyage = presetProvider(presets.find(({ id }) => id === 'voyage')!);
  const embedding = callOn(voyage, 'openai-embeddings', {
    body: { dimensions: 256, encoding_format: 'float' },
  });
  expect(sentBy(embedding)).toEqual({ model: 'm', input: 'hi', output_dimension: 256 });
  expect(sentBy(callOn(voyage, 'cohere-rerank', { body: { top_n: 2 } }))).toMatchObject({ top_k: 2 });
  expect(sentBy(callOn(voyage, 'cohere-rerank', { body: { top_n: 2 } }))).not.toHaveProperty('top_n');
});
