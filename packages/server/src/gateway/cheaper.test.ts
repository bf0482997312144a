import { product } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { budgets, logs } from '../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';
import * as faults from '../testing/upstream/fake-upstream-faults.ts';
import { healthy } from '../testing/upstream/fake-upstream-scripts.ts';

// A budget without room sends calls to a cheaper model.

let gate: GatewayHarness;
/** Quota units of a call by name. */
const prices = { big: 400, small: 7, tiny: 1 };

beforeAll(async () => {
  gate = await openGateway();
  const dollars = Object.entries(prices).map(([name, units]) => [name, units / 500_000]);
  await gate.core.settings.set('ModelPrice', JSON.stringify(Object.fromEntries(dollars)));
  await gate.core.settings.set('RetryTimes', '2');
  await gate.addChannel({ models: 'big' });
  await gate.addChannel({ models: 'small,tiny', model_mapping: '{"small": "small-at-the-vendor"}' });
});
afterEach(async () => {
  gate.upstream.script(healthy());
  await gate.checkAtRest();
});
afterAll(() => gate.close());

const addBudget = ({ userId }: TestCaller, { amount = prices.big, ...parts }: Partial<budgets.BudgetRow>) =>
  gate.addBudget(amount, {
    name: 'of the day',
    user_id: userId,
    mode: 'cheaper',
    instead: 'small',
    ...parts,
  });

const usedOf = async (id: number): Promise<number> => {
  await gate.core.ledger.flush();
  const { used, held } = (await budgets.find(gate.core.store.db, id))!;
  expect(held).toBe(0);
  return used;
};

const messages = [{ role: 'user', content: 'hi' }];

async function call(
  caller: TestCaller,
  path = '/v1/chat/completions',
  body: object = { messages },
  model = 'big',
) {
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...body }),
  });
  const said = await answer.text();
  return { status: answer.status, said, served: answer.headers.get(product.headers.model) };
}

async function newestRow({ userId }: TestCaller) {
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId }, { offset: 0, limit: 1 });
  const { model_name: model, quota, other } = rows[0]!;
  const { priced_model: priced, cheaper_by: by } = JSON.parse(other) as Record<string, string>;
  return { model, quota, priced, by };
}

describe('a budget that names a cheaper model', () => {
  it.each<[string, object]>([
    ['/v1/chat/completions', { messages }],
    ['/v1/chat/completions', { messages, stream: true }],
    ['/v1/responses', { input: 'hi' }],
    ['/v1/messages', { max_tokens: 5, messages }],
  ])(
    'sends a call without room to it at %s, at its price, and the log names the budget',
    async (path, body) => {
      const caller = await gate.addCaller({ balance: 10_000 });
      const id = await addBudget(caller, {});
      expect(await call(caller, path, body)).toMatchObject({ status: 200, served: null });
      expect(await newestRow(caller)).toMatchObject({ model: 'big', quota: prices.big, by: undefined });
      const asked = gate.upstream.requests.length;
      expect(await call(caller, path, body)).toMatchObject({ status: 200, served: 'small' });
      expect(gate.upstream.requests.slice(asked).map((request) => request.json().model)).toContain(
        'small-at-the-vendor',
      );
      expect(await newestRow(caller)).toEqual({
        model: 'big',
        quota: prices.small,
        priced: 'small',
        by: 'of the day',
      });
      // What is asked of the cheaper model itself counts on no such budget.
      expect(await call(caller, path, body, 'small')).toMatchObject({ status: 200, served: null });
      expect(await usedOf(id)).toBe(prices.big);
    },
  );

  it('serves as many calls as fit of many at once, and all others by that model', async () => {
    const caller = await gate.addCaller({ balance: 1_000_000 });
    const id = await addBudget(caller, { amount: prices.big * 5 + 399 });
    const answers = await Promise.all(Array.from({ length: 30 }, async () => call(caller)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ served }) => served === null)).toHaveLength(5);
    expect(await usedOf(id)).toBe(prices.big * 5);
    expect((await gate.readBalance(caller)).balance).toBe(1_000_000 - 5 * prices.big - 25 * prices.small);
  });

  it('refuses like a hard one what the key may not use, or no channel has', async () => {
    const caller = await gate.addCaller({ balance: 10_000 });
    await addBudget(caller, { amount: 0 });
    const limits = { model_limits_enabled: 1, model_limits: 'big' };
    await gate.core.store.db.updateTable('tokens').set(limits).where('id', '=', caller.tokenId).execute();
    const { status, said } = await call(caller);
    expect([status, said]).toEqual([403, expect.stringContaining('of the day')]);
    const other = await gate.addCaller({ balance: 10_000 });
    await addBudget(other, { amount: 0, instead: 'nowhere' });
    expect((await call(other)).said).toContain('budget_reached');
  });

  it('leaves the cheaper model to its own budgets, which may refuse it or name a further one', async () => {
    const caller = await gate.addCaller({ balance: 10_000 });
    await addBudget(caller, { amount: 0 });
    const next = await addBudget(caller, {
      amount: prices.small,
      model: 'small',
      instead: 'tiny',
      name: 'of small',
    });
    expect(await call(caller)).toMatchObject({ status: 200, served: 'small' });
    expect(await call(caller)).toMatchObject({ status: 200, served: 'tiny' });
    expect(await newestRow(caller)).toMatchObject({ quota: prices.tiny, priced: 'tiny', by: 'of small' });
    expect(await usedOf(next)).toBe(prices.small);
    await addBudget(caller, { amount: 0, mode: 'hard', instead: '', name: 'the hard one' });
    expect((await call(caller)).said).toContain('the hard one');
  });

  it('never goes back to the dear model if the cheaper one fails', async () => {
    const caller = await gate.addCaller({ balance: 10_000 });
    await addBudget(caller, { amount: 0 });
    gate.upstream.script(faults.refuse(500, { message: 'down' }));
    const asked = gate.upstream.requests.length;
    expect((await call(caller)).status).toBe(500);
    expect(gate.upstream.requests.slice(asked).map((request) => request.json().model)).toEqual([
      'small-at-the-vendor',
    ]);
  });

  it('is within the bounds of a quote', async () => {
    const caller = await gate.addCaller({ balance: 10_000 });
    await addBudget(caller, { amount: 0 });
    const quote = JSON.parse((await call(caller, '/v1/quote')).said) as unknown;
    expect(quote).toMatchObject({ least: { quota: prices.small }, likely: { quota: prices.big } });
    expect(await call(caller)).toMatchObject({ status: 200, served: 'small' });
  });
});
