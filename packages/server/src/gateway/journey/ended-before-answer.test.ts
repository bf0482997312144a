import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stallBeforeHeaders } from '../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel();
});
afterAll(() => gate.close());

describe('a call that ends before its answer began', () => {
  it('is answered like any other: with its request id, and with CORS headers', async () => {
    const { key } = await gate.addCaller();
    gate.upstream.script(stallBeforeHeaders());
    const answer = fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'x' }] }),
    });
    await gate.upstream.arrived(0);
    gate.relay.gateway.running.endAll();
    const { status, headers } = await answer;
    expect(status).toBe(503);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-tollgate-request-id')).toMatch(/^\d{14}/);
  });
});
