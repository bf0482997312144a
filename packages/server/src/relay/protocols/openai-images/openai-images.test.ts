import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { FormFile } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openai } from '../../providers/openai/index.ts';
import { openaiImages } from './index.ts';
import { readImagesUsage } from './wire.ts';

const base = { model: 'gpt-image-1', prompt: 'a cat' };
const read = (body: JsonObject) => buildRequest('openai-images', body).facts;
const image: FormFile = { name: 'image', fileName: 'a.png', type: 'image/png', sizeBytes: 10 };
const readEdit = (body: JsonObject, files: FormFile[] = [image]) =>
  openaiImages.inbound.readFacts(body, { byteLength: 20, charLength: 20, files });
const refusal = expect.objectContaining({
  status: 400,
  blame: 'caller',
  code: 'invalid_image_request',
}) as Error;

describe('the facts', () => {
  it('have what a price per call depends on', () => {
    const facts = read({ model: 'dall-e-3', prompt: 'x', n: 2, size: '1792x1024', quality: 'hd' });
    expect(facts).toMatchObject({ model: 'dall-e-3', choices: 2, stream: false });
    expect(facts.media).toEqual({ answer: 'images', calls: 2, factor: 3, inputTokens: 2 });
  });

  it('count the images under every name of the field', () => {
    expect(read({ ...base, n: 1, batch_size: 4 }).media).toMatchObject({ calls: 4 });
    expect(read({ ...base, num_images: 3 }).media).toMatchObject({ calls: 3 });
    expect(readEdit({ ...base, n: '2', num_outputs: '5' }).media).toMatchObject({ calls: 5 });
    expect(read({ ...base, n: 2, batch_size: 1 }).media).toMatchObject({ calls: 2 });
  });

  test.each([
    [{ quality: 'low', size: '1024x1024' }, 272],
    [{ quality: 'medium', size: '1024x1536' }, 1_584],
    [{ quality: 'high', size: '1536x1024' }, 6_208],
    [{ quality: 'auto', size: 'auto' }, 6_240],
    [{}, 6_240],
    [{ quality: 'low', size: '1024x1024', stream: true, partial_images: 3 }, 572],
  ])('hold the tokens of an image like %j', (fields, tokens) => {
    expect(read({ ...base, ...fields }).maxOutputTokens).toBe(tokens);
  });

  it('of an edit are read from a form as from JSON', () => {
    const facts = readEdit({ ...base, n: '3', stream: 'True', partial_images: '2' });
    expect(facts).toMatchObject({ choices: 3, stream: true, media: { calls: 3 } });
    const images = [{ image_url: `data:image/png;base64,${'A'.repeat(90_000)}` }];
    const fromJson = read({ ...base, images });
    expect(fromJson.estimatedInputTokens).toBeLessThan(2_000);
    expect(read({ ...base, images, input_fidelity: 'high' }).estimatedInputTokens).toBeGreaterThan(12_000);
  });

  test.each<JsonObject>([
    { prompt: 'x' },
    { model: 'm' },
    { model: 'm', prompt: '' },
    { ...base, n: 0 },
    { ...base, n: 1.5 },
    { ...base, n: '2' },
    { ...base, size: 1_024 },
    { ...base, quality: {} },
    { ...base, stream: 'yes' },
    { ...base, partial_images: -1 },
    { ...base, batch_size: '4' },
    { ...base, num_images: 1_000 },
  ])("%j is refused as the caller's fault", (body) => {
    expect(() => read(body)).toThrow(refusal);
  });

  test.each<[JsonObject, FormFile[]]>([
    [base, []],
    [base, [{ ...image, name: 'mask' }]],
    [{ prompt: 'x' }, [image, { ...image, name: 'model' }]],
    [base, [image, { ...image, name: 'n' }]],
    [{ ...base, n: 'two' }, [image]],
    [{ ...base, n: '' }, [image]],
  ])('the form %j with files is refused', (body, files) => {
    expect(() => readEdit(body, files)).toThrow(refusal);
  });
});

test('the usage is split into text, input images and output images', () => {
  const raw = {
    input_tokens: 50,
    output_tokens: 400,
    total_tokens: 450,
    input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  };
  expect(readImagesUsage(raw)).toMatchObject({ input: 10, imageInput: 40, imageOutput: 400, output: 0 });
  const detailed = { ...raw, output_tokens_details: { image_tokens: 390, text_tokens: 10 } };
  expect(readImagesUsage(detailed)).toMatchObject({ imageOutput: 390, output: 10 });
  expect(readImagesUsage({})).toBeUndefined();
});

const call = (body: JsonObject) =>
  bridge(openai, buildChannel(), buildRequest('openai-images', body), 'gpt-image-1', relayOptions);
const cuts = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );

describe('an answer', () => {
  const body = (images: number, size: number) =>
    Buffer.from(
      JSON.stringify({
        created: 1,
        data: Array.from({ length: images }, () => ({ b64_json: 'A'.repeat(size), url: null })),
        usage: { input_tokens: 5, output_tokens: 100, total_tokens: 105 },
      }),
    );

  test.each([
    [2, 100, 1],
    [3, 50, 7],
    [2, 900_000, 65_536],
    [3, 3_000_000, 100_000],
  ])('with %i images of %i letters passes in pieces of %i and is counted', (images, size, piece) => {
    const bytes = body(images, size);
    const { passed, end } = feed(
      call({ ...base, n: images }).openPipe(200, 'application/json'),
      cuts(bytes, piece),
    );
    expect(Buffer.concat([passed, end.tail!]).equals(bytes)).toBe(true);
    expect(end).toMatchObject({ outcome: 'complete', images, usage: { input: 5, imageOutput: 100 } });
    // Only the end of a large answer is kept back; a small answer waits as a whole.
    expect(end.tail!.length).toBeLessThan(Math.min(bytes.length + 1, 1024 * 1024));
  });

  it('that breaks off has the number of images that had begun', () => {
    const bytes = body(3, 1_000_000);
    const { end } = feed(
      call(base).openPipe(200, 'application/json'),
      cuts(bytes.subarray(0, 1_500_000), 65_536),
      true,
    );
    expect(end).toMatchObject({ outcome: 'truncated', images: 2, usage: undefined });
  });
});

describe('a stream', () => {
  const event = (type: string, fields: JsonObject = {}, isNamed = true) =>
    `${isNamed ? `event: image_generation.${type}\n` : ''}data: ${JSON.stringify({
      type: `image_generation.${type}`,
      b64_json: 'QUJD'.repeat(1_000),
      ...fields,
    })}\n\n`;
  const usage = { input_tokens: 5, output_tokens: 100, total_tokens: 105 };
  const stream = (text: string, body: JsonObject = {}, broken = false, size = 999) =>
    feed(
      call({ ...base, stream: true, ...body }).openPipe(200, 'text/event-stream'),
      cuts(Buffer.from(text), size),
      broken,
    );

  test.each([true, false])('passes byte for byte and ends with the last image (names: %s)', (isNamed) => {
    const text = event('partial_image', {}, isNamed) + event('completed', { usage }, isNamed);
    const { passed, end } = stream(text);
    expect(passed.toString()).toBe(event('partial_image', {}, isNamed));
    expect(end.tail!.toString()).toBe(event('completed', { usage }, isNamed));
    expect(end).toMatchObject({ outcome: 'complete', images: 1, usage: { input: 5, imageOutput: 100 } });
  });

  it('of several images sums their usage, and waits with the last one', () => {
    const text = [1, 2].map(() => event('partial_image') + event('completed', { usage })).join('');
    const { passed, end } = stream(`${text}data: [DONE]\n\n`, { n: 2 });
    expect(end.tail!.toString()).toBe(`${event('completed', { usage })}data: [DONE]\n\n`);
    expect(passed.length + end.tail!.length).toBe(text.length + 'data: [DONE]\n\n'.length);
    expect(end).toMatchObject({ outcome: 'complete', images: 2, usage: { input: 10, imageOutput: 200 } });
  });

  it('that breaks off after a part has begun one image', () => {
    const { end } = stream(event('partial_image'), {}, true);
    expect(end).toMatchObject({ outcome: 'truncated', images: 1, usage: undefined });
    expect(stream(event('partial_image')).end.outcome).toBe('truncated');
  });

  test.each([
    'event: error\ndata: {"error":{"message":"no","type":"server_error","code":"x"}}\n\n',
    'data: {"type":"error","error":{"message":"no","type":"server_error","code":"x"}}\n\n',
  ])('with a failure ends with it: %s', (text) => {
    const { end } = stream(event('partial_image') + text);
    expect(end).toMatchObject({ outcome: 'error', images: 1, error: { message: 'no' } });
    expect(end.tail!.toString()).toBe(text);
  });
});
