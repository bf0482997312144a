import { address, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { sora } from './index.ts';

const base = 'https://api.openai.com/v1/videos';

describeVideo(sora, {
  folder: import.meta.dirname,
  model: 'sora-2',
  videos: [
    {
      name: 'from words, as OpenAI makes them where nothing is said',
      request: {},
      url: base,
      sent: { model: 'sora-2', prompt: 'a cat', seconds: '4', size: '720x1280' },
      facts: { seconds: 4, size: '720x1280', quality: 'standard' },
      answer: 'sora-submit.json',
      vendorId: 'video_68d7',
    },
    {
      name: 'with a picture at an address',
      request: { seconds: 8, size: '1280x720', image: address },
      url: base,
      sent: {
        model: 'sora-2',
        prompt: 'a cat',
        seconds: '8',
        size: '1280x720',
        input_reference: { image_url: 'https://pictures.test/first.png' },
      },
      facts: { seconds: 8, size: '1280x720', quality: 'standard' },
      answer: 'sora-submit.json',
      vendorId: 'video_68d7',
    },
    {
      name: 'with a picture, as a form',
      request: { image: picture },
      url: base,
      parts: ['name="prompt"', 'name="input_reference"; filename="reference.png"', 'image/png'],
      facts: { seconds: 4, size: '720x1280', quality: 'standard' },
      answer: 'sora-submit.json',
      vendorId: 'video_68d7',
    },
    {
      name: 'anew',
      request: { remixOf: 'video_68d7' },
      url: `${base}/video_68d7/remix`,
      sent: { prompt: 'a cat' },
      facts: { seconds: 4, size: '720x1280', quality: 'standard' },
      answer: 'sora-submit.json',
      vendorId: 'video_68d7',
    },
  ],
  poll: { vendorId: 'video_68d7', url: `${base}/video_68d7` },
  polls: [
    { answer: 'sora-submit.json', update: { state: 'queued' } },
    { answer: 'sora-running.json', update: { state: 'in_progress', progress: 33 } },
    { answer: 'sora-done.json', update: { state: 'succeeded', progress: 100, seconds: 8 } },
    {
      answer: 'sora-moderated.json',
      update: {
        state: 'failed',
        reason: 'moderation_blocked: Your request was blocked by our moderation system.',
      },
    },
    { answer: 'sora-refused.json', status: 404, update: { state: 'failed', vendorStatus: 'gone' } },
  ],
  content: {
    vendorId: 'video_68d7',
    url: `${base}/video_68d7/content`,
    key: 'Bearer test-channel-key',
  },
  refused: [
    [{ seconds: 7 }, 'Sora makes no video of 7 seconds'],
    [{ size: '900x900' }, 'Sora makes no video of 900x900'],
    [{ negativePrompt: 'dogs' }, 'Sora has no word for negative_prompt'],
    [{ n: 2 }, 'Sora has no word for n'],
    [{ images: [picture, picture] }, 'images'],
    [{ extra: { fps: 60 } }, 'fps'],
  ],
  failures: [
    { answer: 'sora-refused.json', status: 400, shown: 400, blame: 'caller' },
    { answer: { error: { message: 'no' } }, status: 429, shown: 429, blame: 'channel' },
  ],
});
