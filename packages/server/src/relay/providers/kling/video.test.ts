import { jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { sendTools } from '../../../testing/protocols/send-tools.ts';
import { address, onePoint, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { kling } from './index.ts';

const base = 'https://api.klingai.com/v1/videos';

describeVideo(kling, {
  folder: import.meta.dirname,
  model: 'kling-v1-6',
  videos: [
    {
      name: 'from words',
      request: { negativePrompt: 'dogs', extra: { cfg_scale: 0.5 } },
      url: `${base}/text2video`,
      sent: {
        model_name: 'kling-v1-6',
        prompt: 'a cat',
        negative_prompt: 'dogs',
        cfg_scale: 0.5,
        mode: 'std',
        duration: '5',
        aspect_ratio: '16:9',
      },
      facts: { seconds: 5, size: '1280x720', quality: 'std' },
      answer: 'submit.json',
      vendorId: 'text2video/7421',
    },
    {
      name: 'between two pictures, in the dearer mode, by the size',
      request: { seconds: 10, size: '1080x1920', image: picture, images: [address] },
      url: `${base}/image2video`,
      sent: {
        model_name: 'kling-v1-6',
        prompt: 'a cat',
        mode: 'pro',
        duration: '10',
        image: onePoint,
        image_tail: 'https://pictures.test/first.png',
      },
      facts: { seconds: 10, size: '1080x1920', quality: 'pro' },
      answer: 'submit.json',
      vendorId: 'image2video/7421',
    },
    {
      name: 'with sound, at the price of sound',
      request: { quality: 'pro', extra: { sound: 'on' } },
      url: `${base}/text2video`,
      facts: { seconds: 5, size: '1920x1080', quality: 'pro-sound' },
      answer: 'submit.json',
      vendorId: 'text2video/7421',
    },
  ],
  poll: { vendorId: 'image2video/7421', url: `${base}/image2video/7421` },
  polls: [
    { answer: 'submit.json', update: { state: 'queued' } },
    { answer: 'running.json', update: { state: 'in_progress' } },
    {
      answer: 'done.json',
      update: { state: 'succeeded', seconds: 5.1, result: { url: 'https://videos.test/kling.mp4' } },
    },
    {
      answer: 'failed.json',
      update: { state: 'failed', reason: 'Failure to pass the risk control system' },
    },
    { answer: 'gone.json', status: 404, update: { state: 'failed', vendorStatus: 'gone' } },
  ],
  content: { result: { url: 'https://videos.test/kling.mp4' }, url: 'https://videos.test/kling.mp4' },
  refused: [
    [{ seconds: 6 }, 'Kling makes no video of 6 seconds, but of 5, 10'],
    [{ quality: 'best' }, 'quality'],
    [{ extra: { duration: 60 } }, 'duration'],
    [{ size: '3840x2160' }, '3840x2160'],
  ],
  failures: [
    { answer: { code: 1002, message: 'Auth failed' }, status: 401, shown: 401, blame: 'channel' },
    {
      answer: { code: 1102, message: 'Account balance not enough' },
      status: 429,
      shown: 402,
      blame: 'channel',
    },
    { answer: { code: 1201, message: 'Invalid parameters' }, status: 400, shown: 400, blame: 'caller' },
    { answer: { code: 1301, message: 'Content policy' }, status: 400, shown: 400, blame: 'caller' },
    { answer: { code: 1303, message: 'Too many tasks' }, status: 429, shown: 429, blame: 'channel' },
    { answer: { code: 5001, message: 'Maintenance' }, status: 503, shown: 503, blame: 'channel' },
  ],
});

it('signs a token of half an hour with the secret key, and reveals neither part', async () => {
  const channel = buildChannel({ type: 50, baseUrl: kling.baseUrl, key: 'access|secret' });
  const nowMs = Date.UTC(2026, 0, 2);
  const tools = sendTools({ nowMs: () => nowMs, token: async (_, make) => (await make()).value });
  const asked = await kling.tasks!.video!.submit({ model: 'm', prompt: 'a cat', extra: {} }, channel, tools);
  const token = asked.headers.authorization!.replace('Bearer ', '');
  const { payload, protectedHeader } = await jwtVerify(token, new TextEncoder().encode('secret'), {
    currentDate: new Date(nowMs),
  });
  expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(payload).toEqual({ iss: 'access', exp: nowMs / 1_000 + 1_800, nbf: nowMs / 1_000 - 5 });
  expect(kling.secrets!(channel)).toEqual(['access|secret', 'access', 'secret']);
});

it.each(['access|', '|secret', 'a|b|c'])('refuses the key %s', async (key) => {
  const channel = buildChannel({ type: 50, baseUrl: kling.baseUrl, key });
  const asked = async () =>
    kling.tasks!.video!.submit({ model: 'm', prompt: 'a cat', extra: {} }, channel, sendTools());
  await expect(asked()).rejects.toMatchObject({ blame: 'channel' });
});
