import {
  drawingApi,
  type DrawingData,
  type GalleryItem,
  keptTexts,
  role,
  taskApi,
  type TaskData,
} from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tasks } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

/** Unix time of the first task in ms; each later one is a minute younger. */
const begin = 1_700_000_000_000;
const minute = 60_000;

let house: House;
let admin: Agent;
let ann: Agent;
let bob: Agent;
beforeAll(async () => {
  house = await openHouse({
    routes: operatorCalls,
  });
  await house.core.settings.setMany({ ServerAddress: 'https://gate.example' });
  admin = await house.person('admin', { role: role.admin });
  ann = await house.person('ann');
  bob = await house.person('bob');
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.core.store.db.deleteFrom('tasks').execute();
});

let count = 0;
/** Writes a row as the service leaves it; returns the name that callers use. */
async function add(owner: Agent, over: Partial<tasks.NewTask> = {}): Promise<string> {
  const taskId = `task_${String((count += 1)).padStart(32, '0')}`;
  await tasks.create(house.core.store.db, {
    task_id: taskId,
    platform: 'mj',
    action: 'IMAGINE',
    user_id: owner.userId,
    team_id: 0,
    channel_id: 7,
    model: 'mj_imagine',
    upstream_model: 'mj_imagine',
    vendor_id: `secret-vendor-name-${count}`,
    state: 'in_progress',
    vendor_status: '',
    progress: 40,
    quota: 50_000,
    request_id: `request-${count}`,
    bill: '{"username":"the-payer"}',
    request: '{"prompt":"a cat"}',
    result: '{}',
    reason: '',
    node: 'node',
    submit_time: begin,
    start_time: begin + 1_500,
    finish_time: 0,
    next_poll: 0,
    poll_failures: 0,
    deadline: 0,
    ...over,
  });
  return taskId;
}
const song = { platform: 'suno', action: 'MUSIC', model: 'suno_music' } as const;

type Query = Record<string, string | number>;
const drawings = async (agent: Agent, query: Query = {}) =>
  (await agent.must(agent === admin ? drawingApi.list : drawingApi.ownList, query)) as DrawingData[];
const songs = async (agent: Agent, query: Query = {}) =>
  (await agent.must(agent === admin ? taskApi.list : taskApi.ownList, query)) as TaskData[];
const namesOfDrawings = async (agent: Agent, query?: Query) =>
  (await drawings(agent, query)).map(({ mj_id }) => mj_id);
const namesOfSongs = async (agent: Agent, query?: Query) =>
  (await songs(agent, query)).map(({ task_id }) => task_id);

describe('lists of tasks', () => {
  it('show administrators those of all users, and everyone else their own alone', async () => {
    const [cat, dog] = [await add(ann), await add(bob)];
    const [tune, video] = [await add(ann, song), await add(bob, { platform: 'video', action: 'generate' })];
    expect(await namesOfDrawings(admin)).toEqual([dog, cat]);
    expect(await namesOfDrawings(ann)).toEqual([cat]);
    expect(await namesOfDrawings(bob)).toEqual([dog]);
    expect(await namesOfSongs(admin)).toEqual([video, tune]);
    expect(await namesOfSongs(ann)).toEqual([tune]);
    expect(await namesOfSongs(bob)).toEqual([video]);
  });

  it('find no task of another user, neither by its name nor by a user id in the query', async () => {
    const [cat, tune] = [await add(ann), await add(ann, song)];
    const asked = { mj_id: cat, task_id: tune, user_id: ann.userId };
    expect(await drawings(bob, asked)).toEqual([]);
    expect(await songs(bob, asked)).toEqual([]);
    expect(await namesOfDrawings(ann, asked)).toEqual([cat]);
    expect(await namesOfSongs(ann, asked)).toEqual([tune]);
  });

  it('of all users are for administrators, and need an account', async () => {
    for (const { list, ownList } of [drawingApi, taskApi]) {
      expect((await ann.call(list, {})).body.code).toBe('insufficient_role');
      expect((await house.guest.call(list, {})).status).toBe(401);
      expect((await house.guest.call(ownList, {})).status).toBe(401);
    }
  });

  it('show users no channel and never the vendor’s task id; the owner is shown to administrators', async () => {
    await add(ann);
    await add(ann, song);
    const own = [...(await drawings(ann)), ...(await songs(ann))];
    const all = [...(await drawings(admin)), ...(await songs(admin))];
    expect(own).toHaveLength(2);
    expect(all.map(({ channel_id }) => channel_id)).toEqual([7, 7]);
    expect(all.map(({ username }) => username)).toEqual(['the-payer', 'the-payer']);
    for (const row of own) expect(row).not.toHaveProperty('channel_id');
    expect(JSON.stringify([own, all])).not.toContain('secret-vendor-name');
    expect(JSON.stringify(own)).not.toContain('the-payer');
    // A filter by channel does not reveal the channel to users.
    expect(await drawings(ann, { channel_id: 8 })).toHaveLength(1);
    expect(await songs(ann, { channel_id: 8 })).toHaveLength(1);
  });

  it('are pages of ten from 0, the newest first', async () => {
    const [cats, tunes]: [string[], string[]] = [[], []];
    for (let each = 0; each < 12; each += 1) {
      cats.unshift(await add(ann));
      tunes.unshift(await add(ann, song));
    }
    for (const agent of [ann, admin]) {
      expect(await namesOfDrawings(agent)).toEqual(cats.slice(0, 10));
      expect(await namesOfDrawings(agent, { p: 1 })).toEqual(cats.slice(10));
      expect(await namesOfSongs(agent)).toEqual(tunes.slice(0, 10));
      expect(await namesOfSongs(agent, { p: 1 })).toEqual(tunes.slice(10));
      expect(await namesOfSongs(agent, { p: 2 })).toEqual([]);
      expect(await namesOfDrawings(agent, { page_size: 5, p: 2 })).toEqual(cats.slice(10));
      expect(await namesOfSongs(agent, { page_size: 100 })).toEqual(tunes);
    }
  });

  it('have the number of all tasks', async () => {
    for (let each = 0; each < 12; each += 1) await add(each < 5 ? ann : bob);
    const counted = async (agent: Agent, query: Query) => {
      const { body } = await agent.call(agent === admin ? drawingApi.list : drawingApi.ownList, query);
      return { total: body.total, exact: body.exact };
    };
    expect(await counted(admin, {})).toEqual({ total: 12, exact: true });
    expect(await counted(admin, { p: 1 })).toEqual({ total: 12, exact: true });
    expect(await counted(admin, { p: 7 })).toEqual({ total: 12, exact: true });
    expect(await counted(ann, { page_size: 2 })).toEqual({ total: 5, exact: true });
  });
});

describe('a drawing in the list', () => {
  it('has times in ms, Midjourney’s texts, and its picture at this site', async () => {
    const id = await add(ann, {
      state: 'succeeded',
      progress: 100,
      finish_time: begin + minute,
      result: '{"imageUrl":"https://cdn.example/x.png","promptEn":"one cat"}',
    });
    expect(await drawings(ann)).toEqual([
      {
        id: expect.any(Number) as number,
        user_id: ann.userId,
        code: 1,
        action: 'IMAGINE',
        mj_id: id,
        prompt: 'a cat',
        prompt_en: 'one cat',
        description: '',
        state: '',
        submit_time: begin,
        start_time: begin + 1_500,
        finish_time: begin + minute,
        image_url: `https://gate.example/mj/image/${id}`,
        video_url: '',
        model: 'mj_imagine',
        request_id: expect.stringMatching(/^request-/) as string,
        status: 'SUCCESS',
        progress: '100%',
        fail_reason: '',
        quota: 50_000,
      },
    ]);
  });

  it('is not submitted before its vendor has an id for it', async () => {
    await add(ann, { state: 'submitting', vendor_id: '', progress: 0 });
    expect(await drawings(ann)).toMatchObject([{ code: 0, status: 'NOT_START', progress: '0%' }]);
  });

  it('is found by channel and by times in ms, both inclusive', async () => {
    const old = await add(ann);
    const young = await add(bob, { channel_id: 8, submit_time: begin + minute });
    expect(await namesOfDrawings(admin, { channel_id: 8 })).toEqual([young]);
    expect(await namesOfDrawings(admin, { start_timestamp: begin + minute })).toEqual([young]);
    expect(await namesOfDrawings(admin, { start_timestamp: begin + minute + 1 })).toEqual([]);
    expect(await namesOfDrawings(admin, { end_timestamp: begin })).toEqual([old]);
    expect(await namesOfDrawings(admin, { end_timestamp: begin - 1 })).toEqual([]);
    expect(await namesOfDrawings(admin, { mj_id: old })).toEqual([old]);
  });
});

describe('a song in the list', () => {
  it('has times in seconds, Suno’s texts and its clips', async () => {
    const id = await add(ann, {
      ...song,
      state: 'succeeded',
      progress: 100,
      finish_time: begin + minute,
      result: '{"data":[{"title":"Meow"}]}',
    });
    expect(await songs(ann)).toEqual([
      {
        id: expect.any(Number) as number,
        created_at: begin / 1000,
        task_id: id,
        platform: 'suno',
        user_id: ann.userId,
        quota: 50_000,
        action: 'MUSIC',
        status: 'SUCCESS',
        fail_reason: '',
        submit_time: begin / 1000,
        start_time: begin / 1000 + 1,
        finish_time: (begin + minute) / 1000,
        progress: '100%',
        properties: { input: 'a cat', seconds: 0, size: '' },
        model: 'suno_music',
        request_id: expect.stringMatching(/^request-/) as string,
        data: [{ title: 'Meow' }],
      },
    ]);
  });

  it('is found by platform, status, action, channel and times in seconds', async () => {
    const tune = await add(ann, { ...song, submit_time: begin + 900 });
    const text = await add(ann, { ...song, action: 'LYRICS', state: 'failed', submit_time: begin + minute });
    const video = await add(ann, { platform: 'video', action: 'generate', state: 'queued', channel_id: 8 });
    const at = begin / 1000;
    const found: [Query, string[]][] = [
      [{}, [video, text, tune]],
      [{ platform: 'suno' }, [text, tune]],
      [{ platform: 'video' }, [video]],
      [{ platform: 'mj' }, []],
      [{ status: 'FAILURE' }, [text]],
      [{ status: 'QUEUED' }, [video]],
      [{ status: 'UNKNOWN' }, []],
      [{ action: 'MUSIC' }, [tune]],
      [{ start_timestamp: at + 60 }, [text]],
      [{ end_timestamp: at }, [video, tune]],
      [{ end_timestamp: at - 1 }, []],
    ];
    for (const [query, names] of found) {
      expect(await namesOfSongs(ann, query), JSON.stringify(query)).toEqual(names);
      expect(await namesOfSongs(admin, query), JSON.stringify(query)).toEqual(names);
    }
    expect(await namesOfSongs(admin, { channel_id: 8 })).toEqual([video]);
  });

  it('shows why it failed in the language of the reader', async () => {
    const interrupted = keptTexts.taskInterrupted;
    await add(ann, { ...song, state: 'failed', reason: interrupted.zh });
    expect(await songs(ann)).toMatchObject([{ status: 'FAILURE', fail_reason: interrupted.zh }]);
    const reply = await ann.send({
      method: 'GET',
      url: '/api/task/self',
      headers: { 'accept-language': 'en' },
    });
    expect(reply.body.data).toMatchObject([{ fail_reason: interrupted.en }]);
  });
});

describe('the gallery', () => {
  const gallery = async (agent: Agent, query: Query = {}) =>
    (await agent.must(taskApi.gallery, query)) as GalleryItem[];
  const names = async (agent: Agent, query?: Query) =>
    (await gallery(agent, query)).map(({ task_id }) => task_id);

  it('has one’s own pictures, songs and videos, finished or running, the newest first', async () => {
    const done = { state: 'succeeded', progress: 100, finish_time: begin + minute } as const;
    const picture = await add(ann, { ...done, result: '{"imageUrl":"https://cdn.example/x.png"}' });
    const tune = await add(ann, { ...song, ...done, result: '{"data":[{"title":"Meow"}]}' });
    const video = await add(ann, { platform: 'video', action: 'generate', model: 'sora-2' });
    const bad = await add(ann, { state: 'failed', quota: 0, reason: 'banned' });
    await add(ann, { ...done, action: 'DESCRIBE' });
    await add(ann, { ...song, ...done, action: 'LYRICS' });
    await add(bob);
    expect(await names(ann, { failed: 'hidden' })).toEqual([video, tune, picture]);
    expect(await gallery(ann)).toMatchObject([
      { task_id: bad, status: 'FAILURE', quota: 0, fail_reason: 'banned' },
      { kind: 'video', status: 'IN_PROGRESS', progress: '40%', model: 'sora-2', finish_time: 0, data: null },
      { kind: 'song', data: [{ title: 'Meow' }], submit_time: begin / 1000 },
      { kind: 'picture', image_url: `https://gate.example/mj/image/${picture}`, prompt: 'a cat' },
    ]);
    expect(await names(ann, { kind: 'song' })).toEqual([tune]);
    expect(await names(ann, { kind: 'video' })).toEqual([video]);
    const [, , second] = await gallery(ann);
    expect(await names(ann, { before: second?.id ?? 0 })).toEqual([picture]);
    expect(await names(ann, { page_size: 1 })).toEqual([bad]);
    // Administrators also have a gallery of their own.
    expect(await names(admin)).toEqual([]);
    expect((await house.guest.call(taskApi.gallery, {})).status).toBe(401);
  });

  it('plays the moving part of a drawing', async () => {
    const result = JSON.stringify({
      imageUrl: 'https://cdn.example/x.png',
      videoUrls: [{ url: 'https://v/1' }],
    });
    await add(ann, { state: 'succeeded', action: 'VIDEO', result });
    expect(await gallery(ann)).toMatchObject([{ kind: 'picture', video_url: 'https://v/1' }]);
    expect(await drawings(ann)).toMatchObject([{ video_url: 'https://v/1' }]);
  });
});

describe('a batch', () => {
  const batch = {
    platform: 'batch',
    action: 'openai',
    request: JSON.stringify({ endpoint: '/v1/chat/completions', requests: 250 }),
    result: JSON.stringify({
      batch: {
        status: 'in_progress',
        request_counts: { total: 250, completed: 40, failed: 10 },
        secret: 'x',
      },
    }),
  };

  it('is listed with its progress, and without what its vendor says', async () => {
    await add(ann, batch);
    const [row] = (await ann.must(taskApi.ownList, { platform: 'batch' })) as TaskData[];
    expect(row).toMatchObject({
      platform: 'batch',
      properties: { input: '50 / 250 · /v1/chat/completions' },
      data: null,
    });
    expect(JSON.stringify(row)).not.toContain('secret');
  });

  it('can be cancelled by its user while it runs, and by nobody else', async () => {
    const taskId = await add(ann, batch);
    const [{ id } = { id: 0 }] = (await ann.must(taskApi.ownList, {})) as TaskData[];
    expect((await bob.call(taskApi.cancel, { id })).body).toMatchObject({ code: 'row_not_found' });
    await ann.must(taskApi.cancel, { id });
    const row = await tasks.find(house.core.store.db, taskId);
    expect(JSON.parse(row?.request ?? '')).toMatchObject({ cancel: true, requests: 250 });
    await tasks.moveOn(house.core.store.db, id, ['in_progress'], { state: 'succeeded' });
    expect((await ann.call(taskApi.cancel, { id })).body).toMatchObject({ code: 'row_not_found' });
  });
});
