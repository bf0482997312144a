import { address, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { replicate } from './index.ts';

const base = 'https://api.replicate.com/v1';
const id = 'gm3qorzdhgbfurvjtvhg6dckhu';

describeVideo(replicate, {
  folder: import.meta.dirname,
  model: 'bytedance/seedance-1-lite',
  videos: [
    {
      name: 'from words, leaving to the model what nobody asked for',
      request: { extra: { camera_fixed: true } },
      url: `${base}/models/bytedance/seedance-1-lite/predictions`,
      sent: { input: { prompt: 'a cat', camera_fixed: true } },
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'submit.json',
      vendorId: id,
    },
    {
      name: 'from a picture, as the model calls it',
      request: { model: 'kwaivgi/kling-v2.1', image: address, seconds: 10, size: '1080x1920', seed: 2 },
      url: `${base}/models/kwaivgi/kling-v2.1/predictions`,
      sent: {
        input: {
          prompt: 'a cat',
          start_image: 'https://pictures.test/first.png',
          duration: 10,
          aspect_ratio: '9:16',
          resolution: '1080p',
          seed: 2,
        },
      },
      facts: { seconds: 10, size: '1080x1920', quality: 'standard' },
      answer: 'submit.json',
      vendorId: id,
    },
    {
      name: 'by a version',
      request: { model: 'some/model:5c7d5dc6', image: picture },
      url: `${base}/predictions`,
      parts: ['"version":"5c7d5dc6"', '"image":"data:image/png;base64,'],
      facts: { seconds: 5, size: '1280x720', quality: 'standard' },
      answer: 'submit.json',
      vendorId: id,
    },
  ],
  poll: { vendorId: id, url: `${base}/predictions/${id}` },
  polls: [
    { answer: 'submit.json', update: { state: 'queued' } },
    {
      answer: 'done.json',
      update: { state: 'succeeded', result: { url: 'https://videos.test/replicate.mp4' } },
    },
    {
      answer: 'done-list.json',
      update: { state: 'succeeded', result: { url: 'https://videos.test/replicate-0.mp4' } },
    },
    { answer: 'failed.json', update: { state: 'failed', reason: 'The input was flagged as sensitive.' } },
  ],
  content: { result: { url: 'https://videos.test/replicate.mp4' }, url: 'https://videos.test/replicate.mp4' },
  refused: [
    [{ model: 'no-owner' }, 'Replicate has no word for model'],
    [{ model: '../x' }, 'model'],
    [{ seconds: 100 }, 'Replicate makes no video of 100 seconds'],
  ],
  failures: [
    { answer: 'refused.json', status: 422, shown: 422, blame: 'channel' },
    { answer: { detail: 'Insufficient credit' }, status: 402, shown: 402, blame: 'channel' },
  ],
});
