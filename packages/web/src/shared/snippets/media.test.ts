import { expect, test } from 'vitest';
import { chatModelsOf, mediaCode } from './media.ts';

const codeFor = (models: readonly string[]) => mediaCode('http://here', 'sk-1', models);

test('only calls for which there is a model are shown, with that model', () => {
  const code = codeFor(['gpt-4o', 'sandbox-image', 'whisper-large']);
  expect(code).toContain('"model": "sandbox-image"');
  expect(code).toContain('-F model="whisper-large"');
  expect(code).not.toContain('/audio/speech');
});

test('a key with chat models only shows none', () => {
  expect(codeFor(['gpt-4o', 'text-embedding-3-small'])).toBe('');
  expect(codeFor([])).toBe('');
});

test('examples of a conversation use a chat model', () => {
  expect(chatModelsOf(['bge-m3', 'mj_blend', 'dall-e-3', 'gpt-4o', 'tts-1'])).toEqual(['gpt-4o']);
  expect(chatModelsOf(['tts-1'])).toEqual(['tts-1']);
  expect(chatModelsOf([])).toEqual([]);
});
