import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logType } from '@tollgate/contract';
import { idempotentCalls, ledger, logs } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { chat, chatEvents, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { sized } from '../../testing/scoreboard-size.ts';

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  trailers: Record<string, unknown>;
  body: string;
  /** True if the answer was read to its end. */
  whole: boolean;
}

interface Ask {
  key?: string;
  stream?: boolean;
  text?: string;
  /** Number of pieces after which the caller disconnects. */
  hangUpAfter?: number;
}

let gate: GatewayHarness;
const agent = new Agent({ keepAlive: true });

/** One call; resolves at its end. */
function post(
  caller: TestCaller,
  { key, stream = false, text = 'hello', hangUpAfter = 0 }: Ask,
): Promise<Answer> {
  const body = JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: text }] });
  const answer: Answer = { status: 0, headers: {}, trailers: {}, body: '', whole: false };
  return new Promise((resolve, reject) => {
    const req = request(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
    });
    req.on('error', (error) => (answer.status === 0 ? reject(error) : resolve(answer)));
    req.on('response', (res) => {
      answer.status = res.statusCode ?? 0;
      answer.headers = res.headers;
      let pieces = 0;
      res.setEncoding('utf8');
      res.on('data', (piece: string) => {
        answer.body += piece;
        pieces += 1;
        if (pieces === hangUpAfter) {
          res.destroy();
          resolve(answer);
        }
      });
      res.on('end', () => {
        answer.trailers = res.trailers;
        answer.whole = res.complete;
        resolve(answer);
      });
      res.on('error', () => resolve(answer));
    });
    req.end(body);
  });
}

/** Error codes of a caller's failed calls, from their log rows, which are free. */
async function readRefusals({ userId }: TestCaller): Promise<unknown[]> {
  const filters = { userId, type: logType.error };
  const { rows } = await logs.list(gate.core.store.db, filters, { offset: 0, limit: 9 });
  expect(rows.map(({ quota }) => quota)).toEqual(rows.map(() => 0));
  return rows.map(({ other }) => (JSON.parse(other) as { error_code: unknown }).error_code);
}

const codeOf = (answer: Answer): unknown =>
  (JSON.parse(answer.body) as { error: { code: unknown } }).error.code;

/** Settlements of a caller, and their total charge. */
async function readCharges({ accountId }: TestCaller): Promise<{ count: number; sum: number }> {
  await gate.core.ledger.flush();
  const rows = await gate.core.store.db
    .selectFrom('ledger')
    .select('account_delta')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'usage')
    .execute();
  return { count: rows.length, sum: rows.reduce((sum, row) => sum - row.account_delta, 0) };
}

const upstreamCalls = (): number => gate.upstream.requests.length;

async function openHouse(databaseUrl = ''): Promise<void> {
  gate = await openGateway(databaseUrl === '' ? {} : { DATABASE_URL: databaseUrl });
  await gate.addChannel();
  // After a restart the channel of the previous gateway still exists, and its upstream does not.
  await gate.core.settings.set('RetryTimes', '3');
  await gate.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-mini': 10 }));
}

const expectClean = async (): Promise<void> => {
  await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
  await gate.checkAtRest();
};

describe('an Idempotency-Key', () => {
  beforeAll(() => openHouse());
  afterAll(() => gate.close());
  afterEach(async () => {
    gate.upstream.script('healthy');
    await expectClean();
  });

  it('gives parallel callers the answer of one call, streamed or whole, charged once', async () => {
    for (const stream of [true, false]) {
      const caller = await gate.addCaller();
      gate.upstream.script(chat({ chunks: 30, paceMs: 5 }));
      const before = upstreamCalls();
      const asked = { key: `parallel-${stream}`, stream };
      const early = Array.from({ length: 10 }, () => post(caller, asked));
      await sleep(60);
      const answers = await Promise.all([...early, ...Array.from({ length: 10 }, () => post(caller, asked))]);
      expect(upstreamCalls()).toBe(before + 1);
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      expect(answers.every(({ status, whole }) => status === 200 && whole)).toBe(true);
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
      expect((await readCharges(caller)).count).toBe(1);
    }
  });

  it('replays a finished answer byte for byte, with its cost, and charges nothing', async () => {
    for (const stream of [true, false]) {
      const caller = await gate.addCaller();
      const asked = { key: 'again', stream };
      const first = await post(caller, asked);
      const charged = await readCharges(caller);
      const before = upstreamCalls();
      for (let i = 0; i < 3; i += 1) {
        const again = await post(caller, asked);
        expect(again.body).toBe(first.body);
        expect(again.headers['content-type']).toBe(first.headers['content-type']);
        expect(again.headers['idempotent-replayed']).toBe('true');
        expect(again.headers['x-tollgate-cost'] ?? again.trailers['x-tollgate-cost']).toBe(
          String(charged.sum),
        );
      }
      expect(upstreamCalls()).toBe(before);
      expect(await readCharges(caller)).toEqual(charged);
      expect(charged.count).toBe(1);
    }
  });

  it('with another body is refused in the shape of the protocol, running or finished', async () => {
    const caller = await gate.addCaller();
    gate.upstream.script(chat({ chunks: 20, paceMs: 10 }));
    const running = post(caller, { key: 'one', stream: true });
    await gate.upstream.arrived(upstreamCalls());
    const meanwhile = await post(caller, { key: 'one', stream: true, text: 'something else' });
    await running;
    const afterwards = await post(caller, { key: 'one', stream: true, text: 'something else' });
    for (const answer of [meanwhile, afterwards]) {
      expect(answer.status).toBe(422);
      expect(codeOf(answer)).toBe('idempotency_key_reused');
    }
    expect((await readCharges(caller)).count).toBe(1);
    // Each call has its row, like any refusal, and no charge.
    await expect.poll(() => readRefusals(caller)).toEqual(Array(2).fill('idempotency_key_reused'));
  });

  it('belongs to its token: the same key with another token is another call', async () => {
    const [ann, bob] = [await gate.addCaller(), await gate.addCaller()];
    const [ofAnn, ofBob] = [await post(ann, { key: 'same' }), await post(bob, { key: 'same' })];
    expect(ofAnn.headers['x-request-id']).not.toBe(ofBob.headers['x-request-id']);
    expect((await readCharges(ann)).count).toBe(1);
    expect((await readCharges(bob)).count).toBe(1);
  });

  it('is free again after a failure that was not charged', async () => {
    const caller = await gate.addCaller();
    gate.upstream.script(refuse(500));
    expect((await post(caller, { key: 'unlucky' })).status).toBe(500);
    gate.upstream.script('healthy');
    // Another body is allowed too: the key has no record yet.
    expect((await post(caller, { key: 'unlucky', text: 'other words' })).status).toBe(200);
    expect((await readCharges(caller)).count).toBe(1);
    const poor = await gate.addCaller({ balance: 0 });
    expect((await post(poor, { key: 'poor' })).status).toBe(403);
    expect(await idempotentCalls.ownersBeyond(gate.core.store.db, { rows: 0, size: 0 })).not.toContain(
      `token:${poor.tokenId}`,
    );
  });

  it('keeps the call running when its caller disconnects, who gets the whole answer on return', async () => {
    const caller = await gate.addCaller();
    gate.upstream.script(chat({ chunks: 40, paceMs: 5 }));
    const before = upstreamCalls();
    const cut = await post(caller, { key: 'back', stream: true, hangUpAfter: 3 });
    // During the call they join it; after its end it is replayed.
    const joined = await post(caller, { key: 'back', stream: true });
    const replayed = await post(caller, { key: 'back', stream: true });
    expect(joined.body.startsWith(cut.body)).toBe(true);
    expect(joined.body.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(replayed.body).toBe(joined.body);
    expect(upstreamCalls()).toBe(before + 1);
    expect((await readCharges(caller)).count).toBe(1);
  });

  it('remembers an answer that broke off and was charged, as it was: one key, one charge', async () => {
    const caller = await gate.addCaller();
    gate.upstream.script(async (exchange) => {
      exchange.head(200, sseHeaders);
      await exchange.write(chatEvents(exchange, {}).slice(0, 3).join(''));
      // Time for the first words to reach the caller: an earlier disconnection would cost nothing.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await exchange.fin();
    });
    const broken = await post(caller, { key: 'broken', stream: true });
    expect(broken.body).toContain('"error"');
    const charged = await readCharges(caller);
    expect(charged.sum).toBeGreaterThan(0);
    gate.upstream.script('healthy');
    expect((await post(caller, { key: 'broken', stream: true })).body).toBe(broken.body);
    expect(await readCharges(caller)).toEqual(charged);
  });

  it('reports an answer that was too large to keep, and charges it no second time', async () => {
    const caller = await gate.addCaller({ balance: 50_000_000_000 });
    const large = (index: number) => createHash('sha512').update(String(index)).digest('base64').repeat(100);
    gate.upstream.script(chat({ chunks: 1_200, atOnce: true, text: large }));
    const first = await post(caller, { key: 'large', stream: true });
    expect(first.whole).toBe(true);
    const again = await post(caller, { key: 'large', stream: true });
    expect(again.status).toBe(409);
    expect(codeOf(again)).toBe('idempotency_answer_gone');
    expect((await readCharges(caller)).count).toBe(1);
    await expect.poll(() => readRefusals(caller)).toEqual(['idempotency_answer_gone']);
    // Calls that join a refused call get no replay.
    const joined = await Promise.all(
      Array.from({ length: 5 }, () => post(caller, { key: 'large', stream: true })),
    );
    for (const { status, headers } of joined) {
      expect([status, headers['idempotent-replayed']]).toEqual([409, undefined]);
    }
  });

  it.each(['', 'a b', 'ä', 'x'.repeat(256)])('that reads "%s" is refused', async (key) => {
    const caller = await gate.addCaller();
    const answer = await post(caller, { key });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('idempotency_key_invalid');
  });

  it('keeps answers sealed: the database has no plain text of them', async () => {
    const caller = await gate.addCaller();
    const { body } = await post(caller, { key: 'sealed' });
    expect(body).toContain('word0');
    const rows = await gate.core.store.db.selectFrom('idempotent_calls').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('word0');
    expect(JSON.stringify(rows)).not.toContain('sealed');
  });
});

describe('Q4 requests charged twice', () => {
  beforeAll(() => openHouse());
  afterAll(() => gate.close());

  const calls = sized(1_000, 300);
  it(`are none of ${calls} calls that are sent twice each, with a key, at once or one after the other`, async () => {
    const caller = await gate.addCaller({ balance: 500_000_000 });
    const before = upstreamCalls();
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < calls) {
        const n = (next += 1);
        const asked = { key: `call-${n}`, stream: n % 2 === 0, text: `number ${n}` };
        const [first, second] =
          n % 3 === 0
            ? await Promise.all([post(caller, asked), post(caller, asked)])
            : [await post(caller, asked), await post(caller, asked)];
        if (first.status !== 200 || second.body !== first.body)
          throw new Error(`call ${n} was answered twice`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, client));
    expect(upstreamCalls() - before).toBe(calls);
    expect((await readCharges(caller)).count).toBe(calls);
    await expectClean();
  }, 120_000);
});

eachDialect('an Idempotency-Key across processes', ({ open, url }) => {
  afterEach(() => gate.close());

  // The first test on a database server waits until it has started.
  it('replays after a restart, and charges no second time what died before its answer was kept', async () => {
    await (await open()).close();
    await openHouse(url());
    const caller = await gate.addCaller();
    const first = await post(caller, { key: 'kept', stream: true });
    await post(caller, { key: 'lost' });
    await post(caller, { key: 'never' });
    const { db } = gate.core.store;
    // State after a crash: charged without a stored answer, and recorded without a charge.
    await db.updateTable('idempotent_calls').set({ status: 0, answer: '', size: 0 }).execute();
    const rows = await db.selectFrom('idempotent_calls').selectAll().orderBy('id').execute();
    expect(
      await ledger.findSettled(
        db,
        rows.map((row) => row.request_id),
      ),
    ).toHaveLength(3);
    await db
      .updateTable('idempotent_calls')
      .set({ request_id: 'unknown' })
      .where('id', '=', rows[2]!.id)
      .execute();
    const kept = await post(caller, { key: 'kept-2', stream: true });
    await gate.close();

    await openHouse(url());
    expect((await post(caller, { key: 'kept-2', stream: true })).body).toBe(kept.body);
    // Another process that has just charged a call may be about to store its answer; an earlier run of this process
    // is not.
    expect(codeOf(await post(caller, { key: 'lost' }))).toBe('idempotency_key_in_use');
    await gate.core.store.db
      .updateTable('idempotent_calls')
      .set({ node: gate.core.node })
      .where('request_id', '!=', 'unknown')
      .execute();
    expect(codeOf(await post(caller, { key: 'kept', stream: true }))).toBe('idempotency_answer_gone');
    expect(codeOf(await post(caller, { key: 'lost' }))).toBe('idempotency_answer_gone');
    expect(first.whole).toBe(true);
    // Another process's record without a hold may be about to get one; a record of an earlier run of this process is
    // not.
    expect(codeOf(await post(caller, { key: 'never' }))).toBe('idempotency_key_in_use');
    await gate.core.store.db
      .updateTable('idempotent_calls')
      .set((e) => ({ at: e('at', '-', 61) }))
      .where('request_id', '=', 'unknown')
      .execute();
    expect((await post(caller, { key: 'never' })).status).toBe(200);
    expect((await readCharges(caller)).count).toBe(5);
  }, 120_000);

  it('is kept for a day and within bounds, the oldest go first', async () => {
    await (await open()).close();
    await openHouse(url());
    const caller = await gate.addCaller();
    const { db } = gate.core.store;
    for (const key of ['a', 'b', 'c']) await post(caller, { key });
    await db
      .updateTable('idempotent_calls')
      .set((e) => ({ at: e('at', '-', 86_401) }))
      .where(
        'id',
        '=',
        db.selectFrom('idempotent_calls').select((e) => e.fn.min('id').as('id')),
      )
      .execute();
    await gate.relay.keyedCalls.sweep();
    const left = await db.selectFrom('idempotent_calls').select(['name', 'size']).orderBy('id').execute();
    expect(left).toHaveLength(2);
    const owner = `token:${caller.tokenId}`;
    expect(await idempotentCalls.ownersBeyond(db, { rows: 1, size: 1e9 })).toEqual([owner]);
    expect(await idempotentCalls.trim(db, { rows: 1, size: 1e9 }, owner)).toBe(1);
    const [newest] = await db.selectFrom('idempotent_calls').select('name').execute();
    expect(newest?.name).toBe(left[1]?.name);
    expect(await idempotentCalls.trim(db, { rows: 10, size: left[1]!.size - 1 })).toBe(1);
    // A running call keeps its key, regardless of further requests of its owner.
    await post(caller, { key: 'd' });
    await db.updateTable('idempotent_calls').set({ status: 0 }).execute();
    expect(await idempotentCalls.trim(db, { rows: 0, size: 0 })).toBe(0);
  });
});
