import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { soundSeconds } from '../../../../lib/media/sound-length.ts';
import { buildChannel } from '../../../../testing/protocols/build-relay.ts';
import { RelayError, type TaskUpdate } from '../../../types/index.ts';
import { sandbox } from '../index.ts';

const { music, local } = sandbox.tasks!;
const vendor = music!;
const channel = buildChannel({ type: sandbox.type, baseUrl: sandbox.baseUrl });
const start = Date.UTC(2026, 0, 2);

function submit(action: string, body: JsonObject) {
  const answer = local!(vendor.submit(`/suno/submit/${action}`, body, channel), start);
  return vendor.readSubmit(answer.status, answer.body);
}
function begin(action: string, body: JsonObject): string {
  const accepted = submit(action, body);
  if (accepted instanceof RelayError) throw accepted;
  return accepted.vendorId;
}
function after(ms: number, id: string): TaskUpdate {
  const answer = local!(vendor.poll([id], channel), start + ms);
  const read = vendor.readPoll(answer.status, answer.body);
  if (read instanceof RelayError) throw read;
  return read.get(id)!;
}
const clipsOf = ({ result }: TaskUpdate): { audio_url: string; image_url: string }[] =>
  result?.data as { audio_url: string; image_url: string }[];
const soundOf = ({ audio_url: url }: { audio_url: string }): Buffer =>
  Buffer.from(url.replace('data:audio/wav;base64,', ''), 'base64');

describe('a song of the sandbox', () => {
  it('is queued, is made, and is finished twice, as sounds with their length', async () => {
    const id = begin('MUSIC', { prompt: 'rain', mv: 'chirp-v3-0' });
    expect(after(500, id)).toMatchObject({ state: 'queued' });
    expect(after(2_000, id)).toMatchObject({ state: 'in_progress', progress: 50 });
    const done = after(4_000, id);
    expect(done).toMatchObject({ state: 'succeeded', progress: 100 });
    const [one, two] = clipsOf(done).map(soundOf);
    expect(await Promise.all([one!, two!].map(soundSeconds))).toEqual([2, 2]);
    expect(clipsOf(done)).toMatchObject([{ metadata: { duration: 2 } }, { metadata: { duration: 2 } }]);
    expect(one!.equals(two!)).toBe(false);
  });

  it('has the requested title, cut where it is long', () => {
    const titleOf = (title: string) =>
      (clipsOf(after(9_000, begin('MUSIC', { prompt: 'rain', title })))[0] as { title?: string }).title;
    expect(titleOf('雨_Rain – 1')).toBe('雨_Rain – 1');
    expect(titleOf('雨'.repeat(40))).toBe('雨'.repeat(32));
    expect(titleOf('')).toMatch(/^Sandbox song \d+$/);
  });

  it('can be lyrics alone', () => {
    expect(after(4_000, begin('LYRICS', { prompt: 'rain' }))).toMatchObject({
      state: 'succeeded',
      result: { data: { text: expect.stringContaining('[Verse]') as string } },
    });
  });

  it('takes a minute, fails, or is refused, by a word of the prompt', () => {
    expect(after(30_000, begin('MUSIC', { gpt_description_prompt: 'sandbox-slow' }))).toMatchObject({
      state: 'in_progress',
      progress: 50,
    });
    expect(after(4_000, begin('MUSIC', { mv: 'sandbox-fail' }))).toMatchObject({
      state: 'failed',
      reason: 'the sandbox plays a song that fails',
    });
    expect(submit('MUSIC', { prompt: 'sandbox-refuse' })).toMatchObject({ status: 400 });
  });
});
