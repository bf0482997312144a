import { address, describeVideo } from '../../../testing/wire/video-tests.ts';
import { ali } from './index.ts';

const base = 'https://dashscope.aliyuncs.com/api/v1';
const headers = { authorization: 'Bearer test-channel-key', 'x-dashscope-async': 'enable' };
const url = 'https://pictures.test/first.png';

describeVideo(ali, {
  folder: import.meta.dirname,
  model: 'wan2.5-t2v-preview',
  videos: [
    {
      name: 'from words',
      request: { negativePrompt: 'dogs', extra: { prompt_extend: false } },
      url: `${base}/services/aigc/video-generation/video-synthesis`,
      headers,
      sent: {
        model: 'wan2.5-t2v-preview',
        input: { prompt: 'a cat', negative_prompt: 'dogs' },
        parameters: { prompt_extend: false, size: '1920*1080', duration: 5 },
      },
      facts: { seconds: 5, size: '1920x1080', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: '0385dc79-5ff8',
    },
    {
      name: 'in a size that has sides of its own',
      request: { size: '832x480', seconds: 10, seed: 5 },
      url: `${base}/services/aigc/video-generation/video-synthesis`,
      headers,
      sent: {
        model: 'wan2.5-t2v-preview',
        input: { prompt: 'a cat' },
        parameters: { size: '832*480', duration: 10, seed: 5 },
      },
      facts: { seconds: 10, size: '854x480', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: '0385dc79-5ff8',
    },
    {
      name: 'from a picture',
      request: { image: address, model: 'wan2.2-i2v-flash' },
      url: `${base}/services/aigc/video-generation/video-synthesis`,
      headers,
      sent: {
        model: 'wan2.2-i2v-flash',
        input: { prompt: 'a cat', img_url: url },
        parameters: { resolution: '720P', duration: 5 },
      },
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: '0385dc79-5ff8',
    },
    {
      name: 'between two pictures, at another place',
      request: { image: address, images: [address], model: 'wanx2.1-kf2v-plus' },
      url: `${base}/services/aigc/image2video/video-synthesis`,
      headers,
      sent: {
        model: 'wanx2.1-kf2v-plus',
        input: { prompt: 'a cat', first_frame_url: url, last_frame_url: url },
        parameters: { resolution: '1080P', duration: 5 },
      },
      facts: { seconds: 5, size: '1920x1080', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: '0385dc79-5ff8',
    },
  ],
  poll: { vendorId: '0385dc79-5ff8', url: `${base}/tasks/0385dc79-5ff8` },
  polls: [
    { answer: 'video-running.json', update: { state: 'in_progress' } },
    {
      answer: 'video-done.json',
      update: { state: 'succeeded', seconds: 5, result: { url: 'https://videos.test/wan.mp4' } },
    },
    {
      answer: 'video-failed.json',
      update: {
        state: 'failed',
        reason: 'DataInspectionFailed: Output data may contain inappropriate content.',
      },
    },
    { answer: 'video-gone.json', update: { state: 'failed', vendorStatus: 'UNKNOWN' } },
  ],
  content: { result: { url: 'https://videos.test/wan.mp4' }, url: 'https://videos.test/wan.mp4' },
  refused: [
    [{ seconds: 30 }, 'Wan makes no video of 30 seconds'],
    [{ remixOf: 'x' }, 'remix'],
  ],
  failures: [{ answer: 'video-refused.json', status: 401, shown: 401, blame: 'channel' }],
});
