import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { event } from '../../testing/upstream/fake-upstream-wire.ts';
import { json, type ModelBehaviour, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';

// The AI SDK assumes OpenAI's Responses: when it sends the result of a tool, it only refers to the model's text
// before the tool call. The gateway keeps these texts for a while for vendors of other protocols.

let gate: GatewayHarness;
let caller: TestCaller;

const said = 'Let me look at the sky.';
const answer = 'In Paris it is 18 degrees.';
const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };

/** Writes a text and calls the tool; answers once there is a result. */
const talks: ModelBehaviour = async (exchange) => {
  const { messages, stream } = exchange.json() as { messages: { role: string }[]; stream?: boolean };
  const isDone = messages.some(({ role }) => role === 'tool');
  const message = {
    role: 'assistant',
    content: isDone ? answer : said,
    ...(!isDone && { tool_calls: [call] }),
  };
  const reason = isDone ? 'stop' : 'tool_calls';
  const head = { id: 'c1', created: 1, model: 'm' };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: reason }];
    return json({ ...head, object: 'chat.completion', choices, usage })(exchange);
  }
  const delta = { ...message, ...(!isDone && { tool_calls: [{ index: 0, ...call }] }) };
  const chunk = (choices: object[], more = {}) =>
    event({ ...head, object: 'chat.completion.chunk', choices, ...more });
  exchange.head(200, sseHeaders);
  await exchange.write(chunk([{ index: 0, delta, finish_reason: null }]));
  await exchange.write(chunk([{ index: 0, delta: {}, finish_reason: reason }]));
  await exchange.end(`${chunk([], { usage })}data: [DONE]\n\n`);
};

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: () => Promise.resolve('18 degrees'),
});

const sdkOf = ({ key }: TestCaller, asked: unknown[] = []) => {
  const noting: typeof fetch = (url, init) => {
    asked.push(init?.body);
    return fetch(url, init);
  };
  return createOpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, fetch: noting })('gpt-4o-mini');
};
const question = { prompt: 'What is the weather in Paris?', tools: { weather }, stopWhen: stepCountIs(3) };

/** The assistant's message in the last request to the vendor. */
const lastSaid = () =>
  (gate.upstream.requests.at(-1)!.json() as { messages: { role: string; content: string }[] }).messages.find(
    ({ role }) => role === 'assistant',
  )?.content;

beforeEach(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 31 });
  caller = await gate.addCaller();
  gate.upstream.script(talks);
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('a text that the AI SDK refers to', () => {
  it('comes back to the vendor in the next step, whole', async () => {
    const asked: unknown[] = [];
    const { text, steps } = await generateText({ model: sdkOf(caller, asked), ...question, maxRetries: 0 });
    expect([text, steps.length]).toEqual([answer, 2]);
    expect(String(asked[1])).toContain('item_reference');
    expect(String(asked[1])).not.toContain(said);
    expect(lastSaid()).toBe(said);
  });

  it('comes back to the vendor in the next step, streamed', async () => {
    const stream = streamText({ model: sdkOf(caller), ...question, maxRetries: 0 });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    expect(text).toBe(`${said}${answer}`);
    expect(lastSaid()).toBe(said);
  });

  it('is nobody else’s, and none without being stored', async () => {
    const ask = (key: string, input: object[], more = {}) =>
      fetch(`${gate.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'gpt-4o-mini',
          input: [{ role: 'user', content: 'hi' }, ...input],
          tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
          ...more,
        }),
      });
    const readId = async (more = {}) => {
      const { output } = (await (await ask(caller.key, [], more)).json()) as {
        output: { type: string; id: string }[];
      };
      return output.find(({ type }) => type === 'message')!.id;
    };
    const reference = (id: string) => [{ type: 'item_reference', id }];
    const stored = await readId();
    expect((await ask(caller.key, reference(stored))).status).toBe(200);
    expect(lastSaid()).toBe(said);
    const other = await gate.addCaller();
    expect((await ask(other.key, reference(stored))).status).toBe(400);
    expect((await ask(caller.key, reference(await readId({ store: false })))).status).toBe(400);
  });
});
