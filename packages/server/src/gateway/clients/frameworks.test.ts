/** @module-tag deep */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { logs } from '../../store/index.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Frameworks from the registry, each in the protocols it supports, with upstreams of every protocol. A turn with a
// tool arrives complete, and both of its calls are charged.

let gate: GatewayHarness;
let caller: TestCaller;

const answer = 'In Paris it is 18 degrees.';

/** One model behind an upstream of each protocol; the channel's type selects the protocol. */
const upstreams = {
  'Chat Completions': { type: 31, model: 'played-chat' },
  Responses: { type: 1, model: 'played-responses' },
  Messages: { type: 14, model: 'claude-played' },
  Gemini: { type: 24, model: 'gemini-played' },
} as const;

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  for (const { type, model } of Object.values(upstreams)) await gate.addChannel({ type, models: model });
});
afterAll(() => gate.close());
beforeEach(async () => {
  caller = await gate.addCaller({ balance: 500_000_000 });
  gate.upstream.script(
    playModel(({ results }) =>
      results.length === 0
        ? { call: 'weather', input: { city: 'Paris' } }
        : { say: results.join(' ').includes('18 degrees') ? answer : 'The result is lost.' },
    ),
  );
});
afterEach(async () => {
  await gate.checkAtRest();
});

/** Both calls of the turn are in the log, and the balance is lower by exactly their charges. */
async function expectPaid(): Promise<void> {
  await gate.core.ledger.flush();
  const { rows } = await logs.list(
    gate.core.store.db,
    { userId: caller.userId, type: 2 },
    { offset: 0, limit: 9 },
  );
  expect(rows.map(({ prompt_tokens: input, completion_tokens: output }) => [input, output])).toEqual([
    [40, 12],
    [40, 12],
  ]);
  const { balance } = await gate.readBalance(caller);
  expect(500_000_000 - balance).toBe(rows.reduce((sum, row) => sum + row.quota, 0));
}

type Framework = (model: string) => LanguageModel;

const frameworks: Record<string, () => Framework> = {
  'OpenAI provider in Responses': () => createOpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1` }),
  'OpenAI provider in Chat Completions': () => {
    const openai = createOpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1` });
    return (model) => openai.chat(model);
  },
  'Anthropic provider': () => createAnthropic({ apiKey: caller.key, baseURL: `${gate.url}/v1` }),
  'Google provider': () => createGoogleGenerativeAI({ apiKey: caller.key, baseURL: `${gate.url}/v1beta` }),
};

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => Promise.resolve(city === 'Paris' ? '18 degrees' : 'unknown'),
});
const question = { prompt: 'What is the weather in Paris?', tools: { weather }, stopWhen: stepCountIs(3) };

describe.each(Object.keys(frameworks))('the AI SDK with its %s', (framework) => {
  it.each(Object.keys(upstreams) as (keyof typeof upstreams)[])(
    'completes a turn with a tool before an upstream of %s',
    async (protocol) => {
      const model = frameworks[framework]!()(upstreams[protocol].model);
      const whole = await generateText({ model, ...question, maxRetries: 0 });
      expect(whole.text).toBe(answer);
      expect(whole.steps).toHaveLength(2);
      expect(whole.usage).toMatchObject({ inputTokens: 80, outputTokens: 24 });
      await expectPaid();
    },
  );

  it.each(Object.keys(upstreams) as (keyof typeof upstreams)[])(
    'streams a turn with a tool before an upstream of %s',
    async (protocol) => {
      const model = frameworks[framework]!()(upstreams[protocol].model);
      const stream = streamText({ model, ...question, maxRetries: 0 });
      let text = '';
      for await (const piece of stream.textStream) text += piece;
      expect(text).toBe(answer);
      expect(await stream.finishReason).toBe('stop');
      await expectPaid();
    },
  );
});

const langchainWeather = langchainTool(() => Promise.resolve('18 degrees'), {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});

describe.each([false, true])('LangChain (in Responses: %s)', (useResponsesApi) => {
  it.each(Object.keys(upstreams) as (keyof typeof upstreams)[])(
    'completes a turn with a tool before an upstream of %s',
    async (protocol) => {
      const chat = new ChatOpenAI({
        model: upstreams[protocol].model,
        apiKey: caller.key,
        configuration: { baseURL: `${gate.url}/v1` },
        maxRetries: 0,
        useResponsesApi,
      }).bindTools([langchainWeather]);
      const asked = new HumanMessage('What is the weather in Paris?');
      const called = await chat.invoke([asked]);
      expect(called.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Paris' } }]);
      const result = new ToolMessage({ content: '18 degrees', tool_call_id: called.tool_calls![0]!.id! });
      let text = '';
      for await (const piece of await chat.stream([asked, called, result])) text += piece.text;
      expect(text).toBe(answer);
      await expectPaid();
    },
  );
});
