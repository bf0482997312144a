import { expect, test } from 'vitest';
import { createTokenCounter } from '../lib/token-count.ts';
import { countRequest, encodingOf } from './token-count.ts';

const counter = createTokenCounter();
const chat = (body: Record<string, unknown>, model = 'gpt-4') =>
  countRequest(counter, 'openai-chat', body as never, model);

test('a chat costs 3 for each message, 3 for the answer, and its texts', async () => {
  // OpenAI's cookbook example: role 1 token, "hello world" 2.
  expect(await chat({ messages: [{ role: 'user', content: 'hello world' }] })).toBe(3 + 3 + 1 + 2);
  expect(await chat({ messages: [{ role: 'user', name: 'bob', content: 'hello world' }] })).toBe(
    3 + 3 + 1 + 2 + 1 + 1,
  );
});

test('every tool is counted, not the last alone', async () => {
  const tool = (name: string) => ({ type: 'function', function: { name, description: 'hello world' } });
  const messages = [{ role: 'user', content: 'hello world' }];
  const none = await chat({ messages });
  const one = await chat({ messages, tools: [tool('alpha')] });
  const two = await chat({ messages, tools: [tool('alpha'), tool('alpha')] });
  expect(one - none - 8).toBe(two - one);
  expect(two - one).toBeGreaterThan(2);
});

test('images count by their tiles, other media by fixed sums', async () => {
  const png = Buffer.alloc(33);
  png.writeUInt32BE(0x89504e47, 0);
  png.writeUInt32BE(1_024, 16);
  png.writeUInt32BE(1_024, 20);
  const url = `data:image/png;base64,${png.toString('base64')}`;
  const withPart = async (part: object, model = 'gpt-4o') =>
    (await chat({ messages: [{ role: 'user', content: [part] }] }, model)) - 7;
  expect(await withPart({ type: 'image_url', image_url: { url } })).toBe(4 * 170 + 85);
  expect(await withPart({ type: 'image_url', image_url: { url } }, 'gpt-4o-mini')).toBe(4 * 5_667 + 2_833);
  expect(await withPart({ type: 'image_url', image_url: { url, detail: 'low' } })).toBe(85);
  expect(await withPart({ type: 'image_url', image_url: { url } }, 'claude-3-haiku')).toBe(255);
  expect(await withPart({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } })).toBe(255);
  expect(await withPart({ type: 'input_audio', input_audio: { data: 'AAAA' } })).toBe(100);
  expect(await withPart({ type: 'file', file: { file_data: 'AAAA' } })).toBe(5_000);
});

test('prompts and inputs may be texts or tokens', async () => {
  expect(
    await countRequest(counter, 'openai-completions', { prompt: ['hello world', 'hello world'] }, 'x'),
  ).toBe(4);
  expect(await countRequest(counter, 'openai-embeddings', { input: [1, 2, 3] }, 'x')).toBe(3);
  expect(await countRequest(counter, 'openai-embeddings', { input: [[1, 2], [3]] }, 'x')).toBe(3);
  expect(await countRequest(counter, 'openai-moderations', { input: 'hello world' }, 'x')).toBe(2);
});

test('the vocabulary follows the model', () => {
  expect(['gpt-4o-mini', 'o3', 'chatgpt-4o-latest', 'gpt-5'].map(encodingOf)).toEqual(Array(4).fill('o200k'));
  expect(['gpt-4', 'claude-3', 'olmo', 'gemini-2.5'].map(encodingOf)).toEqual(Array(4).fill('cl100k'));
});
