import { describeVideo } from '../../../testing/wire/video-tests.ts';
import { azure } from './index.ts';

const base = 'https://r.openai.azure.com/openai/v1/videos';

describeVideo(azure, {
  folder: import.meta.dirname,
  model: 'sora-2',
  channel: { baseUrl: 'https://r.openai.azure.com' },
  videos: [
    {
      name: 'at the one path of all deployments',
      request: { seconds: 8 },
      url: `${base}?api-version=preview`,
      headers: { 'api-key': 'test-channel-key' },
      sent: { model: 'sora-2', prompt: 'a cat', seconds: '8', size: '720x1280' },
      facts: { seconds: 8, size: '720x1280', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: 'video_68d7',
    },
  ],
  poll: { vendorId: 'video_68d7', url: `${base}/video_68d7?api-version=preview` },
  polls: [{ answer: 'video-done.json', update: { state: 'succeeded' } }],
  content: {
    vendorId: 'video_68d7',
    url: `${base}/video_68d7/content?api-version=preview`,
    key: 'test-channel-key',
  },
  refused: [[{ seconds: 5 }, 'makes no video of 5 seconds']],
  failures: [{ answer: { error: { message: 'no' } }, status: 401, shown: 401, blame: 'channel' }],
});
