import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { callsTool, chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Clients from the registry that know only Tollgate's address and a key.

let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
const model = 'gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({
    models: 'gpt-4o-mini,gpt-3.5-turbo-instruct,text-embedding-3-small,omni-moderation-latest',
  });
  await gate.core.settings.set(
    'ModelRatio',
    JSON.stringify({
      'gpt-4o-mini': 0.075,
      'gpt-3.5-turbo-instruct': 0.75,
      'text-embedding-3-small': 0.01,
      'omni-moderation-latest': 0,
    }),
  );
  caller = await gate.addCaller();
  openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
});
afterAll(() => gate.close());
afterEach(() => gate.upstream.script('healthy'));

describe('the openai client', () => {
  it('chats, whole and streamed', async () => {
    const whole = await openai.chat.completions.create({ model, messages });
    expect(whole.choices[0]?.message.content).toBe('word0 word1 word2 word3 word4 ');
    expect(whole.usage?.total_tokens).toBe(15);
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(whole.choices[0]?.message.content);
  });

  it('assembles a streamed tool call and sends its result back untouched', async () => {
    gate.upstream.script(callsTool);
    const definition = {
      type: 'function' as const,
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    };
    const runner = openai.chat.completions.stream({ model, messages, tools: [definition] });
    const message = (await runner.finalChatCompletion()).choices[0]!.message;
    expect(message.tool_calls?.[0]).toMatchObject({
      id: 'call_1',
      function: { name: 'weather', arguments: '{"city":"Paris"}' },
    });
    gate.upstream.script('healthy');
    const result = { role: 'tool' as const, tool_call_id: 'call_1', content: '{"celsius":18}' };
    await openai.chat.completions.create({ model, messages: [...messages, message, result] });
    const sent = gate.upstream.requests.at(-1)!.json()['messages'] as unknown[];
    expect(sent.at(-1)).toEqual(result);
  });

  it('completes text, embeds in its own base64 form, and moderates', async () => {
    const completion = await openai.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'x' });
    expect(completion.choices[0]?.text).toContain('word0');
    const embedded = await openai.embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] });
    expect(embedded.data.map(({ embedding }) => embedding)).toEqual([
      [0.25, -0.5, 0.75],
      [0.25, -0.5, 0.75],
    ]);
    const moderated = await openai.moderations.create({ model: 'omni-moderation-latest', input: 'x' });
    expect(moderated.results[0]?.flagged).toBe(false);
  });

  it('lists the models of its key and retrieves one', async () => {
    const names: string[] = [];
    for await (const one of openai.models.list()) names.push(one.id);
    expect(names).toContain(model);
    expect((await openai.models.retrieve(model)).id).toBe(model);
  });

  it('ends a stream early, and the upstream call is cancelled', async () => {
    gate.upstream.script(chat({ chunks: 1_000, paceMs: 10 }));
    const index = gate.upstream.requests.length;
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    for await (const _ of stream) break;
    stream.controller.abort();
    const request = await gate.upstream.arrived(index);
    await request.finished;
    expect(request.cutByPeer).toBe(true);
  });

  it('raises the error class of each failure', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-nobody', baseURL: `${gate.url}/v1`, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const ask = () => openai.chat.completions.create({ model, messages });
    const expected = [
      [400, OpenAI.BadRequestError],
      [404, OpenAI.NotFoundError],
      [422, OpenAI.UnprocessableEntityError],
      [429, OpenAI.RateLimitError],
      [500, OpenAI.InternalServerError],
    ] as const;
    for (const [status, type] of expected) {
      gate.upstream.script(refuse(status, { message: `refused with ${status}` }));
      await expect(ask()).rejects.toBeInstanceOf(type);
    }
    gate.upstream.script('cut-mid-event');
    const broken = async () => {
      for await (const _ of await openai.chat.completions.create({ model, messages, stream: true }));
    };
    await expect(broken()).rejects.toBeInstanceOf(Error);
  });
});

describe('the AI SDK with an OpenAI-compatible provider', () => {
  const provider = () =>
    createOpenAICompatible({
      name: 'tollgate',
      baseURL: `${gate.url}/v1`,
      apiKey: caller.key,
      includeUsage: true,
    });

  it('generates and streams text with its usage', async () => {
    const whole = await generateText({ model: provider()(model), prompt: 'Hello', maxRetries: 0 });
    expect(whole.text).toBe('word0 word1 word2 word3 word4 ');
    expect(whole.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    const streamed = streamText({ model: provider()(model), prompt: 'Hello', maxRetries: 0 });
    let text = '';
    for await (const part of streamed.textStream) text += part;
    expect(text).toBe(whole.text);
    expect(await streamed.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it('calls a tool', async () => {
    gate.upstream.script(callsTool);
    const asked: string[] = [];
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        asked.push(city);
        return { celsius: 18 };
      },
    });
    const result = streamText({
      model: provider()(model),
      prompt: 'Paris?',
      tools: { weather },
      maxRetries: 0,
    });
    await result.consumeStream();
    expect(asked).toEqual(['Paris']);
  });
});
