import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { logs } from '../../store/index.ts';
import { type Behaviour, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, chatChunk, delta, doneEvent, event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Higher and lower prices of vendors: for long prompts, and by the service tier that an answer reports.

let gate: GatewayHarness;
let caller: TestCaller;
/** Hold of the call at the time of the request to the upstream. */
let held = 0;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'gpt-5,gpt-5.4' });
  await gate.addChannel({ type: 24, models: 'gemini-2.5-pro' });
});
afterAll(() => gate.close());
afterEach(async () => {
  await gate.checkAtRest();
});

/** Sends a call. Returns its cost and its row. */
async function call(path: string, body: JsonObject, answers: Behaviour) {
  caller = await gate.addCaller({ balance: 500_000_000 });
  gate.upstream.next(async (exchange) => {
    await gate.core.ledger.flush();
    held = (await gate.readBalance(caller)).held;
    await answers(exchange);
  });
  const response = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  await response.text();
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  const other = JSON.parse(rows[0]!.other) as JsonObject;
  const receipt = other.receipt as unknown as { terms: { amount: string }[] };
  const lines = receipt.terms.reduce((sum, { amount }) => sum + Number(amount), 0);
  expect(Math.round(lines)).toBe(rows[0]!.quota);
  return { quota: rows[0]!.quota, other };
}

const usage = (input: number, output: number, cached = 0) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});
const ask = (more: JsonObject = {}, model = 'gpt-5'): JsonObject => ({
  model,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});
const whole = (tier: string | undefined, used: object, model = 'gpt-5'): Behaviour =>
  json({
    ...(chatBody(model, 'Hello', used as never) as object),
    ...(tier !== undefined && { service_tier: tier }),
  });
const chat = '/v1/chat/completions';
/** Quota units of a million tokens at one dollar. */
const dollars = (each: number, tokens: number) => (each * tokens) / 2;

describe('the service tier that an answer reports', () => {
  const plain = dollars(1.25, 800) + dollars(0.125, 200) + dollars(10, 500);

  it.each([
    ['priority', 2],
    ['flex', 0.5],
    ['default', 1],
    ['scale', 1],
    [undefined, 1],
  ])('%s multiplies the price by %d', async (tier, factor) => {
    const { quota, other } = await call(chat, ask(), whole(tier, usage(1_000, 500, 200)));
    expect(quota).toBe(Math.round(plain * factor));
    expect(other.service_tier_ratio).toBe(factor === 1 ? undefined : factor);
  });

  it('is charged as reported, not as requested', async () => {
    const { quota, other } = await call(
      chat,
      ask({ service_tier: 'priority' }),
      whole('default', usage(1_000, 500, 200)),
    );
    expect(quota).toBe(Math.round(plain));
    expect(other).not.toHaveProperty('service_tier');
  });

  it('is read in streams, in Responses and in Gemini', async () => {
    const chunk = (choices: unknown[], used?: object) =>
      event({ ...(chatChunk('gpt-5', choices, used as never) as object), service_tier: 'priority' });
    const streamed = await call(chat, ask({ stream: true }), async (exchange) => {
      exchange.head(200, sseHeaders);
      await exchange.write(chunk([delta({ content: 'Hello' })]) + chunk([delta({}, 'stop')]));
      await exchange.end(chunk([], usage(1_000, 500, 200)) + doneEvent);
    });
    expect(streamed).toMatchObject({ quota: Math.round(plain * 2), other: { service_tier: 'priority' } });
    const responses = await call(
      '/v1/responses',
      { model: 'gpt-5', input: 'hi' },
      json({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        model: 'gpt-5',
        service_tier: 'flex',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
        usage: {
          input_tokens: 1_000,
          input_tokens_details: { cached_tokens: 200 },
          output_tokens: 500,
          total_tokens: 1_500,
        },
      }),
    );
    expect(responses).toMatchObject({ quota: Math.round(plain / 2), other: { service_tier: 'flex' } });
    const gemini = await call(
      '/v1beta/models/gemini-2.5-pro:generateContent',
      askGemini,
      answerGemini(1_000, 'ON_DEMAND_FLEX'),
    );
    // Cache reads cost the same as at the standard tier.
    expect(gemini.quota).toBe(Math.round((dollars(1.25, 800) + dollars(10, 500)) / 2 + dollars(0.125, 200)));
  });

  it('is held for at the price of a dearer tier that was requested, and never below the default one', async () => {
    const bounded = { max_completion_tokens: 500 };
    const dear = await call(
      chat,
      ask({ ...bounded, service_tier: 'priority' }),
      whole('priority', usage(1, 500)),
    );
    expect(held).toBeGreaterThanOrEqual(dear.quota);
    const dearHeld = held;
    await call(chat, ask({ ...bounded, service_tier: 'flex' }), whole('default', usage(1, 500)));
    expect(dearHeld).toBeGreaterThanOrEqual(2 * held - 1);
  });
});

const askGemini: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const answerGemini = (input: number, trafficType = 'ON_DEMAND'): Behaviour =>
  json({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      cachedContentTokenCount: 200,
      candidatesTokenCount: 500,
      totalTokenCount: input + 500,
      trafficType,
    },
    modelVersion: 'gemini-2.5-pro',
  });

describe('a prompt above the length from which its vendor charges more', () => {
  it.each([
    [200_000, 1, 1, undefined],
    [200_001, 2, 1.5, 200_000],
  ])('of %d tokens costs %d times as much to read and %d to write', async (input, read, write, above) => {
    const { quota, other } = await call(
      '/v1beta/models/gemini-2.5-pro:generateContent',
      askGemini,
      answerGemini(input),
    );
    const cost = (dollars(1.25, input - 200) + dollars(0.125, 200)) * read + dollars(10, 500) * write;
    expect(quota).toBe(Math.round(cost));
    expect(other.context_above).toBe(above);
  });

  it('costs more at a dear tier, too', async () => {
    const { quota, other } = await call(
      chat,
      ask({}, 'gpt-5.4'),
      whole('priority', usage(300_000, 1_000), 'gpt-5.4'),
    );
    expect(quota).toBe(Math.round(dollars(2.5, 300_000) * 2 * 2 + dollars(15, 1_000) * 1.5 * 2));
    expect(other).toMatchObject({
      context_above: 272_000,
      context_input_ratio: 2,
      context_output_ratio: 1.5,
      service_tier_ratio: 2,
    });
  });

  it('is held for at its own prices', async () => {
    const content = 'word '.repeat(290_000);
    const { quota } = await call(
      chat,
      { ...ask({}, 'gpt-5.4'), messages: [{ role: 'user', content }], max_completion_tokens: 1_000 },
      whole(undefined, usage(290_000, 1_000), 'gpt-5.4'),
    );
    expect(held).toBeGreaterThanOrEqual(quota);
  });

  it('costs what the administrator set', async () => {
    await gate.core.settings.set(
      'PriceTerms',
      '{"gpt-5.4":{},"gpt-5":{"context":[{"above":10,"input":3,"output":4}]}}',
    );
    const plain = await call(chat, ask({}, 'gpt-5.4'), whole('priority', usage(300_000, 1_000), 'gpt-5.4'));
    expect(plain.quota).toBe(Math.round(dollars(2.5, 300_000) + dollars(15, 1_000)));
    const own = await call(chat, ask(), whole(undefined, usage(100, 10)));
    expect(own.quota).toBe(Math.round(dollars(1.25, 100) * 3 + dollars(10, 10) * 4));
    await gate.core.settings.set('PriceTerms', '{}');
  });
});

describe('the option', () => {
  it.each([
    [
      'lengths that do not rise',
      '{"m":{"context":[{"above":20,"input":1,"output":1},{"above":10,"input":2,"output":2}]}}',
    ],
    [
      'factors that fall',
      '{"m":{"context":[{"above":10,"input":2,"output":2},{"above":20,"input":1,"output":2}]}}',
    ],
    ['a long prompt that costs less', '{"m":{"context":[{"above":10,"input":0.5,"output":1}]}}'],
    ['a term that nobody knows', '{"m":{"contexts":[]}}'],
    ['a factor below zero', '{"m":{"tiers":{"flex":{"factor":-1}}}}'],
  ])('refuses %s', async (_, text) => {
    await expect(gate.core.settings.set('PriceTerms', text)).rejects.toThrow('PriceTerms');
  });
});
