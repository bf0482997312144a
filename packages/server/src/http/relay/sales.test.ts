import { product } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs, tokens } from '../../store/index.ts';
import { createReceipts } from '../../services/upkeep/logs/index.ts';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

type Key = Pick<TestCaller, 'key'>;

async function ask(caller: Key, call: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gate.url}/v1/${call}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.key}`,
      'content-type': 'application/json',
      'accept-language': 'en',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const { error, ...fields } = JSON.parse(text) as Record<string, unknown> & { error?: { code: string } };
  return { status: answer.status, code: error?.code, text, headers: answer.headers, ...fields } as Answered;
}
interface Answered extends Record<string, unknown> {
  status: number | string;
  code: string | undefined;
  text: string;
  headers: Headers;
  id: string;
  request_id: string;
}

const hold = (caller: Key, usd: number | string, headers?: Record<string, string>) =>
  ask(caller, 'ledger/hold', { name: 'ocr-pages', usd }, headers);
const settle = (caller: Key, id: string, usd: number) => ask(caller, 'ledger/settle', { id, usd });
const release = (caller: Key, id: string) => ask(caller, 'ledger/release', { id });
const rowsOf = ({ userId }: TestCaller, type = 2) =>
  gate.core.store.db
    .selectFrom('logs')
    .select(['quota', 'model_name', 'tags', 'content', 'request_id', 'other'])
    .where('user_id', '=', userId)
    .where('type', '=', type)
    .execute();

describe('a hold of an application', () => {
  it('is charged with the actual amount and has a log row with tags, run and receipt', async () => {
    const caller = await gate.addCaller();
    const asked = { name: 'ocr-pages', usd: '0.5', description: 'a book', ttl: 60 };
    const held = await ask(caller, 'ledger/hold', asked, {
      [product.headers.tags]: 'team=search',
      [product.headers.run]: 'nightly; max=1',
    });
    expect(held).toMatchObject({
      status: 'held',
      name: 'ocr-pages',
      held: { quota: 250_000, usd: 0.5 },
      charged: null,
    });
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 250_000 });
    // 0.31000000000000005
    const settled = await settle(caller, held.id, 3.1 * 0.1);
    expect(settled).toMatchObject({ status: 'settled', charged: { quota: 155_000, usd: 0.31 } });
    expect(settled.headers.get(product.headers.cost)).toBe('155000');
    expect(await gate.readBalance(caller)).toEqual({ balance: 4_845_000, held: 0 });
    const [row] = await rowsOf(caller);
    expect(row).toMatchObject({ quota: 155_000, model_name: 'app:ocr-pages', request_id: held.request_id });
    expect(JSON.parse(row!.tags ?? '')).toEqual({ team: 'search', run: 'nightly' });
    expect(JSON.parse(row!.other)).toMatchObject({
      sale: { id: held.id, description: 'a book', held: 250_000 },
    });
    const receipts = createReceipts({
      db: gate.core.store.db,
      channelName: String,
      signed: { ofTxns: async () => [] },
    });
    const receipt = await receipts.find({ id: caller.userId, role: 1 }, held.request_id);
    expect(receipt).toMatchObject({ matches: true });
    const [run] = await runs.find(gate.core.store.db, caller.userId, ['nightly']);
    expect(run).toMatchObject({ used: 155_000, held: 0, calls: 1 });
  });

  it('answers repetitions with the first result, and other ends with what it came to', async () => {
    const caller = await gate.addCaller();
    const { id } = await hold(caller, 1);
    const all = await Promise.all([1, 2, 3].map(() => settle(caller, id, 0.2)));
    expect(all.map(({ charged }) => charged)).toEqual(Array(3).fill({ quota: 100_000, usd: 0.2 }));
    expect(await settle(caller, id, 0.3)).toMatchObject({ code: 'hold_settled' });
    expect(await release(caller, id)).toMatchObject({ code: 'hold_settled' });
    const { id: other } = await hold(caller, 1);
    expect(await release(caller, other)).toMatchObject({ status: 'released', charged: null });
    expect(await release(caller, other)).toMatchObject({ status: 'released' });
    expect(await settle(caller, other, 0.1)).toMatchObject({ code: 'hold_released' });
    expect((await gate.readBalance(caller)).balance).toBe(4_900_000);
  });

  it('with an Idempotency-Key is taken once', async () => {
    const caller = await gate.addCaller();
    const named = { 'idempotency-key': 'order-1' };
    const all = await Promise.all([1, 2, 3].map(() => hold(caller, 1, named)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(2);
    expect((await gate.readBalance(caller)).held).toBe(500_000);
    expect(await hold(caller, 2, named)).toMatchObject({ code: 'idempotency_key_reused' });
    expect(await hold(caller, 2, { 'idempotency-key': 'a b' })).toMatchObject({
      code: 'idempotency_key_invalid',
    });
    await settle(caller, all[0]!.id, 0.5);
    expect(await hold(caller, 1, named)).toMatchObject({ id: all[0]!.id, status: 'settled' });
    const poor = await gate.addCaller({ balance: 10 });
    expect(await hold(poor, 1, named)).toMatchObject({ code: 'insufficient_user_quota' });
  });

  it('is refused as a call is, before anything is held, with a row in the log', async () => {
    const caller = await gate.addCaller({ balance: 500_000, allowance: 300_000 });
    expect(await hold(caller, 0.7)).toMatchObject({ code: 'pre_consume_token_quota_failed' });
    expect(await hold(caller, 0.5, { [product.headers.maxCost]: '0.4' })).toMatchObject({
      code: 'max_cost_too_low',
    });
    expect(await hold(caller, 0.5, { [product.headers.run]: 'r; max=0.1' })).toMatchObject({
      code: 'run_reached',
    });
    await addBudget(gate.core.store, 1_000, { token_id: caller.tokenId, name: 'small' });
    await gate.core.budgetRules.reload();
    expect(await hold(caller, 0.5)).toMatchObject({ code: 'budget_reached' });
    await tokens.update(
      gate.core.store.db,
      caller.tokenId,
      { teamId: 0 },
      {
        model_limits: 'gpt-4o-mini',
        model_limits_enabled: 1,
      },
    );
    gate.core.keys.forgetToken(caller.tokenId);
    expect(await hold(caller, 0.001)).toMatchObject({ code: 'model_not_allowed' });
    await tokens.update(gate.core.store.db, caller.tokenId, { teamId: 0 }, { status: 2 });
    gate.core.keys.forgetToken(caller.tokenId);
    expect((await hold(caller, 0.001)).text).toContain('error');
    expect((await gate.readBalance(caller)).held).toBe(0);
    await expect
      .poll(async () => (await rowsOf(caller, 5)).map((row) => row.model_name))
      .toEqual(Array(5).fill('app:ocr-pages'));
  });

  it('grows only by a key that could take it, and is settled by one that is used up', async () => {
    const caller = await gate.addCaller({ balance: 500_000, allowance: 250_000 });
    const { id } = await hold(caller, 0.5);
    expect(await settle(caller, id, 0.6)).toMatchObject({ code: 'pre_consume_token_quota_failed' });
    expect(await gate.readBalance(caller)).toEqual({ balance: 500_000, held: 250_000 });
    expect(await settle(caller, id, 0.5)).toMatchObject({ status: 'settled' });
    expect(await settle(caller, id, 0.5)).toMatchObject({ status: 'settled' });
    expect((await hold(caller, 0.1)).code).toBe('token_exhausted');
    const late = await gate.addCaller();
    const { id: open } = await hold(late, 0.5);
    const { db } = gate.core.store;
    await tokens.update(db, late.tokenId, { teamId: 0 }, { expired_time: 1 });
    gate.core.keys.forgetToken(late.tokenId);
    expect(await settle(late, open, 0.6)).toMatchObject({ code: 'token_expired' });
    expect(await settle(late, open, 0.4)).toMatchObject({ status: 'settled' });
  });

  it('belongs to its key, and to the run of a key that was made for one', async () => {
    const [caller, other] = [await gate.addCaller(), await gate.addCaller()];
    const child = (await ask(caller, 'keys', { max: 1, run: 'part' })) as Answered & Key;
    const [own, below] = [await hold(caller, 0.1), await hold(child, 0.2)];
    for (const [key, id] of [
      [other, own.id],
      [child, own.id],
      [other, below.id],
      [caller, 'hold_none'],
      [caller, '\0'],
    ] as const)
      expect(await release(key, id)).toMatchObject({ code: 'hold_unknown' });
    expect(await settle(child, below.id, 2)).toMatchObject({ code: 'run_reached' });
    expect(await settle(child, below.id, 0.3)).toMatchObject({ charged: { quota: 150_000 } });
    expect(await release(caller, own.id)).toMatchObject({ status: 'released' });
  });

  it.each([
    {},
    { name: 'a' },
    { name: 'a b', usd: 1 },
    { name: 'a', usd: 1, quota: 1 },
    { name: 'a', usd: -1 },
    { name: 'a', usd: 0.000_000_1 },
    { name: 'a', usd: true },
    { name: 'a', quota: 1.5 },
    { name: 'a', quota: 0 },
    { name: 'a', usd: '99999999999' },
    { name: 'a', usd: 1, ttl: 86_401 },
    { name: 'a', usd: 1, ttl: 0 },
    { name: 'a', usd: 1, description: 'x'.repeat(501) },
    { name: 'a', usd: 1, unknown: true },
  ])('is refused for %j', async (body) => {
    const caller = await gate.addCaller();
    expect(await ask(caller, 'ledger/hold', body)).toMatchObject({ code: 'hold_invalid' });
    expect(await ask(caller, 'ledger/settle', { id: 'x', ...body, name: 1 })).toMatchObject({
      code: 'hold_invalid',
    });
    expect(await ask(caller, 'ledger/release', { id: 1 })).toMatchObject({ code: 'hold_invalid' });
  });

  it('in quota units may be the smallest amount, and end with no charge', async () => {
    const caller = await gate.addCaller();
    const { id } = await ask(caller, 'ledger/hold', { name: 'a', quota: 1 });
    expect(await ask(caller, 'ledger/settle', { id, quota: 0 })).toMatchObject({
      charged: { quota: 0, usd: 0 },
    });
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });
});
