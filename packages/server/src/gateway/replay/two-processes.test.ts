import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect, eachServer } from '../../store/each-dialect.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';

const balance = 5_000_000;
/** Allowance for a busy machine. */
const longest = { timeout: 10_000 };

/** Two processes on one database, and a caller that both serve. */
let first: GatewayHarness;
let other: GatewayHarness;
let caller: TestCaller;

async function openBoth(databaseUrl: string): Promise<void> {
  first = await openGateway({ DATABASE_URL: databaseUrl });
  await first.addChannel();
  await first.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-mini': 10 }));
  other = await openGateway({ DATABASE_URL: databaseUrl });
  caller = await first.addCaller({ balance });
}
afterEach(async () => {
  await first.close();
  await other.close();
});

/** Sends the call with its key to one of the processes. */
async function ask(gate: GatewayHarness) {
  const answer = await fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'mine',
    },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }),
  });
  const cost = Number(answer.headers.get('x-tollgate-cost'));
  return { status: answer.status, cost, body: await answer.text() };
}
type Answered = Awaited<ReturnType<typeof ask>>;

/** Every later request gets the paid answer, which is charged once. */
async function expectRepeated(paid: Answered): Promise<void> {
  for (const gate of [first, other]) expect(await ask(gate)).toEqual(paid);
  await expectCharged(paid.cost);
}

/** No call is running, and exactly one was charged. */
async function expectCharged(cost: number): Promise<void> {
  expect(cost).toBeGreaterThan(0);
  for (const { relay } of [first, other])
    await expect.poll(() => relay.gateway.running.size, longest).toBe(0);
  for (const { core } of [first, other]) await core.ledger.flush();
  expect(await first.readBalance(caller)).toEqual({ balance: balance - cost, held: 0 });
  expect(await first.openHolds()).toBe(0);
  expect(await first.findings()).toEqual([]);
}

eachDialect('a process that is frozen for more than a minute with an idempotent call', ({ open, url }) => {
  beforeEach(async () => {
    await (await open()).close();
    await openBoth(url());
  });

  /** Time passes for the other processes. */
  const aMinutePasses = (): Promise<unknown> =>
    first.core.store.db
      .updateTable('idempotent_calls')
      .set((e) => ({ at: e('at', '-', 61) }))
      .execute();

  /** The process is frozen, and its caller sends the call again to another process. */
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

  it('before its hold is charged for the other call with the key alone', async () => {
    const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
    const { promise: noted, resolve: isRegistered } = Promise.withResolvers<void>();
    const { keyedCalls } = first.relay;
    const begin = keyedCalls.begin.bind(keyedCalls);
    keyedCalls.begin = async (call) => {
      const known = await begin(call);
      isRegistered();
      await awake;
      return known;
    };
    const late = ask(first);
    await noted;
    keyedCalls.begin = begin;
    const again = await askAgain();
    wake();
    expect(await late).toMatchObject({ status: 200, cost: 0 });
    await expectRepeated(again);
  });

  it('after its hold, which recovery has ended, is charged for the other call with the key alone', async () => {
    const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
    first.upstream.script(async (exchange) => {
      if (first.upstream.requests.length === 1) await awake;
      return chat()(exchange);
    });
    const late = ask(first);
    await expect.poll(() => first.openHolds(), longest).toBe(1);
    await first.upstream.arrived(0);
    await other.core.ledger.recoverDead(first.core.node);
    const again = await askAgain();
    wake();
    expect(await late).toMatchObject({ status: 200, cost: 0 });
    await expectRepeated(again);
  });
});

/** A failover to a lagging server has removed the key, and the caller sends the call again to another process. */
eachServer('an Idempotency-Key whose row is lost while its call runs', ({ open, url }) => {
  /** Lets the upstream answer the call with this number. */
  let wake: (() => void)[];

  beforeEach(async () => {
    await (await open()).close();
    await openBoth(url());
    const gates = [0, 1].map(() => Promise.withResolvers<void>());
    wake = gates.map(({ resolve }) => resolve);
    first.upstream.script(async (exchange) => {
      await gates[first.upstream.requests.length - 1]?.promise;
      return chat()(exchange);
    });
  });
  const loseKey = (): Promise<unknown> => first.core.store.db.deleteFrom('idempotent_calls').execute();

  /** One call runs in each process, and both have the key. */
  async function runBoth() {
    const one = ask(first);
    await expect.poll(() => first.openHolds(), longest).toBe(1);
    await first.upstream.arrived(0);
    await loseKey();
    const two = ask(other);
    await first.upstream.arrived(1);
    await expect.poll(() => first.openHolds(), longest).toBe(2);
    return { one, two };
  }

  it.each([0, 1])('is charged for the later call alone, whichever ends first (%i)', async (ending) => {
    const { one, two } = await runBoth();
    wake[ending]!();
    await (ending === 0 ? one : two);
    wake[1 - ending]!();
    const [before, later] = await Promise.all([one, two]);
    expect([before.status, before.cost, later.status]).toEqual([200, 0, 200]);
    await expectCharged(later.cost);
    for (const gate of [first, other]) expect(await ask(gate)).toEqual(later);
  });

  it('is charged for the first call where the later one comes to nothing', async () => {
    const one = ask(first);
    await expect.poll(() => first.openHolds(), longest).toBe(1);
    await first.upstream.arrived(0);
    await loseKey();
    first.upstream.script(refuse(400));
    expect((await ask(other)).status).toBe(400);
    wake[0]!();
    const answer = await one;
    await expectCharged(answer.cost);
    for (const gate of [first, other]) expect(await ask(gate)).toEqual(answer);
  });

  it('is charged for one of two calls that both have lost it and end together', async () => {
    const { one, two } = await runBoth();
    await loseKey();
    for (const resolve of wake) resolve();
    const costs = (await Promise.all([one, two])).map(({ cost }) => cost);
    expect(costs.filter((cost) => cost > 0)).toHaveLength(1);
    await expectCharged(Math.max(...costs));
  });
});
