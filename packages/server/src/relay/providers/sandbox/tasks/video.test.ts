import { describe, expect, it } from 'vitest';
import { buildChannel } from '../../../../testing/protocols/build-relay.ts';
import { sendTools } from '../../../../testing/protocols/send-tools.ts';
import { picture } from '../../../../testing/wire/video-tests.ts';
import { RelayError, type TaskUpdate, type VideoRequest } from '../../../types/index.ts';
import { sandbox } from '../index.ts';

const { video, local } = sandbox.tasks!;
const vendor = video!;
const channel = buildChannel({ type: sandbox.type, baseUrl: sandbox.baseUrl });
const start = Date.UTC(2026, 0, 2);

async function begin(more: Partial<VideoRequest> = {}): Promise<string> {
  const request: VideoRequest = { model: 'sandbox-video', prompt: 'a cat', extra: {}, ...more };
  expect(vendor.refuses?.(request)).toBeUndefined();
  const answer = local!(await vendor.submit(request, channel, sendTools()), start);
  const accepted = vendor.readSubmit(answer.status, answer.body, request);
  if (accepted instanceof RelayError) throw accepted;
  return accepted.vendorId;
}
const taskOf = (vendorId: string) => ({ vendorId, model: 'sandbox-video', result: {} });
async function after(ms: number, vendorId: string): Promise<TaskUpdate | RelayError> {
  const answer = local!(await vendor.poll(taskOf(vendorId), channel, sendTools()), start + ms);
  return vendor.readPoll(answer.status, answer.body);
}
async function readBytes(vendorId: string): Promise<Buffer> {
  const answer = local!(await vendor.content(taskOf(vendorId), channel, sendTools()), start + 9_000);
  expect(answer).toMatchObject({ status: 200, contentType: 'video/webm' });
  return answer.body;
}

describe('a video of the sandbox', () => {
  it('is queued, is made and is finished, by the clock', async () => {
    const id = await begin({ seconds: 8, size: '1280x720' });
    expect(await after(500, id)).toMatchObject({ state: 'queued' });
    expect(await after(2_000, id)).toMatchObject({ state: 'in_progress', progress: 50 });
    expect(await after(4_000, id)).toMatchObject({ state: 'succeeded', seconds: 8 });
  });

  it('takes longer, or fails, by the name of its model', async () => {
    expect(await after(30_000, await begin({ model: 'sandbox-video-slow' }))).toMatchObject({
      state: 'in_progress',
      progress: 50,
    });
    expect(await after(4_000, await begin({ model: 'sandbox-video-fail' }))).toMatchObject({
      state: 'failed',
      reason: 'sandbox_failure: the sandbox plays a video that fails',
    });
  });

  it.each([4, 8, 12, 16, 20])('of %d s is a WebM of exactly that length', async (seconds) => {
    const id = await begin({ seconds });
    expect(await after(4_000, id)).toMatchObject({ seconds });
    const film = await readBytes(id);
    expect(film.subarray(0, 4).toString('hex')).toBe('1a45dfa3');
    const at = film.indexOf(Buffer.from('4489', 'hex'));
    expect(film.readDoubleBE(at + 10)).toBe(seconds * 1_000);
  });

  it('can begin with a picture, be remixed, and be deleted', async () => {
    const id = await begin({ image: picture, seconds: 12 });
    expect(await after(9_000, id)).toMatchObject({ seconds: 12 });
    const anew = await begin({ remixOf: id, prompt: 'a dog' });
    expect(await after(9_000, anew)).toMatchObject({ seconds: 12 });
    const removal = await vendor.remove!(taskOf(id), channel, sendTools());
    expect(local!(removal, start).status).toBe(200);
  });

  it('of another user does not exist', async () => {
    expect(await after(0, 'video_x')).toMatchObject({ state: 'failed', vendorStatus: 'gone' });
  });
});
