import { address, picture, describeVideo } from '../../../testing/wire/video-tests.ts';
import { doubaoVideo } from './index.ts';

const base = 'https://ark.cn-beijing.volces.com/api/v3/contents/generations/tasks';
const model = 'doubao-seedance-1-0-pro-250528';

describeVideo(doubaoVideo, {
  folder: import.meta.dirname,
  model,
  videos: [
    {
      name: 'from words',
      request: { extra: { watermark: false } },
      url: base,
      sent: {
        model,
        content: [{ type: 'text', text: 'a cat' }],
        resolution: '1080p',
        ratio: '16:9',
        duration: 5,
        watermark: false,
      },
      facts: { seconds: 5, size: '1920x1080', quality: 'standard' },
      answer: 'doubao-video-submit.json',
      vendorId: 'cgt-2026-abc',
    },
    {
      name: 'between a first and a last frame',
      request: { image: address, images: [address], seconds: 10, extra: { resolution: '480p' }, seed: 3 },
      url: base,
      sent: {
        model,
        content: [
          { type: 'text', text: 'a cat' },
          { type: 'image_url', image_url: { url: 'https://pictures.test/first.png' }, role: 'first_frame' },
          { type: 'image_url', image_url: { url: 'https://pictures.test/first.png' }, role: 'last_frame' },
        ],
        resolution: '480p',
        duration: 10,
        seed: 3,
      },
      facts: { seconds: 10, size: '854x480', quality: 'standard' },
      answer: 'doubao-video-submit.json',
      vendorId: 'cgt-2026-abc',
    },
    {
      name: 'of things in pictures',
      request: { images: [picture, picture] },
      url: base,
      parts: ['"role":"reference_image"', 'data:image/png;base64,'],
      facts: { seconds: 5, size: '1920x1080', quality: 'standard' },
      answer: 'doubao-video-submit.json',
      vendorId: 'cgt-2026-abc',
    },
  ],
  poll: { vendorId: 'cgt-2026-abc', url: `${base}/cgt-2026-abc` },
  polls: [
    { answer: 'doubao-video-running.json', update: { state: 'in_progress' } },
    {
      answer: 'doubao-video-done.json',
      update: { state: 'succeeded', seconds: 5, result: { url: 'https://videos.test/ark.mp4' } },
    },
    { answer: 'doubao-video-failed.json', update: { state: 'failed', vendorStatus: 'failed' } },
    { answer: 'doubao-video-failed.json', status: 404, update: { state: 'failed', vendorStatus: 'gone' } },
  ],
  content: { result: { url: 'https://videos.test/ark.mp4' }, url: 'https://videos.test/ark.mp4' },
  refused: [
    [{ prompt: 'a cat --dur 12' }, 'takes no --dur in a prompt: use the field seconds'],
    [{ prompt: 'a cat --resolution 1080p' }, 'use the field size'],
    [{ seconds: 60 }, 'Doubao makes no video of 60 seconds'],
    [{ extra: { frames: 289 } }, 'frames'],
  ],
  failures: [
    { answer: 'doubao-video-refused.json', status: 400, shown: 400, blame: 'caller' },
    { answer: { error: { message: 'no' } }, status: 401, shown: 401, blame: 'channel' },
  ],
});
