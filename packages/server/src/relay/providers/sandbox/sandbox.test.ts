import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { scrub } from '../../../lib/scrub.ts';
import { type Channel, type ProtocolId, secretsOf } from '../../types/index.ts';
import { answerSandbox, sandbox } from './index.ts';

const protocolOf: Record<string, ProtocolId> = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/completions': 'openai-completions',
  '/v1/embeddings': 'openai-embeddings',
  '/v1/moderations': 'openai-moderations',
};

const chat = (body: JsonObject) => ({
  protocol: 'openai-chat' as const,
  path: '/v1/chat/completions',
  body,
  files: [],
});

/** Serves the sandbox's answers over a socket, for OpenAI's own client. */
let server: Server;
let client: OpenAI;
beforeAll(async () => {
  server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as JsonObject;
      const answer = answerSandbox({ protocol: protocolOf[req.url!]!, path: req.url!, body, files: [] });
      res.writeHead(answer.status, answer.headers);
      for (const { bytes } of answer.chunks) res.write(bytes);
      if (answer.ending === 'end') res.end();
      else res.write('', () => setTimeout(() => res.destroy(), 20));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
});
afterAll(() => {
  server.close();
});

const ask = (model: string, content = 'How are you?') => ({
  model,
  messages: [{ role: 'user' as const, content }],
});

describe("the sandbox, read by OpenAI's own client", () => {
  test('answers the same, streamed or whole, and reports the same usage', async () => {
    const whole = await client.chat.completions.create(ask('sandbox'));
    const stream = await client.chat.completions.create({
      ...ask('sandbox'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole.choices[0]!.message.content);
    expect(text).toContain('How are you?');
    expect(usage).toEqual(whole.usage);
    expect(whole.usage!.total_tokens).toBe(whole.usage!.prompt_tokens + whole.usage!.completion_tokens);
    expect(await client.chat.completions.create(ask('sandbox'))).toEqual(whole);
  });

  test('keeps to max_tokens and n', async () => {
    const { choices, usage } = await client.chat.completions.create({
      ...ask('sandbox'),
      max_tokens: 3,
      n: 2,
    });
    expect(choices.map((choice) => choice.finish_reason)).toEqual(['length', 'length']);
    expect(usage!.completion_tokens).toBe(6);
  });

  test('calls a tool when asked to, and answers after its result', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'get_weather',
          parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
        },
      },
    ];
    const request = { ...ask('sandbox', 'use get_weather please'), tools };
    const { choices } = await client.chat.completions.create(request);
    const call = choices[0]!.message.tool_calls![0]!;
    expect(choices[0]!.finish_reason).toBe('tool_calls');
    expect(call).toMatchObject({
      function: { name: 'get_weather', arguments: '{"city":"use get_weather please","days":1}' },
    });
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]!.message.tool_calls![0]).toMatchObject(call);
    const answer = await client.chat.completions.create({
      ...request,
      messages: [
        ...request.messages,
        choices[0]!.message,
        { role: 'tool', tool_call_id: call.id, content: 'rain' },
      ],
    });
    expect(answer.choices[0]!.message.content).toBe('The tool said: rain');
    const free = await client.chat.completions.create({ ...ask('sandbox'), tools });
    expect(free.choices[0]!.message.tool_calls).toBeUndefined();
  });

  test('answers in JSON when asked to', async () => {
    const { choices } = await client.chat.completions.create({
      ...ask('sandbox'),
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(choices[0]!.message.content!)).toHaveProperty('answer');
  });

  test('reasons under its model name', async () => {
    const { choices, usage } = await client.chat.completions.create(ask('sandbox-think'));
    expect(choices[0]!.message).toHaveProperty('reasoning_content');
    expect(usage!.completion_tokens_details!.reasoning_tokens).toBeGreaterThan(0);
  });

  test('fails under its model names', async () => {
    await expect(client.chat.completions.create(ask('sandbox-fail-429'))).rejects.toThrow(
      OpenAI.RateLimitError,
    );
    await expect(client.chat.completions.create(ask('sandbox-fail-500'))).rejects.toThrow(
      OpenAI.InternalServerError,
    );
    const cut = await client.chat.completions.create({ ...ask('sandbox-cut'), stream: true });
    const readAll = async (): Promise<void> => {
      for await (const chunk of cut) expect(chunk.choices[0]!.finish_reason).toBeNull();
    };
    await expect(readAll()).rejects.toThrow(/terminated|closed|aborted/);
    expect((await client.chat.completions.create(ask('sandbox-no-usage'))).usage).toBeUndefined();
  });

  test('completes, embeds and moderates', async () => {
    const completion = await client.completions.create({ model: 'sandbox', prompt: 'Once' });
    expect(completion.choices[0]!.text).toContain('Once');
    // The client requests base64 and decodes it.
    const one = await client.embeddings.create({
      model: 'sandbox-embedding',
      input: ['a b', 'a b', 'c'],
      dimensions: 8,
    });
    const plain = await client.embeddings.create({
      model: 'sandbox-embedding',
      input: 'a b',
      dimensions: 8,
      encoding_format: 'float',
    });
    expect(one.data[0]!.embedding).toEqual(one.data[1]!.embedding);
    expect(one.data[2]!.embedding).not.toEqual(one.data[0]!.embedding);
    expect(plain.data[0]!.embedding.map(Math.fround)).toEqual([...one.data[0]!.embedding]);
    expect(one.usage.prompt_tokens).toBe(5);
    const { results } = await client.moderations.create({ input: ['violence', 'peace'] });
    expect(results.map(({ flagged }) => flagged)).toEqual([true, false]);
  });
});

test('has delays for slow and stalling answers, without waiting itself', () => {
  const body = { ...ask('sandbox-slow'), stream: true } as unknown as JsonObject;
  const slow = answerSandbox(chat(body));
  expect(slow.chunks.every(({ delayMs }) => delayMs === 500)).toBe(true);
  const stall = answerSandbox(chat({ ...body, model: 'sandbox-stall' }));
  expect([stall.ending, stall.chunks.length > 0]).toEqual(['stall', true]);
  const fast = answerSandbox(chat({ ...body, model: 'sandbox-fast' }));
  expect(fast.chunks.every(({ delayMs }) => delayMs === 0)).toBe(true);
});

test('has refusals of its own, although its channel’s key is usually the same word', () => {
  const secrets = secretsOf(sandbox, { key: 'sandbox' } as Channel);
  expect(scrub('the sandbox plays a refusal', secrets)).toBe('the sandbox plays a refusal');
});
