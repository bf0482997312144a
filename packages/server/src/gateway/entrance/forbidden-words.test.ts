import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { wordIn } from './admit.ts';

const word = 'forbidden';
const found = (json: JsonObject): boolean =>
  wordIn((text) => (text.includes(word) ? word : undefined), json) !== undefined;
const parts = (text: string) => [{ parts: [{ text }] }];

it.each<[string, JsonObject]>([
  ['a message', { messages: [{ role: 'user', content: `a ${word} one` }] }],
  ['a text that begins like data', { messages: [{ role: 'user', content: `data:${word}` }] }],
  ['a text in a list of texts', { input: ['data:,', `data:${word}`] }],
  ['Gemini’s contents', { contents: parts(word) }],
  ['Gemini’s system, in both spellings', { systemInstruction: { parts: [{ text: word }] } }],
  ['… and the other', { system_instruction: { parts: [{ text: word }] } }],
  [
    'a call of Gemini’s that carries data',
    { contents: [{ parts: [{ functionCall: { args: { data: word } } }] }] },
  ],
  ['a content to be embedded', { content: { parts: [{ text: word }] } }],
  ['a batch of them', { requests: [{ content: { parts: [{ text: word }] } }] }],
  [
    'a document of text',
    { messages: [{ content: [{ source: { type: 'text', media_type: 'text/plain', data: word } }] }] },
  ],
  [
    '… whatever it calls itself',
    { messages: [{ content: [{ source: { type: 'base64', media_type: 'text/plain', data: word } }] }] },
  ],
  [
    'the description of a tool',
    { tools: [{ type: 'function', function: { name: 'f', description: word } }] },
  ],
  ['the shape of an answer', { response_format: { json_schema: { schema: { description: word } } } }],
  [
    'what lies deep',
    { messages: [{ content: [{ input: { a: { b: { c: { d: { e: { f: [[word]] } } } } } } }] }] },
  ],
  ['the end of a text to be completed', { suffix: word }],
  ['what a song is to be about', { gpt_description_prompt: word }],
  ['its style', { prompt: 'la la', tags: word, title: 'x' }],
  ['its title', { prompt: 'la la', tags: 'x', title: word }],
  ['what a video is not to show', { prompt: 'a cat', negative_prompt: word }],
])('a word is found in %s', (_, json) => {
  expect(found(json)).toBe(true);
});

it.each<[string, JsonObject]>([
  ['inlineData', { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: word } }] }] }],
  ['inline_data', { contents: [{ parts: [{ inline_data: { mime_type: 'audio/wav', data: word } }] }] }],
  [
    'a source of Anthropic’s',
    { messages: [{ content: [{ source: { type: 'base64', media_type: 'image/png', data: word } }] }] },
  ],
  ['a sound of OpenAI’s', { messages: [{ content: [{ input_audio: { format: 'wav', data: word } }] }] }],
  ['a file of OpenAI’s', { messages: [{ content: [{ file: { file_data: `data:x;base64,${word}` } }] }] }],
  [
    'an address that is the picture',
    { messages: [{ content: [{ image_url: { url: `data:image/png;base64,${word}` } }] }] },
  ],
  ['a picture of Responses', { input: [{ content: [{ image_url: `data:image/png;base64,${word}` }] }] }],
  ['pictures in a list', { input: [{ images: [`data:image/png;base64,${word}`] }] }],
  ['what no model reads', { model: word, user: word, metadata: { note: word } }],
])('no word is found by chance in %s', (_, json) => {
  expect(found(json)).toBe(false);
});

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'gemini-2.5-flash', type: 24 });
  await gate.core.settings.setMany({
    CheckSensitiveEnabled: 'true',
    CheckSensitiveOnPromptEnabled: 'true',
    SensitiveWords: word,
  });
});
afterAll(() => gate.close());

it('a word in Gemini’s protocol reaches no upstream', async () => {
  const { key } = await gate.addCaller();
  const answer = await fetch(`${gate.url}/v1beta/models/gemini-2.5-flash:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key },
    body: JSON.stringify({ contents: parts(`something ${word}`) }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('sensitive words detected');
  expect(gate.upstream.requests).toHaveLength(0);
});
