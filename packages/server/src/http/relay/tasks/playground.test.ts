import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../../relay/providers/sandbox/index.ts';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import { type Person, ReferenceWorld } from '../../../testing/reference/world.ts';

const quotaPerDollar = 500_000;

let world: ReferenceWorld;
let ann: Person;
beforeAll(async () => {
  world = await ReferenceWorld.open();
  await world.setUp();
  const root = await world.logIn('root');
  await world.must('POST', '/api/user/', root, { username: 'ann', password: 'correct horse battery' });
  ann = await world.logIn('ann');
  await world.must('PUT', '/api/user/', root, { id: 2, quota: 10_000_000 });
  await world.tollgate.core.settings.setMany({
    GroupRatio: '{"default":1,"vip":2,"staff":1}',
    UserUsableGroups: '{"default":"","vip":""}',
  });
  await world.must('POST', '/api/channel/', root, {
    type: sandbox.type,
    name: 'sandbox',
    key: 'x',
    models: sandbox.models.join(','),
    group: 'default,vip',
  });
});
afterAll(() => world.close());

const balance = async (): Promise<number> => {
  const { quota } = (await world.must('GET', '/api/user/self', ann)) as { quota: number };
  return quota;
};
/** Cost of a call, with its answer. */
async function readCost(path: string, body: JsonObject): Promise<{ body: JsonObject; cost: number }> {
  const before = await balance();
  const answer = await world.request('POST', path, ann, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  await expect.poll(balance).toBeLessThan(before);
  return { body: answer.body as JsonObject, cost: before - (await balance()) };
}

describe('the playground, by the session of its page', () => {
  it('makes images, speech, drawings and songs at the price of the group that it names', async () => {
    const image = await readCost('/pg/images/generations', {
      model: 'sandbox-image',
      group: 'vip',
      prompt: 'a cat',
      n: 2,
    });
    expect(image.cost).toBe(0.01 * 2 * 2 * quotaPerDollar);
    expect(image.body.data).toHaveLength(2);
    const drawing = await readCost('/pg/mj/submit/imagine', { group: 'vip', prompt: 'a cat' });
    expect(drawing.cost).toBe(0.1 * 2 * quotaPerDollar);
    const song = await readCost('/pg/suno/submit/MUSIC', {
      group: 'default',
      gpt_description_prompt: 'rain',
    });
    expect(song.cost).toBe(0.1 * quotaPerDollar);
    const before = await balance();
    const spoken = await world.request('POST', '/pg/audio/speech', ann, {
      model: 'sandbox-speech',
      input: 'Hello there',
      voice: 'alloy',
    });
    expect([spoken.status, spoken.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    await expect.poll(balance).toBeLessThan(before);
  });

  it('shows the price of a video, which is what is charged for it', async () => {
    const wanted = {
      model: 'sandbox-video',
      group: 'vip',
      prompt: 'a ball',
      seconds: '8',
      size: '1920x1080',
    };
    const before = await balance();
    const { body } = await world.request('POST', '/pg/videos/price', ann, wanted);
    const { quota } = body as { quota: number };
    expect(quota).toBe(0.01 * 8 * 2 * 2 * quotaPerDollar);
    expect(await balance()).toBe(before);
    const video = await readCost('/pg/videos', wanted);
    expect([video.body.status, video.cost]).toEqual(['queued', quota]);
  });

  it('fetches its own drawing with the buttons for further actions', async () => {
    const { body } = await readCost('/pg/mj/submit/imagine', { prompt: 'a dog' });
    const path = `/pg/mj/task/${textOf(body.result)}/fetch`;
    expect((await world.request('GET', path, ann)).body).toMatchObject({
      status: 'SUBMITTED',
      prompt: 'a dog',
    });
    expect((await world.request('GET', path, await world.logIn('root'))).status).toBe(400);
  });

  it('sends the group to no vendor, and refuses groups that the user may not use', async () => {
    await readCost('/pg/mj/submit/imagine', { group: 'vip', prompt: 'a bird' });
    const rows = await world.tollgate.core.store.db.selectFrom('tasks').select('request').execute();
    expect(rows.filter(({ request }) => request.includes('vip'))).toEqual([]);
    for (const path of ['/pg/mj/submit/imagine', '/pg/videos/price', '/pg/images/generations']) {
      const model = path.includes('videos') ? 'sandbox-video' : 'sandbox-image';
      const answer = await world.request('POST', path, ann, { model, group: 'staff', prompt: 'x' });
      expect([answer.status, answer.body], path).toMatchObject([
        403,
        { error: { code: expect.any(String) as string } },
      ]);
    }
  });

  it.each([
    ['/pg/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
    ['/pg/images/generations', { prompt: 'a dog' }],
    ['/pg/audio/speech', { input: 'hi', voice: 'alloy' }],
  ])('without a model asks for one at %s', async (path, body) => {
    for (const model of [undefined, null, '']) {
      const { status, body: refused } = await world.request('POST', path, ann, { ...body, model });
      expect([status, refused]).toMatchObject([
        400,
        {
          error: {
            code: 'model_required',
            message: expect.stringMatching(/请选择模型|choose a model/) as string,
          },
        },
      ]);
    }
  });

  it('is refused without a session, and to pages of other sites', async () => {
    for (const path of [
      '/pg/images/generations',
      '/pg/audio/speech',
      '/pg/videos',
      '/pg/suno/submit/MUSIC',
    ]) {
      expect((await world.request('POST', path, {}, {})).status, path).toBe(401);
      const elsewhere = { ...ann, 'sec-fetch-site': 'cross-site' };
      expect((await world.request('POST', path, elsewhere, {})).status, path).toBe(403);
    }
  });
});
