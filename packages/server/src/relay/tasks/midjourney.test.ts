import { describe, expect, it } from 'vitest';
import { RelayError } from '../types/index.ts';
import { buttonAction, simpleChange, withoutSpeed } from './midjourney-actions.ts';
import { midjourneyTasks } from './midjourney.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe("the action of a drawing's button", () => {
  it.each([
    ['MJ::JOB::upsample::2::uuid', { action: 'UPSCALE', index: 2 }],
    ['MJ::JOB::variation::4::uuid', { action: 'VARIATION', index: 4 }],
    ['MJ::JOB::low_variation::1::uuid::SOLO', { action: 'LOW_VARIATION', index: 1 }],
    ['MJ::JOB::high_variation::1::uuid::SOLO', { action: 'HIGH_VARIATION', index: 1 }],
    ['MJ::JOB::pan_left::1::uuid::SOLO', { action: 'PAN', index: 1 }],
    ['MJ::JOB::reroll::0::uuid::SOLO', { action: 'REROLL', index: 0 }],
    ['MJ::Outpaint::50::1::uuid::SOLO', { action: 'ZOOM', index: 0 }],
    ['MJ::CustomZoom::uuid', { action: 'CUSTOM_ZOOM', index: 0 }],
    ['MJ::Inpaint::1::uuid::SOLO', { action: 'INPAINT', index: 0 }],
    ['something else', undefined],
  ])('%s', (customId, action) => {
    expect(buttonAction(customId)).toEqual(action);
  });

  it.each([
    ['17 U2', { taskId: '17', action: 'UPSCALE', index: 2 }],
    ['task_x v4', { taskId: 'task_x', action: 'VARIATION', index: 4 }],
    ['17 R', { taskId: '17', action: 'REROLL', index: 0 }],
    ['17 U5', undefined],
    ['17', undefined],
  ])('in a short line: %s', (content, asked) => {
    expect(simpleChange(content)).toEqual(asked);
  });

  it('removes speed options from a prompt, and no other words', () => {
    expect(withoutSpeed('a cat --fast --ar 1:1 --turbo')).toBe('a cat --ar 1:1');
    expect(withoutSpeed('a  --relax\n\t--fast  cat')).toBe('a  cat');
    // A search that starts at each blank would take minutes.
    expect(withoutSpeed(`a${' '.repeat(1_000_000)}cat --fast`)).toHaveLength(1_000_004);
  });
});

describe('an answer of midjourney-proxy', () => {
  it.each([1, 21, 22])('accepts a task with code %i', (code) => {
    expect(midjourneyTasks.readSubmit(200, json({ code, result: '17' }))).toMatchObject({ vendorId: '17' });
  });

  it.each([
    [3, 400, 'channel'],
    [4, 400, 'caller'],
    [23, 400, 'caller'],
    [24, 400, 'caller'],
  ])('refuses with code %i', (code, status, blame) => {
    const read = midjourneyTasks.readSubmit(200, json({ code, description: 'no', result: '' }));
    expect(read).toBeInstanceOf(RelayError);
    expect(read).toMatchObject({ status, blame, message: 'no', original: { code } });
  });

  it('of a full queue is passed on with the message and code that clients know', () => {
    const read = midjourneyTasks.readSubmit(200, json({ code: 30, description: 'no', result: '' }));
    if (!(read instanceof RelayError)) throw new Error('it was taken');
    expect(read).toMatchObject({ status: 429, blame: 'caller', original: { code: 30 } });
    expect(read.in('zh').message).toBe('当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。');
    expect(read.in('en').message).toContain('saturated');
  });

  it('has the states of many tasks', () => {
    const read = midjourneyTasks.readPoll(
      200,
      json([
        { id: '1', status: 'IN_PROGRESS', progress: '40%' },
        { id: 2, status: 'SUCCESS', progress: '100%', imageUrl: 'https://x/y.png' },
        { id: '3', status: 'FAILURE', failReason: 'banned' },
        { id: '4', status: 'MODAL' },
      ]),
    );
    if (read instanceof RelayError) throw read;
    expect(read.get('1')).toMatchObject({ state: 'in_progress', progress: 40 });
    expect(read.get('2')).toMatchObject({ state: 'succeeded' });
    expect(read.get('3')).toMatchObject({ state: 'failed', reason: 'banned' });
    expect(read.get('4')).toMatchObject({ state: 'in_progress', vendorStatus: 'MODAL' });
  });

  it('of any other form changes nothing', () => {
    expect(midjourneyTasks.readPoll(200, json({ code: 4 }))).toBeInstanceOf(RelayError);
    expect(midjourneyTasks.readPoll(502, Buffer.from('oops'))).toBeInstanceOf(RelayError);
  });
});
