import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import {
  chatEvents,
  json,
  sseHeaders,
  type Behaviour,
} from '../../testing/upstream/fake-upstream-scripts.ts';
import { images } from '../../testing/upstream/fake-upstream-media.ts';

// Whatever a channel's override, headers and instructions change, the hold covers the request that the channel gets,
// and the charge is its price. The model below computes the price from the bytes that the upstream received.

const priority = 3;

let gate: GatewayHarness;
let channelId = 0;
beforeAll(async () => {
  gate = await openGateway();
  // Each token costs one unit; an image 1,000.
  await gate.core.settings.setMany({
    ModelRatio: JSON.stringify({ told: 1, 'my-search-preview': 1 }),
    CompletionRatio: JSON.stringify({ told: 1, 'my-search-preview': 1 }),
    ModelPrice: JSON.stringify({ 'dall-e-3': 0.002 }),
    PriceTerms: JSON.stringify({
      told: { tiers: { priority: { factor: priority }, flex: { factor: 0.5 } } },
    }),
    RetryTimes: '0',
  });
  channelId = await gate.addChannel({ models: 'told,dall-e-3,my-search-preview' });
});
afterAll(async () => {
  await gate.checkAtRest();
  await gate.close();
});

interface Chat {
  messages: unknown[];
  n?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  service_tier?: string;
  stream?: boolean;
}

/** The usage of a vendor that answers with all the output that a request permits, for short limits. */
function usageOf({ messages, n = 1, max_tokens, max_completion_tokens }: Chat): {
  input: number;
  output: number;
} {
  // No vocabulary has fewer tokens than an eighth of the bytes.
  const input = Math.ceil(JSON.stringify(messages).length / 40);
  return { input, output: n * Math.min(max_completion_tokens ?? max_tokens ?? 50, 3_000) };
}

const tierOf = ({ service_tier: tier }: Chat): number =>
  tier === 'priority' ? priority : tier === 'flex' ? 0.5 : 1;

/** Price of a received request, in units. */
function priceOf(body: Chat): number {
  const { input, output } = usageOf(body);
  return Math.max(1, Math.round((input + output) * tierOf(body)));
}

/** The right charges of a call whose upstream received `sent`; undefined for a refused call. */
function chargesOf(
  sent: { json(): unknown } | undefined,
  { balance, stream = false }: { balance: number; stream?: boolean | undefined },
): { has(charge: number): boolean } {
  if (!sent) return new Set([0]);
  const received = sent.json() as Chat;
  // A stream begins with a part of its hold, and ends where the balance does not cover its cost at the dearest tier.
  if (stream && priceOf({ ...received, service_tier: 'priority' }) > balance)
    return { has: (charge) => charge <= balance };
  return new Set([priceOf(received)]);
}

const answer: Behaviour = async (exchange) => {
  const body = exchange.json() as unknown as Chat;
  const { input, output } = usageOf(body);
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const tier = body.service_tier && { service_tier: body.service_tier };
  const text = 'x'.repeat(3);
  if (body.stream) {
    exchange.head(200, sseHeaders);
    const script = { usage, usageWhen: 'always', chunks: 2, text: () => text } as const;
    for (const event of chatEvents(exchange, script))
      await exchange.write(
        tier && event.startsWith('data: {')
          ? event.replace('data: {', `data: {"service_tier":"${tier.service_tier}",`)
          : event,
      );
    return exchange.end();
  }
  const choices = Array.from({ length: body.n ?? 1 }, (_, index) => ({
    index,
    message: { role: 'assistant', content: text },
    finish_reason: 'stop',
  }));
  await json({ id: 'c', object: 'chat.completion', created: 1, model: 'told', choices, usage, ...tier })(
    exchange,
  );
};

const set = (path: string, value: unknown) => ({ mode: 'set', path, value });
const counts = fc.integer({ min: 1, max: 40 });
const limits = fc.integer({ min: 1, max: 3_000 });
const tiers = fc.constantFrom('priority', 'flex', 'default');
const talk = fc
  .integer({ min: 1, max: 3_000 })
  .map((words) => [{ role: 'user', content: 'long '.repeat(words) }]);

/** Members of an override that change the price, beside some that do not. */
const members = fc.record(
  {
    n: counts,
    max_tokens: limits,
    max_completion_tokens: limits,
    service_tier: tiers,
    messages: talk,
    stream: fc.boolean(),
    model: fc.constant('dearer'),
    temperature: fc.constant(0),
    stop: fc.constant(['x']),
  },
  { requiredKeys: [] },
);
const operations = fc.array(
  fc.oneof(
    counts.map((n) => set('n', n)),
    limits.map((limit) => set('max_tokens', limit)),
    tiers.map((tier) => set('service_tier', tier)),
    talk.map((messages) => ({ mode: 'append', path: 'messages', value: messages })),
    fc.constantFrom(
      { mode: 'delete', path: 'n' },
      { mode: 'delete', path: 'service_tier' },
      { mode: 'move', from: 'max_tokens', to: 'max_completion_tokens' },
      { mode: 'copy', from: 'max_tokens', to: 'max_completion_tokens' },
    ),
  ),
  { maxLength: 3 },
);
const settings = fc.oneof(
  fc.constant({}),
  fc.record({
    system_prompt: fc.integer({ min: 1, max: 2_000 }).map((words) => 'wise '.repeat(words)),
    system_prompt_override: fc.constantFrom(true, false, 'instead'),
  }),
);
const asked = fc.record(
  { n: fc.integer({ min: 1, max: 4 }), max_tokens: limits, service_tier: tiers, stream: fc.boolean() },
  { requiredKeys: [] },
);

const post = (key: string, path: string, body: object) =>
  fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Changes the channel to these rewrites, and asks with this balance; resolves to the charge and the request sent. */
async function askWith(
  rewrites: { override: object; setting?: object; headers?: object },
  balance: number,
  path: string,
  body: object,
) {
  await gate.core.channels.update({
    id: channelId,
    param_override: JSON.stringify(rewrites.override),
    setting: JSON.stringify(rewrites.setting ?? {}),
    header_override: JSON.stringify(rewrites.headers ?? {}),
  });
  const caller = await gate.addCaller({ balance });
  const before = gate.upstream.requests.length;
  const response = await post(caller.key, path, body);
  const text = await response.text();
  await gate.core.ledger.flush();
  const { balance: left, held } = await gate.readBalance(caller);
  expect(held).toBe(0);
  return {
    status: response.status,
    text,
    charged: balance - left,
    sent: gate.upstream.requests.slice(before),
  };
}

describe('a channel that rewrites requests', () => {
  it('is asked only for what is held, and charged as it was asked', async () => {
    // A refused call leaves the answer for the next one.
    let isReady = false;
    await fc.assert(
      fc.asyncProperty(
        members,
        operations,
        settings,
        asked,
        fc.double({ min: 2, max: 6, noNaN: true }),
        async (fields, steps, setting, own, size) => {
          const balance = Math.floor(10 ** size);
          const override = { ...fields, ...(steps.length > 0 && { operations: steps }) };
          const headers = { 'x-tenant': 'seven', 'x-service-tier': 'priority' };
          if (!isReady) gate.upstream.next(answer);
          const { status, text, charged, sent } = await askWith(
            { override, setting, headers },
            balance,
            '/v1/chat/completions',
            { model: 'told', messages: [{ role: 'user', content: 'hi' }], ...own },
          );
          isReady = status === 403;
          expect([200, 403], text).toContain(status);
          const right = chargesOf(isReady ? undefined : sent[0], { balance, stream: own.stream });
          expect(right.has(charged), `charged ${charged}`).toBe(true);
          expect(sent.length).toBe(isReady ? 0 : 1);
        },
      ),
      { numRuns: 150 },
    );
    if (isReady)
      await askWith({ override: {} }, 1_000_000, '/v1/chat/completions', {
        model: 'told',
        messages: [{ role: 'user', content: 'x' }],
      });
  }, 60_000);

  it.each([
    ['more images', { n: 3 }, { n: 1 }, 3_000],
    ['fewer images', { n: 1 }, { n: 3 }, 1_000],
    ['a larger size', { size: '1792x1024' }, { size: '1024x1024' }, 2_000],
    ['a better quality', { operations: [set('quality', 'hd')] }, {}, 2_000],
    ['a usual size', { operations: [{ mode: 'delete', path: 'size' }] }, { size: '1792x1024' }, 1_000],
  ])('is charged for %s as it was asked', async (_, override, own, price) => {
    const body = { model: 'dall-e-3', prompt: 'a fox', ...own };
    gate.upstream.next(images());
    const served = await askWith({ override }, 100_000, '/v1/images/generations', body);
    expect([served.status, served.charged]).toEqual([200, price]);
    const refused = await askWith({ override }, price - 1, '/v1/images/generations', body);
    expect([refused.status, refused.charged, refused.sent.length]).toEqual([403, 0, 0]);
  });

  it.each([
    ['low', 12_500],
    ['high', 15_000],
  ])('is charged for a search of the size %s as it was asked', async (size, price) => {
    gate.upstream.next(answer);
    const body = { model: 'my-search-preview', messages: [{ role: 'user', content: 'x' }], max_tokens: 5 };
    const override = { web_search_options: { search_context_size: size } };
    const { charged, sent } = await askWith({ override }, 100_000, '/v1/chat/completions', body);
    expect(charged).toBe(price + priceOf(sent[0]!.json() as unknown as Chat));
  });
});
