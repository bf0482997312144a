import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel();
});
afterAll(() => gate.close());

/** Hold on a caller's balance while the upstream works on the request. */
async function heldFor(caller: TestCaller, fields: object): Promise<number> {
  let answer!: () => void;
  const until = new Promise<void>((resolve) => (answer = resolve));
  const index = gate.upstream.requests.length;
  gate.upstream.next(async (exchange) => {
    await until;
    exchange.head(500, {});
    await exchange.end();
  });
  const done = fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-4o-mini',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
      ...fields,
    }),
  });
  await gate.upstream.arrived(index);
  await gate.core.ledger.flush();
  const { held } = await gate.readBalance(caller);
  answer();
  await (await done).text();
  return held;
}

describe('the option PreConsumedQuota', () => {
  it('holds at least that many tokens where the caller set no bound, and refuses no caller for it', async () => {
    // No caller here has a balance that raises the first hold above the minimum.
    const few = async () => gate.addCaller({ balance: 8_000 });
    const usual = await heldFor(await few(), {});
    await gate.core.settings.set('PreConsumedQuota', '20000');
    // gpt-4o-mini: 0.075 quota units per input token, four times as much per output token.
    expect(await heldFor(await few(), {})).toBeGreaterThanOrEqual(20_000 * 0.3);
    expect(usual).toBeLessThan(2_500 * 0.3 + 8_000 / 8);
    expect(await heldFor(await few(), { max_tokens: 100 }), 'a bound of the caller counts').toBeLessThan(
      100 * 0.3 + 8_000 / 8 + 10,
    );
    const poor = await gate.addCaller({ balance: 300 });
    expect(await heldFor(poor, {}), 'as far as the balance goes').toBe(300);
  });
});
