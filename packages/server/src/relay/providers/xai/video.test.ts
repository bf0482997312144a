import { address, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { xai } from './index.ts';

const base = 'https://api.x.ai/v1/videos';
const model = 'grok-imagine-video';

describeVideo(xai, {
  folder: import.meta.dirname,
  model,
  videos: [
    {
      name: 'from words',
      request: {},
      url: `${base}/generations`,
      sent: { model, prompt: 'a cat', duration: 8, resolution: '480p', aspect_ratio: '16:9' },
      facts: { seconds: 8, size: '854x480', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: 'd97415a1-5796',
    },
    {
      name: 'from a picture',
      request: { image: address, seconds: 3, extra: { resolution: '720p' } },
      url: `${base}/generations`,
      sent: {
        model,
        prompt: 'a cat',
        duration: 3,
        resolution: '720p',
        image: { url: 'https://pictures.test/first.png' },
      },
      facts: { seconds: 3, size: '1280x720', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: 'd97415a1-5796',
    },
    {
      name: 'of things in pictures',
      request: { images: [picture, picture] },
      url: `${base}/generations`,
      parts: ['"reference_images":[{"url":"data:image/png;base64,'],
      facts: { seconds: 8, size: '854x480', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: 'd97415a1-5796',
    },
  ],
  poll: { vendorId: 'd97415a1-5796', url: `${base}/d97415a1-5796` },
  polls: [
    { answer: 'video-running.json', status: 202, update: { state: 'in_progress', progress: 20 } },
    {
      answer: 'video-done.json',
      update: { state: 'succeeded', seconds: 8, result: { url: 'https://videos.test/grok.mp4' } },
    },
    { answer: 'video-moderated.json', update: { state: 'failed', reason: 'moderated' } },
  ],
  content: { result: { url: 'https://videos.test/grok.mp4' }, url: 'https://videos.test/grok.mp4' },
  refused: [
    [{ seconds: 16 }, 'xAI makes no video of 16 seconds'],
    [{ negativePrompt: 'dogs' }, 'negative_prompt'],
  ],
  failures: [
    {
      answer: { code: 'bad', error: 'the prompt is against our rules' },
      status: 400,
      shown: 400,
      blame: 'caller',
    },
  ],
});
