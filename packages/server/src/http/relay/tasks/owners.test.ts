import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { TestCaller } from '../../../testing/gateway-harness.ts';
import { fakeBatches } from '../../../testing/upstream/fake-batches.ts';
import { healthy } from '../../../testing/upstream/fake-upstream-scripts.ts';
import { openTaskWorld, type TaskWorld } from '../../../testing/upstream/tasks/task-world.ts';
import { type FakeVideos, startFakeVideos } from '../../../testing/upstream/tasks/video-world.ts';
import type { TaskCallName } from '../relay-route.ts';

// A call with the name of another user's task has byte for byte the answer to an unknown task, and the vendor gets no
// request.

type Kind = 'drawing' | 'song' | 'video' | 'batch' | 'messages';

/** A call that names a task: `ID` is a placeholder for its name, in the path and in the body. */
interface Naming {
  of: Kind;
  method?: 'DELETE';
  path: string;
  body?: JsonObject;
}

const veo = '/models/sora-2';
const places = ['/v1', '/v1beta1'].flatMap((version) => [
  `${version}/publishers/google`,
  `${version}/projects/p/locations/l/publishers/google`,
]);
const modes = ['', '/mj-fast', '/mj-relax', '/mj-turbo'];
const drawing = (path: string, body?: JsonObject): Naming[] =>
  modes.map((mode) => ({ of: 'drawing', path: `${mode}/mj/${path}`, ...(body && { body }) }));

/** Every call about tasks: the place of the task's name, or the reason why there is none. */
const calls: Readonly<Record<TaskCallName, readonly Naming[] | 'names none' | 'public' | 'by session'>> = {
  'mj-submit': [
    ...drawing('submit/change', { taskId: 'ID', action: 'UPSCALE', index: 1 }),
    ...drawing('submit/simple-change', { content: 'ID U1' }),
    ...drawing('submit/action', { taskId: 'ID', customId: 'MJ::JOB::reroll::0::u' }),
    ...drawing('submit/modal', { taskId: 'ID', prompt: 'a hat' }),
  ],
  'mj-fetch': drawing('task/ID/fetch'),
  'mj-seed': drawing('task/ID/image-seed'),
  'mj-list': drawing('task/list-by-condition', { ids: ['ID'] }),
  // It names a task by the vendor's own id. Its content is not trusted, and its answer has no data.
  'mj-notify': 'names none',
  // Anyone with the address of a picture may see it, because browsers send no key. The name cannot be guessed.
  'mj-image': 'public',
  'suno-submit': [{ of: 'song', path: '/suno/submit/MUSIC', body: { prompt: 'y', task_id: 'ID' } }],
  'suno-fetch': [{ of: 'song', path: '/suno/fetch/ID' }],
  'suno-list': [{ of: 'song', path: '/suno/fetch', body: { ids: ['ID'] } }],
  'video-create': 'names none',
  'video-price': 'names none',
  'video-list': [{ of: 'video', path: '/v1/videos?after=ID' }],
  'video-read': [{ of: 'video', path: '/v1/videos/ID' }],
  'video-content': [{ of: 'video', path: '/v1/videos/ID/content' }],
  'video-remix': [{ of: 'video', path: '/v1/videos/ID/remix', body: { prompt: 'a dog' } }],
  'video-watch': 'by session',
  'generation-create': 'names none',
  'generation-read': [{ of: 'video', path: '/v1/video/generations/ID' }],
  'kling-create': 'names none',
  'kling-read': ['text2video', 'image2video'].map((kind) => ({
    of: 'video',
    path: `/kling/v1/videos/${kind}/ID`,
  })),
  jimeng: [
    {
      of: 'video',
      path: '/jimeng/?Action=CVSync2AsyncGetResult&Version=2022-08-31',
      body: { req_key: 'sora-2', task_id: 'ID' },
    },
  ],
  'veo-create': 'names none',
  'veo-read': ['/v1', '/v1beta'].map((version) => ({
    of: 'video',
    path: `${version}${veo}/operations/ID`,
  })),
  'veo-fetch': places.map((place) => ({
    of: 'video',
    path: `${place}${veo}:fetchPredictOperation`,
    body: { operationName: `models/sora-2/operations/ID` },
  })),
  'batch-create': 'names none',
  'message-batch-create': 'names none',
  'google-batch-create': 'names none',
  'batch-list': [
    { of: 'batch', path: '/v1/batches?after=ID' },
    { of: 'messages', path: '/v1/messages/batches?after_id=ID' },
  ],
  'batch-read': [
    { of: 'batch', path: '/v1/batches/ID' },
    { of: 'messages', path: '/v1/messages/batches/ID' },
  ],
  'batch-cancel': [
    { of: 'batch', path: '/v1/batches/ID/cancel', body: {} },
    { of: 'messages', path: '/v1/messages/batches/ID/cancel', body: {} },
  ],
  'batch-results': [{ of: 'messages', path: '/v1/messages/batches/ID/results' }],
  // The last calls: they delete what they name.
  'batch-delete': [{ of: 'messages', method: 'DELETE', path: '/v1/messages/batches/ID' }],
  'video-delete': [{ of: 'video', method: 'DELETE', path: '/v1/videos/ID' }],
};
const namings = Object.values(calls)
  .flatMap((some) => (typeof some === 'string' ? [] : some))
  .map((naming) => {
    const { method = '', path, body } = naming;
    return [`${method} ${path} ${body ? JSON.stringify(body) : ''}`.trim(), naming] as const;
  });

const chat = { model: 'gpt-4o-mini', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };

/** A batch of the owner. */
async function makeBatch(): Promise<string> {
  const endpoint = '/v1/chat/completions';
  const line = { custom_id: 'a', method: 'POST', url: endpoint, body: chat };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([JSON.stringify(line)]), 'a.jsonl');
  const headers = { authorization: `Bearer ${owner.key}` };
  const sent = await fetch(`${world.gate.url}/v1/files`, { method: 'POST', headers, body: form });
  const { id } = (await sent.json()) as JsonObject;
  const body = { input_file_id: textOf(id), endpoint };
  return textOf((await world.call('/v1/batches', body, owner.key)).body.id);
}

let world: TaskWorld;
let videos: FakeVideos;
let owner: TestCaller;
let other: TestCaller;
let own: Record<Kind, string>;

beforeAll(async () => {
  world = await openTaskWorld();
  videos = await startFakeVideos();
  await world.gate.addChannel({ type: 55, base_url: videos.url, key: 'k', models: 'sora-2' });
  const { gate } = world;
  const batches = fakeBatches(healthy());
  gate.upstream.script(batches.behaviour);
  await gate.addChannel();
  await gate.addChannel({ type: 14 });
  owner = await gate.addCaller({ balance: 100_000_000 });
  other = await world.gate.addCaller({ balance: 100_000_000 });
  const made = async (path: string, body: JsonObject): Promise<JsonObject> =>
    (await world.call(path, body, owner.key)).body;
  own = {
    drawing: textOf((await made('/mj/submit/imagine', { prompt: 'a cat' })).result),
    song: textOf((await made('/suno/submit/MUSIC', { prompt: 'rain' })).data),
    video: textOf((await made('/v1/videos', { model: 'sora-2', prompt: 'a cat' })).id),
    batch: await makeBatch(),
    messages: textOf(
      (await made('/v1/messages/batches', { requests: [{ custom_id: 'a', params: chat }] })).id,
    ),
  };
  for (const id of batches.batches.keys()) batches.end(id, () => 'fails');
  for (const [id, task] of world.vendor.tasks)
    world.vendor.tasks.set(id, { ...task, status: 'SUCCESS', progress: '100%' });
  for (const [id, video] of videos.videos)
    videos.videos.set(id, { ...video, status: 'completed', progress: 100 });
  await world.poll();
  await vi.waitUntil(async () => (await gate.openHolds()) === 0, { timeout: 10_000 });
});
afterAll(async () => {
  expect(await world.gate.findings()).toEqual([]);
  await world.close();
  await videos.close();
});

const nobodys = `task_${'0'.repeat(32)}`;

/** The answer to a call that names a task, without the parts specific to this request. */
async function ask({ method, path, body }: Naming, id: string, { key }: TestCaller) {
  const named = (text: string): string => text.replaceAll('ID', id);
  const answer = await fetch(world.gate.url + named(path), {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: named(JSON.stringify(body)) }),
  });
  const text = (await answer.text()).replaceAll(id, 'ID');
  return { status: answer.status, text: text.replaceAll(/\(?request id: [\w-]+\)?|"\w{24,}"/g, '') };
}

const heard = (): number =>
  world.vendor.requests.length + videos.requests.length + world.gate.upstream.requests.length;

describe('a task of another user', () => {
  it.each(namings)('does not exist: %s', async (_name, naming) => {
    const before = heard();
    const strange = await ask(naming, own[naming.of], other);
    expect(strange).toEqual(await ask(naming, nobodys, other));
    expect(heard()).toBe(before);
    expect((await world.gate.readBalance(other)).balance).toBe(100_000_000);
  });

  it.each(namings)('exists for its owner: %s', async (_name, naming) => {
    const answer = await ask(naming, own[naming.of], owner);
    expect(answer.status, answer.text).toBe(200);
    expect(answer).not.toEqual(await ask(naming, nobodys, owner));
  });
});
