import { address, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { vidu } from './index.ts';

const base = 'https://api.vidu.cn/ent/v2';
const headers = { authorization: 'Token test-channel-key' };
const url = 'https://pictures.test/first.png';

describeVideo(vidu, {
  folder: import.meta.dirname,
  model: 'viduq2',
  videos: [
    {
      name: 'from words',
      request: { seed: 7, extra: { movement_amplitude: 'small' } },
      url: `${base}/text2video`,
      headers,
      sent: {
        model: 'viduq2',
        prompt: 'a cat',
        duration: 5,
        resolution: '720p',
        aspect_ratio: '16:9',
        seed: 7,
        movement_amplitude: 'small',
      },
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'submit.json',
      vendorId: '8512',
    },
    {
      name: 'from a first frame',
      request: { image: address, seconds: 8, size: '1920x1080' },
      url: `${base}/img2video`,
      headers,
      sent: { model: 'viduq2', prompt: 'a cat', duration: 8, resolution: '1080p', images: [url] },
      facts: { seconds: 8, size: '1920x1080', quality: 'standard' },
      answer: 'submit.json',
      vendorId: '8512',
    },
    {
      name: 'between a first and a last frame',
      request: { image: address, images: [address] },
      url: `${base}/start-end2video`,
      headers,
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'submit.json',
      vendorId: '8512',
    },
    {
      name: 'of things in pictures',
      request: { images: [picture, picture] },
      url: `${base}/reference2video`,
      headers,
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'submit.json',
      vendorId: '8512',
    },
  ],
  poll: { vendorId: '8512', url: `${base}/tasks/8512/creations` },
  polls: [
    { answer: 'running.json', update: { state: 'in_progress', progress: 40 } },
    { answer: 'done.json', update: { state: 'succeeded', result: { url: 'https://videos.test/vidu.mp4' } } },
    { answer: 'failed.json', update: { state: 'failed', reason: 'TaskPromptPolicyViolation' } },
    { answer: 'failed.json', status: 404, update: { state: 'failed', vendorStatus: 'gone' } },
  ],
  content: { result: { url: 'https://videos.test/vidu.mp4' }, url: 'https://videos.test/vidu.mp4' },
  refused: [
    [{ seconds: 11 }, 'Vidu makes no video of 11 seconds, but of 1–10'],
    [{ model: 'viduq1', size: '1280x720' }, 'but of 1080p'],
    [{ negativePrompt: 'dogs' }, 'negative_prompt'],
  ],
  failures: [
    { answer: { code: 400, message: 'prompt too long' }, status: 400, shown: 400, blame: 'caller' },
    { answer: { code: 429, message: 'insufficient credits' }, status: 429, shown: 429, blame: 'channel' },
  ],
});
