import { screen } from '@testing-library/react';
import {
  drawingApi,
  type DrawingData,
  pricingApi,
  receiptApi,
  selfApi,
  taskApi,
  type TaskData,
} from '@tollgate/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage, shown } from '../../../testing/render-page.tsx';
import { people, userSample } from '../../../testing/samples.ts';
import { pricingSample, receiptSample, noPriceGroups } from '../../../testing/usage-samples.ts';
import { worksOf } from './works.ts';

const byCall = (name: string, price: number) =>
  pricingSample({ model_name: name, quota_type: 1, model_price: price });
const items = [
  byCall('sandbox-image', 0.01),
  pricingSample({ model_name: 'tts-1' }),
  byCall('sandbox-video', 0.01),
  byCall('mj_imagine', 0.1),
  byCall('suno_music', 0.1),
  byCall('mj_upscale', 0.05),
];
const site = () =>
  new FakeServer()
    .answer(selfApi.get, userSample())
    .answer(
      selfApi.models,
      items.map(({ model_name: name }) => name),
    )
    .answer(selfApi.groups, { default: { ratio: 1, desc: '' } })
    .answer(pricingApi.list, { data: items, extra: noPriceGroups })
    .answer(receiptApi.get, receiptSample());

const task = (change: Partial<TaskData> = {}): TaskData => ({
  id: 1,
  created_at: 1,
  task_id: 'task_1',
  platform: 'video',
  user_id: people.user.id,
  model: 'sandbox-video',
  quota: 20_000,
  request_id: 'req-1',
  action: 'textGenerate',
  status: 'SUCCESS',
  fail_reason: '',
  submit_time: 1,
  start_time: 1,
  finish_time: 2,
  progress: '100%',
  properties: { input: 'a ball', seconds: 4, size: '1280x720' },
  data: null,
  channel_id: 0,
  username: '',
  ...change,
});
const drawing = (change: Partial<DrawingData> = {}): DrawingData => ({
  id: 1,
  user_id: people.user.id,
  code: 1,
  action: 'IMAGINE',
  mj_id: 'task_2',
  prompt: 'hills',
  prompt_en: '',
  description: '',
  state: '',
  submit_time: 1,
  start_time: 1,
  finish_time: 2,
  image_url: 'https://gate.example/mj/image/task_2',
  video_url: '',
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: '',
  model: 'mj_imagine',
  quota: 50_000,
  request_id: 'req-1',
  channel_id: 0,
  username: '',
  ...change,
});
const counted = { total: 1, exact: true };
const open = (model: string, server: FakeServer, language: 'en' | 'zh' = 'en') =>
  renderPage(`/playground?model=${model}`, { server, as: people.user, language });
const prompt = () => screen.findByRole('textbox', { name: 'Prompt' });

// Generation continues while other pages are open, and would continue into the next test.
afterEach(() => {
  const works = worksOf(people.user.id);
  for (const { id } of works.list.get()) works.remove(id);
});

test('pictures are made with the size and number in the form, at the price shown there', async () => {
  const server = site().relay('/pg/images/generations', () => ({
    data: [{ url: '/a.png' }, { url: '/b.png' }],
  }));
  const user = open('sandbox-image', server);
  await user.type(await prompt(), 'a cat');
  const count = screen.getByRole('textbox', { name: 'Number' });
  await user.clear(count);
  await user.type(count, '2');
  await expect.poll(shown).toContain('Price $0.02');
  await user.type(await prompt(), '{Control>}{Enter}{/Control}');
  await expect.poll(() => screen.queryAllByRole('img', { name: 'a cat' })).toHaveLength(2);
  expect(server.bodies('/pg/images/generations')).toEqual([
    { model: 'sandbox-image', group: 'default', prompt: 'a cat', size: '1024x1024', n: 2 },
  ]);
  await expect.poll(shown).toContain('Cost $0.02');
  expect(screen.getAllByRole('link', { name: 'Download' })[0]?.getAttribute('download')).toBe(
    'picture-1.png',
  );
});

test('a refusal is explained, and the request can be repeated', async () => {
  const refusal = () =>
    new Response(JSON.stringify({ error: { message: 'no money', code: 'insufficient_user_quota' } }), {
      status: 403,
    });
  const server = site().relay('/pg/images/generations', refusal);
  const user = open('sandbox-image', server);
  await user.type(await prompt(), 'a cat{Control>}{Enter}{/Control}');
  await expect.poll(shown).toMatch(/Your balance does not cover this call.*no money/s);
  server.relay('/pg/images/generations', () => ({ data: [{ url: '/a.png' }] }));
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('img', { name: 'a cat' })).toBeDefined();
});

test('speech is played, with the voice that was chosen', async () => {
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:sound', revokeObjectURL: () => undefined }),
  );
  const sound = () =>
    new Response('RIFF', { headers: { 'content-type': 'audio/wav', 'x-tollgate-request-id': 'req-1' } });
  const server = site().relay('/pg/audio/speech', sound);
  const user = open('tts-1', server);
  await user.type(await screen.findByRole('textbox', { name: 'Text to speak' }), 'Hello there');
  await user.click(screen.getByRole('button', { name: 'Generate speech' }));
  expect(await screen.findByLabelText('Play speech.wav')).toHaveProperty('tagName', 'AUDIO');
  expect(server.bodies('/pg/audio/speech')).toEqual([
    { model: 'tts-1', group: 'default', input: 'Hello there', voice: 'alloy' },
  ]);
});

test('a video shows its price before it is requested, its progress, and the refund of a failed one', async () => {
  let status = 'IN_PROGRESS';
  const row = () =>
    status === 'FAILURE'
      ? task({ status, quota: 0, fail_reason: 'the sandbox plays a video that fails' })
      : task({ status, progress: '40%' });
  const server = site()
    .relay('/pg/videos/price', () => ({ quota: 20_000 }))
    .relay('/pg/videos', () => ({ id: 'task_1' }))
    .answer(taskApi.ownList, () => ({ data: [row()], extra: counted }));
  const user = open('sandbox-video', server);
  await expect.poll(shown).toContain('Price $0.04');
  // Lengths and sizes are the model's defaults until the user chooses one.
  expect(server.bodies('/pg/videos/price')[0]).toEqual({
    model: 'sandbox-video',
    group: 'default',
    prompt: '-',
  });
  await user.type(screen.getByRole('textbox', { name: 'Seconds' }), '8');
  await user.type(await prompt(), 'a ball{Control>}{Enter}{/Control}');
  await expect.poll(shown).toMatch(/Generating.*40%.*Cost \$0.04/s);
  expect(server.bodies('/pg/videos')).toEqual([
    { model: 'sandbox-video', group: 'default', prompt: 'a ball', seconds: 8 },
  ]);
  status = 'FAILURE';
  await expect
    .poll(shown, { timeout: 20_000 })
    .toMatch(/Generation failed: the sandbox plays.*\$0.04 refunded.*Cost \$0.00/s);
});

test('an impossible video shows the reason in the place of its price', async () => {
  const refusal = () =>
    new Response(JSON.stringify({ error: { message: 'seconds must be 4 or 8', code: 'x' } }), {
      status: 400,
    });
  open('sandbox-video', site().relay('/pg/videos/price', refusal));
  await expect.poll(shown).toContain('seconds must be 4 or 8');
});

test('a drawing is shown from this site, and its buttons start further actions', async () => {
  const server = site()
    .relay('/pg/mj/submit/imagine', () => ({ code: 1, result: 'task_2' }))
    .relay('/pg/mj/task/task_2/fetch', () => ({ buttons: [{ customId: 'MJ::U1', emoji: '', label: 'U1' }] }))
    .relay('/pg/mj/submit/action', () => ({ code: 1, result: 'task_3' }))
    .answer(drawingApi.ownList, ({ mj_id: id }) => ({
      data: [id === 'task_2' ? drawing() : drawing({ mj_id: id, status: 'IN_PROGRESS', image_url: '' })],
      extra: counted,
    }));
  const user = open('mj_imagine', server);
  await user.type(await prompt(), 'hills{Control>}{Enter}{/Control}');
  expect((await screen.findByRole('img', { name: 'hills' })).getAttribute('src')).toBe('/mj/image/task_2');
  await user.click(await screen.findByRole('button', { name: 'U1' }));
  await expect
    .poll(() => server.bodies('/pg/mj/submit/action'))
    .toEqual([{ group: 'default', taskId: 'task_2', customId: 'MJ::U1' }]);
  await user.click(await screen.findByRole('button', { name: 'Stop waiting' }));
  await expect.poll(() => screen.queryAllByRole('article')).toHaveLength(1);
});

test('a song has a player for each version', async () => {
  const data = [
    { title: 'Rain', audio_url: 'https://cdn.example/1.mp3' },
    { title: 'Rain', audio_url: 'https://cdn.example/2.mp3' },
  ];
  const server = site()
    .relay('/pg/suno/submit/MUSIC', () => ({ code: 'success', data: 'task_4' }))
    .answer(taskApi.ownList, { data: [task({ platform: 'suno', data })], extra: counted });
  const user = open('suno_music', server);
  await user.type(await prompt(), 'rain{Control>}{Enter}{/Control}');
  expect(await screen.findAllByLabelText('Play Rain.mp3')).toHaveLength(2);
});

test('a model without a form shows that, in the language of the reader', async () => {
  open('mj_upscale', site(), 'zh');
  await expect.poll(shown).toContain('这个模型不在操练场使用');
});
