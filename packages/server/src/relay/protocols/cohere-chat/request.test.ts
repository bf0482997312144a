import { describe, expect, test } from 'vitest';
import { chat, claude, translated } from '../../../testing/protocols/translate-request.ts';
import type { RequestContext } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { cohereChat } from './index.ts';

const { codec } = cohereChat;
const write = codec.writeRequest!;
const greeting = { role: 'user', content: 'hi' };
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = {
  type: 'function',
  function: { name: 'weather', description: 'Of a city', parameters: schema },
};
const clock = {
  type: 'function',
  function: { name: 'clock', parameters: { type: 'object', properties: {} } },
};

/** A chat request in Cohere's format, for a model. */
function asked(body: JsonObject, model = 'command-a-03-2025') {
  const dropped = new Set<string>();
  const context: RequestContext = {
    model,
    files: new Map([
      ['https://files.test/a.txt', { mediaType: 'text/plain', base64: 'd29yZHM=' }],
      ['https://files.test/a.pdf', { mediaType: 'application/pdf', base64: 'UERG' }],
    ]),
    readsReasoning: false,
    drop: (what) => void dropped.add(what),
  };
  const written = write(chat.readRequest!({ model: 'm', messages: [greeting], ...body }), context);
  return { body: JSON.parse(JSON.stringify(written)) as JsonObject, dropped: [...dropped].toSorted() };
}
const bodyOf = (body: JsonObject, model?: string): JsonObject => asked(body, model).body;

describe('a chat request for Cohere', () => {
  test('has no unneeded fields, and is bounded', () => {
    expect(asked({})).toEqual({
      body: { model: 'command-a-03-2025', messages: [greeting], stream: false, max_tokens: 4_000 },
      dropped: [],
    });
    expect(bodyOf({ stream: true, max_completion_tokens: 9 })).toMatchObject({ stream: true, max_tokens: 9 });
  });

  test('has its numbers within Cohere’s ranges, under Cohere’s names', () => {
    const { body, dropped } = asked({
      temperature: 0.4,
      top_p: 1,
      seed: 7,
      frequency_penalty: 1.5,
      presence_penalty: -1,
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { '1': 2 },
      stop: ['a', 'b', 'c', 'd', 'e', 'f'],
      user: 'u',
    });
    expect(body).toMatchObject({
      temperature: 0.4,
      p: 0.99,
      seed: 7,
      frequency_penalty: 1,
      logprobs: true,
      stop_sequences: ['a', 'b', 'c', 'd', 'e'],
    });
    expect(body.presence_penalty).toBeUndefined();
    expect(dropped).toEqual(['logitBias', 'presencePenalty', 'stop', 'topLogprobs', 'user']);
    const fromClaude = translated(claude, codec, {
      model: 'm',
      max_tokens: 5,
      messages: [greeting],
      top_k: 900,
      top_p: 0,
    });
    expect(fromClaude.body).toMatchObject({ k: 500, p: 0.01, max_tokens: 5 });
  });

  test('keeps the order of instructions, pictures and texts, and of text files', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD', detail: 'low' } };
    const { messages } = bodyOf({
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', name: 'Ann', content: [{ type: 'text', text: 'What is this?' }, image] },
        { role: 'assistant', content: 'A cat.' },
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,d29yZHM=' } },
          ],
        },
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
      { role: 'assistant', content: 'A cat.' },
      { role: 'user', content: 'a.txt\nwords' },
    ]);
  });

  test('has one message for each turn of the model, and none for an empty one', () => {
    const { messages } = bodyOf({
      messages: [
        greeting,
        { role: 'assistant', content: 'One.' },
        { role: 'assistant', content: 'Two.' },
        greeting,
        { role: 'assistant', content: '' },
        greeting,
      ],
    });
    const words = (text: string) => ({ type: 'text', text });
    expect(messages).toEqual([
      greeting,
      { role: 'assistant', content: [words('One.'), words('Two.')] },
      greeting,
      greeting,
    ]);
  });

  test('is refused where Cohere would answer another question', () => {
    const file = (data: string) => [{ type: 'file', file: { filename: 'a', file_data: data } }];
    const sound = [{ type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } }];
    for (const body of [
      { n: 2 },
      { messages: [{ role: 'user', content: file('data:application/pdf;base64,UERG') }] },
      { messages: [{ role: 'user', content: sound }] },
    ]) {
      expect(() => asked(body)).toThrow(expect.objectContaining({ status: 400, code: 'cannot_translate' }));
    }
  });

  test('lists file addresses, because their text has to be fetched', () => {
    const request = claude.readRequest!({
      model: 'm',
      max_tokens: 5,
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'url', url: 'https://files.test/a.txt' } }],
        },
      ],
    });
    expect(codec.filesNeeded!(request)).toEqual(['https://files.test/a.txt']);
  });

  test('asks for JSON, with a schema and without', () => {
    const json_schema = { name: 'city', schema, strict: true };
    expect(bodyOf({ response_format: { type: 'json_schema', json_schema } }).response_format).toEqual({
      type: 'json_object',
      json_schema: schema,
    });
    const plain = { type: 'json_object' };
    expect(bodyOf({ response_format: plain }).response_format).toEqual(plain);
    expect(bodyOf({ response_format: { type: 'text' } }).response_format).toBeUndefined();
  });

  test('has the requested thinking, where the model can think', () => {
    const model = 'command-a-reasoning-08-2025';
    expect(bodyOf({ reasoning_effort: 'low' }, model).thinking).toEqual({
      type: 'enabled',
      token_budget: 2_048,
    });
    expect(bodyOf({ reasoning_effort: 'none' }, model).thinking).toEqual({ type: 'disabled' });
    const other = asked({ reasoning_effort: 'low' });
    expect([other.body.thinking, other.dropped]).toEqual([undefined, ['reasoning']]);
  });

  test('passes Cohere’s own fields, and refuses other unknown ones', () => {
    const documents = [{ id: 'd1', data: { title: 'T', snippet: 'S' } }];
    const { body, dropped } = asked({
      documents,
      citation_options: { mode: 'FAST' },
      safety_mode: 7,
    });
    expect(body).toMatchObject({ documents, citation_options: { mode: 'FAST' } });
    expect(body.safety_mode).toBeUndefined();
    expect(dropped).toEqual(['safety_mode']);
    expect(() => asked({ vendor_field: 1 })).toThrow(expect.objectContaining({ param: 'vendor_field' }));
  });
});

describe('tools for Cohere', () => {
  test('have their choice', () => {
    expect(bodyOf({ tools: [weather], tool_choice: 'auto' })).toMatchObject({ tools: [weather] });
    expect(bodyOf({ tools: [weather], tool_choice: 'auto' }).tool_choice).toBeUndefined();
    expect(bodyOf({ tools: [weather], tool_choice: 'required' }).tool_choice).toBe('REQUIRED');
    expect(bodyOf({ tools: [weather], tool_choice: 'none' }).tool_choice).toBe('NONE');
    expect(asked({ tools: [weather], parallel_tool_calls: false }).dropped).toEqual(['parallelToolCalls']);
  });

  test('are reduced to the one that is forced', () => {
    const choice = { type: 'function', function: { name: 'clock' } };
    expect(bodyOf({ tools: [weather, clock], tool_choice: choice })).toMatchObject({
      tools: [clock],
      tool_choice: 'REQUIRED',
    });
  });

  test('are strict together or not at all', () => {
    const strict = (tool: typeof weather | typeof clock) => ({
      ...tool,
      function: { ...tool.function, strict: true },
    });
    expect(bodyOf({ tools: [strict(weather)] }).strict_tools).toBe(true);
    const mixed = asked({ tools: [strict(weather), strict(clock)] });
    expect([mixed.body.strict_tools, mixed.dropped]).toEqual([undefined, ['strict']]);
  });

  test('have their calls, their plan and their results, results as documents', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };
    const other = { id: 'c2', type: 'function', function: { name: 'clock', arguments: '' } };
    const { messages } = bodyOf({
      messages: [
        greeting,
        { role: 'assistant', content: null, reasoning_content: 'I will look.', tool_calls: [call, other] },
        { role: 'tool', tool_call_id: 'c1', content: '{"celsius":18}' },
        { role: 'tool', tool_call_id: 'c2', content: 'noon' },
      ],
    });
    const document = (data: JsonObject) => [{ type: 'document', document: { data } }];
    expect((messages as JsonObject[]).slice(1)).toEqual([
      {
        role: 'assistant',
        tool_plan: 'I will look.',
        tool_calls: [call, { ...other, function: { name: 'clock', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: document({ celsius: 18 }) },
      { role: 'tool', tool_call_id: 'c2', content: document({ content: 'noon' }) },
    ]);
  });

  test('have failures marked, and pictures after the results', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'QUJD' };
    const result = (id: string, content: unknown, isError = false) =>
      ({ type: 'tool_result', tool_use_id: id, content, is_error: isError }) as JsonObject;
    const { body } = translated(claude, codec, {
      model: 'm',
      max_tokens: 5,
      messages: [
        greeting,
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'c1', name: 'see', input: {} },
            { type: 'tool_use', id: 'c2', name: 'see', input: {} },
          ],
        },
        {
          role: 'user',
          content: [result('c1', 'no light', true), result('c2', [{ type: 'image', source }])],
        },
      ],
    });
    expect((body.messages as JsonObject[]).slice(2)).toEqual([
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [{ type: 'document', document: { data: { error: 'no light' } } }],
      },
      {
        role: 'tool',
        tool_call_id: 'c2',
        content: [{ type: 'document', document: { data: { content: '(see the next message)' } } }],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the tool call c2:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        ],
      },
    ]);
  });

  test('have thoughts for models that can think; those that another vendor signed are left out', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: '' };
    const messages = [
      greeting,
      { role: 'assistant', content: [thought, { type: 'text', text: 'Yes.' }] },
      greeting,
    ];
    const request = claude.readRequest!({ model: 'm', max_tokens: 5, messages });
    const dropped: string[] = [];
    const context = {
      files: new Map(),
      readsReasoning: false,
      drop: (what: string) => void dropped.push(what),
    };
    const of = (model: string, from = request) =>
      (write(from, { ...context, model }).messages as JsonObject[])[1]!.content;
    expect(of('command-a-reasoning-08-2025')).toEqual([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ]);
    expect(dropped).toEqual([]);
    expect(of('command-a-03-2025')).toBe('Yes.');
    const signed = { ...thought, signature: 'made by Claude' };
    const foreign = claude.readRequest!({
      model: 'm',
      max_tokens: 5,
      messages: [
        greeting,
        { role: 'assistant', content: [signed, { type: 'text', text: 'Yes.' }] },
        greeting,
      ],
    });
    expect(of('command-a-reasoning-08-2025', foreign)).toBe('Yes.');
    expect(dropped).toEqual(['reasoning of earlier turns', 'reasoning of earlier turns']);
  });
});
