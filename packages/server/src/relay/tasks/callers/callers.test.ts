import { describe, expect, it } from 'vitest';
import { onePoint, picture } from '../../../testing/wire/video-tests.ts';
import type { TaskState } from '../../types/index.ts';
import {
  type VideoView,
  jimengTask,
  readVideoRequest,
  readJimeng,
  readKling,
  readPrediction,
  writeDeleted,
  writeGeneration,
  writeJimengResult,
  writeJimengTask,
  writeKling,
  writeNewGeneration,
  writeOperation,
  writeVideo,
  writeVideos,
} from './index.ts';

const dataUrl = `data:image/png;base64,${onePoint}`;
const video = (state: TaskState, more: Partial<VideoView> = {}): VideoView => ({
  id: 'task_1',
  model: 'm',
  action: 'textGenerate',
  state,
  progress: state === 'succeeded' ? 100 : 40,
  submittedAt: 1_000,
  startedAt: 1_001,
  finishedAt: state === 'succeeded' || state === 'failed' ? 1_090 : 0,
  prompt: 'a cat',
  seconds: 8,
  size: '1280x720',
  reason: state === 'failed' ? 'no cats' : '',
  url: 'https://gate.test/v1/videos/task_1/content',
  ...more,
});

describe('a video request', () => {
  it('in OpenAI’s format', () => {
    const body = {
      model: 'sora-2',
      prompt: 'a cat',
      seconds: '8',
      size: '1280x720',
      input_reference: { image_url: dataUrl },
    };
    expect(readVideoRequest(body)).toEqual({
      model: 'sora-2',
      prompt: 'a cat',
      seconds: 8,
      size: '1280x720',
      image: picture,
      extra: {},
    });
  });

  it('as a form, whose file is the first picture', () => {
    expect(readVideoRequest({ model: 'm', prompt: 'a cat', seconds: '4' }, [picture])).toMatchObject({
      image: picture,
      seconds: 4,
    });
  });

  it('in the format of /v1/video/generations, with fields of a vendor', () => {
    const body = {
      model: 'kling-v1',
      prompt: 'a cat',
      duration: 5,
      width: 1280,
      height: 720,
      mode: 'pro',
      images: ['https://a.test/1.png', dataUrl],
      metadata: { negative_prompt: 'dogs', cfg_scale: 0.5 },
      user: 'me',
    };
    expect(readVideoRequest(body)).toEqual({
      model: 'kling-v1',
      prompt: 'a cat',
      seconds: 5,
      size: '1280x720',
      quality: 'pro',
      negativePrompt: 'dogs',
      image: { kind: 'url', url: 'https://a.test/1.png' },
      images: [picture],
      extra: { cfg_scale: 0.5 },
    });
  });

  it.each([
    [{ size: '720p' }, { resolution: '720p' }],
    [{ size: '9:16' }, { aspect_ratio: '9:16' }],
    [
      { ratio: '1:1', resolution: '1080p' },
      { aspect_ratio: '1:1', resolution: '1080p' },
    ],
    [{ metadata: '{"resolution":"4k"}' }, { resolution: '4k' }],
  ])('of a shape without pixels: %j', (fields, extra) => {
    expect(readVideoRequest({ model: 'm', prompt: 'p', ...fields }).extra).toEqual(extra);
  });

  it.each([
    ['no model', { prompt: 'p' }],
    ['neither words nor pictures', { model: 'm' }],
    ['half a second', { model: 'm', prompt: 'p', seconds: 0.5 }],
    ['no number of seconds', { model: 'm', prompt: 'p', duration: 'long' }],
    ['an hour and more', { model: 'm', prompt: 'p', seconds: 3_601 }],
    ['a size that is none', { model: 'm', prompt: 'p', size: 'huge' }],
    ['a picture in a file of ours', { model: 'm', prompt: 'p', image: 'file:///etc/passwd' }],
    ['metadata that are none', { model: 'm', prompt: 'p', metadata: 'x' }],
    ['a prompt that is none', { model: 'm', prompt: 7 }],
  ])('is refused with %s', (_, body) => {
    expect(() => readVideoRequest(body)).toThrow(expect.objectContaining({ status: 400, blame: 'caller' }));
  });

  it('in Kling’s format', () => {
    const body = {
      model_name: 'kling-v2-1',
      prompt: 'a cat',
      mode: 'std',
      duration: '10',
      aspect_ratio: '9:16',
      cfg_scale: 0.5,
    };
    expect(readKling(body, 'text2video')).toEqual({
      model: 'kling-v2-1',
      prompt: 'a cat',
      quality: 'std',
      seconds: 10,
      extra: { aspect_ratio: '9:16', cfg_scale: 0.5 },
    });
    expect(readKling({ image: onePoint, image_tail: 'https://a.test/2.png' }, 'image2video')).toEqual({
      model: 'kling-v1',
      prompt: '',
      image: picture,
      images: [{ kind: 'url', url: 'https://a.test/2.png' }],
      extra: {},
    });
    expect(() => readKling({ prompt: 'a cat' }, 'image2video')).toThrow(/image/);
  });

  it('in Jimeng’s format', () => {
    const body = {
      req_key: 'jimeng_t2v_v30',
      prompt: 'a cat',
      frames: 241,
      binary_data_base64: [onePoint],
      seed: -1,
    };
    expect(readJimeng(body)).toEqual({
      model: 'jimeng_t2v_v30',
      prompt: 'a cat',
      seconds: 10,
      seed: -1,
      image: picture,
      extra: {},
    });
    expect(() => readJimeng({ prompt: 'a cat' })).toThrow(/req_key/);
    expect(jimengTask({ req_key: 'x', task_id: 'task_1' })).toBe('task_1');
    expect(() => jimengTask({})).toThrow(/task_id/);
  });

  it('in Google’s format', () => {
    const google = { bytesBase64Encoded: onePoint, mimeType: 'image/png' };
    const body = {
      instances: [{ prompt: 'a cat', image: google, lastFrame: google }],
      parameters: {
        aspectRatio: '9:16',
        durationSeconds: 6,
        negativePrompt: 'dogs',
        personGeneration: 'allow_all',
      },
    };
    expect(readPrediction(body, 'veo-3.0-generate-001')).toEqual({
      model: 'veo-3.0-generate-001',
      prompt: 'a cat',
      seconds: 6,
      negativePrompt: 'dogs',
      image: picture,
      images: [picture],
      extra: { aspect_ratio: '9:16', personGeneration: 'allow_all' },
    });
    const references = [{ image: google, referenceType: 'asset' }];
    const asked = readPrediction({ instances: [{ prompt: 'a cat', referenceImages: references }] }, 'm');
    expect([asked.image, asked.images]).toEqual([undefined, [picture]]);
    expect(() => readPrediction({ instances: [] }, 'm')).toThrow(/instances/);
  });
});

const states = ['submitting', 'submitted', 'queued', 'in_progress', 'succeeded', 'failed'] as const;

describe('a video answer', () => {
  it('is a video of OpenAI’s, in each state', () => {
    expect(states.map((state) => writeVideo(video(state)).status)).toEqual([
      'queued',
      'queued',
      'queued',
      'in_progress',
      'completed',
      'failed',
    ]);
    expect(writeVideo(video('succeeded'))).toEqual({
      id: 'task_1',
      object: 'video',
      model: 'm',
      status: 'completed',
      progress: 100,
      created_at: 1_000,
      completed_at: 1_090,
      expires_at: null,
      prompt: 'a cat',
      seconds: '8',
      size: '1280x720',
      remixed_from_video_id: null,
      error: null,
      metadata: { url: 'https://gate.test/v1/videos/task_1/content' },
    });
    expect(writeVideo(video('failed', { remixOf: 'task_0' }))).toMatchObject({
      error: { code: 'video_generation_failed', message: 'no cats' },
      remixed_from_video_id: 'task_0',
      completed_at: null,
    });
    expect(writeDeleted('task_1')).toEqual({ id: 'task_1', object: 'video.deleted', deleted: true });
  });

  it('is one of a list, which says whether there are more', () => {
    const list = writeVideos([video('queued'), video('failed', { id: 'task_2' })], true);
    expect(list).toMatchObject({ object: 'list', first_id: 'task_1', last_id: 'task_2', has_more: true });
    expect(writeVideos([], false)).toMatchObject({ data: [], first_id: null, last_id: null });
  });

  it('is a task of /v1/video/generations', () => {
    expect(writeNewGeneration(video('submitted'))).toMatchObject({
      id: 'task_1',
      task_id: 'task_1',
      status: 'queued',
    });
    expect(writeGeneration(video('in_progress'))).toEqual({
      code: 'success',
      message: '',
      data: {
        task_id: 'task_1',
        action: 'textGenerate',
        status: 'IN_PROGRESS',
        fail_reason: '',
        submit_time: 1_000,
        start_time: 1_001,
        finish_time: 0,
        progress: '40%',
        data: null,
      },
    });
  });

  it('is a task of Kling’s', () => {
    expect(states.map((state) => writeKling(video(state), 'r').data)).toMatchObject(
      ['submitted', 'submitted', 'submitted', 'processing', 'succeed', 'failed'].map((status) => ({
        task_status: status,
      })),
    );
    expect(writeKling(video('succeeded'), 'r')).toMatchObject({
      code: 0,
      request_id: 'r',
      data: { task_result: { videos: [{ id: 'task_1', url: video('succeeded').url, duration: '8' }] } },
    });
  });

  it('is a result of Jimeng’s, whose failures have a number', () => {
    expect(writeJimengTask('task_1', 'r')).toMatchObject({ code: 10_000, data: { task_id: 'task_1' } });
    expect(writeJimengResult(video('in_progress'), 'r')).toMatchObject({
      data: { status: 'generating', video_url: '' },
    });
    expect(writeJimengResult(video('succeeded'), 'r')).toMatchObject({
      data: { status: 'done', video_url: video('succeeded').url },
    });
    expect(writeJimengResult(video('failed'), 'r')).toMatchObject({ code: 50_500, message: 'no cats' });
  });

  it('is an operation of Google’s, done or not', () => {
    const name = 'models/m/operations/task_1';
    expect(writeOperation(video('queued'))).toMatchObject({ name, metadata: { progressPercent: 40 } });
    expect(writeOperation(video('failed'))).toEqual({
      name,
      done: true,
      error: { code: 13, message: 'no cats' },
    });
    expect(writeOperation(video('succeeded'))).toMatchObject({
      name,
      done: true,
      response: { generateVideoResponse: { generatedSamples: [{ video: { uri: video('succeeded').url } }] } },
    });
  });
});
