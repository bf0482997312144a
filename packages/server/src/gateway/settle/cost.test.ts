import { type CostRule, noCostRule } from '@tollgate/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { holds, logs } from '../../store/index.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import { usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { endWithoutDone, refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let channel: number;
let caller: TestCaller;
const model = 'gpt-4o-mini';

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 0.075 }));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [model]: 4 }));
  await gate.core.settings.set('GroupRatio', JSON.stringify({ default: 2, vip: 0.5 }));
  channel = await gate.addChannel({ models: model, group: 'default,vip' });
  caller = await gate.addCaller({ balance: 500_000_000 });
});
beforeEach(() => gate.core.costs.save(channel, noCostRule));
afterAll(() => gate.close());

const costs = (rule: Partial<CostRule>) => gate.core.costs.save(channel, { ...noCostRule, ...rule });

/** Sends a call with this usage by the vendor; returns its row. */
async function call(usage: object | undefined, by = caller, stream = false) {
  if (usage) gate.upstream.next(chat({ usage: usage as Record<string, unknown>, usageWhen: 'always' }));
  const answer = await fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
  });
  const text = await answer.text();
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId: by.userId }, { offset: 0, limit: 1 });
  return { ...rows[0]!, status: answer.status, text };
}

it('a channel without cost prices has rows without a cost', async () => {
  expect(await call(usageBody(1_000, 1_000))).toMatchObject({ cost: null, quota: 750 });
});

it('a cost factor applies to the list price, whatever the ratio of the group that called', async () => {
  await costs({ factor: 0.8 });
  // List price 1,000 × 0.075 + 1,000 × 0.3 = 375: doubled for this group, times 0.8 for the operator.
  expect(await call(usageBody(1_000, 1_000))).toMatchObject({ quota: 750, cost: 300 });
  const vip = await gate.addCaller({ group: 'vip' });
  expect(await call(usageBody(1_000, 1_000), vip, true)).toMatchObject({ quota: 188, cost: 300 });
});

it('the vendor’s own price table comes before the factor, by the vendor’s name of the model', async () => {
  await costs({ factor: 0.8, models: { [model]: { input: 0.1, output: 0.4 } } });
  expect(await call(usageBody(10_000, 1_000))).toMatchObject({ cost: 700 });
  await costs({ models: { other: { input: 1, output: 1 } } });
  expect(await call(usageBody(10_000, 1_000))).toMatchObject({ cost: null });
});

it.each([
  ['OpenRouter', { cost: 0.00014255, cost_details: { upstream_inference_cost: 5 } }, 71],
  [
    'OpenRouter with a key of the vendor',
    { cost: 0.0001, is_byok: true, cost_details: { upstream_inference_cost: 0.002 } },
    1_050,
  ],
  ['Perplexity', { cost: { input_tokens_cost: 0.1, total_cost: 0.006 } }, 3_000],
  ['xAI', { cost_in_usd_ticks: 37_756_000 }, 1_888],
])('what %s reports is used where the channel is set so', async (_vendor, reportedFields, cost) => {
  const usage = { ...usageBody(1_000, 1_000), ...reportedFields };
  expect(await call(usage)).toMatchObject({ cost: null });
  await costs({ factor: 1, reported: true });
  expect(await call(usage, caller, true)).toMatchObject({ cost });
  // Without a reported cost, the factor sets the cost of the call.
  expect(await call(usageBody(1_000, 1_000))).toMatchObject({ cost: 375 });
});

/** Cost calculated by hand, in quota units; undefined if unknown. */
function byHand(rule: CostRule, input: number, output: number, dollars: number | undefined) {
  if (rule.reported && dollars !== undefined) return dollars * 500_000;
  const price = rule.models[model];
  if (price?.call !== undefined) return price.call * 500_000;
  if (price) return (input * price.input! + output * price.output!) / 2;
  return rule.factor === null ? undefined : (input * 0.075 + output * 0.3) * rule.factor;
}

it('the cost of a row is what the cost prices say, whole, for any usage', async () => {
  const rules = fc.record({
    factor: fc.constantFrom(null, 0, 0.333333333, 0.8, 1, 3),
    models: fc.constantFrom({}, { [model]: { input: 0.07, output: 0.31 } }, { [model]: { call: 0.0123 } }),
    reported: fc.boolean(),
  });
  const usages = fc.record({
    input: fc.integer({ min: 1, max: 200_000 }),
    output: fc.nat(20_000),
    cost: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(rules, usages, async (rule, { input, output, cost }) => {
      await costs(rule);
      const row = await call({ ...usageBody(input, output + 1), ...(cost !== undefined && { cost }) });
      const expected = byHand(rule, input, output + 1, cost);
      expect(row.cost === null).toBe(expected === undefined);
      if (expected === undefined) return;
      expect(Number.isSafeInteger(row.cost)).toBe(true);
      expect(Math.abs(row.cost! - expected)).toBeLessThanOrEqual(expected < 1 ? 1 : 0.6);
    }),
    { numRuns: 40 },
  );
  expect(await gate.findings()).toEqual([]);
});

it('a charge that the balance does not cover leaves the whole cost, and so a loss', async () => {
  await costs({ factor: 1 });
  const poor = await gate.addCaller({ balance: 3_000 });
  const row = await call(
    { ...usageBody(9, 9_000), completion_tokens_details: { reasoning_tokens: 8_990 } },
    poor,
  );
  expect(row.quota).toBeLessThanOrEqual(3_000);
  expect(row.cost).toBe(2_701);
});

it('a stream that breaks off without a usage costs what was counted of it', async () => {
  await costs({ factor: 1 });
  gate.upstream.next(endWithoutDone());
  const row = await call(undefined, caller, true);
  expect(row.quota).toBeGreaterThan(0);
  expect(row.cost).toBeGreaterThan(0);
  expect(row.cost).toBeLessThanOrEqual(row.quota);
});

it('a failed attempt has no cost: the row has the cost of the channel that answered', async () => {
  await costs({ factor: 1 });
  await gate.core.settings.set('RetryTimes', '1');
  const dear = await gate.addChannel({ models: model, priority: 10 });
  await gate.core.costs.save(dear, { ...noCostRule, factor: 100 });
  gate.upstream.next(refuse(500));
  const row = await call(undefined);
  expect(row).toMatchObject({ status: 200, channel_id: channel });
  expect(row.cost).toBeLessThanOrEqual(row.quota);
  await gate.core.channels.remove([dear]);
});

it('cost prices have their changes in the audit log, and are refused for a channel that does not exist', async () => {
  await costs({ factor: 0.25 });
  expect(await gate.core.costs.rule(channel)).toEqual({ ...noCostRule, factor: 0.25 });
  await expect(gate.core.costs.save(99_999, noCostRule)).rejects.toMatchObject({ code: 'channel_not_found' });
  expect(await holds.listHolds(gate.core.store.db)).toEqual([]);
});
