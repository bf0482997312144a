import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { budgets } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';
import { startFakeRealtime } from '../../testing/upstream/fake-realtime.ts';

// A budget is never passed, to the unit, and its refusal names it.

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

type Conditions = Partial<Pick<budgets.BudgetRow, 'token_id' | 'user_id' | 'group' | 'model' | 'mode'>>;

async function addBudget(amount: number, conditions: Conditions): Promise<number> {
  const id = await budgets.create(gate.core.store.db, {
    name: 'of the day',
    set_by: 'site',
    token_id: 0,
    user_id: 0,
    team_id: 0,
    group: '',
    model: '',
    period: 'day',
    time_zone: 'Asia/Shanghai',
    mode: 'hard',
    amount,
    enabled: 1,
    window_start: 0,
    window_end: 0,
    created_time: 0,
    ...conditions,
  });
  await gate.core.budgetRules.reload();
  return id;
}

async function settled(id: number): Promise<{ used: number; held: number }> {
  await expect.poll(() => gate.relay.gateway.running.size, { interval: 2 }).toBe(0);
  await gate.core.ledger.flush();
  const { used, held } = (await budgets.find(gate.core.store.db, id))!;
  return { used, held };
}

const protocols = {
  chat: (model: string, content: string, stream: boolean) => [
    '/v1/chat/completions',
    { model, stream, messages: [{ role: 'user', content }] },
  ],
  responses: (model: string, input: string, stream: boolean) => ['/v1/responses', { model, stream, input }],
  messages: (model: string, content: string, stream: boolean) => [
    '/v1/messages',
    { model, stream, max_tokens: 50_000, messages: [{ role: 'user', content }] },
  ],
  gemini: (model: string, text: string, stream: boolean) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
} satisfies Record<string, (model: string, text: string, stream: boolean) => unknown[]>;
const names = Object.keys(protocols) as (keyof typeof protocols)[];

const send = ({ key }: TestCaller, [path, body]: unknown[], language = 'en') =>
  fetch(`${gate.url}${String(path)}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'accept-language': language,
    },
    body: JSON.stringify(body),
  });

describe('a budget', () => {
  it.each(names)(
    'is never passed by calls of %s, in one piece and streamed, side by side',
    async (protocol) => {
      const calls = fc.record({
        amount: fc.integer({ min: 1, max: 400 }),
        texts: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
        stream: fc.boolean(),
        model: fc.constantFrom('sandbox', 'sandbox-no-usage'),
      });
      await fc.assert(
        fc.asyncProperty(calls, async ({ amount, texts, stream, model }) => {
          const caller = await gate.addCaller({ balance: 2_000_000_000 });
          const id = await addBudget(amount, { user_id: caller.userId });
          await Promise.all(
            texts.map(async (words) =>
              (
                await send(caller, protocols[protocol](model, 'some words here '.repeat(words), stream))
              ).text(),
            ),
          );
          const { used, held } = await settled(id);
          const { balance } = await gate.readBalance(caller);
          expect([held, 2_000_000_000 - balance, used <= amount]).toEqual([0, used, true]);
        }),
        { numRuns: 6 },
      );
    },
  );

  it.each(names)(
    'that covers nothing refuses %s by its name and end, in the language of the caller',
    async (protocol) => {
      const caller = await gate.addCaller();
      await addBudget(0, { token_id: caller.tokenId });
      const call = protocols[protocol]('sandbox', 'hello', true);
      const refused = await send(caller, call);
      const said = await refused.text();
      expect([refused.status, said]).toEqual([403, expect.stringContaining('of the day')]);
      expect(said).toMatch(/ends at \d{4}-\d\d-\d\d 00:00 \(Asia\/Shanghai\)/);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(86_400);
      expect(await (await send(caller, call, 'zh')).text()).toContain('预算“of the day”不足');
    },
  );

  it('applies to the calls that fit its conditions, and to no others', async () => {
    const [caller, other] = [await gate.addCaller(), await gate.addCaller()];
    const status = async (of: TestCaller, model = 'sandbox') => {
      const answer = await send(of, protocols.chat(model, 'hi', false));
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
      const refused = await send(caller, [path, body]);
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('of the day')]);
      expect(await settled(id)).toEqual({ used: 0, held: 0 });
      await budgets.remove(gate.core.store.db, id);
      const roomy = await addBudget(4_000_000, { user_id: caller.userId });
      const made = await send(caller, [path, body]);
      await made.text();
      expect(made.status).toBe(200);
      const { balance } = await gate.readBalance(caller);
      expect(await settled(roomy)).toEqual({ used: 5_000_000 - balance, held: 0 });
    },
  );

  it('ends a realtime session that has used it up, and is not passed', async () => {
    const voices = await startFakeRealtime();
    const voice = 'gpt-4o-realtime-preview';
    await gate.addChannel({ models: voice, base_url: voices.url });
    await gate.core.settings.set('ModelRatio', JSON.stringify({ [voice]: 2.5, sandbox: 0.5 }));
    voices.script({ words: 30, paceMs: 0, soundBytes: 0, usage: null });
    const talker = await gate.addCaller({ balance: 1_000_000 });
    const id = await addBudget(2_000, { user_id: talker.userId });
    const client = await RealtimeClient.open(`${gate.url.replace('http', 'ws')}/v1/realtime?model=${voice}`, {
      headers: { authorization: `Bearer ${talker.key}` },
    });
    const error = client.next('error');
    const timer = setInterval(() => client.send({ type: 'response.create' }), 20);
    expect((await error)['error']).toMatchObject({ code: 'budget_reached' });
    clearInterval(timer);
    expect((await client.closed).code).toBe(1008);
    const { used, held } = await settled(id);
    expect([held, used > 0, used <= 2_000]).toEqual([0, true, true]);
    await voices.close();
  });
});
