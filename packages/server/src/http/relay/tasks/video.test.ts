import { GoogleGenAI } from '@google/genai';
import { logType, noCostRule } from '@tollgate/contract';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textOf } from '../../../lib/json.ts';
import { openVideoWorld, type VideoWorld } from '../../../testing/upstream/tasks/video-world.ts';

/** Four seconds of sora-2 at $0.1, in quota units. */
const fourSeconds = 200_000;

let world: VideoWorld;
beforeEach(async () => {
  world = await openVideoWorld();
});
afterEach(async () => {
  expect(await world.gate.findings()).toEqual([]);
  expect(await world.gate.openHolds()).toBe(0);
  await world.close();
});
const balance = async (): Promise<number> => (await world.gate.readBalance(world.caller)).balance;
const openai = (key = world.caller.key): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${world.gate.url}/v1`, maxRetries: 0 });

describe('a video, by OpenAI’s client', () => {
  it('is charged when it is accepted, is made, and is fetched as a whole and in part', async () => {
    const client = openai();
    const video = await client.videos.create({
      model: 'sora-2',
      prompt: 'a cat',
      seconds: '4',
      size: '1280x720',
    });
    expect(video).toMatchObject({ object: 'video', status: 'queued', seconds: '4', size: '1280x720' });
    expect(video.id).toMatch(/^task_\w{32}$/);
    expect(await balance()).toBe(world.start - fourSeconds);
    await expect(client.videos.downloadContent(video.id)).rejects.toMatchObject({ status: 409 });
    await world.report({ status: 'completed', progress: 100 });
    expect(await client.videos.retrieve(video.id)).toMatchObject({ status: 'completed', progress: 100 });
    const whole = await client.videos.downloadContent(video.id);
    expect(whole.headers.get('content-type')).toBe('video/mp4');
    expect(await whole.text()).toBe('0123456789');
    const part = await client.videos.downloadContent(video.id, {}, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    expect(await balance()).toBe(world.start - fourSeconds);
  });

  it('can begin with a picture, which is sent to the vendor unchanged', async () => {
    const reference = new File([Buffer.from('png')], 'a.png', { type: 'image/png' });
    await openai().videos.create({
      model: 'sora-2',
      prompt: 'a cat',
      seconds: '8',
      input_reference: reference,
    });
    expect(world.vendor.requests.at(-1)?.body).toMatch(/name="input_reference"; filename="reference.png"/);
    expect(await balance()).toBe(world.start - 2 * fourSeconds);
  });

  it('has the operator’s cost by its channel, which stays when the charge is given back', async () => {
    const { db } = world.gate.core.store;
    const channel = await db.selectFrom('channels').select('id').executeTakeFirstOrThrow();
    await world.gate.core.costs.save(channel.id, { ...noCostRule, models: { 'sora-2': { call: 0.06 } } });
    await openai().videos.create({ model: 'sora-2', prompt: 'a cat' });
    await world.report({ status: 'failed', error: { code: 'moderation_blocked', message: 'no cats' } });
    await world.poll();
    await world.gate.core.ledger.flush();
    const rows = await db.selectFrom('logs').select(['type', 'quota', 'cost']).orderBy('id').execute();
    expect(rows).toEqual([
      { type: logType.consume, quota: fourSeconds, cost: 4 * 30_000 },
      { type: logType.refund, quota: fourSeconds, cost: expect.toBeOneOf([0, null]) as number },
    ]);
  });

  it('that fails returns its price once, with the reason', async () => {
    const client = openai();
    const { id } = await client.videos.create({ model: 'sora-2', prompt: 'a cat' });
    await world.report({ status: 'failed', error: { code: 'moderation_blocked', message: 'no cats' } });
    await world.poll();
    expect(await client.videos.retrieve(id)).toMatchObject({
      status: 'failed',
      error: { message: 'moderation_blocked: no cats' },
    });
    expect(await balance()).toBe(world.start);
  });

  it('is remixed by the vendor that has it', async () => {
    const client = openai();
    const { id } = await client.videos.create({ model: 'sora-2', prompt: 'a cat', size: '1280x720' });
    await expect(client.videos.remix(id, { prompt: 'a dog' })).rejects.toMatchObject({ status: 409 });
    await world.report({ status: 'completed', progress: 100 });
    const remix = await client.videos.remix(id, { prompt: 'a dog' });
    expect(remix).toMatchObject({ remixed_from_video_id: id, status: 'queued' });
    expect(world.vendor.requests.at(-1)?.path).toMatch(/^\/v1\/videos\/video_1\/remix$/);
  });

  it('is listed for its owner, a page at a time, until it is deleted', async () => {
    const client = openai();
    const ids: string[] = [];
    for (const prompt of ['a', 'b', 'c']) ids.push((await client.videos.create({ prompt })).id);
    const listed: string[] = [];
    for await (const { id } of client.videos.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(ids.toReversed());
    await expect(client.videos.delete(ids[2]!)).rejects.toMatchObject({ status: 409 });
    await world.report({ status: 'completed', progress: 100 });
    expect(await client.videos.delete(ids[2]!)).toMatchObject({ id: ids[2], deleted: true });
    expect(world.vendor.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/videos/video_3' });
    await expect(client.videos.retrieve(ids[2]!)).rejects.toMatchObject({ status: 404 });
  });

  it('of another user does not exist', async () => {
    const { id } = await openai().videos.create({ prompt: 'a cat' });
    await world.report({ status: 'completed', progress: 100 });
    const other = openai((await world.gate.addCaller()).key);
    await expect(other.videos.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(other.videos.downloadContent(id)).rejects.toMatchObject({ status: 404 });
    await expect(other.videos.delete(id)).rejects.toMatchObject({ status: 404 });
  });

  it('that its vendor does not make is refused by name, and costs nothing', async () => {
    const asked = openai().videos.create({ model: 'sora-2', prompt: 'a cat', seconds: '7' as '8' });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'cannot_translate' });
    expect(world.vendor.requests).toEqual([]);
    world.vendor.answerNext(400, {
      error: { message: 'bad words', type: 'invalid_request_error', code: 'bad' },
    });
    await expect(openai().videos.create({ prompt: 'a cat' })).rejects.toMatchObject({
      status: 400,
      code: 'bad',
    });
    expect(await balance()).toBe(world.start);
  });
});

describe('a video by another API', () => {
  it('is a task of /v1/video/generations', async () => {
    const made = await world.call('/v1/video/generations', { model: 'sora-2', prompt: 'a cat', duration: 8 });
    expect(made).toMatchObject({ status: 200, body: { status: 'queued', task_id: made.body.id } });
    await world.report({ status: 'completed', progress: 100 });
    const read = await world.call(`/v1/video/generations/${textOf(made.body.task_id)}`);
    expect(read.body).toMatchObject({ code: 'success', data: { status: 'SUCCESS', progress: '100%' } });
  });

  it('is a task of Kling’s, refused in Kling’s shape', async () => {
    const made = await world.call('/kling/v1/videos/text2video', { model_name: 'sora-2', prompt: 'a cat' });
    expect(made).toMatchObject({ status: 200, body: { code: 0, data: { task_status: 'submitted' } } });
    const id = String((made.body.data as { task_id: string }).task_id);
    await world.report({ status: 'completed', progress: 100 });
    const read = await world.call(`/kling/v1/videos/text2video/${id}`);
    expect(read.body).toMatchObject({ data: { task_status: 'succeed', task_result: { videos: [{ id }] } } });
    expect(await world.call('/kling/v1/videos/text2video/task_x')).toMatchObject({
      status: 404,
      body: { code: 404, data: null },
    });
    expect(await world.call('/kling/v1/unknown')).toMatchObject({ body: { data: null } });
  });

  it('is a pair of actions of Jimeng’s', async () => {
    const at = (action: string): string => `/jimeng/?Action=${action}&Version=2022-08-31`;
    const made = await world.call(at('CVSync2AsyncSubmitTask'), { req_key: 'sora-2', prompt: 'a cat' });
    expect(made).toMatchObject({ status: 200, body: { code: 10_000 } });
    const { task_id: id } = made.body.data as { task_id: string };
    const asked = { req_key: 'sora-2', task_id: id };
    expect((await world.call(at('CVSync2AsyncGetResult'), asked)).body).toMatchObject({
      data: { status: 'in_queue' },
    });
    await world.report({ status: 'completed', progress: 100 });
    const done = await world.call(at('CVSync2AsyncGetResult'), asked);
    expect(done.body).toMatchObject({ data: { status: 'done', video_url: expect.stringContaining(id) } });
    expect(await world.call(at('Other'), asked)).toMatchObject({ status: 400, body: { data: null } });
  });

  it('is an operation of Google’s, which Google’s client polls until it is done', async () => {
    const body = { instances: [{ prompt: 'a cat' }], parameters: { durationSeconds: 4 } };
    const made = await world.call('/v1beta/models/sora-2:predictLongRunning', body);
    const name = textOf(made.body.name);
    expect(name).toMatch(/^models\/sora-2\/operations\/task_/);
    const client = new GoogleGenAI({ apiKey: world.caller.key, httpOptions: { baseUrl: world.gate.url } });
    const { GenerateVideosOperation } = await import('@google/genai');
    const operation = Object.assign(new GenerateVideosOperation(), { name });
    expect((await client.operations.getVideosOperation({ operation })).done).not.toBe(true);
    await world.report({ status: 'completed', progress: 100 });
    const done = await client.operations.getVideosOperation({ operation });
    expect(done.done).toBe(true);
    expect(done.response?.generatedVideos?.[0]?.video?.uri).toMatch(/\/v1\/videos\/task_\w+\/content$/);
  });
});

// Google's newest client starts videos only by the paths of Vertex.
describe('a video of Google’s, by Google’s client alone', () => {
  const model = 'veo-3.1-generate-preview';
  const operation = `models/${model}/operations/abc`;
  let client: GoogleGenAI;
  beforeEach(async () => {
    await world.gate.addChannel({
      type: 24,
      base_url: world.vendor.url,
      key: 'google-secret',
      models: model,
    });
    await world.gate.core.settings.set('ServerAddress', world.gate.url);
    const httpOptions = { baseUrl: world.gate.url };
    client = new GoogleGenAI({ vertexai: true, apiKey: world.caller.key, httpOptions });
    world.vendor.answerNext(200, { name: operation });
    world.vendor.videos.set('abc', { name: operation });
  });
  const begin = () =>
    client.models.generateVideos({
      model,
      source: { prompt: 'a cat', image: { imageBytes: 'cG5n', mimeType: 'image/png' } },
      config: { durationSeconds: 8, aspectRatio: '16:9', numberOfVideos: 1 },
    });

  it('begins with a picture, is polled until it is done, and fetched', async () => {
    const begun = await begin();
    expect(begun.name).toMatch(
      /^publishers\/google\/models\/veo-3.1-generate-preview\/operations\/task_\w{32}$/,
    );
    const asked = world.vendor.requests.at(-1);
    expect(asked?.path).toBe(`/v1beta/models/${model}:predictLongRunning`);
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({
      instances: [{ prompt: 'a cat', image: { bytesBase64Encoded: 'cG5n', mimeType: 'image/png' } }],
      parameters: { durationSeconds: 8, aspectRatio: '16:9' },
    });
    const spent = world.start - (await balance());
    expect(spent).toBeGreaterThan(8 * 50_000);
    const waiting = await client.operations.getVideosOperation({ operation: begun });
    expect(waiting.done).not.toBe(true);
    const uri = `${world.vendor.url}/files/video/content`;
    const samples = [{ video: { uri } }];
    await world.report({ done: true, response: { generateVideoResponse: { generatedSamples: samples } } });
    const done = await client.operations.getVideosOperation({ operation: waiting });
    expect(done.done).toBe(true);
    const address = done.response?.generatedVideos?.[0]?.video?.uri ?? '';
    expect(address).toMatch(/\/v1\/videos\/task_\w+\/content$/);
    const file = await fetch(address, { headers: { 'x-goog-api-key': world.caller.key } });
    expect(await file.text()).toBe('0123456789');
    expect(world.start - (await balance())).toBe(spent);
  });

  it('that fails is a failed operation, and is given back', async () => {
    const begun = await begin();
    await world.report({ done: true, error: { code: 3, message: 'no cats' } });
    const over = await client.operations.getVideosOperation({ operation: begun });
    expect(over.done).toBe(true);
    expect(JSON.stringify(over.error)).toContain('no cats');
    expect(await balance()).toBe(world.start);
  });

  it('has the same paths in a project', async () => {
    const place = `/v1/projects/p/locations/global/publishers/google/models/${model}`;
    const body = { instances: [{ prompt: 'a cat' }], parameters: {} };
    const made = await world.call(`${place}:predictLongRunning`, body);
    const name = textOf(made.body.name);
    expect(name).toMatch(
      /^projects\/p\/locations\/global\/publishers\/google\/models\/\S+\/operations\/task_/,
    );
    const read = await world.call(`${place}:fetchPredictOperation`, { operationName: name });
    expect(read).toMatchObject({ status: 200, body: { name } });
    const unknown = await world.call(`${place}:fetchPredictOperation`, { operationName: 'x' });
    expect(unknown).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } });
  });
});
