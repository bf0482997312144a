import type { DrawingData, GalleryItem, TaskData } from '@tollgate/contract';
import { people, sampleTime } from './samples.ts';

// Task samples: complete rows of the contract; a test overrides only the fields it needs.

/** A drawing that is done and cost $0.1. */
export const drawingSample = (given: Partial<DrawingData> = {}): DrawingData => ({
  id: 1,
  user_id: people.user.id,
  code: 1,
  action: 'IMAGINE',
  mj_id: 'task_0001',
  prompt: 'a cat',
  prompt_en: 'one cat',
  description: '',
  state: '',
  submit_time: sampleTime * 1000,
  start_time: sampleTime * 1000 + 500,
  finish_time: sampleTime * 1000 + 42_000,
  image_url: 'https://gate.example/mj/image/task_0001',
  video_url: '',
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: '',
  model: 'mj_imagine',
  quota: 50_000,
  request_id: 'req-1',
  channel_id: 3,
  username: people.user.username,
  ...given,
});

/** A song that is done, with its clip. */
export const taskSample = (given: Partial<TaskData> = {}): TaskData => ({
  id: 2,
  created_at: sampleTime,
  task_id: 'task_0002',
  platform: 'suno',
  user_id: people.user.id,
  model: 'suno_music',
  quota: 50_000,
  request_id: 'req-2',
  action: 'MUSIC',
  status: 'SUCCESS',
  fail_reason: '',
  submit_time: sampleTime,
  start_time: sampleTime + 1,
  finish_time: sampleTime + 90,
  progress: '100%',
  properties: { input: 'a song of cats', seconds: 0, size: '' },
  data: [
    { id: 'clip-1', title: 'Meow', audio_url: 'https://cdn.example/meow.mp3', metadata: { duration: 93.4 } },
  ],
  channel_id: 3,
  username: people.user.username,
  ...given,
});

/** A picture in the gallery. */
export const gallerySample = (given: Partial<GalleryItem> = {}): GalleryItem => ({
  id: 1,
  task_id: 'task_0001',
  kind: 'picture',
  action: 'IMAGINE',
  model: 'mj_imagine',
  quota: 50_000,
  request_id: 'req-1',
  prompt: 'a cat',
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: '',
  submit_time: sampleTime,
  finish_time: sampleTime + 42,
  seconds: 0,
  size: '',
  image_url: 'https://gate.example/mj/image/task_0001',
  video_url: '',
  data: null,
  ...given,
});
