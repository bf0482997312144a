import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import { applyModelMapping, bridge, filesNeeded } from './bridge.ts';
import type { JsonObject } from '../lib/json.ts';
import { callerProtocol } from './protocols.ts';
import { providerOf } from './registry.ts';

const chat = (fields: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  ...fields,
});
const openai = providerOf(1)!;
const mistral = providerOf(42)!;
const call = (
  provider: typeof openai,
  body: JsonObject | string,
  parts: Parameters<typeof buildChannel>[0] = {},
  model = 'm',
  options = relayOptions,
) => bridge(provider, buildChannel(parts), buildRequest('openai-chat', body), model, options);
const sent = (...args: Parameters<typeof call>): JsonObject =>
  JSON.parse(call(...args).body.toString()) as JsonObject;

describe('the body of the upstream call', () => {
  test("is the caller's body, byte for byte, when nothing must change", () => {
    const text =
      '{ "model":"m", "n" : 1, "x_new_field":{"a":[1.0,2e3]}, "seed":12345678901234567890,\n"messages":[{"role":"user","content":"\\u0041"}]}';
    const request = buildRequest('openai-chat', text);
    const { body } = bridge(openai, buildChannel(), request, 'm', relayOptions);
    expect(body).toBe(request.raw);
  });

  test('differs in the model name alone when the name is mapped', () => {
    const text =
      '{ "model":"m", "seed":12345678901234567890,"messages":[{"role":"user","content":"\\u0041"}] }';
    expect(call(openai, text, {}, 'up"stream').body.toString()).toBe(text.replace('"m"', '"up\\"stream"'));
  });

  test('asks for the usage of a stream where the provider supports it', () => {
    expect(sent(openai, chat({ stream: true })).stream_options).toEqual({ include_usage: true });
    expect(
      sent(openai, chat({ stream: true, stream_options: { include_obfuscation: false } })).stream_options,
    ).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
    expect(sent(openai, chat({ stream: true, stream_options: null })).stream_options).toEqual({
      include_usage: true,
    });
    expect(sent(openai, chat()).stream_options).toBeUndefined();
    const quiet = { ...relayOptions, forceStreamUsage: false };
    expect(sent(openai, chat({ stream: true }), {}, 'm', quiet).stream_options).toBeUndefined();
  });

  test('leaves out stream_options where the provider refuses them, or the channel says that its server does', () => {
    const body = chat({ stream: true, stream_options: { include_usage: true } });
    expect(sent(mistral, body)).toEqual(chat({ stream: true }));
    expect(sent(openai, body, { setting: { noStreamUsage: true } })).toEqual(chat({ stream: true }));
  });

  test('has the overrides of the channel, field by field', () => {
    const paramOverride = { temperature: 0, stop: ['x'], model: 'other' };
    expect(sent(openai, chat({ temperature: 1, top_p: 0.5 }), { paramOverride })).toEqual(
      chat({ temperature: 0, top_p: 0.5, stop: ['x'], model: 'other' }),
    );
  });

  test('is unchanged in pass-through mode, by the site or by the channel', () => {
    const parts = { paramOverride: { temperature: 0 } };
    const request = buildRequest('openai-chat', chat({ stream: true }));
    const site = bridge(openai, buildChannel(parts), request, 'mapped', {
      ...relayOptions,
      passThroughBody: true,
    });
    expect(site.body).toBe(request.raw);
    const own = bridge(
      openai,
      buildChannel({ ...parts, setting: { passThroughBody: true } }),
      request,
      'mapped',
      relayOptions,
    );
    expect(own.body).toBe(request.raw);
  });

  test('does not change the request for further attempts', () => {
    const request = buildRequest(
      'openai-chat',
      chat({ model: 'o3-mini-high', messages: [{ role: 'system', content: 'x' }] }),
    );
    const before = structuredClone(request.json);
    bridge(openai, buildChannel({ paramOverride: { a: 1 } }), request, 'o3-mini-high', relayOptions);
    expect(request.json).toEqual(before);
  });
});

describe('reasoning models of OpenAI', () => {
  test('get the effort from the suffix of the name', () => {
    const made = call(
      openai,
      chat({
        max_tokens: 9,
        temperature: 0.5,
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
        ],
      }),
      {},
      'o3-mini-high',
    );
    expect(made.upstreamModel).toBe('o3-mini');
    expect(made.reasoningEffort).toBe('high');
    expect(JSON.parse(made.body.toString())).toEqual({
      model: 'o3-mini',
      reasoning_effort: 'high',
      max_completion_tokens: 9,
      messages: [
        { role: 'developer', content: 's' },
        { role: 'user', content: 'u' },
      ],
    });
    expect(sent(openai, chat(), {}, 'gpt-5-minimal')).toMatchObject({
      model: 'gpt-5',
      reasoning_effort: 'minimal',
    });
  });

  test('are told apart by name: the oldest keep their system message', () => {
    const system = [{ role: 'system', content: 's' }];
    expect(sent(openai, chat({ messages: system }), {}, 'o1-mini').messages).toEqual(system);
    expect(sent(openai, chat({ temperature: 1, max_tokens: 5 }), {}, 'gpt-4o-high')).toEqual(
      chat({ model: 'gpt-4o-high', temperature: 1, max_tokens: 5 }),
    );
    expect(sent(openai, chat({ max_tokens: 5 }), {}, 'gpt-5-chat-latest')).toMatchObject({ max_tokens: 5 });
  });

  test('have an effort in the body logged', () => {
    expect(call(openai, chat({ reasoning_effort: 'low' })).reasoningEffort).toBe('low');
    expect(call(openai, chat()).reasoningEffort).toBeUndefined();
  });
});

describe('the upstream call', () => {
  test('has the content type, and the Accept header of the caller', () => {
    expect(call(openai, chat({ stream: true })).headers).toMatchObject({
      accept: 'text/event-stream',
      'content-type': 'application/json',
    });
    expect(call(openai, chat()).headers.accept).toBe('application/json');
    const request = { ...buildRequest('openai-chat', chat()), accept: 'application/x-own' };
    expect(bridge(openai, buildChannel(), request, 'm', relayOptions).headers.accept).toBe(
      'application/x-own',
    );
  });

  test('does not have the query of the caller, which may have a key', () => {
    const request = {
      ...buildRequest('openai-chat', chat()),
      path: '/v1/chat/completions?key=sk-own',
      query: '?key=sk-own',
    };
    expect(bridge(openai, buildChannel(), request, 'm', relayOptions).url).toBe(
      'https://upstream.test/v1/chat/completions',
    );
  });

  test('is refused where the provider does not speak the protocol', () => {
    const request = buildRequest('openai-moderations', { input: 'x' });
    expect(() => bridge(providerOf(44)!, buildChannel(), request, 'm', relayOptions)).toThrow(
      expect.objectContaining({ status: 400, code: 'invalid_api_type' }),
    );
  });

  test.each([
    ['gpt-4o-search-preview', 1],
    ['gpt-4o-mini-search-preview-2025-03-11', 1],
    ['gpt-5-search-api', 1],
    ['gpt-5-search-api-2025-10-14', 1],
    ['gpt-4o-search-previewer', 0],
    ['gpt-5-2025-08-07', 0],
  ])('%s searches in every answer: %d', (model, searches) => {
    const pipe = call(openai, chat(), {}, model).openPipe(200, 'application/json');
    pipe.push(Buffer.from('{"choices":[],"usage":{"prompt_tokens":1}}'));
    expect(pipe.end(false).usage?.webSearchCalls).toBe(searches);
  });
});

describe('an error answer', () => {
  const read = (status: number, contentType: string, body: string, retryAfter?: string) =>
    call(openai, chat()).readError(status, contentType, Buffer.from(body), retryAfter);

  test('with an error object passes unchanged with its status', () => {
    const error = {
      message: 'Rate limit',
      type: 'requests',
      param: null,
      code: 'rate_limit_exceeded',
      extra: 1,
    };
    const read429 = read(429, 'application/json', JSON.stringify({ error }), '7');
    expect(read429).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      type: 'requests',
      blame: 'channel',
      retryAfterSeconds: 7,
    });
    const shown = callerProtocol('openai-chat')!.inbound.writeError(read429, 'ID');
    expect([shown.status, JSON.parse(shown.body)]).toEqual([429, { error }]);
  });

  test('without one reports the status, and no address or key of the channel', () => {
    const page = read(502, 'text/html', '<html>nginx</html>');
    expect(page).toMatchObject({
      status: 502,
      code: 'bad_response_status_code',
      type: 'upstream_error',
      param: '502',
      message: 'bad response status code 502',
    });
    const leaky = read(503, 'text/plain', 'no route to http://10.1.2.3:99/x with test-channel-key');
    expect(leaky.message).toBe('no route to [address] with [hidden]');
    expect(read(418, 'application/json', '{"detail":"short"}').message).toBe('short');
    expect(read(500, '', '').message).toBe('bad response status code 500');
    const body = callerProtocol('openai-chat')!.inbound.writeError(leaky, 'ID').body;
    expect(JSON.parse(body)).toEqual({
      error: {
        message: 'no route to [address] with [hidden] (request id: ID)',
        type: 'upstream_error',
        param: '503',
        code: 'bad_response_status_code',
      },
    });
  });

  test("of status 400 is the caller's fault, and a wait is as long as the upstream says", () => {
    expect(read(400, 'application/json', '{"error":{"message":"bad"}}').blame).toBe('caller');
    expect(read(429, '', '', '999999999').retryAfterSeconds).toBe(999_999_999);
    expect(read(429, '', '', 'Wed, 21 Oct 2026 07:28:00 GMT').retryAfterSeconds).toBeUndefined();
  });
});

describe('what a translation leaves out', () => {
  const claude = providerOf(14)!;
  const body = { model: 'claude-opus-5', messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 };
  const names = (provider: typeof openai, from: Parameters<typeof buildRequest>[0], fields: JsonObject) =>
    bridge(provider, buildChannel(), buildRequest(from, fields), 'claude-opus-5', relayOptions).dropped;

  test('is named as the caller wrote it', () => {
    const chatFields = { ...body, temperature: 0, top_p: 0.5, frequency_penalty: 1, logit_bias: { 5: 1 } };
    expect([...names(claude, 'openai-chat', chatFields)].toSorted()).toEqual([
      'frequency_penalty',
      'logit_bias',
      'temperature',
      'top_p',
    ]);
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const camel = { model: 'm', contents, generationConfig: { topP: 0.5, topK: 3 } };
    expect(names(claude, 'gemini', camel)).toEqual(['topP', 'topK']);
    const snake = { model: 'm', contents, generationConfig: { top_p: 0.5, top_k: 3 } };
    expect(names(claude, 'gemini', snake)).toEqual(['top_p', 'top_k']);
    expect(names(openai, 'anthropic-messages', { ...body, model: 'm', top_k: 3 })).toEqual(['top_k']);
  });
});

describe('applyModelMapping', () => {
  test('follows chains, and a name that maps to itself ends them', () => {
    expect(applyModelMapping({ a: 'b', b: 'c' }, 'a')).toBe('c');
    expect(applyModelMapping({ a: 'a' }, 'a')).toBe('a');
    expect(applyModelMapping({ a: 'b', b: 'b' }, 'a')).toBe('b');
    expect(applyModelMapping({}, 'constructor')).toBe('constructor');
  });

  test('reports a circle as a fault of the configuration', () => {
    expect(() => applyModelMapping({ a: 'b', b: 'c', c: 'a' }, 'a')).toThrow(
      expect.objectContaining({ status: 500, code: 'model_mapping_contains_cycle', blame: 'ours' }),
    );
  });
});

test('providers that cannot fetch images list the addresses that they need as data', () => {
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'https://img.test/a.png' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      ],
    },
  ];
  const body = chat({ messages, logit_bias: { 1: 2 }, max_completion_tokens: 4 });
  const ollama = providerOf(4)!;
  expect(filesNeeded(ollama, buildChannel(), buildRequest('openai-chat', body), 'm', relayOptions)).toEqual([
    'https://img.test/a.png',
  ]);
  expect(filesNeeded(openai, buildChannel(), buildRequest('openai-chat', body), 'm', relayOptions)).toEqual(
    [],
  );
  const files = new Map([['https://img.test/a.png', { mediaType: 'image/png', base64: 'QQ==' }]]);
  const made = bridge(
    ollama,
    buildChannel(),
    { ...buildRequest('openai-chat', body), files },
    'm',
    relayOptions,
  );
  expect(JSON.parse(made.body.toString())).toEqual(
    chat({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
          ],
        },
      ],
      max_tokens: 4,
    }),
  );
});
