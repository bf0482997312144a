import type { JsonObject } from '../../../lib/json.ts';
import { postJson } from '../../tasks/kit/index.ts';
import { veoVideo } from '../../tasks/veo/index.ts';
import { type Channel, refuse, type SendTools, type VideoVendor } from '../../types/index.ts';
import { bucketIn, googleUrl, keyOrigins } from './address.ts';
import { isAccountKey, readAccount } from './key.ts';
import { buyToken } from './token.ts';

/**
 * Veo on Vertex puts its videos into a bucket, from where they are streamed: as a part of its answer a video would be
 * megabytes of text at each question. Only an account can read a bucket.
 */
function bucketOf(channel: Channel): JsonObject {
  const storageUri = bucketIn(channel.other);
  if (storageUri === '' || !isAccountKey(channel)) throw refuse('video_without_bucket');
  return { storageUri, sampleCount: 1 };
}

async function headers(channel: Channel, tools: SendTools): Promise<Record<string, string>> {
  const token = await tools.token('access', () => buyToken(readAccount(channel), tools));
  return { authorization: `Bearer ${token}` };
}

/** The operation is asked for where its model is. */
export const vertexVideo: VideoVendor = veoVideo({
  submitUrl: (channel, model) => googleUrl(channel, model, 'predictLongRunning'),
  poll: ({ vendorId, model }, channel, known) =>
    postJson(googleUrl(channel, model, 'fetchPredictOperation'), known, { operationName: vendorId }),
  headers,
  keyOrigins,
  parameters: bucketOf,
});
