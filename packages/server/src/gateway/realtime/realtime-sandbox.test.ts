import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';

let gate: GatewayHarness;
let caller: TestCaller;
beforeAll(async () => {
  gate = await openGateway({ STREAMING_TIMEOUT: '1' });
  await gate.addChannel({
    type: 9001,
    base_url: '',
    models: 'sandbox,sandbox-cut,sandbox-stall,sandbox-fail-500,sandbox-no-usage',
  });
  caller = await gate.addCaller();
});
afterAll(() => gate.close());
afterEach(async () => {
  await vi.waitFor(async () => expect(await gate.openHolds()).toBe(0), { timeout: 20_000 });
  expect(await gate.findings()).toEqual([]);
});

const open = (model: string): Promise<RealtimeClient> =>
  RealtimeClient.open(`${gate.url.replace('http', 'ws')}/v1/realtime?model=${model}`, {
    headers: { authorization: `Bearer ${caller.key}` },
  });

const say = (client: RealtimeClient, text: string): void => {
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  client.send({ type: 'conversation.item.create', item });
};

describe('the sandbox’s sockets', () => {
  it('echo text in the events of a vendor, and bill what they report', async () => {
    const before = (await gate.readBalance(caller)).balance;
    const client = await open('sandbox');
    expect(await client.next('session.created')).toMatchObject({ session: { model: 'sandbox' } });
    say(client, 'Hello there');
    const { response } = (await client.respond()) as { response?: { usage?: Record<string, number> } };
    const heard = client.events.flatMap(({ type, delta }) =>
      type === 'response.output_text.delta' ? [delta] : [],
    );
    expect(heard.join('')).toBe('This is the sandbox, not a model. You wrote 2 tokens: "Hello there"');
    expect(response?.usage).toMatchObject({ input_tokens: 2, output_tokens: heard.length });
    // The sandbox has a ratio of 1, and a completion ratio of 1.
    expect((await gate.readBalance(caller)).balance).toBe(before - 2 - heard.length);
    await client.leave();
  });

  it('simulate the vendor’s failures', async () => {
    await expect(open('sandbox-fail-500')).rejects.toMatchObject({ status: 500 });
    for (const model of ['sandbox-cut', 'sandbox-stall']) {
      const client = await open(model);
      client.send({ type: 'response.create' });
      expect((await client.next('error'))['error']).toMatchObject({ code: 'upstream_broken' });
      expect((await client.closed).code).toBe(1011);
    }
    const silent = await open('sandbox-no-usage');
    say(silent, 'Hello');
    expect((await silent.respond())['response']).toMatchObject({ usage: null });
    await silent.leave();
  });

  it('lose no event of a client that sends faster than they answer', async () => {
    const client = await open('sandbox');
    const asked = 400;
    for (let index = 0; index < asked; index += 1) client.send({ type: 'session.update', session: {} });
    for (let index = 0; index < asked; index += 1) await client.next('session.updated');
    client.ws.send('no json');
    await client.leave();
    expect(client.events.map(({ type }) => type)).toEqual(['session.created', 'error']);
  });
});
