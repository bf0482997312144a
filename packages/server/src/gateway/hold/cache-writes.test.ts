import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';

// Input that a request marks for caching is held at the write price, at any position of the mark.

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 14, models: 'claude' });
  const one = JSON.stringify({ claude: 1 });
  await gate.core.settings.setMany({
    ModelRatio: one,
    CompletionRatio: one,
    CreateCacheRatio: '{"claude":1.25}',
    RetryTimes: '0',
  });
  gate.upstream.script(
    json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: 'Yes.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 2 },
    }),
  );
});
afterAll(() => gate.close());

const long = 'word '.repeat(1_000);
const text = (mark: JsonObject): JsonObject => ({ type: 'text', text: long, ...mark });
const schema = { type: 'object', properties: {} };
const ask = (content: JsonObject[], more: JsonObject = {}): JsonObject => ({
  model: 'claude',
  max_tokens: 20,
  messages: [{ role: 'user', content }],
  ...more,
});
const result = (content: JsonObject[]): JsonObject => ({ type: 'tool_result', tool_use_id: 't', content });
const used = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };

const places: Record<string, (mark: JsonObject) => JsonObject> = {
  'the request': (mark) => ask([text({})], mark),
  'its system': (mark) => ask([text({})], { system: [{ type: 'text', text: 'Be brief.', ...mark }] }),
  'a tool': (mark) => ask([text({})], { tools: [{ name: 'f', input_schema: schema, ...mark }] }),
  'a block': (mark) => ask([text(mark)]),
  'a block of a tool result': (mark) => ({
    ...ask([]),
    messages: [{ role: 'user', content: 'Go' }, used, { role: 'user', content: [result([text(mark)])] }],
    tools: [{ name: 'f', input_schema: schema }],
  }),
};

async function statusWith(balance: number, body: JsonObject, path = '/v1/messages'): Promise<number> {
  const { key } = await gate.addCaller({ balance });
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.text();
  return answer.status;
}

describe.each(Object.entries(places))('a mark on %s', (_, place) => {
  it.each([
    ['no cache', {}, 800, 1_150],
    ['five minutes', { cache_control: { type: 'ephemeral' } }, 1_150, 1_450],
    ['an hour', { cache_control: { type: 'ephemeral', ttl: '1h' } }, 1_900, 2_300],
  ])('is held for: %s', async (_name, mark, tooLittle, enough) => {
    expect(await statusWith(tooLittle, place(mark))).toBe(403);
    expect(await statusWith(enough, place(mark))).toBe(200);
  });
});

it('is held for in chats too', async () => {
  const body = ask([text({ cache_control: { type: 'ephemeral', ttl: '1h' } })]);
  expect(await statusWith(1_900, body, '/v1/chat/completions')).toBe(403);
  expect(await statusWith(1_150, ask([text({})]), '/v1/chat/completions')).toBe(200);
});
