import { describe, expect, test } from 'vitest';
import { called, chat, claude, hi, rich, weather } from '../../../testing/protocols/translate-to-converse.ts';
import type { JsonObject } from '../../../lib/json.ts';

describe('a request with everything', () => {
  const { body, dropped, needed } = chat(rich);

  test('has all of it', () => {
    const document = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'UERG' } } });
    expect(body).toEqual({
      system: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'Look' },
            { image: { format: 'jpeg', source: { bytes: '/9j/' } } },
            { image: { format: 'png', source: { bytes: 'AAAA' } } },
            document('my-report v1'),
            document('my-report v1 2'),
            { document: { format: 'txt', name: 'x', source: { bytes: 'e30=' } } },
          ],
        },
        {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: 'call_1', name: 'weather', input: { city: 'Paris' } } }],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'call_1', content: [{ text: '18 degrees' }] } },
            { text: 'And now?' },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, temperature: 1, topP: 0.9, stopSequences: ['END'] },
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'weather',
              description: 'of a city',
              inputSchema: { json: { type: 'object', properties: { city: {} } } },
            },
          },
        ],
        toolChoice: { any: {} },
      },
    });
    expect([dropped, needed]).toEqual([[], ['https://files.test/a.png']]);
  });
});

describe('tools', () => {
  test('are described from earlier turns when no more may be called, with a note in the text', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      called(),
      { role: 'tool', tool_call_id: 'call_1', content: '' },
    ];
    const words = [{ text: 'Do not call any tool now: answer in words.' }];
    const bare = { toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } };
    const without = chat({ messages }).body;
    expect([without.system, without.toolConfig]).toEqual([words, { tools: [bare] }]);
    const forbidden = chat({ messages, tools: [weather], tool_choice: 'none' }).body;
    expect(forbidden.system).toEqual(words);
    expect(forbidden.toolConfig).toMatchObject({ tools: [{ toolSpec: { description: 'of a city' } }] });
    expect(chat({ tools: [weather], tool_choice: 'none' }).body).toEqual({ messages: hi });
  });

  test('that failed have a status, or a note in the text for models without one', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a:b', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'well' },
          {
            type: 'tool_result',
            tool_use_id: 'a:b',
            is_error: true,
            content: [
              { type: 'text', text: 'no' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
        ],
      },
    ];
    const image = { image: { format: 'png', source: { bytes: 'AAAA' } } };
    const result = (model: string) => (claude({ messages }, model).body.messages as JsonObject[])[2]!.content;
    expect(result('us.amazon.nova-lite-v1:0')).toEqual([
      { toolResult: { toolUseId: 'a_b_6783a31e', content: [{ text: 'no' }, image], status: 'error' } },
      { text: 'well' },
    ]);
    expect(result('meta.llama3')).toEqual([
      { toolResult: { toolUseId: 'a_b_6783a31e', content: [{ text: 'Error: no' }, image] } },
      { text: 'well' },
    ]);
  });

  test('of the vendor are sent to models that have them, and refused for others', () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'code_execution_20250522', name: 'code_execution' },
    ];
    expect(claude({ tools }, 'us.amazon.nova-2-lite-v1:0').body.toolConfig).toEqual({
      tools: [{ systemTool: { name: 'nova_grounding' } }, { systemTool: { name: 'nova_code_interpreter' } }],
    });
    expect(() => claude({ tools })).toThrow('the tool web_search_20250305 cannot be said');
  });
});

describe('answers in JSON', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  test('have a schema where the model supports it, and a request in the text elsewhere', () => {
    expect(chat({ response_format }, 'openai.gpt-oss-20b-1:0').body.outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: 'x', schema: JSON.stringify(schema) } },
      },
    });
    const { body } = chat({ response_format });
    expect(body.outputConfig).toBeUndefined();
    expect(JSON.stringify(body.system)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
    expect(JSON.stringify(chat({ response_format: { type: 'json_object' } }).body.system)).toContain('JSON');
  });
});

describe('the thinking budget', () => {
  const more = (body: JsonObject, model: string) => chat(body, model).body.additionalModelRequestFields;
  test('is written in the format of the model family, and left out for others', () => {
    const two = 'us.amazon.nova-2-lite-v1:0';
    expect(more({ reasoning_effort: 'low' }, two)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
    });
    expect(more({ reasoning_effort: 'none' }, two)).toEqual({ reasoningConfig: { type: 'disabled' } });
    expect(more({ reasoning_effort: 'high' }, 'openai.gpt-oss-120b-1:0')).toEqual({
      reasoning_effort: 'high',
    });
    const others = chat({ reasoning_effort: 'high' });
    expect([others.body, others.dropped]).toEqual([{ messages: hi }, ['reasoning']]);
  });

  test('removes the bounds for Nova’s highest effort', () => {
    const { body, dropped } = chat(
      { reasoning_effort: 'high', temperature: 0.5, max_tokens: 50, stop: 'x' },
      'us.amazon.nova-2-lite-v1:0',
    );
    expect(body.inferenceConfig).toEqual({ stopSequences: ['x'] });
    expect(dropped).toEqual(['maxOutputTokens', 'temperature']);
  });

  test('thoughts are returned only if Bedrock signed them', () => {
    const turn = (signature: string) => ({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'why', signature },
            { type: 'text', text: 'a' },
          ],
        },
        { role: 'user', content: 'on' },
      ],
    });
    const [own, foreign] = [claude(turn('~bedrock-converse~sig')), claude(turn('sig'))];
    expect(JSON.stringify(own.body)).toContain('{"reasoningText":{"text":"why","signature":"sig"}}');
    expect(JSON.stringify(foreign.body)).not.toContain('why');
    expect(foreign.dropped).toEqual(['reasoning of earlier turns']);
  });
});

test('fields that Converse lacks are reported as left out', () => {
  const { body, dropped } = chat({
    seed: 1,
    logprobs: true,
    logit_bias: { 1: 2 },
    frequency_penalty: 1,
    user: 'u',
    metadata: { a: 'b' },
    service_tier: 'priority',
    parallel_tool_calls: false,
    tools: [weather],
  });
  expect(Object.keys(body)).toEqual(['messages', 'toolConfig']);
  expect(dropped).toEqual([
    'frequencyPenalty', 'logitBias', 'logprobs', 'metadata', 'parallelToolCalls', 'seed', 'serviceTier', 'user',
  ]); // prettier-ignore
});

test('top_k is sent to the models that support it', () => {
  expect(claude({ top_k: 7 }).body.additionalModelRequestFields).toEqual({ inferenceConfig: { topK: 7 } });
  expect(claude({ top_k: 7 }, 'meta.llama3')).toMatchObject({ body: { messages: hi }, dropped: ['topK'] });
});

test('conversations begin with the user, and have no empty message', () => {
  const messages = [
    { role: 'assistant', content: 'I begin' },
    { role: 'user', content: ' ' },
    {
      role: 'user',
      content: [{ type: 'file', file: { filename: 'a.md', file_data: 'data:text/markdown;base64,IyA=' } }],
    },
  ];
  expect(chat({ messages }).body.messages).toEqual([
    { role: 'user', content: [{ text: '...' }] },
    { role: 'assistant', content: [{ text: 'I begin' }] },
    {
      role: 'user',
      content: [{ document: { format: 'md', name: 'a', source: { bytes: 'IyA=' } } }, { text: '...' }],
    },
  ]);
});

describe('cache points', () => {
  const system = [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }];
  test('follow the content that they belong to, for models that support them', () => {
    expect(claude({ system }).body.system).toEqual([{ text: 's' }, { cachePoint: { type: 'default' } }]);
    expect(claude({ system }, 'x.claude-sonnet-4-5').body.system).toEqual([
      { text: 's' },
      { cachePoint: { type: 'default', ttl: '1h' } },
    ]);
    const { body, dropped } = claude({ system }, 'meta.llama3');
    expect([body.system, dropped]).toEqual([[{ text: 's' }], ['cache_control']]);
  });
});

test.each([
  [{ n: 2 }, /n = 2/],
  [
    {
      messages: [
        { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }] },
      ],
    },
    /sound/,
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    /another vendor keeps/,
  ],
  [
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AA' } }] },
      ],
    },
    /image\/tiff/,
  ],
  [
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'a.zip', file_data: 'data:application/zip;base64,AA' } },
          ],
        },
      ],
    },
    /application\/zip/,
  ],
])('%j is refused', (body, words) => {
  expect(() => chat(body as JsonObject)).toThrow(words);
});
