import { expect, it } from 'vitest';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { sendTools } from '../../../testing/protocols/send-tools.ts';
import { describeVideo } from '../../../testing/wire/video-tests.ts';
import { vertex } from './index.ts';

const account = JSON.stringify({ project_id: 'p1', client_email: 'e@p1.test', private_key: 'k' });
const other = '{"default":"us-central1","storageUri":"gs://videos/out"}';
const model = 'veo-3.0-generate-001';
const base = `https://us-central1-aiplatform.googleapis.com/v1/projects/p1/locations/us-central1/publishers/google/models/${model}`;
const operation = `projects/p1/locations/us-central1/publishers/google/models/${model}/operations/op2`;
const stored = 'https://storage.googleapis.com/videos/out/sample_0.mp4';

describeVideo(vertex, {
  folder: import.meta.dirname,
  model,
  channel: { key: account, other, baseUrl: '' },
  tools: { token: () => Promise.resolve('test-channel-key') },
  videos: [
    {
      name: 'into the bucket of the channel',
      request: { seconds: 6 },
      url: `${base}:predictLongRunning`,
      sent: {
        instances: [{ prompt: 'a cat' }],
        parameters: {
          aspectRatio: '16:9',
          durationSeconds: 6,
          storageUri: 'gs://videos/out',
          sampleCount: 1,
        },
      },
      facts: { seconds: 6, size: '1280x720', quality: 'standard' },
      answer: 'video-submit.json',
      vendorId: operation,
    },
  ],
  poll: {
    vendorId: operation,
    url: `${base}:fetchPredictOperation`,
    sent: { operationName: operation },
  },
  polls: [
    {
      answer: 'video-done.json',
      update: { state: 'succeeded', result: { url: 'gs://videos/out/sample_0.mp4' } },
    },
  ],
  content: {
    result: { url: 'gs://videos/out/sample_0.mp4' },
    url: stored,
    key: 'Bearer test-channel-key',
  },
  refused: [[{ seconds: 20 }, 'makes no video of 20 seconds']],
  failures: [{ answer: { error: { code: 403, message: 'no' } }, status: 403, shown: 403, blame: 'channel' }],
});

it('makes no video on a channel without a bucket, because the answers would have the video as text', async () => {
  const channel = buildChannel({ type: 41, key: account, other: 'us-central1', baseUrl: '' });
  const request = { model, prompt: 'a cat', extra: {} };
  await expect(vertex.tasks!.video!.submit(request, channel, sendTools())).rejects.toMatchObject({
    code: 'cannot_translate',
    blame: 'channel',
  });
});
