import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textOf } from '../../../lib/json.ts';
import { openTaskWorld, type TaskWorld } from '../../../testing/upstream/tasks/task-world.ts';

/** $0.1 and $0.01 in quota units. */
const music = 50_000;
const lyrics = 5_000;

let world: TaskWorld;
beforeEach(async () => {
  world = await openTaskWorld();
});
afterEach(async () => {
  expect(await world.gate.findings()).toEqual([]);
  expect(await world.gate.openHolds()).toBe(0);
  await world.close();
});
const balance = async (): Promise<number> => (await world.gate.readBalance(world.caller)).balance;

describe('a song', () => {
  it('is charged when it is accepted, and reported until it is finished', async () => {
    const { status, body } = await world.call('/suno/submit/music', { gpt_description_prompt: 'a march' });
    expect({ status, code: body.code }).toEqual({ status: 200, code: 'success' });
    expect(world.vendor.requests.at(-1)).toMatchObject({
      path: '/suno/submit/MUSIC',
      headers: { authorization: 'Bearer suno-secret' },
      body: { mv: 'chirp-v3-0' },
    });
    expect(await balance()).toBe(1_000_000 - music);
    const id = textOf(body.data);
    await world.report({
      status: 'SUCCESS',
      progress: '100%',
      data: [{ id: 'clip', audio_url: 'https://x/y.mp3' }],
    });
    const fetched = await world.call(`/suno/fetch/${id}`);
    expect(fetched.body).toMatchObject({
      code: 'success',
      data: { task_id: id, action: 'MUSIC', status: 'SUCCESS', progress: '100%', data: [{ id: 'clip' }] },
    });
    const listed = await world.call('/suno/fetch', { ids: [id, 'unknown'] });
    expect(listed.body.data).toMatchObject([{ task_id: id }]);
  });

  it('returns its price once when it fails', async () => {
    await world.call('/suno/submit/LYRICS', { prompt: 'sea' });
    expect(await balance()).toBe(1_000_000 - lyrics);
    await world.report({ status: 'FAILURE', fail_reason: 'no' });
    await world.poll();
    expect(await balance()).toBe(1_000_000);
  });

  it('continues the caller’s own clip at the channel that made it', async () => {
    const { body } = await world.call('/suno/submit/MUSIC', { prompt: 'x' });
    const [vendorId] = world.vendor.tasks.keys();
    const more = { prompt: 'y', task_id: body.data!, continue_clip_id: 'clip' };
    expect(await world.call('/suno/submit/MUSIC', more)).toMatchObject({ status: 200 });
    expect(world.vendor.requests.at(-1)?.body).toMatchObject({ task_id: vendorId });
    const other = await world.gate.addCaller();
    expect(await world.call('/suno/submit/MUSIC', more, other.key)).toMatchObject({
      status: 400,
      body: { code: 'task_not_exist', data: null },
    });
  });

  it.each([
    ['/suno/submit/DANCE', { prompt: 'x' }, 'invalid_action'],
    ['/suno/submit/LYRICS', {}, 'prompt_empty'],
    ['/suno/submit/MUSIC', { continue_clip_id: 'c' }, 'invalid_request'],
  ])('is refused with the reason: %s %j', async (path, body, code) => {
    expect(await world.call(path, body)).toMatchObject({ status: 400, body: { code, data: null } });
    expect(await balance()).toBe(1_000_000);
  });

  it('costs nothing where no vendor accepts it', async () => {
    world.vendor.answerNext(500, { code: 'x', message: 'broken' });
    const answer = await world.call('/suno/submit/MUSIC', { prompt: 'x' });
    expect(answer).toMatchObject({ status: 500, body: { code: 'fail_to_fetch_task', data: null } });
    expect(await world.gate.readBalance(world.caller)).toEqual({ balance: 1_000_000, held: 0 });
  });

  it('is polled again where a poll had no answer, and keeps its price', async () => {
    await world.call('/suno/submit/MUSIC', { prompt: 'x' });
    world.vendor.pollStatus = 500;
    await world.poll();
    const [row] = await world.gate.core.store.db
      .selectFrom('tasks')
      .select(['poll_failures', 'state'])
      .execute();
    expect(row).toEqual({ poll_failures: 1, state: 'submitted' });
    world.vendor.pollStatus = 200;
    await world.report({ status: 'SUCCESS', progress: '100%' });
    expect(await balance()).toBe(1_000_000 - music);
  });

  it('is given back after its deadline', async () => {
    await world.call('/suno/submit/MUSIC', { prompt: 'x' });
    await world.gate.core.store.db.updateTable('tasks').set({ deadline: 1 }).execute();
    await world.poll();
    expect(await balance()).toBe(1_000_000);
  });

  it('of another user does not exist', async () => {
    expect(await world.call('/suno/fetch/task_x')).toMatchObject({
      status: 400,
      body: { code: 'task_not_exist' },
    });
  });
});
