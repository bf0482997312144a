import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTokenCounter } from '../../lib/token-count/token-counter.ts';
import { countText } from '../../relay/token-count.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';

// More letters than the counter reads. The first are easy to estimate, the last are not.

const model = 'gpt-4-long';
const parts = [
  'one two three four five '.repeat(20_850),
  'one two three four five '.repeat(20_850),
  '龘靐'.repeat(50_000),
];
const counter = createTokenCounter();
let gate: GatewayHarness;
let cost = 0;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: model });
  const one = JSON.stringify({ [model]: 1 });
  await gate.core.settings.setMany({ ModelRatio: one, CompletionRatio: one });
  const counts = await Promise.all(parts.map((part) => countText(counter, part, model)));
  cost = counts.reduce((sum, tokens) => sum + tokens, 0);
  gate.upstream.script(json(chatBody(model, 'Yes.', usageBody(cost, 2))));
});
afterAll(async () => {
  await gate.close();
  await counter.close();
});

it.each([
  [0.9, 403],
  [2, 200],
])(
  'a long prompt is sent on a balance of %f of its cost: %i',
  async (share, status) => {
    const balance = Math.ceil(cost * share);
    // The estimate from the beginning is less than the smallest of these balances.
    expect(await countText(counter, parts.join(''), model)).toBeLessThan(cost * 0.9);
    const caller = await gate.addCaller({ balance });
    const before = gate.upstream.requests.length;
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: parts.join('') }] }),
    });
    await answer.arrayBuffer();
    expect(answer.status).toBe(status);
    expect(gate.upstream.requests.length - before).toBe(status === 200 ? 1 : 0);
    await gate.core.ledger.flush();
    const paid = status === 200 ? cost + 2 : 0;
    expect(await gate.readBalance(caller)).toEqual({ balance: balance - paid, held: 0 });
  },
  60_000,
);
