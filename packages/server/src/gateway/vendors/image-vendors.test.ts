import { APIUserAbortError, toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { addresses, seedream } from '../../testing/upstream/fake-media-vendors.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { fetchedImage, type MediaWorld, openMediaWorld } from '../../testing/worlds/media-world.ts';

// Images and reranking of vendors with their own formats, requested by OpenAI's own client, charged to the unit.

let world: MediaWorld;
const models = {
  cogview: 26,
  irag: 46,
  kolors: 40,
  seedream: 45,
  grok: 48,
  bce: 46,
  'embedding-v1': 46,
} as const;
const perCall = ['cogview', 'irag', 'kolors', 'grok'];

beforeAll(async () => {
  world = await openMediaWorld();
  for (const [model, type] of Object.entries(models)) {
    await world.gate.addChannel({ type, models: model });
  }
  const of = (price: number, names: readonly string[]) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, price])));
  const { settings } = world.gate.core;
  await settings.set('ModelPrice', of(0.02, perCall));
  await settings.set(
    'ModelRatio',
    of(
      1,
      Object.keys(models).filter((name) => !perCall.includes(name)),
    ),
  );
});
afterAll(() => world.gate.close());
beforeEach(() => world.begin());
afterEach(() => world.inOrder());

const sent = () => world.gate.upstream.requests.at(-1)!;
const price = 10_000;
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
const upload = () => toFile(png, 'a.png', { type: 'image/png' });

describe('images', () => {
  test.each([
    ['cogview', '/api/paas/v4/images/generations', { quality: 'hd', user_id: 'user-1' }, 'data', 1],
    ['irag', '/v2/images/generations', { n: 2, size: '1024x1024', user: 'user-1' }, 'data', 2],
    ['kolors', '/v1/images/generations', { batch_size: 2, image_size: '1024x1024' }, 'images', 2],
  ] as const)('of %s are sent to %s in its format', async (model, path, words, list, n) => {
    world.gate.upstream.script(addresses(list));
    const ask = { model, prompt: 'a cat', quality: 'hd', user: 'user-1', n } as const;
    const size = model === 'cogview' ? {} : { size: '1024x1024' as const };
    const { data } = await world.openai.images.generate({ ...ask, ...size });
    expect(data!.map(({ url }) => url)).toEqual(
      Array.from({ length: n }, (_, at) => `https://images.test/cat-${at}.png?sign=a%2Bb`),
    );
    expect([sent().path, sent().json()]).toEqual([path, { model, prompt: 'a cat', ...words }]);
    expect(await world.spent()).toBe(n * price);
    expect((await world.row()).other).toMatchObject({ call_count: n, end_reason: 'complete' });
  });

  test.each([
    ['cogview', 'data'],
    ['irag', 'data'],
    ['kolors', 'images'],
  ] as const)('of %s are fetched where data are requested', async (model, list) => {
    world.gate.upstream.script(addresses(list));
    const ask = { model, prompt: 'a cat', response_format: 'b64_json' } as const;
    const { data } = await world.openai.images.generate(ask);
    expect(data).toEqual([{ b64_json: fetchedImage.toString('base64') }]);
    expect(world.fetched).toEqual(['https://images.test/cat-0.png?sign=a%2Bb']);
    expect(sent().json()).not.toHaveProperty('response_format');
    expect(await world.spent()).toBe(price);
    world.gate.upstream.script(json({ error: { code: '1301', message: 'unsafe' } }, 400));
    await expect(world.openai.images.generate(ask)).rejects.toMatchObject({ status: 400, code: '1301' });
    expect(await world.spent()).toBe(price);
  });

  it('that are made while their caller leaves are cancelled upstream, and free', async () => {
    world.gate.upstream.script('stall-before-headers');
    const index = world.gate.upstream.requests.length;
    const leaving = new AbortController();
    const ask = { model: 'cogview', prompt: 'a cat', response_format: 'b64_json' } as const;
    const left = world.openai.images
      .generate(ask, { signal: leaving.signal })
      .catch((error: unknown) => error);
    const request = await world.gate.upstream.arrived(index);
    leaving.abort();
    expect(await left).toBeInstanceOf(APIUserAbortError);
    await request.closed;
    const { quota, other } = await world.row();
    expect([quota, other['end_reason']]).toEqual([0, 'client_gone']);
  });

  it('of Seedream have their tokens charged, and several are one series', async () => {
    world.gate.upstream.script(seedream);
    const ask = { model: 'seedream', prompt: 'a cat', response_format: 'b64_json' } as const;
    const { data } = await world.openai.images.generate({ ...ask, quality: 'high' });
    expect(data![0]).toMatchObject({ b64_json: 'QUJD' });
    expect(sent().json()).toEqual(ask);
    expect(await world.spent()).toBe(4_096);
    const series = { ...ask, n: 3, sequential_image_generation: 'auto' } as typeof ask;
    await world.openai.images.generate(series);
    expect(sent().json()['sequential_image_generation_options']).toEqual({ max_images: 3 });
    const several = world.openai.images.generate({ ...ask, n: 3 });
    await expect(several).rejects.toMatchObject({ status: 400, code: 'cannot_translate' });
  });

  it('are edited as JSON where the vendor takes no forms', async () => {
    const data = `data:image/png;base64,${png.toString('base64')}`;
    world.gate.upstream.script(seedream);
    await world.openai.images.edit({ model: 'seedream', prompt: 'x', image: await upload(), n: 1 });
    expect([sent().path, sent().headers['content-type']]).toEqual([
      '/api/v3/images/generations',
      'application/json',
    ]);
    expect(sent().json()).toEqual({ model: 'seedream', prompt: 'x', image: data });
    world.gate.upstream.script(addresses('images'));
    const image = [await upload(), await upload()];
    await world.openai.images.edit({ model: 'kolors', prompt: 'x', image, size: '1024x1024' });
    expect(sent().json()).toEqual({
      model: 'kolors',
      prompt: 'x',
      image: data,
      image2: data,
      image_size: '1024x1024',
    });
    const masked = { model: 'kolors', prompt: 'x', image: await upload(), mask: await upload() };
    await expect(world.openai.images.edit(masked)).rejects.toMatchObject({ code: 'cannot_translate' });
  });

  it('of xAI are sent without size and quality', async () => {
    world.gate.upstream.script(addresses());
    await world.openai.images.generate({ model: 'grok', prompt: 'a cat', size: '256x256', quality: 'hd' });
    expect(sent().json()).toEqual({ model: 'grok', prompt: 'a cat' });
  });
});

test('Qianfan reranks and embeds below /v2', async () => {
  const usage = { prompt_tokens: 12, total_tokens: 12 };
  const results = [{ index: 0, relevance_score: 0.5, document: 'one' }];
  world.gate.upstream.script(json({ id: 'as-1', object: 'rerank_list', model: 'bce', results, usage }));
  const answer = await fetch(`${world.gate.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bce', query: 'q', documents: ['one'] }),
  });
  expect(await answer.json()).toMatchObject({ results: [{ index: 0, document: { text: 'one' } }] });
  expect([sent().path, await world.spent()]).toEqual(['/v2/rerank', 12]);
  world.gate.upstream.script('healthy');
  await world.openai.embeddings.create({ model: 'embedding-v1', input: 'hi' });
  expect(sent().path).toBe('/v2/embeddings');
});
