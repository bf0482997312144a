import { expect, it } from 'vitest';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { sendTools } from '../../../testing/protocols/send-tools.ts';
import { address, onePoint, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { jimeng } from './index.ts';

const at = (action: string): string =>
  `https://visual.volcengineapi.com/?Action=${action}&Version=2022-08-31`;
const signed = { 'x-date': '20260102T030405Z' };

describeVideo(jimeng, {
  folder: import.meta.dirname,
  model: 'jimeng_t2v_v30',
  channel: { key: 'access|test-channel-key' },
  videos: [
    {
      name: 'from words',
      request: { seed: 7 },
      url: at('CVSync2AsyncSubmitTask'),
      headers: signed,
      sent: { req_key: 'jimeng_t2v_v30', prompt: 'a cat', seed: 7, frames: 121, aspect_ratio: '16:9' },
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'submit.json',
      vendorId: '7392616336519610409',
    },
    {
      name: 'from a picture',
      request: { image: picture, seconds: 10, model: 'jimeng_ti2v_v30_pro' },
      url: at('CVSync2AsyncSubmitTask'),
      headers: signed,
      sent: {
        req_key: 'jimeng_ti2v_v30_pro',
        prompt: 'a cat',
        seed: -1,
        frames: 241,
        binary_data_base64: [onePoint],
      },
      facts: { seconds: 10, size: '1920x1080', quality: 'standard' },
      answer: 'submit.json',
      vendorId: '7392616336519610409',
    },
    {
      name: 'from a picture at an address',
      request: { image: address },
      url: at('CVSync2AsyncSubmitTask'),
      headers: signed,
      sent: {
        req_key: 'jimeng_t2v_v30',
        prompt: 'a cat',
        seed: -1,
        frames: 121,
        image_urls: ['https://pictures.test/first.png'],
      },
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'submit.json',
      vendorId: '7392616336519610409',
    },
  ],
  poll: {
    vendorId: '739',
    url: at('CVSync2AsyncGetResult'),
    sent: { req_key: 'jimeng_t2v_v30', task_id: '739' },
  },
  polls: [
    { answer: 'queued.json', update: { state: 'queued' } },
    { answer: 'running.json', update: { state: 'in_progress' } },
    {
      answer: 'done.json',
      update: { state: 'succeeded', result: { url: 'https://videos.test/jimeng.mp4' } },
    },
    { answer: 'gone.json', update: { state: 'failed', vendorStatus: 'not_found' } },
    { answer: 'moderated.json', status: 400, update: { state: 'failed', reason: 'Post Img Risk Not Pass' } },
  ],
  content: { result: { url: 'https://videos.test/jimeng.mp4' }, url: 'https://videos.test/jimeng.mp4' },
  refused: [
    [{ seconds: 7 }, 'Jimeng makes no video of 7 seconds'],
    [{ size: '1920x1080' }, 'Jimeng makes no video of 1920x1080, but of 720p'],
    [{ negativePrompt: 'dogs' }, 'negative_prompt'],
    [{ extra: { frames: 2410 } }, 'frames'],
  ],
  failures: [
    { answer: { code: 50412, message: 'Text Risk Not Pass' }, status: 400, shown: 400, blame: 'caller' },
    { answer: { code: 50430, message: 'Concurrent Limit' }, status: 429, shown: 429, blame: 'channel' },
    { answer: { code: 50500, message: 'Internal Error' }, status: 500, shown: 502, blame: 'channel' },
    {
      answer: { ResponseMetadata: { Error: { Code: 'SignatureDoesNotMatch', Message: 'signature' } } },
      status: 401,
      shown: 401,
      blame: 'channel',
    },
  ],
});

it('signs query, body, type and host with the present second, as Volcano Engine does', async () => {
  const channel = buildChannel({ type: 51, baseUrl: jimeng.baseUrl, key: 'AKLTexample|secret' });
  const tools = sendTools({ nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
  const task = { vendorId: '739', model: 'jimeng_t2v_v30', result: {} };
  const { headers } = await jimeng.tasks!.video!.poll(task, channel, tools);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-content-sha256': '5e908bdcf82cf4d49917dd9741bbb1c9f58685e4138642010f3a608f35a32219',
    authorization:
      'HMAC-SHA256 Credential=AKLTexample/20260102/cn-north-1/cv/request, SignedHeaders=content-type;host;x-content-sha256;x-date, ' +
      'Signature=76a2b961fab4098e655dfa964fb51a42eb2fd00cf3391743f7b4dc2d41f04841',
  });
});
