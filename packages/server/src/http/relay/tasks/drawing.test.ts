import { ownLogFilters, role } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import { createReceipts } from '../../../services/upkeep/logs/index.ts';
import { openTaskWorld, type TaskWorld } from '../../../testing/upstream/tasks/task-world.ts';

/** $0.1 and $0.05 in quota units. */
const imagine = 50_000;
const upscale = 25_000;

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
const draw = async (body: JsonObject = { prompt: 'a cat' }): Promise<string> => {
  const { status, body: answer } = await world.call('/mj/submit/imagine', body);
  expect(status).toBe(200);
  return textOf(answer.result);
};
const lastSent = (): JsonObject => world.vendor.requests.at(-1)?.body ?? {};

describe('a drawing', () => {
  it('is charged when the vendor accepts it, and reported in its clients’ form until it is finished', async () => {
    const id = await draw();
    expect(id).toMatch(/^task_\w{32}$/);
    expect(await balance()).toBe(1_000_000 - imagine);
    expect(world.vendor.requests.at(-1)).toMatchObject({
      path: '/mj/submit/imagine',
      headers: { 'mj-api-secret': 'mj-secret' },
    });
    await world.report({ status: 'IN_PROGRESS', progress: '40%' });
    expect(await world.call(`/mj/task/${id}/fetch`)).toMatchObject({
      status: 200,
      body: { id, action: 'IMAGINE', prompt: 'a cat', status: 'IN_PROGRESS', progress: '40%' },
    });
    await world.report({
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: 'https://cdn.example/x.png',
      buttons: [],
    });
    expect(await world.call(`/mj/task/${id}/fetch`)).toMatchObject({
      body: { status: 'SUCCESS', progress: '100%', failReason: '' },
    });
    expect(await balance()).toBe(1_000_000 - imagine);
  });

  it('returns its price once when it fails', async () => {
    const id = await draw();
    await world.report({ status: 'FAILURE', failReason: 'banned prompt' });
    await world.poll();
    expect(await balance()).toBe(1_000_000);
    expect(await world.call(`/mj/task/${id}/fetch`)).toMatchObject({
      body: { status: 'FAILURE', failReason: 'banned prompt', progress: '100%' },
    });
    const rows = await world.gate.core.store.db
      .selectFrom('logs')
      .select(['type', 'quota', 'other', 'content'])
      .where('type', 'in', [2, 6])
      .orderBy('id')
      .execute();
    expect(rows).toMatchObject([
      { type: 2, quota: imagine },
      { type: 6, quota: imagine },
    ]);
    expect(rows[0]?.content).toContain('IMAGINE');
    const { refund_of: charge, ...why } = JSON.parse(rows[1]?.other ?? '{}') as JsonObject;
    expect(why).toMatchObject({ task_id: id, reason: 'banned prompt' });
    const { core } = world.gate;
    const refunds = ownLogFilters.parse({ type: 6 });
    const { items } = await core.logs.ownList(world.caller.userId, refunds, { page: 1, pageSize: 10 });
    expect(items, 'as its owner finds it in the log').toMatchObject([{ type: 6, quota: imagine }]);
    const receipts = createReceipts({
      db: core.store.db,
      channelName: core.channelName,
      signed: { ofTxns: async () => [] },
    });
    expect(await receipts.find({ id: world.caller.userId, role: role.common }, textOf(charge))).toMatchObject(
      {
        charged: imagine,
        adjustments: [{ difference: -imagine, reason: 'banned prompt', refund: true }],
        charged_in_all: 0,
        matches: true,
      },
    );
  });

  it.each([
    [24, 400],
    [30, 429],
    [3, 400],
  ])(
    'that the vendor refuses with code %i costs nothing and is refused with its message',
    async (code, status) => {
      world.vendor.answerNext(200, { code, description: 'the vendor says no', result: '' });
      const answer = await world.call('/mj/submit/imagine', { prompt: 'x' });
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({
        type: expect.any(String) as string,
        code: expect.any(Number) as number,
      });
      expect(await world.gate.readBalance(world.caller)).toEqual({ balance: 1_000_000, held: 0 });
      expect(await world.gate.core.store.db.selectFrom('tasks').selectAll().execute()).toEqual([]);
    },
  );

  it.each([21, 22])('with code %i is accepted for its caller', async (code) => {
    world.vendor.answerNext(200, { code, description: 'later', result: 'v1' });
    const answer = await world.call('/mj/submit/imagine', { prompt: 'x' });
    expect(answer.body).toMatchObject({ code: 1, result: expect.stringMatching(/^task_/) as string });
    expect(await balance()).toBe(1_000_000 - imagine);
  });

  it('is not submitted without the balance for it', async () => {
    const poor = await world.gate.addCaller({ balance: imagine - 1 });
    const answer = await world.call('/mj/submit/imagine', { prompt: 'x' }, poor.key);
    expect(answer).toMatchObject({ status: 400, body: { code: 4 } });
    expect(textOf(answer.body.description)).toContain('quota_not_enough');
  });

  it('is visible to its owner alone, who alone may act on it', async () => {
    const id = await draw();
    const other = await world.gate.addCaller();
    const missing = { status: 400, body: { code: 4 } };
    expect(await world.call(`/mj/task/${id}/fetch`, undefined, other.key)).toMatchObject(missing);
    expect(await world.call('/mj/submit/change', { taskId: id, action: 'UPSCALE' }, other.key)).toMatchObject(
      missing,
    );
    const list = await world.call('/mj/task/list-by-condition', { ids: [id] }, other.key);
    expect(list.body).toEqual([]);
  });
});

describe('what is made of a drawing', () => {
  it('waits for its success, and is sent to the channel that drew it', async () => {
    const id = await draw();
    const early = await world.call('/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 2 });
    expect(textOf(early.body.description)).toContain('task_status_not_success');
    await world.report({ status: 'SUCCESS', progress: '100%' });
    const vendorId = [...world.vendor.tasks.keys()][0];
    for (const [path, body] of [
      ['/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 2 }],
      ['/mj-fast/mj/submit/simple-change', { content: `${id} U2` }],
    ] as const) {
      expect(await world.call(path, body)).toMatchObject({ status: 200, body: { code: 1 } });
      expect(world.vendor.requests.at(-1)?.path).toBe('/mj/submit/change');
      expect(lastSent()).toMatchObject({ taskId: vendorId, action: 'UPSCALE', index: 2 });
    }
    expect(await balance()).toBe(1_000_000 - imagine - 2 * upscale);
  });

  it('by a button is charged as what the button does; masks are free until they are drawn', async () => {
    const id = await draw();
    await world.report({ status: 'SUCCESS', progress: '100%' });
    const inpaint = await world.call('/mj/submit/action', {
      taskId: id,
      customId: 'MJ::Inpaint::1::u::SOLO',
    });
    expect(inpaint).toMatchObject({ status: 200 });
    expect(await balance()).toBe(1_000_000 - imagine);
    await world.report({ status: 'MODAL' });
    const masked = textOf(inpaint.body.result);
    expect(await world.call(`/mj/task/${masked}/fetch`)).toMatchObject({ body: { status: 'MODAL' } });
    expect(await world.call('/mj/submit/modal', { taskId: masked, prompt: 'hat' })).toMatchObject({
      status: 200,
    });
    expect(await balance()).toBe(1_000_000 - imagine - imagine);
  });

  it('is refused before any request or charge where it has no known action, or no picture', async () => {
    const taskId = await draw();
    await world.report({ status: 'SUCCESS', progress: '100%' });
    const asked = world.vendor.requests.length;
    for (const [body, words] of [
      [{ action: 'UPSCALE' }, 'index'],
      [{ action: 'VARIATION', index: 0 }, 'index'],
      [{ action: 'UPSCALE', index: 5 }, 'index'],
      [{ action: 'FOO', index: 1 }, 'FOO'],
    ] as const) {
      const answer = await world.call('/mj/submit/change', { taskId, ...body });
      expect(answer).toMatchObject({ status: 400, body: { code: 4 } });
      expect(textOf(answer.body.description)).toContain(words);
    }
    expect(world.vendor.requests).toHaveLength(asked);
    expect(await balance()).toBe(1_000_000 - imagine);
  });

  it('is refused where its channel is disabled or deleted, and running tasks there are given back', async () => {
    const id = await draw();
    await world.report({ status: 'SUCCESS', progress: '100%' });
    await draw();
    await world.gate.core.channels.remove([world.drawing]);
    await world.poll();
    expect(await balance()).toBe(1_000_000 - imagine);
    const after = await world.call('/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 1 });
    expect(after.status).toBe(400);
  });
});

describe('the other calls of Midjourney', () => {
  it('accept pictures and faces, and refuse empty ones', async () => {
    const swap = { sourceBase64: 'a', targetBase64: 'b' };
    expect(await world.call('/mj/insight-face/swap', swap)).toMatchObject({ status: 200 });
    expect(await world.call('/mj/submit/describe', { base64: 'x' })).toMatchObject({ status: 200 });
    for (const [path, body] of [
      ['/mj/submit/imagine', {}],
      ['/mj/submit/shorten', {}],
      ['/mj/insight-face/swap', { sourceBase64: 'a' }],
      ['/mj/submit/simple-change', { content: 'nonsense' }],
      ['/mj/submit/describe', {}],
      ['/mj/submit/blend', { base64Array: '' }],
    ] as const) {
      expect(await world.call(path, body)).toMatchObject({ status: 400, body: { code: 4 } });
    }
  });

  it('finish an upload at once', async () => {
    world.vendor.answerNext(200, { code: 1, description: 'ok', result: ['https://cdn.example/a.png'] });
    const answer = await world.call('/mj/submit/upload-discord-images', { base64Array: ['x'] });
    expect(answer.body).toMatchObject({ code: 1, result: ['https://cdn.example/a.png'] });
    const [row] = await world.gate.core.store.db.selectFrom('tasks').select(['state', 'next_poll']).execute();
    expect(row).toEqual({ state: 'succeeded', next_poll: 0 });
  });

  it('fetch a seed from the channel that drew', async () => {
    const id = await draw();
    expect(await world.call(`/mj/task/${id}/image-seed`)).toMatchObject({
      status: 200,
      body: { result: '4242' },
    });
  });

  it('treat a notification as a reason to poll, and never as a result', async () => {
    const id = await draw();
    const [vendorId] = world.vendor.tasks.keys();
    const heard = await world.call('/mj/notify', { id: vendorId, status: 'FAILURE', failReason: 'forged' });
    expect(heard.status).toBe(200);
    await world.gate.relay.house.poller.run();
    expect(await balance()).toBe(1_000_000 - imagine);
    expect(await world.call(`/mj/task/${id}/fetch`)).toMatchObject({ body: { status: 'SUBMITTED' } });
  });

  it('leave out what the site does not pass on', async () => {
    await draw({ prompt: 'a cat --fast', notifyHook: 'https://x', accountFilter: {} });
    expect(lastSent()).toEqual({ prompt: 'a cat --fast' });
    await world.gate.core.settings.setMany({ MjNotifyEnabled: 'true', MjModeClearEnabled: 'true' });
    await draw({ prompt: 'a cat --fast', notifyHook: 'https://x' });
    expect(lastSent()).toEqual({ prompt: 'a cat', notifyHook: 'https://x' });
  });

  it('refuse unknown ones in the same form', async () => {
    expect(await world.call('/mj/submit/nothing', {})).toMatchObject({ status: 501, body: { code: 4 } });
  });
});

describe('a picture', () => {
  it('that does not exist is reported as clients know it', async () => {
    const answer = await fetch(`${world.gate.url}/mj/image/task_unknown`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: 'midjourney_task_not_found' });
  });

  it('has an address at this site, which changes while it is drawn', async () => {
    await world.gate.core.settings.set('ServerAddress', 'https://gate.example');
    const id = await draw();
    await world.report({ status: 'IN_PROGRESS', progress: '40%', imageUrl: 'https://cdn.example/x.png' });
    const during = await world.call(`/mj/task/${id}/fetch`);
    expect(during.body.imageUrl).toBe(`https://gate.example/mj/image/${id}?rand=40`);
    await world.gate.core.settings.set('MjForwardUrlEnabled', 'false');
    const after = await world.call(`/mj/task/${id}/fetch`);
    expect(after.body.imageUrl).toBe('https://cdn.example/x.png');
  });
});
