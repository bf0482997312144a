/** @module-tag rounds */
import { product } from '@tollgate/contract';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eachDialect } from '../store/each-dialect.ts';
import { budgets, logs, type Store } from '../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';
import * as faults from '../testing/upstream/fake-upstream-faults.ts';
import { healthy, modelOf } from '../testing/upstream/fake-upstream-scripts.ts';

// A channel may need a larger hold than the call has: by its override, or by its price after others have failed. A budget that
// does not cover it sends the call to its cheaper model, because nothing was delivered.

const runs = Number(process.env['FUZZ_RUNS'] ?? 12);

/** Quota units of a call by name. */
const prices = { alias: 10, dear: 1_000, small: 7, tiny: 1 };
/** Covers the call as it is asked, not as its channel changes it. */
const room = 500;
const balance = 1_000_000;
const failing = 'alias-that-fails';

eachDialect('a budget that names a cheaper model, and refuses what a channel adds', (database) => {
  let gate: GatewayHarness;
  let store: Store;
  beforeAll(async () => {
    await (await database.open()).close();
    gate = await openGateway(database.kind === 'sqlite' ? {} : { DATABASE_URL: database.url() });
    store = gate.core.store;
    const dollars = Object.entries(prices).map(([name, units]) => [name, units / 500_000]);
    await gate.core.settings.setMany({
      ModelPrice: JSON.stringify(Object.fromEntries(dollars)),
      // Each token costs one unit.
      ModelRatio: '{"over":1}',
      CompletionRatio: '{"over":1}',
      RetryTimes: '3',
    });
    await gate.addChannel({ models: 'over', param_override: '{"n": 100}' });
    await gate.addChannel({
      models: 'alias',
      priority: 5,
      model_mapping: JSON.stringify({ alias: failing }),
    });
    await gate.addChannel({
      models: 'alias',
      model_mapping: '{"alias": "dear"}',
      setting: '{"price_after_mapping":true}',
    });
    await gate.addChannel({ models: 'small,tiny' });
  });
  afterEach(async () => {
    await gate.checkAtRest();
  });
  afterAll(() => gate.close());

  const addBudget = (userId: number, { amount = room, ...parts }: Partial<budgets.BudgetRow> = {}) =>
    gate.addBudget(amount, {
      name: 'of the day',
      user_id: userId,
      mode: 'cheaper',
      instead: 'small',
      ...parts,
    });

  async function call({ key }: TestCaller, model: string, stream: boolean) {
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] }),
    });
    return {
      status: answer.status,
      said: await answer.text(),
      served: answer.headers.get(product.headers.model),
    };
  }

  /** The first channel of `alias` fails; all others answer. */
  const someFail = () =>
    gate.upstream.script((exchange) =>
      modelOf(exchange) === failing ? faults.refuse(500, { message: 'down' })(exchange) : healthy()(exchange),
    );

  const usedOf = async (id: number): Promise<number> => {
    await gate.core.ledger.flush();
    const { used, held } = (await budgets.find(store.db, id))!;
    expect(held).toBe(0);
    return used;
  };

  it.each([
    ['over', false, ['small']],
    ['over', true, ['small']],
    ['alias', false, [failing, 'small']],
    ['alias', true, [failing, 'small']],
  ])('continues with it for %s (stream: %s)', async (model, stream, asked) => {
    someFail();
    const caller = await gate.addCaller({ balance });
    const id = await addBudget(caller.userId);
    const before = gate.upstream.requests.length;
    const got = await call(caller, model, stream);
    expect(got).toMatchObject({ status: 200, served: 'small' });
    expect(got.said.match(/word0/g)).toHaveLength(1);
    expect(gate.upstream.requests.slice(before).map((request) => request.json().model)).toEqual(asked);
    expect(await usedOf(id)).toBe(0);
    expect(await gate.readBalance(caller)).toEqual({ balance: balance - prices.small, held: 0 });
    const { rows } = await logs.list(store.db, { userId: caller.userId }, { offset: 0, limit: 9 });
    const charged = rows.filter(({ quota }) => quota > 0);
    expect(charged.map(({ quota, other }) => [quota, JSON.parse(other) as object])).toEqual([
      [prices.small, expect.objectContaining({ priced_model: 'small', cheaper_by: 'of the day' })],
    ]);
  });

  it('is left out of the cheaper model, which has its own budgets', async () => {
    someFail();
    const caller = await gate.addCaller({ balance });
    await addBudget(caller.userId);
    await addBudget(caller.userId, { name: 'of small', model: 'small', instead: 'tiny', amount: 0 });
    expect(await call(caller, 'alias', false)).toMatchObject({ status: 200, served: 'tiny' });
    const refused = await gate.addCaller({ balance });
    await addBudget(refused.userId, { instead: 'nowhere' });
    const { status, said } = await call(refused, 'over', false);
    expect([status, said]).toEqual([403, expect.stringContaining('of the day')]);
  });

  it(
    'refuses no call of many at once, and none is charged twice or beyond it',
    { timeout: 600_000 },
    async () => {
      someFail();
      const asked = fc.record({ model: fc.constantFrom('over', 'alias'), stream: fc.boolean() });
      const property = fc.asyncProperty(
        fc.array(asked, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 4_500 }),
        async (calls, amount) => {
          const caller = await gate.addCaller({ balance });
          const id = await addBudget(caller.userId, { amount });
          const answers = await Promise.all(calls.map(({ model, stream }) => call(caller, model, stream)));
          expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
          expect(answers.map(({ said }) => said.match(/word0/g)?.length)).toEqual(calls.map(() => 1));
          const used = await usedOf(id);
          expect(used).toBeLessThanOrEqual(amount);
          const { rows } = await logs.list(store.db, { userId: caller.userId }, { offset: 0, limit: 99 });
          const sum = rows.reduce((all, { quota }) => all + quota, 0);
          expect(await gate.readBalance(caller)).toEqual({ balance: balance - sum, held: 0 });
          const cheap = answers.filter(({ served }) => served === 'small').length;
          expect(used).toBe(sum - cheap * prices.small);
          await budgets.remove(store.db, id);
        },
      );
      await expect(fc.assert(property, { numRuns: runs })).resolves.toBeUndefined();
    },
  );
});
