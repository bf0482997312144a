import { type default as OpenAI, toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { imageUsage, images, readForm, refusal } from '../../testing/upstream/fake-upstream-media.ts';
import type { GatewayHarness, TestCaller } from '../../testing/gateway-harness.ts';
import { type MediaWorld, openMediaWorld } from '../../testing/worlds/media-world.ts';

// Images requested by OpenAI's own client, through the real gateway, charged to the unit.

let world: MediaWorld;
let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
const start = 5_000_000;

beforeAll(async () => {
  world = await openMediaWorld();
  ({ gate } = world);
  await gate.addChannel({
    models: 'gpt-image-1,dall-e-3,dall-e-2,dall-e,mapped-image,plain-image',
    model_mapping: JSON.stringify({ 'mapped-image': 'gpt-image-1-2025-04-15' }),
  });
  const { settings } = gate.core;
  const prices = { 'dall-e-3': 0.04, 'dall-e-2': 0.02, 'dall-e': 0.02, 'mapped-image': 0.01 };
  await settings.set('ModelPrice', JSON.stringify(prices));
  await settings.set('ModelRatio', JSON.stringify({ 'gpt-image-1': 2.5, 'plain-image': 10 }));
});
afterAll(() => gate.close());
beforeEach(async () => {
  await use(start);
  gate.upstream.script(images());
});
afterEach(() => world.inOrder());

async function use(balance: number): Promise<void> {
  await world.begin(balance);
  ({ caller, openai } = world);
}

const row = () => world.row();
const spent = () => world.spent();
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 13, 10, 45, 45, 255, 0]);

describe('an image at a price per call', () => {
  test.each([
    ['dall-e-3', '1024x1024', 'standard', 20_000],
    ['dall-e-3', '1792x1024', 'standard', 40_000],
    ['dall-e-3', '1024x1024', 'hd', 40_000],
    ['dall-e-3', '1024x1792', 'hd', 60_000],
    ['dall-e-2', '256x256', 'auto', 4_000],
    ['dall-e-2', '512x512', 'auto', 4_500],
  ] as const)('%s of %s, %s costs %i', async (model, size, quality, cost) => {
    const answer = await openai.images.generate({ model, prompt: 'a cat', size, quality });
    expect(answer.data![0]!.b64_json).toMatch(/^(QUJD)+$/);
    expect(await spent()).toBe(cost);
    const { quota, other, prompt_tokens: prompt } = await row();
    expect([quota, prompt, other.usage_source, other.call_count]).toEqual([cost, 1, 'counted', 1]);
  });

  it('is charged for each that came, not for those that were requested', async () => {
    gate.upstream.script(images({ images: 2 }));
    await openai.images.generate({ model: 'dall-e-2', prompt: 'cats', n: 4, size: '256x256' });
    expect(await spent()).toBe(8_000);
    expect((await row()).other).toMatchObject({ call_count: 2, call_factor: 0.4, end_reason: 'complete' });
  });

  it('is never charged for more than were requested', async () => {
    gate.upstream.script(images({ images: 3 }));
    await openai.images.generate({ model: 'dall-e-2', prompt: 'cats', n: 1 });
    expect(await spent()).toBe(10_000);
  });

  it('is held in full before anything is sent: a balance below its price is refused', async () => {
    const before = gate.upstream.requests.length;
    await use(39_999);
    const ask = { model: 'dall-e-2', prompt: 'cats', n: 4 } as const;
    await expect(openai.images.generate(ask)).rejects.toMatchObject({
      status: 403,
      code: 'insufficient_user_quota',
      message: expect.stringContaining('image pre-consumed quota failed') as unknown,
    });
    expect(gate.upstream.requests.length).toBe(before);
    await use(40_000);
    await openai.images.generate(ask);
    expect(await gate.readBalance(caller)).toEqual({ balance: 0, held: 0 });
  });

  it('has dall-e as the default model, and costs nothing where the vendor refuses', async () => {
    const answer = await fetch(`${gate.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a cat' }),
    });
    expect([answer.status, gate.upstream.requests.at(-1)!.json()['model']]).toEqual([200, 'dall-e']);
    expect(await spent()).toBe(10_000);
    gate.upstream.script(refusal(400, 'content_policy_violation'));
    await expect(openai.images.generate({ model: 'dall-e-2', prompt: 'x' })).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    });
    expect(await spent()).toBe(10_000);
  });
});

describe('an image at a price per token', () => {
  it('is charged by the usage that the vendor reports, each class by its own ratio', async () => {
    gate.upstream.script(images({ usage: imageUsage(20, 0, 4_160) }));
    await openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
    expect(await spent()).toBe((20 + 4_160 * 8) * 2.5);
    const { prompt_tokens: prompt, completion_tokens: output, other } = await row();
    expect([prompt, output]).toEqual([20, 4_160]);
    expect(other).toMatchObject({ usage_source: 'upstream', image: true, image_output: 4_160 });
    expect(other).not.toHaveProperty('call_count');
  });

  it('is held and charged at the price of images where the model has one beside that of its text', async () => {
    const { settings } = gate.core;
    await settings.set('ImageCompletionRatio', JSON.stringify({ 'gpt-image-1': 20 }));
    try {
      const before = gate.upstream.requests.length;
      const ask = { model: 'gpt-image-1', prompt: 'a cat', quality: 'high', size: '1024x1024' } as const;
      gate.upstream.script(images({ usage: imageUsage(20, 0, 4_160) }));
      // Enough for the tokens at the price of text, too little at the price of an image.
      await use(4_160 * 20 * 2.5 - 1);
      await expect(openai.images.generate(ask)).rejects.toMatchObject({ status: 403 });
      expect(gate.upstream.requests.length).toBe(before);
      await use(start);
      await openai.images.generate(ask);
      expect(await spent()).toBe((20 + 4_160 * 20) * 2.5);
      expect((await row()).other).toMatchObject({ image_output: 4_160, image_completion_ratio: 20 });
    } finally {
      await settings.set('ImageCompletionRatio', '{}');
    }
  });

  it('of many MB passes whole, and is charged by the usage at its end', async () => {
    gate.upstream.script(images({ letters: 9_000_000, usage: imageUsage(20, 0, 6_240) }));
    const answer = await openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
    expect(answer.data![0]!.b64_json!.length).toBe(9_000_000);
    expect(await spent()).toBe((20 + 6_240 * 8) * 2.5);
  });

  it('is held by the vendor’s token table: a balance below it is refused', async () => {
    const before = gate.upstream.requests.length;
    await use(80_000);
    await expect(openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' })).rejects.toMatchObject({
      status: 403,
    });
    expect(gate.upstream.requests.length).toBe(before);
    await openai.images.generate({
      model: 'gpt-image-1',
      prompt: 'a cat',
      quality: 'low',
      size: '1024x1024',
    });
  });

  it('is charged as one token where nothing is reported', async () => {
    await openai.images.generate({ model: 'plain-image', prompt: 'cats', n: 3 });
    expect(await spent()).toBe(30);
    const { prompt_tokens: prompt, other } = await row();
    expect([prompt, other.usage_source]).toEqual([3, 'counted']);
  });
});

describe('a streamed image', () => {
  const ask = {
    model: 'gpt-image-1',
    prompt: 'a cat',
    stream: true,
    partial_images: 2,
    quality: 'low',
    size: '1024x1024',
  } as const;

  it('comes in parts and whole, and is charged by what its last event reports', async () => {
    gate.upstream.script(images({ letters: 200_000, usage: imageUsage(12, 0, 472) }));
    const types: string[] = [];
    for await (const event of await openai.images.generate(ask)) {
      types.push(event.type);
      expect(event.b64_json.length).toBe(200_000);
    }
    expect(types).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(await spent()).toBe((12 + 472 * 8) * 2.5);
    expect((await row()).other).toMatchObject({ usage_source: 'upstream', end_reason: 'complete' });
  });

  it('that breaks off ends in an error, and is charged as the image that had begun', async () => {
    const seen = Promise.withResolvers<void>();
    gate.upstream.script(images({ ending: 'cut', until: seen.promise }));
    const read = async () => {
      for await (const _ of await openai.images.generate(ask)) seen.resolve();
    };
    await expect(read()).rejects.toThrow(/broke off/);
    const { other, completion_tokens: output } = await row();
    expect(other).toMatchObject({ end_reason: 'upstream_broken', usage_source: 'estimated' });
    // 272 tokens by the vendor's table, and 100 for each requested part.
    expect(output).toBe(472);
  });

  it('whose caller leaves is cancelled upstream and charged the same', async () => {
    gate.upstream.script(images({ ending: 'stall' }));
    const index = gate.upstream.requests.length;
    const stream = await openai.images.generate(ask);
    for await (const _ of stream) break;
    stream.controller.abort();
    const request = await gate.upstream.arrived(index);
    await request.closed;
    expect((await row()).other).toMatchObject({ end_reason: 'client_gone', usage_source: 'estimated' });
  });
});

describe('an edit', () => {
  it('arrives byte for byte where nothing is to be changed', async () => {
    gate.upstream.script(images({ usage: imageUsage(10, 300, 272) }));
    const image = await toFile(png, '小猫.png', { type: 'image/png' });
    const mask = await toFile(Buffer.from([1, 2, 3]), 'mask.png', { type: 'image/png' });
    await openai.images.edit({ model: 'gpt-image-1', image, mask, prompt: '变大', quality: 'low', n: 1 });
    const sent = gate.upstream.requests.at(-1)!;
    expect(sent.path).toBe('/v1/images/edits');
    const { texts, files } = await readForm(sent);
    expect(texts).toEqual({ model: 'gpt-image-1', prompt: '变大', quality: 'low', n: '1' });
    expect([files['image']!.bytes.equals(png), files['image']!.name]).toEqual([true, '小猫.png']);
    expect([...files['mask']!.bytes]).toEqual([1, 2, 3]);
    expect(await spent()).toBe((10 + 300 * 2 + 272 * 8) * 2.5);
    expect((await row()).other).toMatchObject({ image_input: 300, image_ratio: 2 });
  });

  it('has its model mapped in the form, and is charged under the caller’s model name', async () => {
    const image = [await toFile(png, 'a.png'), await toFile(png, 'b.png')];
    await openai.images.edit({ model: 'mapped-image', image, prompt: 'x' });
    const sent = gate.upstream.requests.at(-1)!;
    const { texts, files } = await readForm(sent);
    expect(texts['model']).toBe('gpt-image-1-2025-04-15');
    expect(files['image[]']!.bytes.equals(png)).toBe(true);
    expect(Number(sent.headers['content-length'])).toBe(sent.body.length);
    const { model_name: name, other, quota } = await row();
    expect([name, other.upstream_model_name, quota]).toEqual([
      'mapped-image',
      'gpt-image-1-2025-04-15',
      5_000,
    ]);
  });

  it('has all fields of the newest models, and is streamed', async () => {
    gate.upstream.script(images({ usage: imageUsage(10, 300, 272) }));
    const image = [await toFile(png, 'a.png'), await toFile(png, 'b.png')];
    const stream = await openai.images.edit({
      model: 'gpt-image-1',
      image,
      mask: await toFile(png, 'mask.png'),
      prompt: 'x',
      input_fidelity: 'high',
      background: 'transparent',
      output_format: 'webp',
      output_compression: 50,
      partial_images: 2,
      stream: true,
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toMatch(/completed$/);
    const { texts } = await readForm(gate.upstream.requests.at(-1)!);
    expect(texts).toMatchObject({
      input_fidelity: 'high',
      background: 'transparent',
      output_format: 'webp',
      output_compression: '50',
      partial_images: '2',
      stream: 'true',
    });
    expect(await spent()).toBe((10 + 300 * 2 + 272 * 8) * 2.5);
  });

  it('without a model is one of gpt-image-1, also when it is JSON', async () => {
    gate.upstream.script(images({ usage: imageUsage(10, 300, 272) }));
    const form = new FormData();
    form.set('image', new Blob([png]), 'a.png');
    form.set('prompt', 'x');
    const post = (body: FormData | string, type?: string) =>
      fetch(`${gate.url}/v1beta/openai/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, ...(type && { 'content-type': type }) },
        body,
      });
    expect((await post(form)).status).toBe(200);
    expect((await readForm(gate.upstream.requests.at(-1)!)).texts).toEqual({
      model: 'gpt-image-1',
      prompt: 'x',
    });
    const body = { prompt: 'x', images: [{ image_url: 'https://files.test/a.png' }] };
    expect((await post(JSON.stringify(body), 'application/json')).status).toBe(200);
    const sent = gate.upstream.requests.at(-1)!;
    expect([sent.path, sent.json()]).toEqual(['/v1/images/edits', { ...body, model: 'gpt-image-1' }]);
  });

  it('is refused in OpenAI’s shape where its form is hostile, before anything is held or sent', async () => {
    const before = gate.upstream.requests.length;
    const form = new FormData();
    for (const model of ['gpt-image-1', 'dall-e-2']) form.append('model', model);
    const answer = await fetch(`${gate.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: form,
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: Record<string, string> };
    expect(error).toMatchObject({ code: 'invalid_form', type: 'new_api_error' });
    expect(error['message']).toContain('the field model occurs more than once');
    expect(gate.upstream.requests.length).toBe(before);
    expect(await spent()).toBe(0);
  });
});

test('variations and edits of text are not supported', async () => {
  for (const path of ['images/variations', 'edits']) {
    const answer = await fetch(`${gate.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
    });
    expect(answer.status).toBe(501);
  }
});
