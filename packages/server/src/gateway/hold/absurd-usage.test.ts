import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JsonObject, textOf } from '../../lib/json.ts';
import { logs } from '../../store/index.ts';
import { chat, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
const model = 'gpt-4o-mini';

const claude = 'claude-test';

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 0.075, [claude]: 1 }));
  await gate.addChannel({ models: model });
  await gate.addChannel({ type: 14, models: claude });
});
afterAll(() => gate.close());

it.each([
  ['1e20 tokens of input', usageBody(1e20, 5)],
  ['a billion tokens of output', usageBody(10, 1_000_000_000)],
  ['2^63 as a number', usageBody(2 ** 63, 2 ** 63)],
  ['a billion searches', { ...usageBody(10, 5), server_tool_use: { web_search_requests: 1_000_000_000 } }],
])(
  'a vendor that reports %s empties no balance: the call is counted by the gateway, and its row shows it',
  async (_what, usage) => {
    for (const [stream, atOnce] of [
      [false, true],
      [true, false],
      [true, true],
    ] as const) {
      const caller = await gate.addCaller({ balance: 5_000_000 });
      gate.upstream.next(chat({ usage, usageWhen: 'always', atOnce }));
      const answer = await fetch(`${gate.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
      });
      const text = await answer.text();
      expect(text).toContain('word4');
      expect(text).toContain(stream ? 'data: [DONE]' : '"finish_reason":"stop"');
      await gate.core.ledger.flush();
      const { rows } = await logs.list(
        gate.core.store.db,
        { userId: caller.userId },
        { offset: 0, limit: 1 },
      );
      expect(rows[0]!.quota).toBeLessThan(100);
      expect(JSON.parse(rows[0]!.other)).toMatchObject({ usage_source: 'counted', end_reason: 'complete' });
      expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000 - rows[0]!.quota, held: 0 });
    }
    expect(await gate.findings()).toEqual([]);
  },
);

it('the same for one that reports too much input and then breaks off', async () => {
  const caller = await gate.addCaller({ balance: 5_000_000 });
  const hasRead = Promise.withResolvers<void>();
  const line = (data: JsonObject) => `event: ${textOf(data.type)}\ndata: ${JSON.stringify(data)}\n\n`;
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1e12 } };
  gate.upstream.next(async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.write(
      line({ type: 'message_start', message }) +
        line({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
        line({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word' } }),
    );
    await hasRead.promise;
    exchange.cut();
  });
  const answer = await fetch(`${gate.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': caller.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: claude,
      max_tokens: 9,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
  let text = '';
  for await (const piece of answer.body!) {
    text += Buffer.from(piece).toString();
    if (text.includes('word')) hasRead.resolve();
  }
  expect(text).toContain('upstream broke off');
  await gate.core.ledger.flush();
  const { balance, held } = await gate.readBalance(caller);
  expect(held).toBe(0);
  expect(5_000_000 - balance).toBeGreaterThan(0);
  expect(5_000_000 - balance).toBeLessThan(100);
  expect(await gate.findings()).toEqual([]);
});
