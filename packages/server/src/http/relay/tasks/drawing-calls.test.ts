import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import { drawingModels } from '../../../relay/tasks/index.ts';
import type { TestCaller } from '../../../testing/gateway-harness.ts';
import { openTaskWorld, type TaskWorld } from '../../../testing/upstream/tasks/task-world.ts';

// Every Midjourney call, plain and below a mode: its billing name, and the request to the vendor.

const unit = 500_000;

let world: TaskWorld;
let caller: TestCaller;
/** A call of a user with enough balance for all of them. */
const ask = (path: string, body?: JsonObject) => world.call(path, body, caller.key);
const rich = 10_000_000;
const open = async (): Promise<void> => {
  world = await openTaskWorld();
  caller = await world.gate.addCaller({ balance: rich });
  await world.gate.core.channels.remove([world.drawing]);
  await world.gate.addChannel({
    type: 5,
    base_url: world.vendor.url,
    key: 'mj-secret',
    models: drawingModels.join(','),
  });
};
const close = async (): Promise<void> => {
  expect(await world.gate.findings()).toEqual([]);
  expect(await world.gate.openHolds()).toBe(0);
  await world.close();
};
const balance = async (): Promise<number> => (await world.gate.readBalance(caller)).balance;
const newest = () =>
  world.gate.core.store.db
    .selectFrom('tasks')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();

/** A finished drawing as the base of follow-up calls. */
async function drawn(): Promise<string> {
  const { body } = await ask('/mj/submit/imagine', { prompt: 'a cat' });
  const imageUrl = `${world.vendor.url}/picture.png`;
  await world.report({ status: 'SUCCESS', progress: '100%', imageUrl });
  return textOf(body.result);
}

const job = (name: string): JsonObject => ({ customId: `MJ::JOB::${name}::2::0cb5b1e7` });
const calls: readonly [path: string, body: JsonObject, action: string, dollars: number][] = [
  ['submit/imagine', { prompt: 'a cat' }, 'IMAGINE', 0.1],
  ['submit/describe', { base64: 'x' }, 'DESCRIBE', 0.05],
  ['submit/blend', { base64Array: ['x', 'y'] }, 'BLEND', 0.1],
  ['submit/shorten', { prompt: 'a cat' }, 'SHORTEN', 0.1],
  ['submit/upload-discord-images', { base64Array: ['x'] }, 'UPLOAD', 0.05],
  ['submit/edits', { prompt: 'a hat', image: 'x' }, 'EDITS', 0.1],
  ['submit/video', { prompt: 'it runs', image: 'x' }, 'VIDEO', 0.8],
  ['insight-face/swap', { sourceBase64: 'a', targetBase64: 'b' }, 'SWAP_FACE', 0.05],
  ['submit/change', { taskId: 'ID', action: 'UPSCALE', index: 1 }, 'UPSCALE', 0.05],
  ['submit/change', { taskId: 'ID', action: 'VARIATION', index: 1 }, 'VARIATION', 0.1],
  ['submit/change', { taskId: 'ID', action: 'REROLL' }, 'REROLL', 0.1],
  ['submit/simple-change', { content: 'ID U3' }, 'UPSCALE', 0.05],
  ['submit/simple-change', { content: 'ID v2' }, 'VARIATION', 0.1],
  ['submit/simple-change', { content: 'ID R' }, 'REROLL', 0.1],
  ['submit/action', { taskId: 'ID', ...job('upsample') }, 'UPSCALE', 0.05],
  ['submit/action', { taskId: 'ID', ...job('variation') }, 'VARIATION', 0.1],
  ['submit/action', { taskId: 'ID', ...job('low_variation') }, 'LOW_VARIATION', 0.1],
  ['submit/action', { taskId: 'ID', ...job('high_variation') }, 'HIGH_VARIATION', 0.1],
  ['submit/action', { taskId: 'ID', ...job('pan_left') }, 'PAN', 0.1],
  ['submit/action', { taskId: 'ID', ...job('reroll') }, 'REROLL', 0.1],
  ['submit/action', { taskId: 'ID', ...job('video') }, 'VIDEO', 0.8],
  ['submit/action', { taskId: 'ID', customId: 'MJ::Outpaint::50::1::u' }, 'ZOOM', 0.1],
  ['submit/action', { taskId: 'ID', customId: 'MJ::CustomZoom::u' }, 'CUSTOM_ZOOM', 0],
  ['submit/action', { taskId: 'ID', customId: 'MJ::Inpaint::1::u' }, 'INPAINT', 0],
  ['submit/modal', { taskId: 'ID', prompt: 'a hat', maskBase64: 'x' }, 'MODAL', 0.1],
];

describe.each(['', '/mj-fast', '/mj-relax', '/mj-turbo'])('below “%s”', (mode) => {
  let origin: string;
  beforeAll(async () => {
    await open();
    origin = await drawn();
  });
  afterAll(close);

  it.each(calls)('%s %j is %s for $%d', async (path, body, action, dollars) => {
    const before = await balance();
    const asked = JSON.parse(JSON.stringify(body).replaceAll('ID', origin)) as JsonObject;
    const answer = await ask(`${mode}/mj/${path}`, asked);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { code: 1 } });
    expect(before - (await balance())).toBe(Math.round(dollars * unit));
    const row = await newest();
    expect([row.action, row.quota]).toEqual([action, Math.round(dollars * unit)]);
    const sent = world.vendor.requests.at(-1);
    const onwards = path === 'submit/simple-change' ? 'submit/change' : path;
    expect([sent?.path, sent?.headers['mj-api-secret']]).toEqual([`/mj/${onwards}`, 'mj-secret']);
    // The vendor has its own name for the first drawing.
    const isFollowUp = JSON.stringify(body).includes('ID');
    expect(textOf(sent?.body.taskId).startsWith('vendor-')).toBe(isFollowUp);
  });

  it('reads, lists, fetches a seed, receives a notification and shows the picture', async () => {
    const at = `${mode}/mj`;
    expect(await ask(`${at}/task/${origin}/fetch`)).toMatchObject({
      status: 200,
      body: { id: origin },
    });
    expect(await ask(`${at}/task/${origin}/image-seed`)).toMatchObject({ body: { result: '4242' } });
    const list = await ask(`${at}/task/list-by-condition`, { ids: [origin, 'unknown'] });
    expect(list.body).toMatchObject([{ id: origin, status: 'SUCCESS' }]);
    expect(await ask(`${at}/notify`, { id: 'vendor-1' })).toMatchObject({
      status: 200,
      body: { code: 1 },
    });
    const picture = await fetch(`${world.gate.url}${at}/image/${origin}`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await fetch(`${world.gate.url}${at}/image/unknown`)).status).toBe(400);
  });
});

describe('the five options', () => {
  beforeEach(open);
  afterEach(close);
  const last = (): JsonObject => world.vendor.requests.at(-1)?.body ?? {};
  const set = (name: string, isOn: boolean) => world.gate.core.settings.set(name, String(isOn));

  it.each([
    ['MjNotifyEnabled', 'notifyHook', 'https://hook.example'],
    ['MjAccountFilterEnabled', 'accountFilter', { modes: ['FAST'] }],
  ])('%s lets %s through', async (name, field, value) => {
    for (const isOn of [false, true]) {
      await set(name, isOn);
      await ask('/mj/submit/imagine', { prompt: 'a cat', [field]: value });
      expect(last()).toEqual({ prompt: 'a cat', ...(isOn && { [field]: value }) });
    }
  });

  it('MjModeClearEnabled removes speed options from prompts', async () => {
    for (const isOn of [false, true]) {
      await set('MjModeClearEnabled', isOn);
      await ask('/mj/submit/imagine', { prompt: 'a cat --fast --ar 1:1 --turbo' });
      expect(last().prompt).toBe(isOn ? 'a cat --ar 1:1' : 'a cat --fast --ar 1:1 --turbo');
    }
  });

  it('MjForwardUrlEnabled serves pictures from this site', async () => {
    await world.gate.core.settings.set('ServerAddress', 'https://gate.example');
    const { body } = await ask('/mj/submit/imagine', { prompt: 'a cat' });
    await world.report({ status: 'SUCCESS', imageUrl: 'https://cdn.example/x.png' });
    const id = textOf(body.result);
    for (const isOn of [false, true]) {
      await set('MjForwardUrlEnabled', isOn);
      const { body: task } = await ask(`/mj/task/${id}/fetch`);
      expect(task.imageUrl).toBe(isOn ? `https://gate.example/mj/image/${id}` : 'https://cdn.example/x.png');
    }
  });

  it('MjForwardUrlEnabled serves pictures from the caller’s address, while the site has no address of its own', async () => {
    const { body } = await ask('/mj/submit/imagine', { prompt: 'a cat' });
    await world.report({ status: 'SUCCESS', imageUrl: `${world.vendor.url}/picture.png` });
    const id = textOf(body.result);
    const { body: task } = await ask(`/mj/task/${id}/fetch`);
    expect(task.imageUrl).toBe(`${world.gate.url}/mj/image/${id}`);
    expect((await fetch(textOf(task.imageUrl))).status).toBe(200);
  });

  it('MjActionCheckSuccessEnabled refuses actions on unfinished drawings, masks excepted', async () => {
    const { body } = await ask('/mj/submit/imagine', { prompt: 'a cat' });
    const taskId = textOf(body.result);
    for (const isOn of [true, false]) {
      await set('MjActionCheckSuccessEnabled', isOn);
      const change = await ask('/mj/submit/change', { taskId, action: 'UPSCALE', index: 1 });
      expect(change.status).toBe(isOn ? 400 : 200);
      expect((await ask('/mj/submit/modal', { taskId })).status).toBe(200);
    }
  });
});

describe('a vendor without an account to draw with', () => {
  beforeEach(open);
  afterEach(close);

  it.each([true, false])('has its channel disabled where the site is set so: %s', async (isWanted) => {
    await world.gate.core.settings.set('AutomaticDisableChannelEnabled', String(isWanted));
    world.vendor.answerNext(200, { code: 3, description: 'No available account instance', result: '' });
    expect(await ask('/mj/submit/imagine', { prompt: 'x' })).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    const statuses = async (): Promise<number[]> => {
      const rows = await world.gate.core.store.db
        .selectFrom('channels')
        .select('status')
        .where('type', '=', 5)
        .execute();
      return rows.map(({ status }) => status);
    };
    await expect.poll(statuses).toEqual([isWanted ? 3 : 1]);
    expect(await balance()).toBe(rich);
  });
});
