import OpenAI from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../store/each-dialect.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { typedEvents } from '../../testing/upstream/fake-upstream-media.ts';

const model = 'claude-sonnet-4-5';
const longest = { timeout: 20_000 };

eachDialect('a response in the background that runs in another process', ({ open, url }) => {
  let first: GatewayHarness;
  let other: GatewayHarness;
  let caller: TestCaller;
  let goOn: () => void;
  const clientOf = (gate: GatewayHarness): OpenAI =>
    new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });

  beforeEach(async () => {
    await (await open()).close();
    first = await openGateway({ DATABASE_URL: url() });
    await first.addChannel({ type: 14, models: model });
    await first.core.settings.set('StoredResponseDays', '1');
    await first.core.settings.set('ModelRatio', JSON.stringify({ [model]: 10 }));
    other = await openGateway({ DATABASE_URL: url() });
    caller = await first.addCaller();
    const { promise, resolve } = Promise.withResolvers<void>();
    goOn = resolve;
    const text = (words: string) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: words },
    });
    first.upstream.next(
      typedEvents(
        {
          type: 'message_start',
          message: { id: 'msg_1', role: 'assistant', usage: { input_tokens: 30, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        text('One two three '),
        promise,
        text('four.'),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
        { type: 'message_stop' },
      ),
    );
  });
  afterEach(async () => {
    goOn();
    for (const { relay, core } of [first, other]) {
      await expect.poll(() => relay.gateway.running.size, longest).toBe(0);
      await core.ledger.flush();
    }
    expect(await first.openHolds()).toBe(0);
    expect(await first.findings()).toEqual([]);
    await first.close();
    await other.close();
  });

  /** Begins the response and waits for its first words. */
  async function begin(): Promise<string> {
    const asked = { model, input: 'Count.', background: true, stream: true } as const;
    const stream = await clientOf(first).responses.create(asked);
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') ({ id } = event.response);
      if (event.type === 'response.output_text.delta') break;
    }
    stream.controller.abort();
    return id;
  }
  const resume = async (gate: GatewayHarness, id: string): Promise<{ type: string }[]> => {
    const events = [];
    for await (const event of await clientOf(gate).responses.retrieve(id, { stream: true }))
      events.push(event);
    return events;
  };
  const charged = async (): Promise<number> => 5_000_000 - (await first.readBalance(caller)).balance;

  it('is read and resumed there while it runs, and is charged once', async () => {
    const id = await begin();
    expect(await clientOf(other).responses.retrieve(id)).toMatchObject({ status: 'in_progress' });
    const readers = [resume(first, id), resume(other, id), resume(other, id)];
    goOn();
    const [here, ...there] = await Promise.all(readers);
    for (const events of there) expect(events).toEqual(here);
    expect(here!.at(-1)).toMatchObject({ type: 'response.completed' });
    // 30 tokens in and 20 out at the ratio 10, with the completion ratio of its model.
    expect(await charged()).toBe(10 * (30 + 5 * 20));
  });

  it('is cancelled from there', async () => {
    const id = await begin();
    expect(await clientOf(other).responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect((await resume(first, id)).at(-1)).toMatchObject({ type: 'response.cancelled' });
    expect(await charged()).toBeLessThan(10 * (30 + 5 * 20));
  });

  it('has failed for its readers once recovery has charged what a dead process delivered', async () => {
    const id = await begin();
    await other.core.ledger.recoverDead(first.core.node);
    const marked = await charged();
    const events = await resume(other, id);
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    expect(JSON.stringify(events)).toContain('One two three');
    expect(await charged()).toBe(marked);
  });
});
