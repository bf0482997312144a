import { expect, it } from 'vitest';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { sendTools } from '../../../testing/protocols/send-tools.ts';
import { address, describeVideo } from '../../../testing/wire/video-tests.ts';
import { minimax } from './index.ts';

const base = 'https://api.minimax.chat/v1';
const file = {
  file: { file_id: 176, bytes: 5, filename: 'f.mp4', download_url: 'https://videos.test/h.mp4' },
};

describeVideo(minimax, {
  folder: import.meta.dirname,
  model: 'MiniMax-Hailuo-02',
  tools: {
    ask: ({ url }) =>
      Promise.resolve({
        status: 200,
        body: Buffer.from(url.includes('retrieve') ? JSON.stringify(file) : '{}'),
      }),
  },
  videos: [
    {
      name: 'from words',
      request: { extra: { prompt_optimizer: false } },
      url: `${base}/video_generation`,
      sent: {
        model: 'MiniMax-Hailuo-02',
        prompt: 'a cat',
        duration: 6,
        resolution: '768P',
        prompt_optimizer: false,
      },
      facts: { seconds: 6, size: '1366x768', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: '106916112212032',
    },
    {
      name: 'between two pictures',
      request: { seconds: 6, size: '1920x1080', image: address, images: [address] },
      url: `${base}/video_generation`,
      sent: {
        model: 'MiniMax-Hailuo-02',
        prompt: 'a cat',
        duration: 6,
        resolution: '1080P',
        first_frame_image: 'https://pictures.test/first.png',
        last_frame_image: 'https://pictures.test/first.png',
      },
      facts: { seconds: 6, size: '1920x1080', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: '106916112212032',
    },
  ],
  poll: { vendorId: '1069', url: `${base}/query/video_generation?task_id=1069` },
  polls: [
    { answer: 'video-running.json', update: { state: 'in_progress' } },
    { answer: 'video-done.json', update: { state: 'succeeded', result: { file_id: '176844028768320' } } },
    { answer: 'video-moderated.json', update: { state: 'failed', reason: 'output new_sensitive' } },
  ],
  content: { result: { file_id: '176' }, url: 'https://videos.test/h.mp4' },
  refused: [
    [{ seconds: 8 }, 'Hailuo makes no video of 8 seconds'],
    [{ seconds: 10, size: '1920x1080' }, 'Hailuo makes no video of 10 seconds'],
    [{ seed: 1, negativePrompt: 'x' }, 'negative_prompt'],
  ],
  failures: [
    { answer: 'video-refused.json', status: 200, shown: 400, blame: 'caller' },
    {
      answer: { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
      status: 200,
      shown: 402,
      blame: 'channel',
    },
  ],
});

it('reports that a video is missing where MiniMax gives no address', async () => {
  const channel = buildChannel({ type: 35, baseUrl: minimax.baseUrl });
  const tools = sendTools({ ask: () => Promise.resolve({ status: 200, body: Buffer.from('{}') }) });
  const task = { vendorId: '1', model: 'm', result: { file_id: '176' } };
  const asked = async () => minimax.tasks!.video!.content(task, channel, tools);
  await expect(asked()).rejects.toMatchObject({ code: 'bad_response_body' });
});
