import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { images, transcript } from '../../testing/upstream/fake-upstream-media.ts';
import { field, file, wavFile, writeForm, type WrittenPart } from '../../testing/protocols/forms.ts';
import { type MediaWorld, openMediaWorld } from '../../testing/worlds/media-world.ts';

// Callers who request more images and minutes than they pay for.

let world: MediaWorld;
beforeAll(async () => {
  world = await openMediaWorld();
  const { gate } = world;
  await gate.addChannel({ models: 'dall-e-2,whisper-1' });
  await gate.core.settings.set('ModelPrice', JSON.stringify({ 'dall-e-2': 0.02 }));
  await gate.core.settings.set('ModelRatio', JSON.stringify({ 'whisper-1': 15 }));
});
afterAll(() => world.gate.close());
afterEach(() => world.inOrder());

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, contentType: string): Promise<Response> =>
  fetch(world.gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.caller.key}`, 'content-type': contentType },
    body,
  });

const draw = (fields: object): Promise<Response> =>
  post(
    '/v1/images/generations',
    JSON.stringify({ model: 'dall-e-2', prompt: 'x', ...fields }),
    'application/json',
  );

const hear = (parts: readonly WrittenPart[]): Promise<Response> => {
  const { body, contentType } = writeForm(parts);
  return post('/v1/audio/transcriptions', new Uint8Array(body), contentType);
};

describe('a balance for five calls', () => {
  it('buys five of a hundred images that are requested at once', async () => {
    await world.begin(50_000);
    world.gate.upstream.script(images());
    const before = world.gate.upstream.requests.length;
    const answers = await Promise.all(Array.from({ length: 100 }, () => draw({})));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(95);
    expect(world.gate.upstream.requests.length - before).toBe(5);
    expect(await world.gate.readBalance(world.caller)).toEqual({ balance: 0, held: 0 });
  });

  it('buys five minutes of a hundred', async () => {
    await world.begin(75_000);
    world.gate.upstream.script(transcript({ text: 'hello' }));
    const minute = [field('model', 'whisper-1'), file('file', 'a.wav', wavFile(60))];
    const answers = await Promise.all(Array.from({ length: 100 }, () => hear(minute)));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    const served = answers.filter(({ status }) => status === 200).length;
    // The few tokens of the form are held in addition to the minute.
    expect(served).toBe(4);
    expect((await world.gate.readBalance(world.caller)).balance).toBe(75_000 - served * 15_000);
  });
});

it('never buys four images at the price of one, by whatever name they are requested', async () => {
  await world.begin();
  for (const fields of [{ batch_size: 4 }, { num_images: 4, n: 1 }, { num_outputs: 4 }]) {
    const before = await world.spent();
    world.gate.upstream.script(images({ images: 4 }));
    expect((await draw(fields)).status).toBe(200);
    expect((await world.spent()) - before).toBe(40_000);
  }
});

it('forms that two parsers read differently reach no upstream, and cost nothing', async () => {
  await world.begin();
  const before = world.gate.upstream.requests.length;
  const sound = file('file', 'a.wav', wavFile(1));
  const model = field('model', 'whisper-1');
  const head = 'Content-Disposition: form-data; name=';
  const forms: WrittenPart[][] = [
    [model, field('model', 'another'), sound],
    [model, { head: `${head}"model"; filename=""`, value: 'another' }, sound],
    [model, { head: `${head}"model"; name="prompt"`, value: 'another' }, sound],
    [model, { head: `${head}"prompt"; name*=utf-8''model`, value: 'another' }, sound],
    [{ head: `${head}"model"\r\nContent-Type: text/plain; charset=utf-16le`, value: 'w\0' }, sound],
    [model, { head: `${head}"model"\r\nContent-Type: application/octet-stream`, value: 'another' }, sound],
    [model, sound, sound],
    [model, { head: `${head}"x"\r\nContent-Transfer-Encoding: base64`, value: 'bW9kZWw=' }, sound],
    Array.from({ length: 300 }, (_, at) => field(`f${at}`, 'x')),
  ];
  for (const parts of forms) {
    const answer = await hear(parts);
    expect(answer.status).toBe(400);
    await answer.arrayBuffer();
  }
  expect(world.gate.upstream.requests).toHaveLength(before);
  expect(await world.spent()).toBe(0);
});
