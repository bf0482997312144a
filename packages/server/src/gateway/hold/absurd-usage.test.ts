import { afterAll, beforeAll, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import { usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
const model = 'gpt-4o-mini';

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 0.075 }));
  await gate.addChannel({ models: model });
});
afterAll(() => gate.close());

it.each([
  ['1e20 tokens of input', usageBody(1e20, 5)],
  ['a billion tokens of output', usageBody(10, 1_000_000_000)],
  ['2^63 as a number', usageBody(2 ** 63, 2 ** 63)],
  ['a billion searches', { ...usageBody(10, 5), server_tool_use: { web_search_requests: 1_000_000_000 } }],
])(
  'a vendor who reports %s takes nobody’s balance: the call is counted here, and its row says so',
  async (_what, usage) => {
    for (const stream of [false, true]) {
      const caller = await gate.addCaller({ balance: 5_000_000 });
      gate.upstream.next(chat({ usage, usageWhen: 'always' }));
      const answer = await fetch(`${gate.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
      });
      expect(await answer.text()).toContain('word4');
      await gate.core.ledger.flush();
      const { rows } = await logs.list(
        gate.core.store.db,
        { userId: caller.userId },
        { offset: 0, limit: 1 },
      );
      expect(rows[0]!.quota).toBeLessThan(100);
      expect(JSON.parse(rows[0]!.other)).toMatchObject({ usage_source: 'counted' });
      expect(await gate.balanceOf(caller)).toEqual({ balance: 5_000_000 - rows[0]!.quota, held: 0 });
    }
    expect(await gate.findings()).toEqual([]);
  },
);
