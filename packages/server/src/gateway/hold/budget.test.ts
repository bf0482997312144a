import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { budgets } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import {
  callProtocols,
  sendCall,
  talkUntilEnded,
  textCalls,
  waitUntilSettled,
} from '../../testing/worlds/limited-calls.ts';
import { realtimeModel } from '../../testing/worlds/realtime-world.ts';

// Charges never exceed a budget, to the unit, and the refusal names the budget.

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  const ratios = { sandbox: 0.5, 'sandbox-no-usage': 0.5, [realtimeModel]: 2.5 };
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

type Conditions = Partial<
  Pick<budgets.BudgetRow, 'token_id' | 'user_id' | 'group' | 'model' | 'mode' | 'parts'>
>;

const addBudget = (amount: number, conditions: Conditions) =>
  gate.addBudget(amount, { name: 'of the day', time_zone: 'Asia/Shanghai', ...conditions });

async function settled(id: number): Promise<{ used: number; held: number }> {
  await waitUntilSettled(gate);
  const { used, held } = (await budgets.find(gate.core.store.db, id))!;
  return { used, held };
}

describe('a budget', () => {
  it.each(callProtocols)(
    'is never passed by calls of %s, in one piece and streamed, side by side',
    async (protocol) => {
      const calls = fc.record({
        amount: fc.integer({ min: 1, max: 400 }),
        texts: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
        stream: fc.boolean(),
        sliding: fc.boolean(),
        model: fc.constantFrom('sandbox', 'sandbox-no-usage'),
      });
      await fc.assert(
        fc.asyncProperty(calls, async ({ amount, texts, stream, sliding, model }) => {
          const caller = await gate.addCaller({ balance: 2_000_000_000 });
          const id = await addBudget(amount, { user_id: caller.userId, parts: sliding ? '' : null });
          await Promise.all(
            texts.map(async (words) => {
              const call = textCalls[protocol](model, 'some words here '.repeat(words), stream);
              await (await sendCall(gate, caller, call)).text();
            }),
          );
          const { used, held } = await settled(id);
          const { balance } = await gate.readBalance(caller);
          expect([held, 2_000_000_000 - balance, used <= amount]).toEqual([0, used, true]);
        }),
        { numRuns: 6 },
      );
    },
  );

  it.each(callProtocols)(
    'that covers nothing refuses %s by its name and end, in the language of the caller',
    async (protocol) => {
      const caller = await gate.addCaller();
      await addBudget(0, { token_id: caller.tokenId });
      const call = textCalls[protocol]('sandbox', 'hello', true);
      const refused = await sendCall(gate, caller, call, { 'accept-language': 'en' });
      const said = await refused.text();
      expect([refused.status, said]).toEqual([403, expect.stringContaining('of the day')]);
      expect(said).toMatch(/ends at \d{4}-\d\d-\d\d 00:00 \(Asia\/Shanghai\)/);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(86_400);
      const inChinese = await sendCall(gate, caller, call, { 'accept-language': 'zh' });
      expect(await inChinese.text()).toContain('预算“of the day”不足');
    },
  );

  it.each(callProtocols)(
    'that slides refuses %s with the moment from which it has room, and never with one if the call costs more than all of it',
    async (protocol) => {
      const [caller, other] = [await gate.addCaller(), await gate.addCaller()];
      const now = Math.floor(gate.core.clock() / 1_000);
      const part = now - (now % 3_600);
      // All of it was used 20 hours ago.
      const parts = `${part - 20 * 3_600}:1000000`;
      const used = await addBudget(1_000_000, { token_id: caller.tokenId, parts });
      const small = await addBudget(1, { token_id: other.tokenId, parts: '' });
      const call = textCalls[protocol]('sandbox', 'hello '.repeat(20), true);
      const refused = await sendCall(gate, caller, call, { 'accept-language': 'en' });
      const said = await refused.text();
      expect([refused.status, said]).toEqual([
        403,
        expect.stringMatching(/of the day.*has room for it from/),
      ]);
      const wait = Number(refused.headers.get('retry-after'));
      expect([wait > 3 * 3_600, wait <= 5 * 3_600]).toEqual([true, true]);
      const never = await sendCall(gate, other, call, { 'accept-language': 'en' });
      expect([never.status, never.headers.get('retry-after')]).toEqual([403, null]);
      expect(await never.text()).toContain('costs more than the whole budget of the day');
      for (const id of [used, small]) await budgets.remove(gate.core.store.db, id);
    },
  );

  it('applies to the calls that fit its conditions, and to no others', async () => {
    const [caller, other] = [await gate.addCaller(), await gate.addCaller()];
    const status = async (of: TestCaller, model = 'sandbox') => {
      const answer = await sendCall(gate, of, textCalls.chat(model, 'hi', false));
      await answer.text();
      return answer.status;
    };
    for (const conditions of [
      { token_id: caller.tokenId },
      { user_id: caller.userId, group: 'default' },
      { user_id: caller.userId, model: 'sand*' },
      { token_id: caller.tokenId, user_id: caller.userId, model: 'sandbox' },
    ]) {
      const id = await addBudget(0, conditions);
      expect([conditions, await status(caller), await status(other)]).toEqual([conditions, 403, 200]);
      await budgets.remove(gate.core.store.db, id);
    }
    for (const conditions of [
      { user_id: caller.userId, group: 'vip' },
      { user_id: caller.userId, model: 'sandbox-think' },
      { user_id: other.userId, token_id: caller.tokenId },
    ]) {
      const id = await addBudget(0, conditions);
      expect([conditions, await status(caller), await status(other)]).toEqual([conditions, 200, 200]);
      await budgets.remove(gate.core.store.db, id);
    }
    await gate.core.budgetRules.reload();
    expect(gate.core.budgetRules.of === undefined).toBe(false);
  });

  it.each([
    ['/v1/images/generations', { model: 'sandbox-image', prompt: 'a hat' }],
    ['/v1/videos', { model: 'sandbox-video', prompt: 'a hat' }],
  ])(
    'below the price of what is made whole refuses it, and counts it where it fits: %s',
    async (path, body) => {
      const caller = await gate.addCaller();
      const id = await addBudget(1, { user_id: caller.userId });
      const refused = await sendCall(gate, caller, [path, body]);
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('of the day')]);
      expect(await settled(id)).toEqual({ used: 0, held: 0 });
      await budgets.remove(gate.core.store.db, id);
      const roomy = await addBudget(4_000_000, { user_id: caller.userId });
      const made = await sendCall(gate, caller, [path, body]);
      await made.text();
      expect(made.status).toBe(200);
      const { balance } = await gate.readBalance(caller);
      expect(await settled(roomy)).toEqual({ used: 5_000_000 - balance, held: 0 });
    },
  );

  it('ends a realtime session that has used it up, and is not passed', async () => {
    const talker = await gate.addCaller({ balance: 1_000_000 });
    const id = await addBudget(2_000, { user_id: talker.userId });
    const end = await talkUntilEnded(gate, talker);
    expect(end).toMatchObject({ error: { code: 'budget_reached' }, closeCode: 1008 });
    const { used, held } = await settled(id);
    expect([held, used > 0, used <= 2_000]).toEqual([0, true, true]);
  });
});
