import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { crashRow } from '../../services/calls/metering/index.ts';
import { createLedger } from '../../services/money/ledger/index.ts';
import { recordingLog } from '../../services/money/ledger/testing/test-bed.ts';
import { budgets, logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, event } from '../../testing/upstream/fake-upstream-wire.ts';
import {
  callProtocols,
  sendCall,
  talkUntilEnded,
  textCalls,
  waitUntilSettled,
} from '../../testing/worlds/limited-calls.ts';
import { realtimeModel } from '../../testing/worlds/realtime-world.ts';

// A budget in tokens is never passed, whatever the model costs.

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  await gate.addChannel({ models: 'gpt-4o-mini' });
  const ratios = { sandbox: 0.5, 'sandbox-no-usage': 0, [realtimeModel]: 2.5, 'gpt-4o-mini': 0 };
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
  await gate.core.settings.set(
    'ModelPrice',
    JSON.stringify({ 'sandbox-think': 0.001, 'sandbox-image': 0.01 }),
  );
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

const addBudget = (amount: number, parts: Partial<budgets.BudgetRow>) =>
  gate.addBudget(amount, { name: 'per hour', period: 'hour', unit: 'tokens', ...parts });

async function settled(id: number): Promise<{ used: number; held: number }> {
  await waitUntilSettled(gate);
  const { used, held } = (await budgets.find(gate.core.store.db, id))!;
  return { used, held };
}

/** Tokens in and out of all rows of a caller. */
async function loggedTokens({ userId }: TestCaller): Promise<number> {
  const { rows } = await logs.list(gate.core.store.db, { userId, type: 2 }, { offset: 0, limit: 100 });
  return rows.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0);
}

describe('a budget in tokens', () => {
  it.each(callProtocols)(
    'is never passed by calls of %s at any price, in one piece and streamed, side by side',
    async (protocol) => {
      const calls = fc.record({
        amount: fc.integer({ min: 1, max: 700 }),
        texts: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
        stream: fc.boolean(),
        sliding: fc.boolean(),
        model: fc.constantFrom('sandbox', 'sandbox-no-usage', 'sandbox-think'),
      });
      await fc.assert(
        fc.asyncProperty(calls, async ({ amount, texts, stream, sliding, model }) => {
          const caller = await gate.addCaller({ balance: 2_000_000_000 });
          const id = await addBudget(amount, { user_id: caller.userId, parts: sliding ? '' : null });
          await Promise.all(
            texts.map(async (words) => {
              const call = textCalls[protocol](model, 'some words here '.repeat(words), stream);
              const answer = await sendCall(gate, caller, call);
              await answer.text();
              expect([200, 429]).toContain(answer.status);
            }),
          );
          const { used, held } = await settled(id);
          expect([held, used, used <= amount]).toEqual([0, await loggedTokens(caller), true]);
        }),
        { numRuns: 8 },
      );
    },
  );

  it.each(callProtocols)(
    'without room refuses %s with 429, its tokens and its end, in the language of the caller',
    async (protocol) => {
      const caller = await gate.addCaller();
      const id = await addBudget(3, { token_id: caller.tokenId });
      const call = textCalls[protocol]('sandbox-no-usage', 'some words here', true);
      const refused = await sendCall(gate, caller, call, { 'accept-language': 'en' });
      const said = await refused.text();
      expect([refused.status, said]).toEqual([429, expect.stringContaining('per hour has 3 of 3 tokens')]);
      const limits = ['limit', 'remaining'].map((which) =>
        refused.headers.get(`x-ratelimit-${which}-tokens`),
      );
      expect(limits).toEqual(['3', '3']);
      const wait = Number(refused.headers.get('retry-after'));
      expect([wait > 0, wait <= 3_600]).toEqual([true, true]);
      const inChinese = await sendCall(gate, caller, call, { 'accept-language': 'zh' });
      expect(await inChinese.text()).toContain('预算“per hour”共 3 个 Token');
      await budgets.remove(gate.core.store.db, id);
      await addBudget(3, { token_id: caller.tokenId, parts: '', period: 'minute' });
      const never = await sendCall(gate, caller, call, { 'accept-language': 'en' });
      expect([never.status, never.headers.get('retry-after')]).toEqual([429, null]);
      expect(await never.text()).toContain('more tokens than the 3 of the whole budget');
    },
  );

  it('serves what has no tokens when it is full', async () => {
    const caller = await gate.addCaller();
    const id = await addBudget(10, { user_id: caller.userId });
    const held = await sendCall(gate, caller, ['/v1/ledger/hold', { usd: 0.01, name: 'page' }]);
    expect([held.status, await settled(id)]).toEqual([200, { used: 0, held: 0 }]);
    const { id: hold } = (await held.json()) as { id: string };
    const paid = await sendCall(gate, caller, ['/v1/ledger/settle', { id: hold, usd: 0.01 }]);
    expect([paid.status, await settled(id)]).toEqual([200, { used: 0, held: 0 }]);
  });

  it('counts the tokens that a vendor reports of images', async () => {
    const caller = await gate.addCaller();
    const id = await addBudget(100_000, { user_id: caller.userId });
    const body = { model: 'sandbox-image', prompt: 'a cat' };
    const made = await sendCall(gate, caller, ['/v1/images/generations', body]);
    const { usage } = (await made.json()) as { usage: { total_tokens: number } };
    expect(await settled(id)).toEqual({ used: usage.total_tokens, held: 0 });
  });

  it('sends calls without room to its cheaper model', async () => {
    const caller = await gate.addCaller();
    const id = await addBudget(3, { user_id: caller.userId, mode: 'cheaper', instead: 'sandbox' });
    const answer = await sendCall(gate, caller, textCalls.chat('sandbox-no-usage', 'some words', false));
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"model":"sandbox"')]);
    expect(await settled(id)).toEqual({ used: 0, held: 0 });
  });

  it('ends a realtime session that has used it up, and is not passed', async () => {
    const talker = await gate.addCaller({ balance: 1_000_000 });
    const id = await addBudget(2_000, { user_id: talker.userId });
    const end = await talkUntilEnded(gate, talker);
    expect(end).toMatchObject({ error: { code: 'token_budget_reached' }, closeCode: 1008 });
    const { used, held } = await settled(id);
    expect([held, used > 0, used <= 2_000]).toEqual([0, true, true]);
  });

  it('counts what a free stream delivered before its process died', async () => {
    const caller = await gate.addCaller();
    const id = await addBudget(100_000, { user_id: caller.userId });
    const mark = vi.spyOn(gate.core.ledger, 'mark');
    const { promise: dead, resolve: die } = Promise.withResolvers<void>();
    let passed = 0;
    const { clock } = gate.relay.gateway;
    gate.relay.gateway.clock = () => Date.now() + passed;
    gate.upstream.script(async (exchange) => {
      exchange.head(200, sseHeaders);
      for (const word of ['one', ' two', ' three']) {
        passed += 1_500;
        await exchange.write(event(chatChunk('m', [delta({ content: word })])));
        await exchange.turn();
      }
      await dead;
      await exchange.end('');
    });
    const asked = sendCall(gate, caller, textCalls.chat('gpt-4o-mini', 'Count.', true));
    await vi.waitFor(() => expect(mark).toHaveBeenCalled(), { timeout: 20_000 });
    await gate.core.ledger.flush();
    const [, cost, , tokens = 0] = mark.mock.calls.at(-1)!;
    expect([cost, tokens > 1]).toEqual([0, true]);
    // Another process ends what this one would have left.
    const { store } = gate.core;
    const log = recordingLog();
    const next = createLedger({ store, log, clock: Date.now, node: 'next', crashRow });
    expect(await next.recover()).toEqual({ settled: 1, released: 0, charged: 0 });
    await next.close();
    expect((await budgets.find(store.db, id))!.used).toBe(tokens);
    die();
    await (await asked).text().catch(() => undefined);
    gate.relay.gateway.clock = clock;
    expect((await settled(id)).used).toBeGreaterThanOrEqual(tokens);
  });
});
