import { afterEach, beforeEach, expect, it } from 'vitest';
import { balances, inTransaction, type Store } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { createKeyedCalls } from '../../services/calls/idempotency/index.ts';
import type { FakeExchange } from '../../testing/upstream/fake-upstream.ts';
import { chatEvents, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';

const words = 'what was paid for';
/** On a machine with much else to do. */
const longest = { timeout: 10_000 };

/** Keeps others from writing the account until what it answers is called. */
async function lockOut(store: Store, { accountId }: TestCaller): Promise<() => Promise<void>> {
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const { promise: end, resolve: unlock } = Promise.withResolvers<void>();
  const done = inTransaction(store.db, async (trx) => {
    await balances.lockAccounts(trx, [accountId]);
    isLocked();
    await end;
  });
  await locked;
  return async () => {
    unlock();
    await done;
  };
}

/** An upstream that begins (with words, where it streams) and answers whole only when it is told to. */
function heldBack(stream: boolean) {
  const { promise: allowed, resolve: goOn } = Promise.withResolvers<void>();
  const script = async (exchange: FakeExchange): Promise<void> => {
    const events = chatEvents(exchange, { chunks: 2, text: () => words });
    if (stream) {
      exchange.head(200, sseHeaders);
      await exchange.write(events.slice(0, 3).join(''));
    }
    await allowed;
    if (stream) await exchange.end(events.slice(3).join(''));
    else await json(chatBody('gpt-4o-mini', words, usageBody(10, 20)))(exchange);
  };
  return { script, goOn };
}

eachDialect('an idempotent call whose settlement takes too long', ({ open, openAgain, url }) => {
  let gate: GatewayHarness;
  let caller: TestCaller;
  let other: Store;

  const openHouse = async (): Promise<void> => {
    gate = await openGateway({ DATABASE_URL: url() }, { ledgerBounds: { settleWaitMs: 1_000 } });
    await gate.addChannel();
    await gate.core.settings.set('RetryTimes', '3');
    await gate.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-mini': 10 }));
  };
  beforeEach(async () => {
    await (await open()).close();
    await openHouse();
    other = await openAgain();
    caller = await gate.addCaller();
  });
  afterEach(() => gate.close());

  async function ask(stream: boolean, text = 'hello') {
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'mine',
      },
      body: JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: text }] }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  }

  /** One call that its upstream answers while the account is locked: what its caller gets, and how to unlock. */
  async function askLocked(stream: boolean) {
    const { script, goOn } = heldBack(stream);
    gate.upstream.script(script);
    const asked = ask(stream);
    await gate.upstream.arrived(0);
    await expect.poll(() => gate.openHolds(), longest).toBe(1);
    const unlock = await lockOut(other, caller);
    goOn();
    return { first: await asked, unlock };
  }

  const charges = async (): Promise<number> => {
    const rows = await gate.core.store.db
      .selectFrom('ledger')
      .select('account_delta')
      .where('account_id', '=', caller.accountId)
      .where('kind', '=', 'usage')
      .execute();
    return rows.filter((row) => row.account_delta < 0).length;
  };

  it.each([false, true])(
    'is charged once and answered when its caller retries (stream: %s)',
    async (stream) => {
      const { first, unlock } = await askLocked(stream);
      expect(first.status).toBe(stream ? 200 : 503);
      expect(first.body).toContain('ledger_unavailable');
      const meanwhile = await ask(stream);
      expect(meanwhile.status).toBe(409);
      expect(meanwhile.body).toContain('idempotency_key_in_use');
      expect(meanwhile.headers.get('retry-after')).toBe('1');
      expect((await ask(stream, 'something else')).status).toBe(422);
      await unlock();
      await expect.poll(async () => (await ask(stream)).status, longest).toBe(200);
      const again = await ask(stream);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.body).toContain(words);
      expect(again.body).not.toContain('ledger_unavailable');
      expect(again.body).toMatch(stream ? /data: \[DONE\]\n\n$/ : /"completion_tokens":20.*\}$/);
      expect(gate.upstream.requests).toHaveLength(1);
      expect(await charges()).toBe(1);
      await expect.poll(() => gate.relay.gateway.running.size, longest).toBe(0);
      expect(await gate.openHolds()).toBe(0);
      expect(await gate.findings()).toEqual([]);
    },
  );

  it('is kept while it holds and once it was charged, even when it is to be forgotten', async () => {
    const { db } = gate.core.store;
    const calls = createKeyedCalls({ ...gate.core, db, node: 'another' });
    const { script, goOn } = heldBack(false);
    gate.upstream.script(script);
    const asked = ask(false);
    await gate.upstream.arrived(0);
    await expect.poll(() => gate.openHolds(), longest).toBe(1);
    const row = await db.selectFrom('idempotent_calls').selectAll().executeTakeFirstOrThrow();
    const call = { name: row.name, owner: row.owner, bodyHash: row.body_hash, requestId: row.request_id };
    await calls.forget(call);
    expect(await calls.begin(call)).toEqual({ kind: 'running' });
    goOn();
    const { body } = await asked;
    await calls.forget(call);
    const known = await calls.begin(call);
    expect(known.kind === 'finished' && known.answer.body.toString()).toBe(body);
  });
});
