import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

// A process that has cached a key as valid notices at the next call that its balance is empty, and its refusal is the
// same as that of every other process.

let gate: GatewayHarness;
/** $0.00002 per call, in quota units. */
const priceOfCall = 10;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'flat' });
  await gate.core.settings.set('ModelPrice', JSON.stringify({ flat: 0.00002 }));
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

const messages = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

it.each<[string, object]>([
  ['/v1/chat/completions', { model: 'flat', messages }],
  ['/v1/chat/completions', { model: 'flat', messages, stream: true }],
  ['/v1/completions', { model: 'flat', prompt: 'hi' }],
  ['/v1/responses', { model: 'flat', input: 'hi' }],
  ['/v1/messages', { model: 'flat', max_tokens: 5, messages }],
  ['/v1beta/models/flat:generateContent', { contents }],
  ['/v1/embeddings', { model: 'flat', input: 'hi' }],
  ['/v1/images/generations', { model: 'flat', prompt: 'hi' }],
  ['/v1/audio/speech', { model: 'flat', input: 'hi', voice: 'alloy' }],
  ['/v1/rerank', { model: 'flat', query: 'hi', documents: ['a'] }],
])('a key whose last unit is spent is refused with that reason at %s', async (path, body) => {
  const caller = await gate.addCaller({ allowance: priceOfCall });
  const send = (to: string, what: object) =>
    fetch(`${gate.url}${to}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(what),
    });
  const spent = await send('/v1/chat/completions', { model: 'flat', messages });
  expect([spent.status, await spent.text()]).toEqual([200, expect.any(String)]);
  await gate.core.ledger.flush();
  const masked = `${caller.key.slice(0, 6)}***${caller.key.slice(-3)}`;
  const refused = await send(path, body);
  const words = `[${masked}] The quota of this API key is used up: token.RemainQuota = 0`;
  expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining(words)]);
});
