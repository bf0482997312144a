import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import { createTokenCounter } from '../lib/token-count/token-counter.ts';
import { buildRequest } from '../testing/protocols/build-relay.ts';
import { sampleRequests } from '../testing/wire/wire-tests.ts';
import { imageTokens } from './families/openai/index.ts';
import { countRequest, encodingOf } from './token-count.ts';
import type { ProtocolId } from './types/index.ts';

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

const counted = (Object.entries(sampleRequests) as [ProtocolId, JsonObject][]).filter(
  ([protocol, body]) => buildRequest(protocol, body).facts.media === undefined,
);

test.each(counted)("the caller's text in %s is counted", async (protocol, body) => {
  const words = 'hello world, this is a longer text';
  const longer = JSON.parse(JSON.stringify(body).replaceAll('"hi"', JSON.stringify(words))) as JsonObject;
  const times = JSON.stringify(body).split('"hi"').length - 1;
  const tokens = (text: string) => counter.count([text], encodingOf('m'));
  const more =
    (await countRequest(counter, protocol, longer, 'm')) - (await countRequest(counter, protocol, body, 'm'));
  expect(more).toBe(times * ((await tokens(words)) - (await tokens('hi'))));
});

test('all contents of embeddings in Gemini’s protocol are counted, with titles and images', async () => {
  const embed = (body: JsonObject) => countRequest(counter, 'gemini-embeddings', body, 'm');
  const one = { content: { parts: [{ text: 'hello world' }, { text: 'hello world' }] } };
  expect(await embed(one)).toBe(4);
  expect(await embed({ ...one, title: 'hello world' })).toBe(6);
  expect(await embed({ requests: [one, one, { ...one, title: 'hello world' }] })).toBe(14);
  const inlineData = { mimeType: 'image/png', data: pngOf(1_024, 1_024) };
  const image = imageTokens({ url: `data:image/png;base64,${inlineData.data}` }, 'm');
  expect(image).toBeGreaterThan(0);
  expect(await embed({ content: { parts: [{ inlineData }, { text: 'hello world' }] } })).toBe(image + 2);
});

/** Head of a PNG in base64, which contains the size. */
function pngOf(width: number, height: number): string {
  const png = Buffer.alloc(33);
  png.writeUInt32BE(0x89504e47, 0);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png.toString('base64');
}

test('images count by their tiles, other media by fixed sums', async () => {
  const url = `data:image/png;base64,${pngOf(1_024, 1_024)}`;
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

/** An image of this many pixels in each protocol with images; without a size, by its address. */
const withImage: Partial<Record<ProtocolId, (base64: string) => JsonObject>> = {
  'openai-chat': (base64) => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: urlOf(base64) } }] }],
  }),
  'openai-responses': (base64) => ({
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: urlOf(base64) }] }],
  }),
  'anthropic-messages': (base64) => ({
    max_tokens: 10,
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'image',
            source:
              base64 === ''
                ? { type: 'url', url: urlOf(base64) }
                : { type: 'base64', media_type: 'image/png', data: base64 },
          },
        ],
      },
    ],
  }),
  gemini: (base64) => ({
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: base64 } }] }],
  }),
  'cohere-rerank': (base64) => ({ query: 'q', documents: [{ image: urlOf(base64) }] }),
};
const urlOf = (base64: string): string =>
  base64 === '' ? 'https://example.com/a.png' : `data:image/png;base64,${base64}`;

describe.each(Object.keys(withImage) as ProtocolId[])('an image in %s', (protocol) => {
  test.each(['gpt-4o', 'gpt-4o-mini'])('%s has images held for by its own tiles', (model) => {
    for (const [width, height] of [
      [64, 64],
      [1_024, 1_024],
      [768, 10_000],
    ] as const) {
      const { facts } = buildRequest(protocol, withImage[protocol]!(pngOf(width, height)), { model });
      const counted = imageTokens({ url: urlOf(pngOf(width, height)) }, model);
      expect(facts.estimatedInputTokens).toBeGreaterThanOrEqual(counted);
    }
  });

  test.each([
    ['gpt-4o', 8 * 170 + 85],
    ['gpt-4o-mini', 8 * 5_667 + 2_833],
  ])('an image of unknown size is held for as the largest that %s reads', async (model, largest) => {
    const { facts, json } = buildRequest(
      protocol,
      withImage[protocol]!(protocol === 'gemini' ? 'AAAA' : ''),
      {
        model,
      },
    );
    expect(facts.estimatedInputTokens * 3).toBeGreaterThanOrEqual(largest);
    const counted = await countRequest(counter, protocol, json, model);
    expect(counted + facts.uncountedInputTokens!).toBeGreaterThanOrEqual(largest);
  });
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
