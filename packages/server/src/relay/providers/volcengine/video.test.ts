import { describeVideo } from '../../../testing/wire/video-tests.ts';
import { volcengine } from './index.ts';

const base = 'https://ark.cn-beijing.volces.com/api/v3/contents/generations/tasks';
const model = 'doubao-seedance-1-5-pro-251215';

describeVideo(volcengine, {
  folder: import.meta.dirname,
  model,
  videos: [
    {
      name: 'as by a channel of videos alone',
      request: { seconds: 4 },
      url: base,
      sent: {
        model,
        content: [{ type: 'text', text: 'a cat' }],
        resolution: '720p',
        ratio: '16:9',
        duration: 4,
      },
      facts: { seconds: 4, size: '1280x720', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: 'cgt-2026-abc',
    },
  ],
  poll: { vendorId: 'cgt-2026-abc', url: `${base}/cgt-2026-abc` },
  polls: [{ answer: 'video-done.json', update: { state: 'succeeded' } }],
  content: { result: { url: 'https://videos.test/ark.mp4' }, url: 'https://videos.test/ark.mp4' },
  refused: [[{ seconds: 60 }, 'makes no video of 60 seconds']],
  failures: [{ answer: 'video-refused.json', status: 400, shown: 400, blame: 'caller' }],
});
