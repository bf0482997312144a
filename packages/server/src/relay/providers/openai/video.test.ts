import { describeVideo } from '../../../testing/wire/video-tests.ts';
import { openai } from './index.ts';

const base = 'https://api.openai.com/v1/videos';

describeVideo(openai, {
  folder: import.meta.dirname,
  model: 'sora-2-pro',
  channel: { organization: 'org-1' },
  videos: [
    {
      name: 'as by a channel of Sora, for an organisation',
      request: { seconds: 12, size: '1792x1024' },
      url: base,
      headers: { authorization: 'Bearer test-channel-key', 'openai-organization': 'org-1' },
      sent: { model: 'sora-2-pro', prompt: 'a cat', seconds: '12', size: '1792x1024' },
      facts: { seconds: 12, size: '1792x1024', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: 'video_68d7',
    },
  ],
  poll: { vendorId: 'video_68d7', url: `${base}/video_68d7` },
  polls: [{ answer: 'video-done.json', update: { state: 'succeeded', seconds: 8 } }],
  content: { vendorId: 'video_68d7', url: `${base}/video_68d7/content`, key: 'Bearer test-channel-key' },
  refused: [[{ seconds: 5 }, 'makes no video of 5 seconds']],
  failures: [{ answer: 'video-refused.json', status: 400, shown: 400, blame: 'caller' }],
});
