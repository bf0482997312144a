import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { callerProtocol } from '../../protocols.ts';
import { gemini } from './index.ts';

const codec = gemini.codec!;

/** A schema that refers to a small one a hundred times. */
const half = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`p${index}`, { $ref: '#/$defs/e' }]),
  ),
  $defs: { e: { type: 'object', properties: { a: { type: 'string' } } } },
};

describe('a request of another protocol', () => {
  const chat = callerProtocol('openai-chat')!.codec!;
  const dropped: string[] = [];
  const write = (
    request: ChatRequest,
    model = 'gemini-2.5-pro',
    files = new Map<string, { mediaType: string; base64: string }>(),
  ) =>
    codec.writeRequest!(request, {
      model,
      files,
      readsReasoning: false,
      drop: (what) => void dropped.push(what),
    });
  const written = (body: JsonObject, model?: string): JsonObject =>
    write(chat.readRequest!({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }), model);

  test('becomes contents, with the system apart and results where Google wants them', () => {
    const call = (id: string, name: string) => ({
      id,
      type: 'function',
      function: { name, arguments: '{"x":1}' },
    });
    const { systemInstruction, contents } = written({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, tool_calls: [call('1', 'f'), call('2', 'g')] },
        { role: 'tool', tool_call_id: '1', content: '{"ok":true}' },
        { role: 'tool', tool_call_id: '2', content: 'plain' },
        { role: 'developer', content: 'And kind.' },
      ],
    });
    expect(systemInstruction).toEqual({ parts: [{ text: 'Be brief.\nAnd kind.' }] });
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { id: '1', name: 'f', args: { x: 1 } } },
          { functionCall: { id: '2', name: 'g', args: { x: 1 } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: '1', name: 'f', response: { ok: true } } },
          { functionResponse: { id: '2', name: 'g', response: { output: 'plain' } } },
        ],
      },
    ]);
  });

  test('has Google’s placeholder for a missing signature where the model requires one', () => {
    const messages = [
      {
        role: 'assistant',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '' } }],
      },
    ];
    const parts = (model: string) =>
      ((written({ messages }, model).contents as JsonObject[])[1]!.parts as JsonObject[])[0]!;
    expect(parts('gemini-3-pro').thoughtSignature).toBe('skip_thought_signature_validator');
    expect(parts('gemini-2.5-pro').thoughtSignature).toBeUndefined();
  });

  test('has its schemas reduced to what Gemini accepts', () => {
    const parameters = {
      $schema: 'x',
      type: 'object',
      additionalProperties: false,
      $defs: { day: { type: 'string', format: 'date' } },
      properties: {
        a: { type: ['string', 'null'], format: 'uri', default: 'x' },
        b: { $ref: '#/$defs/day' },
        c: { oneOf: [{ type: 'integer', exclusiveMinimum: 0 }, { const: 5 }] },
        d: { type: 'string', format: 'date-time' },
      },
    };
    const tools = [
      { type: 'function', function: { name: 'f', parameters, strict: true } },
      { type: 'function', function: { name: 'none', parameters: { type: 'object', properties: {} } } },
      { type: 'function', function: { name: 'googleSearch' } },
    ];
    dropped.length = 0;
    expect(written({ tools, tool_choice: { type: 'function', function: { name: 'f' } } })).toMatchObject({
      tools: [
        { googleSearch: {} },
        {
          functionDeclarations: [
            {
              name: 'f',
              parameters: {
                type: 'object',
                properties: {
                  a: { type: 'string', nullable: true },
                  b: { type: 'string' },
                  c: { anyOf: [{ type: 'integer' }, { type: 'integer', minimum: 5, maximum: 5 }] },
                  d: { type: 'string', format: 'date-time' },
                },
              },
            },
            { name: 'none' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    });
    expect(dropped).toContain('strict');
  });

  test('stops expanding a schema that refers to itself', () => {
    const parameters = {
      type: 'object',
      properties: { next: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } },
    };
    expect(
      JSON.stringify(written({ tools: [{ type: 'function', function: { name: 'f', parameters } }] })).length,
    ).toBeLessThan(5_000);
  });

  test('refuses a schema whose expanded references would exceed its bound', () => {
    const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
    const referring = (to: string) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${to}` }])),
    });
    const $defs = Object.fromEntries(
      names.map((name, index) => [name, referring(names[index + 1] ?? 'end')]),
    );
    const parameters = { ...referring('d0'), $defs };
    const tool = (schema: JsonObject) => ({ type: 'function', function: { name: 'f', parameters: schema } });
    for (const tools of [[tool(parameters)], Array.from({ length: 500 }, () => tool(half))])
      expect(() => written({ tools })).toThrow('$ref');
    const format = { type: 'json_schema', json_schema: { name: 'f', schema: parameters } };
    expect(() => written({ response_format: format })).toThrow('$ref');
    expect(written({ tools: [tool(half)] })).toHaveProperty('tools');
    // A schema that refers to itself many times ends sooner.
    const itself = { ...referring('d0'), $defs: { d0: referring('d0') } };
    expect(written({ tools: [tool(itself)] })).toHaveProperty('tools');
  });

  test('keeps the parameters of the answer, and reports those that Gemini lacks', () => {
    dropped.length = 0;
    const { generationConfig } = written({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 7,
      n: 2,
      seed: 3,
      stop: ['a', 'b', 'c', 'd', 'e', 'f'],
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { 5: 1 },
      user: 'u',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 's', schema: { type: 'object', additionalProperties: false } },
      },
    });
    expect(generationConfig).toEqual({
      temperature: 0.5,
      topP: 0.9,
      seed: 3,
      responseLogprobs: true,
      logprobs: 2,
      maxOutputTokens: 7,
      candidateCount: 2,
      stopSequences: ['a', 'b', 'c', 'd', 'e'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'object' },
    });
    expect(dropped.toSorted()).toEqual(['logitBias', 'stop', 'user']);
  });

  test.each([
    ['high', 'gemini-2.5-pro', { thinkingBudget: 24_576, includeThoughts: true }],
    ['low', 'gemini-3-pro-preview', { thinkingLevel: 'low', includeThoughts: true }],
    ['none', 'gemini-2.5-flash', { thinkingBudget: 0 }],
    ['none', 'gemini-2.5-pro', { thinkingBudget: 128 }],
  ])('has the effort %s on %s', (reasoning_effort, model, thinkingConfig) => {
    expect(written({ reasoning_effort }, model).generationConfig).toEqual({ thinkingConfig });
  });

  test('has its files as data, except videos that Google fetches itself', () => {
    const url = 'https://files.test/a.png';
    const video = 'https://www.youtube.com/watch?v=x';
    const content = [
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url: video } },
    ];
    const request = chat.readRequest!({ model: 'm', messages: [{ role: 'user', content }] });
    expect(codec.filesNeeded!(request)).toEqual([url]);
    const files = new Map([[url, { mediaType: 'image/png', base64: 'AAAA' }]]);
    expect((write(request, 'm', files).contents as JsonObject[])[0]!.parts).toMatchObject([
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { fileData: { fileUri: video } },
    ]);
  });

  test('with a file that another vendor stores is refused', () => {
    const content = [{ type: 'file', file: { file_id: 'file-1' } }];
    expect(() => written({ messages: [{ role: 'user', content }] })).toThrow(/that another vendor keeps/);
  });
});

test('passes Google’s own fields of chat requests, and no other unknown ones', () => {
  const chat = callerProtocol('openai-chat')!.codec!;
  const dropped: string[] = [];
  const google = {
    thinking_config: { thinking_level: 'low', include_thoughts: true },
    image_config: { aspect_ratio: '16:9', image_size: '2K' },
    cached_content: 'cachedContents/1',
    unheard_of: 1,
  };
  const request = chat.readRequest!({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    reasoning_effort: 'high',
    extra_body: { google, other: 1 },
  });
  const drop = (what: string) => void dropped.push(what);
  const context = { model: 'gemini-3-pro-image', files: new Map(), readsReasoning: false, drop };
  expect(codec.writeRequest!(request, context)).toMatchObject({
    generationConfig: {
      thinkingConfig: { thinkingLevel: 'low', includeThoughts: true },
      imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
    },
    cachedContent: 'cachedContents/1',
  });
  expect(dropped).toEqual(['other', 'google.unheard_of']);
});

test('a request in this protocol is written as it was read', () => {
  const body = {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { functionCall: { id: '1', name: 'f', args: {} }, thoughtSignature: 'sig' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: '1', name: 'f', response: { output: 'ok' } } }] },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    generationConfig: {
      temperature: 0,
      topK: 4,
      responseModalities: ['TEXT', 'IMAGE'],
      mediaResolution: 'LOW',
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    cachedContent: 'cachedContents/1',
  };
  const dropped: string[] = [];
  const context = {
    model: 'm',
    files: new Map(),
    readsReasoning: false,
    drop: (what: string) => void dropped.push(what),
  };
  expect(codec.writeRequest!(codec.readRequest!({ ...body, model: 'm', stream: true }), context)).toEqual(
    body,
  );
  expect(dropped).toEqual([]);
});

test('results without an id answer the calls of their name, in order', () => {
  const call = { functionCall: { name: 'f', args: {} } };
  const result = { functionResponse: { name: 'f', response: { error: 'no' } } };
  const { messages } = codec.readRequest!({
    model: 'm',
    contents: [
      { role: 'model', parts: [call, call] },
      { role: 'user', parts: [result, result, { text: 'so?' }] },
    ],
  });
  const ids = messages.flatMap(({ parts }) => parts.flatMap((part) => ('id' in part ? [part.id] : [])));
  expect(ids).toEqual(['call_0_f', 'call_1_f', 'call_0_f', 'call_1_f']);
  expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user']);
  expect(messages[1]!.parts[0]).toMatchObject({ isError: true, parts: [{ text: 'no' }] });
});

test('what Google stores, and picture output, are refused for other protocols by name', () => {
  const write = callerProtocol('openai-chat')!.codec!.writeRequest!;
  const context = { model: 'm', files: new Map(), readsReasoning: false, drop: () => undefined };
  const contents = [{ parts: [{ text: 'hi' }] }];
  const translated = (body: JsonObject) => () =>
    write(codec.readRequest!({ model: 'm', contents, ...body }), context);
  expect(translated({ cachedContent: 'cachedContents/1' })).toThrow(/cachedContent/);
  expect(translated({ generationConfig: { responseModalities: ['IMAGE'] } })).toThrow(/modality IMAGE/);
  expect(translated({ tools: [{ fileSearch: {} }] })).toThrow(/fileSearch/);
  expect(
    translated({ generationConfig: { responseModalities: ['TEXT'] }, safetySettings: [] }),
  ).not.toThrow();
});
