import { product } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { budgets, runs, tokens } from '../../store/index.ts';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { sendCall, textCalls, waitUntilSettled } from '../../testing/worlds/limited-calls.ts';

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ sandbox: 0.5, 'sandbox-no-usage': 0.5 }));
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

interface MadeKey {
  key: string;
  run: string;
  expires_at: number;
}

async function ask(caller: TestCaller, method: string, path: string, body?: object) {
  const answer = await fetch(gate.url + path, {
    method,
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A key that a caller makes, as a caller. */
async function make(caller: TestCaller, body: object): Promise<TestCaller & MadeKey> {
  const { status, text } = await ask(caller, 'POST', '/v1/keys', body);
  expect([status, text]).toEqual([200, expect.stringContaining('"sk-run')]);
  return { ...caller, ...(JSON.parse(text) as MadeKey) };
}

async function call(caller: TestCaller, { words = 'hi', stream = false, model = 'sandbox', run = '' } = {}) {
  const headers = { 'accept-language': 'en', ...(run !== '' && { [product.headers.run]: run }) };
  const answer = await sendCall(gate, caller, textCalls.chat(model, words, stream), headers);
  return { status: answer.status, text: await answer.text() };
}

async function figures({ userId }: TestCaller, path: string) {
  await waitUntilSettled(gate);
  const [row] = await runs.find(gate.core.store.db, userId, [path]);
  return row && { used: row.used, held: row.held, calls: row.calls };
}

const usd = (units: number): number => units / 500_000;

describe('a key that a key makes', () => {
  it('calls in its run, with the money, the allowance and the tags of the key that made it', async () => {
    const parent = await gate.addCaller({ allowance: 1_000_000 });
    const child = await make(parent, { max: 1, run: 'search', ttl: 600 });
    expect(child.expires_at).toBeLessThanOrEqual(Math.floor(Date.now() / 1_000) + 600);
    expect((await call(child)).status).toBe(200);
    expect((await call(child, { run: 'page; calls=1' })).status).toBe(200);
    expect((await call(child, { run: 'page' })).text).toContain('search/page has made all of its 1 calls');
    const { used } = (await figures(parent, 'search'))!;
    expect(await figures(parent, 'search')).toEqual({ used, held: 0, calls: 2 });
    const token = (await tokens.find(gate.core.store.db, parent.tokenId))!;
    expect([token.used_quota, token.remain_quota]).toEqual([used, 1_000_000 - used]);
    const rows = await gate.core.store.db
      .selectFrom('logs')
      .select(['token_id', 'tags'])
      .where('user_id', '=', parent.userId)
      .where('type', '=', 2)
      .orderBy('id')
      .execute();
    expect(rows.map((row) => [row.token_id, JSON.parse(row.tags ?? '{}')])).toEqual([
      [parent.tokenId, { run: 'search' }],
      [parent.tokenId, { run: 'search', 'run.2': 'search/page' }],
    ]);
  });

  it('is in the audit log when it is made and ended, like any other, without the key itself', async () => {
    const parent = await gate.addCaller();
    const child = await make(parent, { max: 0.1 + 0.2, run: 'noted' });
    for (let time = 0; time < 2; time += 1)
      expect((await ask(parent, 'DELETE', '/v1/keys?run=noted')).status).toBe(200);
    expect((await ask(parent, 'DELETE', '/v1/keys?run=unknown')).status).toBe(404);
    const { items } = await gate.core.audit.list({ userId: parent.userId, before: 0, limit: 10 });
    const hint = expect.stringMatching(/^run.*…/);
    expect(items).toMatchObject([
      { kind: 'token.delete', note: { run: 'noted', key: hint } },
      {
        kind: 'token.create',
        note: { run: 'noted', key: hint, remain_quota: 150_000 },
      },
    ]);
    for (const item of items)
      expect(item).toMatchObject({
        actor_id: parent.userId,
        target_type: 'token',
        target_id: String(parent.tokenId),
        method: 'key',
        ip: '127.0.0.1',
      });
    expect(JSON.stringify(items)).not.toContain(child.key.slice(3));
  });

  it('never passes its amount, with parallel calls, streams and keys of its own', async () => {
    const parent = await gate.addCaller({ balance: 2_000_000_000 });
    const child = await make(parent, { max: usd(300) });
    const below = await make(child, { max: 5 });
    expect(below.run).toMatch(new RegExp(`^${child.run}/key-`));
    const texts = Array.from({ length: 30 }, (_, n) => 'some words here '.repeat(1 + (n % 9)));
    await Promise.all(
      texts.map((words, n) => call(n % 3 === 0 ? below : child, { words, stream: n % 2 === 0 })),
    );
    expect((await call(child, { words: 'x y '.repeat(2_000) })).status).toBe(403);
    const found = (await figures(parent, child.run))!;
    expect(found.held).toBe(0);
    expect(found.used).toBeGreaterThan(0);
    expect(found.used).toBeLessThanOrEqual(300);
    expect(found.used).toBe(2_000_000_000 - (await gate.readBalance(parent)).balance);
  });

  it('is bounded by allowance and budgets of the key that made it', async () => {
    const poor = await gate.addCaller({ allowance: 2 });
    expect((await call(await make(poor, { max: 1 }), { words: 'x'.repeat(4_000) })).status).toBe(403);
    const limited = await gate.addCaller();
    await addBudget(gate.core.store, 0, { token_id: limited.tokenId, name: 'of its maker' });
    await gate.core.budgetRules.reload();
    expect((await call(await make(limited, { max: 1 }))).text).toContain('of its maker');
  });

  it('calls its own models only, and those of the key that made it', async () => {
    const parent = await gate.addCaller();
    const child = await make(parent, { max: 1, models: ['sandbox'] });
    expect((await call(child)).status).toBe(200);
    expect((await call(child, { model: 'sandbox-no-usage' })).status).toBe(403);
    const more = await ask(child, 'POST', '/v1/keys', { max: 1, models: ['sandbox-no-usage'] });
    expect(more.status).toBe(403);
    const list = JSON.parse((await ask(child, 'GET', '/v1/models')).text) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(['sandbox']);
  });

  it('ends when it is revoked, with its own keys, and returns what it has not used', async () => {
    const parent = await gate.addCaller();
    const child = await make(parent, { max: 1, run: 'brief' });
    const below = await make(child, { max: 1, run: 'part' });
    expect((await call(below)).status).toBe(200);
    expect((await ask(child, 'DELETE', '/v1/keys?run=brief')).status).toBe(404);
    expect((await ask(await gate.addCaller(), 'DELETE', '/v1/keys?run=brief')).status).toBe(404);
    expect((await ask(parent, 'DELETE', '/v1/keys?run=brief')).status).toBe(200);
    for (const each of [child, below])
      expect(await call(each)).toMatchObject({
        status: 403,
        text: expect.stringContaining('brief has ended'),
      });
    gate.core.keys.forgetRuns();
    expect((await call(child)).status).toBe(401);
    expect((await figures(parent, 'brief'))!.held).toBe(0);
  });

  it('ends with the key that made it, at its time, and with its run', async () => {
    const parent = await gate.addCaller();
    const [child, late, gone] = [
      await make(parent, { max: 1 }),
      await make(parent, { max: 1, run: 'late' }),
      await make(parent, { max: 1, run: 'gone' }),
    ];
    const { db } = gate.core.store;
    const [lateRow, goneRow] = await runs.find(db, parent.userId, ['late', 'gone']);
    await db.updateTable('budgets').set({ window_end: 1 }).where('id', '=', lateRow!.id).execute();
    await budgets.remove(db, goneRow!.id);
    expect(await call(late)).toMatchObject({ status: 401, text: expect.stringContaining('expired') });
    expect((await call(gone)).status).toBe(401);
    expect((await call(child)).status).toBe(200);
    await tokens.update(db, parent.tokenId, { teamId: 0 }, { status: 2 });
    gate.core.keys.forgetToken(parent.tokenId);
    expect((await call(child)).status).toBe(401);
  });

  it('reads its own figures only', async () => {
    const parent = await gate.addCaller({ allowance: 4_000_000 });
    expect((await call(parent)).status).toBe(200);
    const child = await make(parent, { max: 2, run: 'told' });
    const part = await make(child, { max: 3, run: 'part' });
    await call(child);
    const { used } = (await figures(parent, 'told'))!;
    const read = async (caller: TestCaller, path: string) =>
      JSON.parse((await ask(caller, 'GET', path)).text) as { data: Record<string, unknown> };
    expect((await read(child, '/api/usage/token')).data).toMatchObject({
      name: 'told',
      total_used: used,
      total_available: 1_000_000 - used,
      budgets: [],
    });
    expect((await read(part, '/api/v1/key')).data).toMatchObject({
      limit_remaining: usd(1_000_000 - used),
      usage: 0,
      usage_daily: 0,
    });
    expect((await read(child, '/api/v1/key')).data).toMatchObject({ usage_daily: usd(used) });
    expect((await read(child, '/api/v1/credits')).data).toEqual({ total_credits: 2, total_usage: usd(used) });
  });

  it('of an administrator cannot choose a channel', async () => {
    const parent = await gate.addCaller({ role: 10 });
    const child = await make(parent, { max: 1 });
    expect((await call({ ...child, key: `${child.key}-1` })).status).toBe(403);
  });

  it('is made for a new run at most as deep as runs are', async () => {
    const parent = await gate.addCaller();
    const deep = await make(parent, { max: 1, run: 'a/b/c/d' });
    expect((await ask(deep, 'POST', '/v1/keys', { max: 1 })).status).toBe(400);
    expect((await ask(parent, 'POST', '/v1/keys', { max: 1, run: 'a/b' })).status).toBe(409);
    const both = await Promise.all(
      [1, 2, 3].map(() => ask(parent, 'POST', '/v1/keys', { max: 1, run: 'once' })),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  it.each([
    {},
    { max: -1 },
    { max: 'much' },
    { max: 1, calls: 0 },
    { max: 1, ttl: 31 * 86_400 },
    { max: 1, models: 'sandbox' },
    { max: 1, models: ['a,b'] },
    { max: 1, run: 'a b' },
    { max: 1, name: 'unknown' },
  ])('is refused for %j', async (body) => {
    const { status, text } = await ask(await gate.addCaller(), 'POST', '/v1/keys', body);
    expect([status, text]).toEqual([400, expect.stringMatching(/max/)]);
  });
});
