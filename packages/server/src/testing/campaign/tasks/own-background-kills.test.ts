import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/fake-upstream.ts';
import { typedEvents } from '../../upstream/fake-upstream-media.ts';
import type { Child } from '../child.ts';
import { expectKilled, expectWholeBooks, KillWorld, stop } from './kill-world.ts';

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const model = 'claude-sonnet-4-5';
/** 1,000 tokens in and 100 out at the ratio 1, with the completion ratio of the model. */
const cost = 1_000 + 5 * 100;

describe('a process that dies with a response that the gateway runs itself', { timeout: slowMs }, () => {
  let upstream: FakeUpstream;
  let world: KillWorld;
  let begun = Promise.withResolvers<void>();
  const prepare = (): void => {
    begun = Promise.withResolvers<void>();
    upstream.script(answering());
  };
  const answering = () =>
    typedEvents(
      // Its caller has the id by then.
      begun.promise,
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', usage: { input_tokens: 1_000, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'The whole answer.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 100 } },
      { type: 'message_stop' },
    );
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    const channel = { type: 14, name: 'messages', key: 'sk-x', models: model, base_url: upstream.url };
    const settings = { StoredResponseDays: '1', ModelRatio: JSON.stringify({ [model]: 1 }) };
    world = await KillWorld.open('sqlite', [channel], settings);
  }, slowMs);
  afterAll(async () => {
    await world.close();
    await upstream.close();
  });
  /** Begins a response, which ends once its id is known; returns that. */
  async function begin(child: Child): Promise<string> {
    prepare();
    const { id } = await world.ask(child, '/v1/responses', { model, input: 'hi', background: true });
    begun.resolve();
    return typeof id === 'string' ? id : '';
  }
  const chargesOf = (id: string) => world.chargesOf(id.slice('resp_'.length));

  it('once it is charged: the next process has its whole answer, and charges nothing again', async () => {
    const child = await world.start('settled');
    const id = await begin(child);
    await expectKilled(child);
    const next = await world.start();
    const read = await world.ask(next, `/v1/responses/${id}`);
    expect(read).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(read)).toContain('The whole answer.');
    world.balance -= cost;
    expect(await chargesOf(id)).toEqual([cost]);
    await expectWholeBooks(world);
    await stop(next);
  });

  it('before it is charged: it has failed, and recovery has charged no more than was delivered', async () => {
    const child = await world.start('before-settle');
    const id = await begin(child);
    await expectKilled(child);
    const next = await world.start();
    await expect
      .poll(async () => (await world.ask(next, `/v1/responses/${id}`))['status'], { timeout: 40_000 })
      .toBe('failed');
    const [charge = 0, ...more] = await chargesOf(id);
    expect(more).toEqual([]);
    expect(charge).toBeLessThan(cost);
    world.balance -= charge;
    await expectWholeBooks(world);
    await stop(next);
  });
});
