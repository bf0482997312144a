import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ProtocolId } from '../../types/index.ts';
import { gemini } from './index.ts';

const channel = buildChannel({ type: 24, baseUrl: gemini.baseUrl });
const settings = {
  'gemini.safety_settings': { default: 'OFF', HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE' },
  'gemini.version_settings': { default: 'v1beta', 'gemini-1.0-pro': 'v1' },
  'gemini.supported_imagine_models': ['gemini-2.0-flash-exp'],
  'gemini.thinking_adapter_enabled': true,
  'gemini.thinking_adapter_budget_tokens_percentage': 0.5,
};
const options = { ...relayOptions, settings };
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

/** Call for a request in Gemini's own protocol. */
const own = (model: string, body: JsonObject = {}, stream = false) =>
  bridge(gemini, channel, buildRequest('gemini', { contents, ...body }, { model, stream }), model, options);
/** Call for a request in another protocol. */
const foreign = (model: string, body: JsonObject = {}, protocol: ProtocolId = 'openai-chat') =>
  bridge(
    gemini,
    channel,
    buildRequest(protocol, { model, messages: [{ role: 'user', content: 'hi' }], ...body }),
    model,
    options,
  );
const bodyOf = ({ body }: { body: Buffer }): JsonObject => JSON.parse(body.toString()) as JsonObject;
const thinkingOf = (call: { body: Buffer }): unknown =>
  (bodyOf(call).generationConfig as JsonObject | undefined)?.thinkingConfig;

describe('a call of Gemini', () => {
  test('has the model and the stream in its path, and its body unchanged', () => {
    const text = '{ "contents":[{"parts":[{"text":"\\u0041"}]}], "x_new":1.0 }';
    const request = buildRequest('gemini', text, { model: 'gemini-2.0-flash', stream: true });
    const call = bridge(gemini, channel, request, 'gemini-2.0-flash', options);
    expect(call.url).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:streamGenerateContent?alt=sse',
    );
    expect(call.body.toString()).toBe(text);
    expect(call.headers).toMatchObject({ 'x-goog-api-key': channel.key });
  });

  test('takes the version of the API from the option, by model', () => {
    expect(own('gemini-1.0-pro').url).toContain('/v1/models/gemini-1.0-pro:generateContent');
    expect(own('gemini-2.5-pro').url).toContain('/v1beta/models/gemini-2.5-pro:generateContent');
  });

  test('has its tokens counted by the vendor', () => {
    const count = own('gemini-2.5-pro').count!();
    expect(count.url).toContain('/v1beta/models/gemini-2.5-pro:countTokens');
    expect(JSON.parse(count.body.toString())).toEqual({
      generateContentRequest: { model: 'models/gemini-2.5-pro', contents },
    });
    expect(count.read({ totalTokens: 7 })).toBe(7);
  });

  test('has the safety settings of the site when its protocol has none', () => {
    const { safetySettings } = bodyOf(foreign('gemini-2.5-pro'));
    expect(safetySettings).toHaveLength(5);
    expect(safetySettings).toContainEqual({ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' });
    expect(safetySettings).toContainEqual({
      category: 'HARM_CATEGORY_CIVIC_INTEGRITY',
      threshold: 'BLOCK_NONE',
    });
    expect(bodyOf(own('gemini-2.5-pro')).safetySettings).toBeUndefined();
  });

  test('requests pictures of models that draw, too', () => {
    expect(bodyOf(foreign('gemini-2.0-flash-exp')).generationConfig).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
    });
    expect(bodyOf(foreign('gemini-2.5-pro')).generationConfig).toBeUndefined();
  });
});

describe('images in a message', () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const asked = (count: number, most: number) => {
    const messages = [{ role: 'user', content: Array.from({ length: count }, () => picture) }];
    const request = buildRequest('openai-chat', { model: 'gemini-2.5-pro', messages });
    return bridge(gemini, channel, request, 'gemini-2.5-pro', { ...options, geminiMaxImages: most });
  };

  test('are as many as the site allows (GEMINI_VISION_MAX_IMAGE_NUM)', () => {
    expect(asked(16, 16).body.toString()).toContain('inlineData');
    expect(() => asked(17, 16)).toThrow('too many images in the message, max allowed is 16');
    expect(() => asked(1, 0)).toThrow(/max allowed is 0/);
    expect(asked(40, -1).body.toString()).toContain('inlineData');
  });

  test('are counted by message, and not for callers of Gemini’s own protocol', () => {
    const turn = (role: string) => ({ role, content: [picture, picture] });
    const messages = [turn('user'), { role: 'assistant', content: 'and?' }, turn('user')];
    const request = buildRequest('openai-chat', { model: 'gemini-2.5-pro', messages });
    const few = { ...options, geminiMaxImages: 2 };
    expect(bridge(gemini, channel, request, 'gemini-2.5-pro', few).upstreamModel).toBe('gemini-2.5-pro');
    const parts = Array.from({ length: 5 }, () => ({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }));
    const own = buildRequest('gemini', { contents: [{ parts }] }, { model: 'gemini-2.5-pro', stream: false });
    expect(bridge(gemini, channel, own, 'gemini-2.5-pro', few).body.equals(own.raw)).toBe(true);
  });
});

describe('a thinking suffix', () => {
  test.each([
    [
      'gemini-2.5-flash-thinking',
      { maxOutputTokens: 1_000 },
      'gemini-2.5-flash',
      { thinkingBudget: 500, includeThoughts: true },
    ],
    ['gemini-2.5-flash-thinking', {}, 'gemini-2.5-flash', { thinkingBudget: 24_576, includeThoughts: true }],
    [
      'gemini-2.5-flash-thinking-2048',
      {},
      'gemini-2.5-flash',
      { thinkingBudget: 2_048, includeThoughts: true },
    ],
    [
      'gemini-2.5-flash-thinking-99999',
      {},
      'gemini-2.5-flash',
      { thinkingBudget: 24_576, includeThoughts: true },
    ],
    ['gemini-2.5-pro-thinking-64', {}, 'gemini-2.5-pro', { thinkingBudget: 128, includeThoughts: true }],
    ['gemini-2.5-flash-nothinking', {}, 'gemini-2.5-flash', { thinkingBudget: 0 }],
    ['gemini-2.5-pro-nothinking', {}, 'gemini-2.5-pro', { thinkingBudget: 128 }],
    ['gemini-3-pro-preview-low', {}, 'gemini-3-pro-preview', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-2.5-pro', {}, 'gemini-2.5-pro', undefined],
  ])('%s with %j is sent to %s', (model, generationConfig, upstream, thinking) => {
    const body: JsonObject = Object.keys(generationConfig).length > 0 ? { generationConfig } : {};
    const call = own(model, body);
    expect([call.upstreamModel, thinkingOf(call)]).toEqual([upstream, thinking]);
    expect(call.url).toContain(`/models/${upstream}:`);
    expect(foreign(model).upstreamModel).toBe(upstream);
  });

  test('has no effect while the option is off', () => {
    const off = { ...options, settings: { ...settings, 'gemini.thinking_adapter_enabled': false } };
    const request = buildRequest(
      'gemini',
      { contents },
      { model: 'gemini-2.5-flash-thinking', stream: false },
    );
    const call = bridge(gemini, channel, request, 'gemini-2.5-flash-thinking', off);
    expect([call.upstreamModel, thinkingOf(call)]).toEqual(['gemini-2.5-flash-thinking', undefined]);
  });
});

describe('embeddings', () => {
  const answered = (call: ReturnType<typeof bridge>, answer: object): unknown => {
    const pipe = call.openPipe(200, 'application/json');
    pipe.push(Buffer.from(JSON.stringify(answer)));
    const end = pipe.end(false);
    return [end.outcome, JSON.parse(end.tail!.toString()), end.usage?.input];
  };

  test('of OpenAI’s protocol become a batch, and its answer a list', () => {
    const request = buildRequest('openai-embeddings', {
      model: 'text-embedding-004',
      input: ['a', 'b'],
      dimensions: 2,
    });
    const call = bridge(gemini, channel, request, 'text-embedding-004', options);
    expect(call.url).toContain('/v1beta/models/text-embedding-004:batchEmbedContents');
    expect(bodyOf(call).requests).toEqual(
      ['a', 'b'].map((text) => ({
        model: 'models/text-embedding-004',
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    );
    expect(answered(call, { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] })).toEqual([
      'complete',
      {
        object: 'list',
        data: [
          { object: 'embedding', index: 0, embedding: [1, 2] },
          { object: 'embedding', index: 1, embedding: [3, 4] },
        ],
        model: 'text-embedding-004',
      },
      undefined,
    ]);
    const tokens = buildRequest('openai-embeddings', { model: 'm', input: [[1, 2]] });
    expect(() => bridge(gemini, channel, tokens, 'm', options)).toThrow(/tokens cannot be embedded/);
  });

  test('of its own protocol pass, each request with the model that the channel maps to', () => {
    const batch = { requests: [{ model: 'models/alias', content: { parts: [{ text: 'a' }] } }] };
    const request = buildRequest('gemini-embeddings', batch, { model: 'alias' });
    const call = bridge(gemini, channel, request, 'gemini-embedding-001', options);
    expect(call.url).toContain('/models/gemini-embedding-001:batchEmbedContents');
    expect(bodyOf(call)).toEqual({
      requests: [{ ...batch.requests[0], model: 'models/gemini-embedding-001' }],
    });
    const answer = { embeddings: [{ values: [1] }], usageMetadata: { promptTokenCount: 3 } };
    expect(answered(call, answer)).toEqual(['complete', answer, 3]);
  });
});

test('its models are listed by their bare names', () => {
  const { url, headers } = gemini.fetchModels!.request(channel);
  expect([url, headers.authorization]).toEqual([
    'https://generativelanguage.googleapis.com/v1beta/openai/models',
    `Bearer ${channel.key}`,
  ]);
  expect(gemini.fetchModels!.read({ data: [{ id: 'models/gemini-2.5-pro' }] })).toEqual(['gemini-2.5-pro']);
});
