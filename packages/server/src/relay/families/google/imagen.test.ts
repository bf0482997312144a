import { expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import { gemini } from '../../providers/gemini/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { aspectRatio } from './imagen.ts';

const model = 'imagen-3.0-generate-002';
const channel = buildChannel({ type: 24, baseUrl: gemini.baseUrl });
const callFor = (body: JsonObject, path = '/v1/images/generations', options = relayOptions) =>
  bridge(
    gemini,
    channel,
    { ...buildRequest('openai-images', { model, prompt: 'a cat', ...body }), path },
    model,
    options,
  );
const answer = (body: JsonObject, asked: JsonObject = {}) =>
  feed(callFor(asked).openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(body))]);

test.each([
  ['1024x1024', '1:1'],
  ['1024x1792', '9:16'],
  ['1792x1024', '16:9'],
  ['1536x1024', '4:3'],
  ['768x1024', '3:4'],
  ['4:3', '4:3'],
  ['auto', '1:1'],
  ['0x0', '1:1'],
  [undefined, '1:1'],
])('the size %s is sent as %s', (size, ratio) => {
  expect(aspectRatio(size)).toBe(ratio);
});

test('an image call becomes a prediction', () => {
  const parameters = { negativePrompt: 'dogs', sampleCount: 4 };
  const call = callFor({ n: 2, size: '1792x1024', quality: 'hd', parameters });
  expect(call.url).toBe(`${gemini.baseUrl}/v1beta/models/${model}:predict`);
  expect(JSON.parse(call.body.toString())).toEqual({
    instances: [{ prompt: 'a cat' }],
    parameters: { aspectRatio: '16:9', negativePrompt: 'dogs', sampleCount: 2 },
  });
});

test('predictions become images, each for 258 tokens', () => {
  const predictions = [
    { mimeType: 'image/png', bytesBase64Encoded: 'AAAA', prompt: 'a small cat' },
    { mimeType: 'image/jpeg', bytesBase64Encoded: 'BBBB' },
    { raiFilteredReason: 'held back' },
  ];
  const { end } = answer({ predictions }, { n: 3 });
  expect(JSON.parse(end.tail!.toString())).toEqual({
    created: 1_780_000_000,
    data: [{ b64_json: 'AAAA', revised_prompt: 'a small cat' }, { b64_json: 'BBBB' }],
    usage: { input_tokens: 516, output_tokens: 0, total_tokens: 516 },
  });
  expect(end).toMatchObject({ outcome: 'complete', images: 2, usage: { input: 516, output: 0 } });
  const url = answer({ predictions: [predictions[1]!] }, { response_format: 'url' }).end.tail!.toString();
  expect(JSON.parse(url)).toMatchObject({ data: [{ url: 'data:image/jpeg;base64,BBBB' }] });
});

test.each([
  [{ predictions: [{ raiFilteredReason: 'unsafe words' }] }, 'unsafe words'],
  [{ predictions: [] }, 'held back'],
  [{}, 'held back'],
])('images that are all filtered out are a refusal: %j', (body, words) => {
  const { end, passed } = answer(body);
  expect([end.outcome, end.error?.status, end.error?.code, passed.length]).toEqual([
    'error',
    400,
    'content_policy_violation',
    0,
  ]);
  expect(end.error?.message).toContain(words);
});

test('edits, streams and more images than Google makes are refused before anything is sent', () => {
  const refusal = expect.objectContaining({ status: 400, blame: 'caller' }) as Error;
  expect(() => callFor({}, '/v1/images/edits')).toThrow(refusal);
  expect(() => callFor({ stream: true })).toThrow(refusal);
  expect(() => callFor({ n: 5 })).toThrow(refusal);
});

test('other models of the vendor make no images here', () => {
  const request = buildRequest('openai-images', { model: 'gemini-2.0-flash', prompt: 'x' });
  expect(() => bridge(gemini, channel, request, 'gemini-2.0-flash', relayOptions)).toThrow(
    /do not speak openai-images/,
  );
});
