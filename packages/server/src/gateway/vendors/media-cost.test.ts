import { noCostRule } from '@tollgate/contract';
import { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { images, imageUsage, speech, transcript } from '../../testing/upstream/fake-upstream-media.ts';
import { wavFile } from '../../testing/protocols/forms.ts';
import { type MediaWorld, openMediaWorld } from '../../testing/worlds/media-world.ts';

// The operator's cost of images and sound: the factor times the list price, without the ratio of the caller's group.

let world: MediaWorld;
beforeAll(async () => {
  world = await openMediaWorld();
  const { gate } = world;
  const channel = await gate.addChannel({ models: 'dall-e-2,gpt-image-1,tts-1,whisper-1' });
  await gate.core.settings.set('GroupRatio', '{"default": 2}');
  await gate.core.settings.set('ModelPrice', '{"dall-e-2": 0.02}');
  await gate.core.settings.set('ModelRatio', '{"gpt-image-1": 2.5, "tts-1": 7.5, "whisper-1": 15}');
  await gate.core.costs.save(channel, { ...noCostRule, factor: 0.25 });
});
beforeEach(() => world.begin());
afterAll(() => world.gate.close());

/**
 * Difference between a cost and an eighth of its charge. The cost is a quarter of the list price, and the group pays
 * twice the list price.
 */
async function offAnEighth(): Promise<number> {
  const { quota, cost } = await world.row();
  return quota > 8 && cost !== null ? Math.abs(cost - quota / 8) : Infinity;
}
/** A charge and its cost are rounded separately. */
const rounding = 0.5 + 0.5 / 8;

it('images at a price per call', async () => {
  world.gate.upstream.next(images({ images: 2 }));
  await world.openai.images.generate({ model: 'dall-e-2', prompt: 'cats', n: 2, size: '512x512' });
  expect(await offAnEighth()).toBeLessThanOrEqual(rounding);
});

it('images at a price per token', async () => {
  world.gate.upstream.next(images({ usage: imageUsage(20, 0, 4_160) }));
  await world.openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
  expect(await offAnEighth()).toBeLessThanOrEqual(rounding);
});

it('speech', async () => {
  world.gate.upstream.next(speech(Buffer.from('sound')));
  await world.openai.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello there' });
  expect(await offAnEighth()).toBeLessThanOrEqual(rounding);
});

it('transcriptions', async () => {
  world.gate.upstream.next(transcript({ text: 'hello' }));
  const file = await toFile(wavFile(3), 'a.wav');
  await world.openai.audio.transcriptions.create({ model: 'whisper-1', file });
  expect(await offAnEighth()).toBeLessThanOrEqual(rounding);
});
