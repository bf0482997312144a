import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../store/each-dialect.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';

const balance = 5_000_000;
/** On a machine with much else to do. */
const longest = { timeout: 10_000 };

eachDialect('a process that is frozen for more than a minute with an idempotent call', ({ open, url }) => {
  let frozen: GatewayHarness;
  let other: GatewayHarness;
  let caller: TestCaller;

  beforeEach(async () => {
    await (await open()).close();
    frozen = await openGateway({ DATABASE_URL: url() });
    await frozen.addChannel();
    await frozen.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-mini': 10 }));
    other = await openGateway({ DATABASE_URL: url() });
    caller = await frozen.addCaller({ balance });
  });
  afterEach(async () => {
    await frozen.close();
    await other.close();
  });

  const ask = async (gate: GatewayHarness) => {
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'mine',
      },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }),
    });
    return {
      status: answer.status,
      cost: Number(answer.headers.get('x-tollgate-cost')),
      body: await answer.text(),
    };
  };

  /** The clock of the others goes on meanwhile. */
  const aMinutePasses = (): Promise<unknown> =>
    frozen.core.store.db
      .updateTable('idempotent_calls')
      .set((e) => ({ at: e('at', '-', 61) }))
      .execute();

  /** It stands still, and its caller sends the call again, to another process. */
  async function askAgain() {
    const meanwhile = await ask(other);
    expect([meanwhile.status, meanwhile.body]).toEqual([
      409,
      expect.stringContaining('idempotency_key_in_use'),
    ]);
    await aMinutePasses();
    const again = await ask(other);
    expect(again.status).toBe(200);
    return again;
  }

  async function expectOneCharge(
    again: Awaited<ReturnType<typeof ask>>,
    late: Awaited<ReturnType<typeof ask>>,
  ) {
    expect([late.status, late.cost]).toEqual([200, 0]);
    // Everybody who asks from now on gets the answer that was paid for.
    for (const gate of [frozen, other]) expect(await ask(gate)).toEqual(again);
    await expect.poll(() => frozen.relay.gateway.running.size, longest).toBe(0);
    for (const { core } of [frozen, other]) await core.ledger.flush();
    expect(await frozen.balanceOf(caller)).toEqual({ balance: balance - again.cost, held: 0 });
    expect(await frozen.openHolds()).toBe(0);
    expect(await frozen.findings()).toEqual([]);
  }

  it('before its hold is charged for the other call with the key alone', async () => {
    const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
    const { promise: noted, resolve: isRegistered } = Promise.withResolvers<void>();
    const { keyedCalls } = frozen.relay;
    const begin = keyedCalls.begin.bind(keyedCalls);
    keyedCalls.begin = async (call) => {
      const known = await begin(call);
      isRegistered();
      await awake;
      return known;
    };
    const first = ask(frozen);
    await noted;
    keyedCalls.begin = begin;
    const again = await askAgain();
    expect(again.cost).toBeGreaterThan(0);
    wake();
    await expectOneCharge(again, await first);
  });

  it('after its hold, which recovery has ended, is charged for the other call with the key alone', async () => {
    const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
    frozen.upstream.script(async (exchange) => {
      if (frozen.upstream.requests.length === 1) await awake;
      return chat()(exchange);
    });
    const first = ask(frozen);
    await expect.poll(() => frozen.openHolds(), longest).toBe(1);
    await frozen.upstream.arrived(0);
    await other.core.ledger.recoverDead(frozen.core.node);
    const again = await askAgain();
    expect(again.cost).toBeGreaterThan(0);
    wake();
    await expectOneCharge(again, await first);
  });
});
