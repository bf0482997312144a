import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { balances, inTransaction, type Store } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { createKeyedCalls } from '../../services/calls/idempotency/index.ts';
import { openTcpSwitch } from '../../testing/failover/tcp-switch.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import type { FakeExchange } from '../../testing/upstream/fake-upstream.ts';
import { chatEvents, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';

const words = 'what was paid for';
/** Allowance for a busy machine. */
const longest = { timeout: 10_000 };

/** Blocks writes to the account until the returned function is called. */
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

/** Upstream that begins its answer (with words, if it streams) and completes it at the test's signal. */
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

eachDialect('an idempotent call whose settlement takes too long', ({ open, openAgain, url, kind }) => {
  let gate: GatewayHarness;
  let caller: TestCaller;
  let other: Store;

  const openHouse = async (databaseUrl = url()): Promise<void> => {
    gate = await openGateway({ DATABASE_URL: databaseUrl }, { ledgerBounds: { settleWaitMs: 1_000 } });
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

  /**
   * One call that its upstream answers while the account is locked. Returns the caller's answer and the function that
   * unlocks.
   */
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

  // A database file has neither failovers nor broken connections.
  const servers = kind === 'sqlite' ? [] : [kind];
  it.each(
    servers.flatMap(
      (server) =>
        [
          [server, false],
          [server, true],
        ] as const,
    ),
  )(
    'is noted anew with its charge where a failover took its rows, and never charged again (%s, stream: %s)',
    async (_server, stream) => {
      const { script, goOn } = heldBack(stream);
      gate.upstream.script(script);
      const asked = ask(stream);
      await gate.upstream.arrived(0);
      await expect.poll(() => gate.openHolds(), longest).toBe(1);
      // Rows that a lagging standby does not have.
      await other.db.deleteFrom('idempotent_calls').execute();
      await other.db.deleteFrom('holds').execute();
      await other.db.updateTable('accounts').set({ held: 0 }).execute();
      goOn();
      const first = await asked;
      expect([first.status, first.body.includes(words)]).toEqual([200, true]);
      const again = await ask(stream);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.body).toBe(first.body);
      // Also if the process ended before it could store the answer.
      await other.db.updateTable('idempotent_calls').set({ status: 0, answer: '', size: 0 }).execute();
      expect((await ask(stream)).body).toContain('idempotency_answer_gone');
      expect(gate.upstream.requests).toHaveLength(1);
      expect(await charges()).toBe(1);
      expect(await gate.findings()).toEqual([]);
    },
  );

  /** Opens the gateway again behind a network that breaks the connection at the next statement that matches. */
  async function breakUnder(statement: RegExp): Promise<void> {
    await gate.close();
    const network = await openTcpSwitch(Number(new URL(url()).port));
    onTestFinished(() => network.close());
    await openHouse(network.through(url()));
    caller = await gate.addCaller();
    let isBroken = false;
    network.watch((sent) => {
      if (isBroken || !statement.test(sent.toString('latin1'))) return undefined;
      isBroken = true;
      return 'before';
    });
  }

  it.each(servers)('is kept although the connection breaks as its answer is stored (%s)', async () => {
    await breakUnder(/update .idempotent_calls. set/);
    const first = await ask(true);
    expect(first.status).toBe(200);
    const again = await ask(true);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toBe(first.body);
    expect(await charges()).toBe(1);
  });

  it.each(servers)('that failed gives its key back although the connection breaks then (%s)', async () => {
    await breakUnder(/delete from .idempotent_calls./);
    gate.upstream.script(refuse(503));
    expect((await ask(false)).status).toBeGreaterThanOrEqual(500);
    await expect
      .poll(() => other.db.selectFrom('idempotent_calls').select('name').execute(), longest)
      .toEqual([]);
    expect(await charges()).toBe(0);
  });

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
