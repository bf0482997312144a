import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { createTokenCounter } from '../../lib/token-count/token-counter.ts';
import { countRequest, countText } from '../../relay/token-count.ts';
import { answerEvents } from '../../testing/upstream/answer-events.ts';
import { textOfEvents } from '../../testing/upstream/content-of-events.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

// An answer that breaks off costs the delivered words, and words before the break are delivered. Every token costs
// one quota unit here.

const models = {
  'openai-chat': 'gpt-4o-chat',
  'anthropic-messages': 'gpt-4o-messages',
  gemini: 'gpt-4o-gemini',
};
type Upstream = keyof typeof models;
const pieces = ['One', ' two', ' three', ' four', ' five'];
const input = 40;
const balance = 100_000;

const failures: Record<Upstream, string> = {
  'openai-chat': event({ error: { message: 'overloaded', type: 'server_error', code: 'overloaded' } }),
  'anthropic-messages': `event: error\n${event({ type: 'error', error: { type: 'overloaded_error', message: 'overloaded' } })}`,
  gemini: event({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }),
};

const question = 'Count.';
const requests: Record<
  'openai-chat' | 'anthropic-messages',
  (model: string) => [path: string, body: JsonObject]
> = {
  'openai-chat': (model) => [
    '/v1/chat/completions',
    { model, stream: true, messages: [{ role: 'user', content: question }] },
  ],
  'anthropic-messages': (model) => [
    '/v1/messages',
    { model, stream: true, max_tokens: 400, messages: [{ role: 'user', content: question }] },
  ],
};
type Caller = keyof typeof requests;

const counter = createTokenCounter();
let gate: GatewayHarness;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 31, models: models['openai-chat'] });
  await gate.addChannel({ type: 14, models: models['anthropic-messages'] });
  await gate.addChannel({ type: 24, models: models.gemini });
  const each = JSON.stringify(Object.fromEntries(Object.values(models).map((name) => [name, 1])));
  await gate.core.settings.setMany({ ModelRatio: each, CompletionRatio: each, RetryTimes: '0' });
});
afterAll(async () => {
  await counter.close();
  await gate.close();
});

/**
 * Sends a call whose upstream sends two words and, after they arrive, the `rest`. Returns the received text and the
 * cost.
 */
async function ask(caller: Caller, upstream: Upstream, rest: (third: string) => string) {
  const events = answerEvents[upstream]({ pieces, input, output: 20 });
  const third = events.findIndex((one) => one.includes(' three'));
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  gate.upstream.next(async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.write(events.slice(0, third).join(''));
    await begun;
    await exchange.write(rest(events[third]!));
    await exchange.end();
  });
  const payer = await gate.addCaller({ balance });
  const [path, body] = requests[caller](models[upstream]);
  const answer = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const decoder = new TextDecoder();
  let stream = '';
  for await (const chunk of answer.body!) {
    stream += decoder.decode(chunk, { stream: true });
    begin();
  }
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.core.ledger.flush();
  const text = textOfEvents(caller, stream);
  // Messages reports the input before the first word.
  const asked =
    upstream === 'anthropic-messages' ? input : await countRequest(counter, caller, body, models[upstream]);
  const cost = asked + (await countText(counter, text, models[upstream]));
  return { stream, text, paid: balance - (await gate.readBalance(payer)).balance, cost };
}

const pairs: [Caller, Upstream][] = [
  ['openai-chat', 'openai-chat'],
  ['anthropic-messages', 'anthropic-messages'],
  ['openai-chat', 'anthropic-messages'],
  ['openai-chat', 'gemini'],
  ['anthropic-messages', 'openai-chat'],
  ['anthropic-messages', 'gemini'],
];

it.each(pairs)(
  '%s before %s: content that arrives in one read with an error is delivered before it, and charged',
  async (caller, upstream) => {
    const { stream, text, paid, cost } = await ask(caller, upstream, (third) => third + failures[upstream]);
    expect(text).toBe('One two three');
    expect(stream).toContain('error');
    expect(paid).toBe(cost);
  },
);

it.each(pairs)(
  '%s before %s: an event that is incomplete when the upstream breaks off is neither delivered nor charged',
  async (caller, upstream) => {
    const { stream, text, paid, cost } = await ask(caller, upstream, (third) => third.trimEnd());
    expect(text).toBe('One two');
    expect(stream).toContain('error');
    expect(paid).toBe(cost);
  },
);
