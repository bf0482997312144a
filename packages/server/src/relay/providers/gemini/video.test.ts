import { onePoint, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { gemini } from './index.ts';

const base = 'https://generativelanguage.googleapis.com/v1beta';
const name = 'models/veo-3.0-generate-001/operations/op1';
const video = { bytesBase64Encoded: onePoint, mimeType: 'image/png' };
const key = { 'x-goog-api-key': 'test-channel-key' };

describeVideo(gemini, {
  folder: import.meta.dirname,
  model: 'veo-3.0-generate-001',
  videos: [
    {
      name: 'from words',
      request: {},
      url: `${base}/models/veo-3.0-generate-001:predictLongRunning`,
      headers: key,
      sent: { instances: [{ prompt: 'a cat' }], parameters: { aspectRatio: '16:9', durationSeconds: 8 } },
      facts: { seconds: 8, size: '1280x720', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: name,
    },
    {
      name: 'between two pictures, upright, without sound',
      request: {
        image: { kind: 'url', url: 'https://pictures.test/first.png' },
        images: [picture],
        size: '1080x1920',
        negativePrompt: 'dogs',
        seed: 4,
        extra: { generateAudio: false },
      },
      url: `${base}/models/veo-3.0-generate-001:predictLongRunning`,
      headers: key,
      sent: {
        instances: [{ prompt: 'a cat', image: video, lastFrame: video }],
        parameters: {
          aspectRatio: '9:16',
          durationSeconds: 8,
          resolution: '1080p',
          negativePrompt: 'dogs',
          seed: 4,
          generateAudio: false,
        },
      },
      facts: { seconds: 8, size: '1080x1920', quality: 'silent' },
      answer: 'video-submit.json',
      vendorId: name,
    },
    {
      name: 'of things in pictures',
      request: { images: [picture, picture], seconds: 4 },
      url: `${base}/models/veo-3.0-generate-001:predictLongRunning`,
      headers: key,
      sent: {
        instances: [
          {
            prompt: 'a cat',
            referenceImages: [
              { image: video, referenceType: 'asset' },
              { image: video, referenceType: 'asset' },
            ],
          },
        ],
        parameters: { aspectRatio: '16:9', durationSeconds: 4 },
      },
      facts: { seconds: 4, size: '1280x720', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: name,
    },
  ],
  poll: { vendorId: name, url: `${base}/${name}` },
  polls: [
    { answer: 'video-running.json', update: { state: 'in_progress' } },
    {
      answer: 'video-done.json',
      update: { state: 'succeeded', result: { url: `${base}/files/f1:download?alt=media` } },
    },
    {
      answer: 'video-filtered.json',
      update: {
        state: 'failed',
        vendorStatus: 'filtered',
        reason: 'We could not make a video of this prompt because of our rules.',
      },
    },
    {
      answer: 'video-failed.json',
      update: { state: 'failed', reason: 'Video generation failed for an internal reason.' },
    },
    { answer: 'video-running.json', status: 404, update: { state: 'failed', vendorStatus: 'gone' } },
  ],
  content: {
    result: { url: `${base}/files/f1:download?alt=media` },
    url: `${base}/files/f1:download?alt=media`,
    key: 'test-channel-key',
  },
  refused: [
    [{ seconds: 20 }, 'Veo makes no video of 20 seconds, but of 4–8'],
    [{ size: '720x720' }, 'Veo makes no video of 720x720'],
    [{ remixOf: 'x' }, 'Veo has no word for remix'],
  ],
  failures: [
    {
      answer: { error: { code: 400, message: 'bad prompt', status: 'INVALID_ARGUMENT' } },
      status: 400,
      shown: 400,
      blame: 'caller',
    },
    {
      answer: {
        error: { code: 400, message: 'API key not valid. Please pass one.', status: 'INVALID_ARGUMENT' },
      },
      status: 400,
      shown: 400,
      blame: 'channel',
    },
  ],
});
