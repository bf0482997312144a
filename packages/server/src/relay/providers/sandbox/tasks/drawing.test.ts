import { describe, expect, it } from 'vitest';
import { type JsonObject, textOf } from '../../../../lib/json.ts';
import { imageSize } from '../../../../lib/media/image-size.ts';
import { buildChannel } from '../../../../testing/protocols/build-relay.ts';
import { RelayError, type TaskUpdate } from '../../../types/index.ts';
import { sandbox } from '../index.ts';

const { drawing, local } = sandbox.tasks!;
const vendor = drawing!;
const channel = buildChannel({ type: sandbox.type, baseUrl: sandbox.baseUrl });
const start = Date.UTC(2026, 0, 2);

function submit(path: string, body: JsonObject, at = start) {
  const answer = local!(vendor.submit(path, body, channel), at);
  return vendor.readSubmit(answer.status, answer.body);
}
function begin(path: string, body: JsonObject, at = start): string {
  const accepted = submit(path, body, at);
  if (accepted instanceof RelayError) throw accepted;
  return accepted.vendorId;
}
function after(ms: number, id: string): TaskUpdate {
  const answer = local!(vendor.poll([id], channel), start + ms);
  const read = vendor.readPoll(answer.status, answer.body);
  if (read instanceof RelayError) throw read;
  return read.get(id)!;
}
const imagine = (prompt: string): string => begin('/mj/submit/imagine', { prompt });
const pictureOf = ({ result }: TaskUpdate): Buffer => {
  const [, base64 = ''] = textOf(result?.imageUrl).split('data:image/png;base64,');
  return Buffer.from(base64, 'base64');
};
const buttons = ({ result }: TaskUpdate): { customId: string; label: string }[] =>
  result?.buttons as { customId: string; label: string }[];

describe('a drawing of the sandbox', () => {
  it('is queued, is shown in progress, and is finished, by the clock', () => {
    const id = imagine('a cat');
    expect(after(500, id)).toMatchObject({ state: 'submitted' });
    const preview = after(2_000, id);
    expect(preview).toMatchObject({ state: 'in_progress', progress: 50 });
    const done = after(4_000, id);
    expect(done).toMatchObject({ state: 'succeeded', progress: 100 });
    expect(imageSize(pictureOf(done))).toEqual({ width: 512, height: 512 });
    expect(pictureOf(preview).equals(pictureOf(done))).toBe(false);
  });

  it('is one of the four when it is made larger: each index has its own, of the size of the whole', () => {
    const origin = imagine('a cat');
    const larger = [1, 2, 3, 4].map((index) =>
      pictureOf(after(4_000, begin('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index }))),
    );
    expect(new Set(larger.map((each) => each.toString('base64'))).size).toBe(4);
    for (const each of larger) expect(imageSize(each)).toEqual({ width: 512, height: 512 });
  });

  it('takes a minute, fails, or is refused, by a word of its prompt', () => {
    expect(after(30_000, imagine('a cat, sandbox-slow'))).toMatchObject({
      state: 'in_progress',
      progress: 50,
    });
    expect(after(4_000, imagine('sandbox-fail'))).toMatchObject({
      state: 'failed',
      reason: 'the sandbox plays a drawing that fails',
    });
    expect(submit('/mj/submit/imagine', { prompt: 'sandbox-refuse' })).toMatchObject({
      code: '24',
      status: 400,
    });
  });

  it('has buttons, each of which can be pressed', () => {
    const grid = after(4_000, imagine('a cat'));
    const names = buttons(grid).map(({ customId }) => customId);
    expect(names).toHaveLength(9);
    const origin = imagine('a cat');
    for (const customId of names) {
      const next = begin('/mj/submit/action', { taskId: origin, customId }, start + 9_000);
      expect(after(17_000, next), customId).toMatchObject({ state: 'succeeded' });
    }
    const larger = begin('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 2 });
    expect(buttons(after(4_000, larger)).map(({ label }) => label)).toContain('Zoom Out 2x');
  });

  it('waits for its mask where one is required, and is drawn with the call that has it', () => {
    const origin = imagine('a cat');
    const waiting = submit('/mj/submit/action', { taskId: origin, customId: 'MJ::Inpaint::1::x::SOLO' });
    if (waiting instanceof RelayError) throw waiting;
    expect(waiting.answer).toMatchObject({ code: 21 });
    expect(after(60_000, waiting.vendorId)).toMatchObject({ state: 'in_progress', vendorStatus: 'MODAL' });
    expect(after(16 * 60_000, waiting.vendorId)).toMatchObject({ state: 'failed' });
    const drawn = begin('/mj/submit/modal', { taskId: waiting.vendorId, prompt: 'a hat' });
    expect(after(4_000, drawn)).toMatchObject({ state: 'succeeded' });
  });

  it('can be described, and uploaded', () => {
    const described = begin('/mj/submit/describe', { base64: 'data:image/png;base64,x' });
    expect(after(4_000, described).result).toMatchObject({
      prompt: expect.stringContaining('hills') as string,
    });
    const uploaded = submit('/mj/submit/upload-discord-images', { base64Array: ['x', 'y'] });
    if (uploaded instanceof RelayError) throw uploaded;
    expect(uploaded.answer?.result).toHaveLength(2);
  });

  it('of another user does not exist', () => {
    const answer = local!(vendor.poll(['drawing_x'], channel), start);
    expect(vendor.readPoll(answer.status, answer.body)).toEqual(new Map());
  });
});
