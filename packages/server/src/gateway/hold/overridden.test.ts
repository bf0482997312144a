import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

// Additions to a request by a channel's override are held before the request to the channel, like fields of the
// caller.

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway();
  // Each token costs one unit.
  await gate.core.settings.setMany({
    ModelRatio: JSON.stringify({ more: 1, longer: 1, operated: 1, cooler: 1, next: 1 }),
    CompletionRatio: JSON.stringify({ more: 1, longer: 1, operated: 1, cooler: 1, next: 1 }),
    RetryTimes: '1',
  });
  const add = (models: string, override: object, more: object = {}) =>
    gate.addChannel({ name: models, models, param_override: JSON.stringify(override), ...more });
  await add('more', { n: 100 });
  await add('longer', { messages: [{ role: 'user', content: 'long '.repeat(2_000) }] });
  await add('operated', { operations: [{ mode: 'set', path: 'n', value: 100 }] });
  await add('cooler', { temperature: 0, operations: [{ mode: 'delete', path: 'n' }] });
  await add('next', {}, { priority: 5 });
  await add('next', { n: 100 });
});
afterAll(async () => {
  await gate.checkAtRest();
  await gate.close();
});

const ask = (key: string, model: string) =>
  fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] }),
  });

/** Enough for the caller's request, and too little for the overridden request. */
const balance = 400;

it.each(['more', 'longer', 'operated'])(
  'a channel with %s is not asked without that quota',
  async (model) => {
    const caller = await gate.addCaller({ balance });
    const before = gate.upstream.requests.length;
    const refused = await ask(caller.key, model);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('insufficient')]);
    expect(gate.upstream.requests.length).toBe(before);
    expect(await gate.readBalance(caller)).toEqual({ balance, held: 0 });
    const rich = await gate.addCaller();
    expect((await ask(rich.key, model)).status).toBe(200);
  },
);

it('a further channel is not asked without that quota either', async () => {
  const caller = await gate.addCaller({ balance });
  const before = gate.upstream.requests.length;
  gate.upstream.next('refuse-500');
  expect((await ask(caller.key, 'next')).status).toBe(403);
  expect(gate.upstream.requests.length).toBe(before + 1);
});

it('a channel whose override costs nothing needs no more than the caller', async () => {
  const caller = await gate.addCaller({ balance });
  const answer = await ask(caller.key, 'cooler');
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
});
