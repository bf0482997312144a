import { logType } from '@tollgate/contract';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { body as answerWith, refuse as refuseWith } from '../../testing/upstream/fake-upstream-faults.ts';
import { type Behaviour, chat, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 14, models: 'claude-test' });
  await gate.addChannel({ type: 1, models: 'gpt-test,unpriced-test' });
  await gate.core.settings.setMany({
    ModelRatio: JSON.stringify({ 'claude-test': 1, 'gpt-test': 1 }),
    CompletionRatio: JSON.stringify({ 'claude-test': 5, 'gpt-test': 2 }),
  });
  caller = await gate.addCaller();
});
afterAll(() => gate.close());
afterEach(async () => {
  gate.upstream.script('healthy');
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
});

const client = () => new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
const ask = (model = 'claude-test') => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Say something.' }],
});
const post = (path: string, body: unknown, key = caller.key) =>
  fetch(gate.url + path, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const usage = {
  input_tokens: 40,
  cache_read_input_tokens: 10,
  cache_creation_input_tokens: 0,
  output_tokens: 1,
};
const events = (...list: { type: string; [key: string]: unknown }[]): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const begun = events(
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello there' } },
);
const ended = events(
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 20 },
  },
  { type: 'message_stop' },
);
const streamed = answerWith(begun + ended, sseHeaders['content-type']);

describe('a call in Messages', () => {
  it('answers the official client and is charged by what Anthropic reports', async () => {
    gate.upstream.script(streamed);
    const before = (await gate.readBalance(caller)).balance;
    const at = gate.upstream.requests.length;
    const message = await client().messages.stream(ask()).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello there' }]);
    expect(message.usage).toMatchObject({ input_tokens: 40, cache_read_input_tokens: 10, output_tokens: 20 });
    // This model has no cache ratio: tokens read from the cache cost as much as the others.
    expect(before - (await gate.readBalance(caller)).balance).toBe(40 + 10 + 20 * 5);
    const request = gate.upstream.requests[at]!;
    expect(request.path).toBe('/v1/messages');
    expect(request.headers['x-api-key']).toBe('sk-upstream-secret');
    expect(request.headers['anthropic-version']).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(request.json()).toEqual({ ...ask(), stream: true });
  });

  it("is served by an OpenAI vendor, and one in OpenAI's protocol by Anthropic", async () => {
    gate.upstream.script(
      chat({ chunks: 3, usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }),
    );
    const { data: whole, response } = await client()
      .messages.create({
        ...ask('gpt-test'),
        tools: [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }],
      })
      .withResponse();
    expect(response.headers.get('x-tollgate-dropped')).toBe('tool_search_tool_regex_20251119');
    expect(whole).toMatchObject({
      type: 'message',
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 4 },
    });

    gate.upstream.script(streamed);
    const openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
    const { max_tokens: bound, ...rest } = ask();
    const answer = await openai.chat.completions.create({ ...rest, max_completion_tokens: bound });
    expect(answer).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Hello there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 50, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 10 } },
    });
  });

  it('that breaks off is charged for the reported input and the delivered output', async () => {
    const shown = Promise.withResolvers<void>();
    const torn: Behaviour = async (exchange) => {
      exchange.head(200, sseHeaders);
      await exchange.write(begun);
      await shown.promise;
      await exchange.fin();
    };
    gate.upstream.script(torn);
    const before = (await gate.readBalance(caller)).balance;
    const stream = client().messages.stream(ask());
    stream.on('text', () => shown.resolve());
    await expect(stream.finalMessage()).rejects.toThrow('the upstream broke off its answer');
    const lastRow = async () => {
      const { rows } = await logs.list(
        gate.core.store.db,
        { userId: caller.userId, type: logType.consume },
        { offset: 0, limit: 1 },
      );
      return [rows[0]!.prompt_tokens, rows[0]!.completion_tokens];
    };
    await expect.poll(lastRow).toEqual([50, 2]);
    expect(before - (await gate.readBalance(caller)).balance).toBe(50 + 2 * 5);
  });
});

describe('an error in Messages', () => {
  const shape = async (answer: Response) => ({
    status: answer.status,
    body: (await answer.json()) as unknown,
  });
  const error = (type: string, message: string) => ({
    type: 'error',
    error: { type, message: expect.stringContaining(message) as unknown },
    request_id: expect.any(String) as unknown,
  });

  it("has Anthropic's shape where the gateway refuses", async () => {
    expect(await shape(await post('/v1/messages', ask(), 'sk-nobody'))).toEqual({
      status: 401,
      body: error('authentication_error', 'Invalid API key'),
    });
    expect(await shape(await post('/v1/messages', '{"model":'))).toEqual({
      status: 400,
      body: error('invalid_request_error', 'not valid JSON'),
    });
    expect(await shape(await post('/v1/messages', { model: 'claude-test' }))).toEqual({
      status: 400,
      body: error('invalid_request_error', 'field messages is required'),
    });
    expect(await shape(await post('/v1/messages', ask('no-such-model')))).toEqual({
      status: 404,
      body: error('not_found_error', 'does not exist'),
    });
    expect(await shape(await post('/v1/skills', {}))).toEqual({
      status: 501,
      body: error('api_error', 'API not implemented'),
    });
    expect(await shape(await post('/v1/messages', { ...ask('gpt-test'), container: 'container_1' }))).toEqual(
      {
        status: 400,
        body: error('invalid_request_error', 'container cannot be said'),
      },
    );
  });

  it("is the vendor's own where the vendor speaks Messages, and translated where it does not", async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    gate.upstream.script(json(overloaded, 529));
    expect(await shape(await post('/v1/messages', ask()))).toMatchObject({
      status: 529,
      body: overloaded,
    });
    gate.upstream.script(
      refuseWith(400, { type: 'invalid_request_error', code: 'bad', message: 'no such thing' }),
    );
    expect(await shape(await post('/v1/messages', ask('gpt-test')))).toEqual({
      status: 400,
      body: error('invalid_request_error', 'no such thing'),
    });
  });

  it('throws in the official client in mid-stream', async () => {
    const failing = events({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    gate.upstream.script(answerWith(begun + failing, sseHeaders['content-type']));
    await expect(client().messages.stream(ask()).finalMessage()).rejects.toThrow('Overloaded');
  });
});

describe('the tokens of a request', () => {
  it('are counted by Anthropic where it is the vendor, and by the gateway where it is not or does not report them', async () => {
    gate.upstream.script(json({ input_tokens: 1234 }));
    const at = gate.upstream.requests.length;
    const before = await gate.readBalance(caller);
    const { max_tokens: _, ...counted } = ask();
    expect(await client().messages.countTokens(counted)).toEqual({ input_tokens: 1234 });
    const request = gate.upstream.requests[at]!;
    expect(request.path).toBe('/v1/messages/count_tokens');
    expect(request.json()).toEqual(counted);

    gate.upstream.script(refuseWith(500, {}));
    const { input_tokens: own } = await client().messages.countTokens(counted);
    expect(own).toBeGreaterThan(3);
    expect(own).toBeLessThan(30);
    const sentBefore = gate.upstream.requests.length;
    expect(await client().messages.countTokens({ ...counted, model: 'gpt-test' })).toEqual({
      input_tokens: own,
    });
    expect(gate.upstream.requests.length).toBe(sentBefore);
    expect(await gate.readBalance(caller)).toEqual(before);
  });

  it('are counted for a model without a price', async () => {
    const { max_tokens: _, ...counted } = ask('unpriced-test');
    expect((await client().messages.countTokens(counted)).input_tokens).toBeGreaterThan(3);
  });

  it('are not counted for a model that the caller may not use', async () => {
    await expect(client().messages.countTokens({ ...ask('no-such-model') })).rejects.toThrow(
      'does not exist',
    );
  });
});

it("Anthropic's clients list the models in their own shape", async () => {
  const names: string[] = [];
  for await (const model of client().models.list()) names.push(model.id);
  expect(names.toSorted()).toEqual(['claude-test', 'gpt-test']);
  expect(await client().models.retrieve('gpt-test')).toMatchObject({ type: 'model', id: 'gpt-test' });
  await expect(client().models.retrieve('nothing')).rejects.toMatchObject({ status: 404 });
});
