import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVideoWorld, type VideoWorld } from '../../../testing/upstream/tasks/video-world.ts';

// A video model that several vendors make, each with its own lengths and sizes. The hold, the request and the charge
// are the same for every vendor.

/** A second of sora-2 in quota units. */
const second = 50_000;
const viduTaken = { task_id: '8512', state: 'created', model: 'viduq2' };

let world: VideoWorld;
let vidu: number;
beforeEach(async () => {
  world = await openVideoWorld();
  await world.gate.core.settings.set('RetryTimes', '3');
});
afterEach(async () => {
  expect(await world.gate.findings()).toEqual([]);
  expect(await world.gate.openHolds()).toBe(0);
  await world.close();
});

const addVendor = (type: number, model: string): Promise<number> =>
  world.gate.addChannel({
    type,
    base_url: world.vendor.url,
    key: 'key',
    models: 'sora-2',
    model_mapping: JSON.stringify({ 'sora-2': model }),
    // Sora is tried first.
    priority: -10,
  });
const spent = async (): Promise<number> => world.start - (await world.gate.readBalance(world.caller)).balance;
const sent = (): { path: string; body: string }[] =>
  world.vendor.requests.filter(({ method }) => method === 'POST').map(({ path, body }) => ({ path, body }));
const rows = () => world.gate.core.store.db.selectFrom('tasks').selectAll().execute();
const down = { error: { message: 'down', type: 'server_error' } };

describe('a video whose first vendor fails', () => {
  beforeEach(async () => {
    vidu = await addVendor(52, 'viduq2');
  });

  it('is requested of the second with the length and size that were held for, and charged as shown', async () => {
    world.vendor.answerNext(500, down);
    world.vendor.answerNext(200, viduTaken);
    const made = await world.call('/v1/videos', { model: 'sora-2', prompt: 'a cat' });
    expect(made).toMatchObject({ status: 200, body: { seconds: '4', size: '720x1280' } });
    expect(sent().map(({ path }) => path)).toEqual(['/v1/videos', '/ent/v2/text2video']);
    // The vendor's default would be five seconds, in landscape format.
    expect(JSON.parse(sent()[1]!.body)).toMatchObject({
      model: 'viduq2',
      duration: 4,
      aspect_ratio: '9:16',
      resolution: '720p',
    });
    expect(await spent()).toBe(4 * second);
    expect(await rows()).toMatchObject([
      { channel_id: vidu, upstream_model: 'viduq2', vendor_id: '8512', quota: 4 * second },
    ]);
    const [row] = await world.gate.core.store.db
      .selectFrom('logs')
      .select(['channel_id', 'quota', 'other'])
      .execute();
    expect(row).toMatchObject({ channel_id: vidu, quota: 4 * second });
    expect(JSON.parse(row!.other)).toMatchObject({ task_seconds: 4 });
  });

  it('is given back in full when the second one fails to make it', async () => {
    world.vendor.answerNext(503, down);
    world.vendor.answerNext(200, viduTaken);
    await world.call('/v1/videos', { model: 'sora-2', prompt: 'a cat', seconds: '8' });
    expect(await spent()).toBe(8 * second);
    world.vendor.videos.set('creations', {
      id: '8512',
      state: 'failed',
      err_code: 'TaskPromptPolicyViolation',
    });
    await world.poll();
    expect(await rows()).toMatchObject([{ state: 'failed', quota: 0 }]);
    expect(await spent()).toBe(0);
  });

  it('costs nothing where all of them fail', async () => {
    world.vendor.answerNext(500, down);
    world.vendor.answerNext(500, { code: 500, message: 'down' });
    const made = await world.call('/v1/videos', { model: 'sora-2', prompt: 'a cat' });
    expect(made.status).toBeGreaterThanOrEqual(500);
    expect(sent()).toHaveLength(2);
    expect([await spent(), await rows()]).toEqual([0, []]);
  });

  it('is not tried elsewhere where the request itself is refused', async () => {
    world.vendor.answerNext(400, { error: { message: 'no', type: 'invalid_request_error', code: 'bad' } });
    expect(await world.call('/v1/videos', { model: 'sora-2', prompt: 'x' })).toMatchObject({ status: 400 });
    expect(sent()).toHaveLength(1);
    expect(await spent()).toBe(0);
  });

  it('is made by a vendor that can where the first one cannot', async () => {
    world.vendor.answerNext(200, viduTaken);
    const made = await world.call('/v1/videos', { model: 'sora-2', prompt: 'a cat', seconds: '7' });
    expect(made).toMatchObject({ status: 200, body: { seconds: '7' } });
    expect(sent().map(({ path }) => path)).toEqual(['/ent/v2/text2video']);
    expect(await spent()).toBe(7 * second);
  });
});

it('is not made longer or dearer by a second vendor without that length', async () => {
  await addVendor(50, 'kling-v1-6');
  world.vendor.answerNext(500, down);
  const made = await world.call('/v1/videos', { model: 'sora-2', prompt: 'a cat' });
  expect(made.status).toBeGreaterThanOrEqual(400);
  expect(sent().map(({ path }) => path)).toEqual(['/v1/videos']);
  expect([await spent(), await rows()]).toEqual([0, []]);
});

it('that is made shorter than it was paid for gives the rest back', async () => {
  await world.call('/v1/videos', { model: 'sora-2', prompt: 'a cat', seconds: '8' });
  await world.report({ status: 'completed', progress: 100, seconds: '4' });
  expect(await spent()).toBe(4 * second);
  await world.poll();
  expect(await spent()).toBe(4 * second);
});
