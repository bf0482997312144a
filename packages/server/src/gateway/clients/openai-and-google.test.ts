import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { callsTool, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Clients of Responses and Gemini from the registry, with upstreams of the same protocol and of another.

let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
/** One client for each prefix that Google's clients use. */
let google: readonly (readonly [string, GoogleGenAI])[];
const chatModel = 'moonshot-v1-8k';
const geminiModel = 'gemini-2.5-flash';
const imagenModel = 'imagen-4.0-generate-001';

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  await gate.addChannel({ type: 25, models: chatModel });
  await gate.addChannel({ type: 47, models: 'embedding-small' });
  await gate.addChannel({ type: 24, models: `${geminiModel},gemini-embedding-001,${imagenModel}` });
  caller = await gate.addCaller({ balance: 500_000_000 });
  openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  const client = (options: object = {}) =>
    new GoogleGenAI({ apiKey: caller.key, httpOptions: { baseUrl: gate.url }, ...options });
  google = [
    ['its own prefix', client()],
    ['v1beta', client({ apiVersion: 'v1beta' })],
  ];
});
afterAll(() => gate.close());
afterEach(() => gate.upstream.script('healthy'));

const geminiAnswer = {
  candidates: [{ content: { parts: [{ text: 'Hello' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
  modelVersion: geminiModel,
  responseId: 'r1',
};
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('the openai client, in Responses, before an upstream that speaks chat', () => {
  it('gets answers, whole and streamed', async () => {
    const whole = await openai.responses.create({ model: chatModel, input: 'hi', instructions: 'Be brief.' });
    expect(whole.output_text).toBe('word0 word1 word2 word3 word4 ');
    expect(whole).toMatchObject({
      instructions: 'Be brief.',
      status: 'completed',
      usage: { total_tokens: 15 },
    });
    expect(gate.upstream.requests.at(-1)!.json()['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ]);
    const streamed = await openai.responses.stream({ model: chatModel, input: 'hi' }).finalResponse();
    expect(streamed.output_text).toBe(whole.output_text);
  });

  it('completes a turn with a tool', async () => {
    gate.upstream.next(callsTool);
    const tools = [{ type: 'function' as const, name: 'weather', parameters: schema, strict: false }];
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Weather in Paris?' }];
    const asked = await openai.responses.stream({ model: chatModel, input, tools }).finalResponse();
    const call = asked.output.find((item) => item.type === 'function_call')!;
    expect([call.name, call.arguments]).toEqual(['weather', '{"city":"Paris"}']);
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: '18 degrees' };
    const answered = await openai.responses.create({
      model: chatModel,
      input: [...input, call, result],
      tools,
    });
    expect(answered.output_text).toContain('word0');
    expect((gate.upstream.requests.at(-1)!.json()['messages'] as unknown[]).slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'weather' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: '18 degrees' },
    ]);
  });

  it('raises the error class of each failure, also in mid-stream', async () => {
    gate.upstream.script(refuse(429, { message: 'slow down' }));
    await expect(openai.responses.create({ model: chatModel, input: 'hi' })).rejects.toBeInstanceOf(
      OpenAI.RateLimitError,
    );
    gate.upstream.script('cut-mid-event');
    const stream = openai.responses.stream({ model: chatModel, input: 'hi' });
    await expect(stream.finalResponse()).rejects.toBeInstanceOf(Error);
    const stored = { model: chatModel, input: 'hi', previous_response_id: 'resp_1' };
    await expect(openai.responses.create(stored)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});

describe('the Google client', () => {
  it('gets answers from Gemini and from an upstream of another protocol, under both prefixes', async () => {
    for (const [prefix, client] of google) {
      gate.upstream.next(json(geminiAnswer));
      const own = await client.models.generateContent({ model: geminiModel, contents: 'hi' });
      expect([prefix, own.text, own.usageMetadata?.totalTokenCount]).toEqual([prefix, 'Hello', 4]);
      expect(gate.upstream.requests.at(-1)!.path).toBe(`/v1beta/models/${geminiModel}:generateContent`);
      const other = await client.models.generateContent({ model: chatModel, contents: 'hi' });
      expect(other.text).toBe('word0 word1 word2 word3 word4 ');
      let streamed = '';
      for await (const chunk of await client.models.generateContentStream({
        model: chatModel,
        contents: 'hi',
      })) {
        streamed += chunk.text ?? '';
      }
      expect(streamed).toBe(other.text);
    }
  });

  it('completes a turn with a tool', async () => {
    const [, client] = google[0]!;
    const config = { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }] };
    gate.upstream.next(callsTool);
    const chat = client.chats.create({ model: chatModel, config });
    let call;
    for await (const chunk of await chat.sendMessageStream({ message: 'Weather in Paris?' })) {
      call ??= chunk.functionCalls?.[0];
    }
    expect(call).toMatchObject({ id: 'call_1', name: 'weather', args: { city: 'Paris' } });
    const functionResponse = { id: 'call_1', name: 'weather', response: { output: '18 degrees' } };
    const answer = await chat.sendMessage({ message: { functionResponse } });
    expect(answer.text).toContain('word0');
    expect((gate.upstream.requests.at(-1)!.json()['messages'] as unknown[]).slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'weather' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: '18 degrees' },
    ]);
  });

  it('counts tokens at the vendor and in the gateway, for free', async () => {
    const before = await gate.readBalance(caller);
    for (const [, client] of google) {
      gate.upstream.next(json({ totalTokens: 31 }));
      expect((await client.models.countTokens({ model: geminiModel, contents: 'hi' })).totalTokens).toBe(31);
      const { totalTokens } = await client.models.countTokens({ model: chatModel, contents: 'hello there' });
      expect(totalTokens).toBeGreaterThan(1);
    }
    expect(await gate.readBalance(caller)).toEqual(before);
  });

  it('embeds, by Gemini and by an upstream of OpenAI’s protocol', async () => {
    for (const [, client] of google) {
      gate.upstream.next(json({ embeddings: [{ values: [1, 2] }] }));
      const own = await client.models.embedContent({ model: 'gemini-embedding-001', contents: 'hi' });
      expect(own.embeddings?.[0]?.values).toEqual([1, 2]);
      const other = await client.models.embedContent({ model: 'embedding-small', contents: ['a', 'b'] });
      expect(other.embeddings?.map(({ values }) => values)).toEqual([
        [0.25, -0.5, 0.75],
        [0.25, -0.5, 0.75],
      ]);
    }
  });

  it('makes images with Imagen, as a client of Vertex, charged by those that came', async () => {
    const httpOptions = { baseUrl: gate.url };
    const client = new GoogleGenAI({ vertexai: true, apiKey: caller.key, httpOptions });
    gate.upstream.next(json({ predictions: [{ mimeType: 'image/png', bytesBase64Encoded: 'AAAA' }] }));
    const made = await client.models.generateImages({
      model: imagenModel,
      prompt: 'a cat',
      config: { numberOfImages: 2 },
    });
    expect(made.generatedImages?.map(({ image }) => image?.imageBytes)).toEqual(['AAAA']);
    const sent = gate.upstream.requests.at(-1)!;
    expect(sent.path).toBe(`/v1beta/models/${imagenModel}:predict`);
    expect(sent.json()).toMatchObject({ instances: [{ prompt: 'a cat' }], parameters: { sampleCount: 2 } });
    await gate.core.ledger.flush();
    const row = await gate.core.store.db
      .selectFrom('logs')
      .select(['prompt_tokens', 'completion_tokens'])
      .where('model_name', '=', imagenModel)
      .executeTakeFirst();
    expect(row).toEqual({ prompt_tokens: 258, completion_tokens: 0 });
  });

  it('lists the models of its key and retrieves one', async () => {
    for (const [prefix, client] of google) {
      const names: string[] = [];
      for await (const model of await client.models.list()) names.push(model.name ?? '');
      expect([prefix, names]).toEqual([
        prefix,
        expect.arrayContaining([`models/${chatModel}`, `models/${geminiModel}`]),
      ]);
      expect((await client.models.get({ model: geminiModel })).name).toBe(`models/${geminiModel}`);
      await expect(client.models.get({ model: 'nothing' })).rejects.toBeInstanceOf(ApiError);
    }
  });

  it('gets errors in Google’s shape, from the gateway, from the upstream, and in mid-stream', async () => {
    const stranger = new GoogleGenAI({ apiKey: 'sk-nobody', httpOptions: { baseUrl: gate.url } });
    const ask = (client: GoogleGenAI) => client.models.generateContent({ model: chatModel, contents: 'hi' });
    await expect(ask(stranger)).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('UNAUTHENTICATED'),
    });
    const [, client] = google[1]!;
    gate.upstream.script(refuse(429, { message: 'slow down' }));
    await expect(ask(client)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('RESOURCE_EXHAUSTED'),
    });
    gate.upstream.script('cut-mid-event');
    const broken = async () => {
      for await (const _ of await client.models.generateContentStream({ model: chatModel, contents: 'hi' }));
    };
    await expect(broken()).rejects.toBeInstanceOf(Error);
  });
});

describe('the endpoints of Google’s API', () => {
  const call = async (
    path: string,
    headers: Record<string, string> = {},
    body: object = { contents: [{ parts: [{ text: 'hi' }] }] },
  ) => {
    const answer = await fetch(`${gate.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return [answer.status, (await answer.json()) as object] as const;
  };

  it('take the key wherever Google’s clients put it', async () => {
    const path = `/v1beta/models/${chatModel}:generateContent`;
    const [bare] = await call(path);
    const carried = await Promise.all([
      call(`${path}?key=${caller.key}`),
      call(path, { 'x-goog-api-key': caller.key }),
      call(path, { authorization: `Bearer ${caller.key}` }),
    ]);
    expect([bare, ...carried.map(([status]) => status)]).toEqual([401, 200, 200, 200]);
  });

  it('refuse unknown stream formats and unknown paths in Google’s shape', async () => {
    const key = { 'x-goog-api-key': caller.key };
    const stream = await call(`/v1beta/models/${chatModel}:streamGenerateContent?alt=proto`, key);
    expect(stream).toMatchObject([400, { error: { code: 400, status: 'INVALID_ARGUMENT' } }]);
    const unknown = await call(`/v1beta/models/${chatModel}:dance`, key);
    expect(unknown).toMatchObject([404, { error: { code: 404, status: 'NOT_FOUND' } }]);
  });

  it('embed one content in the shape of the call', async () => {
    const content = { content: { parts: [{ text: 'hi' }] } };
    const key = { 'x-goog-api-key': caller.key };
    const translated = await call('/v1beta/models/embedding-small:embedContent', key, content);
    expect(translated).toMatchObject([200, { embedding: { values: [0.25, -0.5, 0.75] } }]);
    gate.upstream.next(json({ embedding: { values: [1] } }));
    const own = await call('/v1/models/gemini-embedding-001:embedContent', key, content);
    expect(own).toEqual([200, { embedding: { values: [1] } }]);
    expect(gate.upstream.requests.at(-1)!.path).toBe('/v1beta/models/gemini-embedding-001:embedContent');
  });

  it('serve OpenAI’s clients under /v1beta/openai', async () => {
    const client = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1beta/openai`, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const chat = await client.chat.completions.create({ model: chatModel, messages });
    expect(chat.choices[0]?.message.content).toContain('word0');
    gate.upstream.next(json(geminiAnswer));
    const translated = await client.chat.completions.create({ model: geminiModel, messages });
    expect(translated.choices[0]).toMatchObject({ message: { content: 'Hello' }, finish_reason: 'stop' });
    expect((await client.models.retrieve(chatModel)).id).toBe(chatModel);
  });
});

it('leave no hold open and nothing unpaid', async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
});
