import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../../testing/protocols/build-relay.ts';
import { type ChatEvent, RelayError } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { callerProtocol } from '../../protocols.ts';
import { openaiResponses } from './index.ts';

const codec = openaiResponses.codec!;

describe('a request', () => {
  const facts = (body: JsonObject) => buildRequest('openai-responses', body).facts;

  test('gives its model, its bound and its stream', () => {
    expect(facts({ model: 'm', input: 'hi', max_output_tokens: 9, stream: true })).toMatchObject({
      model: 'm',
      stream: true,
      wantsStreamUsage: true,
      maxOutputTokens: 9,
    });
    expect(facts({ model: 'm', previous_response_id: 'resp_1' }).model).toBe('m');
  });

  test('with pictures is not sized as a long text', () => {
    const image_url = `data:image/png;base64,${'A'.repeat(3_000_000)}`;
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
    const { estimatedInputTokens } = facts({ model: 'm', input });
    expect([estimatedInputTokens > 1_105, estimatedInputTokens < 1_400]).toEqual([true, true]);
  });

  test.each([
    { input: 'x' },
    { model: 'm' },
    { model: 'm', input: 5 },
    { model: 'm', input: ['x'] },
    { model: 'm', input: 'x', stream: 'yes' },
    { model: 'm', input: 'x', max_output_tokens: -2 },
  ] as JsonObject[])('that cannot be used is refused: %j', (body) => {
    expect(() => facts(body)).toThrow(RelayError);
  });

  test('in the background is known as one that its vendor continues, streamed or not', () => {
    for (const stream of [true, false])
      expect(facts({ model: 'm', input: 'x', background: true, stream })).toMatchObject({
        inBackground: true,
        stream,
      });
  });

  test('has custom, forced and allowed tools in neutral form', () => {
    const tools = [
      { type: 'function', name: 'f', parameters: { type: 'object' } },
      { type: 'custom', name: 'c', description: 'Patches', format: { type: 'grammar', definition: 'a: b' } },
    ];
    const read = codec.readRequest!({
      model: 'm',
      input: [
        { type: 'custom_tool_call', call_id: '1', name: 'c', input: 'do it' },
        { type: 'custom_tool_call_output', call_id: '1', output: 'done' },
      ],
      tools,
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'c' }] },
    });
    expect(read.toolChoice).toEqual({ type: 'required' });
    expect(read.tools).toMatchObject([
      { type: 'function', name: 'c', description: expect.stringContaining('a: b') },
    ]);
    expect(read.messages.map(({ parts }) => parts[0])).toMatchObject([
      { type: 'tool-call', id: '1', name: 'c', input: '{"input":"do it"}' },
      { type: 'tool-result', id: '1', parts: [{ text: 'done' }] },
    ]);
  });

  test('that needs what OpenAI stores is refused for other protocols, by name', () => {
    const write = callerProtocol('openai-chat')!.codec!.writeRequest!;
    const context = { model: 'm', files: new Map(), readsReasoning: false, drop: () => undefined };
    for (const field of ['previous_response_id', 'conversation', 'prompt']) {
      const neutral = codec.readRequest!({ model: 'm', input: 'x', [field]: 'kept_1' });
      expect(() => write(neutral, context)).toThrow(new RegExp(field));
    }
  });

  test('in this protocol is written as it was read', () => {
    const body = {
      model: 'm',
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'gAAA',
        },
        { type: 'function_call', call_id: '1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: '1', output: 'ok' },
      ],
      stream: true,
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', name: 'f' },
      text: {
        format: { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      reasoning: { effort: 'high', summary: 'auto' },
      max_output_tokens: 5,
      previous_response_id: 'resp_0',
      store: false,
    };
    const dropped: string[] = [];
    const context = {
      model: 'm',
      files: new Map(),
      readsReasoning: false,
      drop: (what: string) => void dropped.push(what),
    };
    expect(codec.writeRequest!(codec.readRequest!(body), context)).toEqual(body);
    expect(dropped).toEqual([]);
  });
});

describe('tools in a namespace', () => {
  const close = { type: 'function', name: 'close', parameters: { type: 'object' }, strict: false };
  const patch = { type: 'custom', name: 'patch' };
  const namespace = { type: 'namespace', name: 'agents', description: 'Agents', tools: [close, patch] };
  const call = { type: 'function_call', call_id: '1', name: 'close', namespace: 'agents', arguments: '{}' };
  const body = {
    model: 'm',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      call,
      { type: 'function_call_output', call_id: '1', output: 'closed' },
    ],
    stream: false,
    store: false,
    tools: [namespace, close],
  };
  const context = { model: 'm', files: new Map(), readsReasoning: false, drop: () => undefined };

  test('are functions of their own in other protocols, distinct from those of the same name outside', () => {
    const chat = callerProtocol('openai-chat')!.codec!.writeRequest!(codec.readRequest!(body), context);
    expect((chat.tools as { function: { name: string } }[]).map((tool) => tool.function.name)).toEqual([
      'agents__close',
      'agents__patch',
      'close',
    ]);
    expect(JSON.stringify(chat.messages)).toContain('"name":"agents__close"');
  });

  test('are called by the names that their caller gave them', () => {
    const answer = codec.writeAnswer(
      ['agents__close', 'agents__patch', 'close'].flatMap((name, block): ChatEvent[] => [
        { type: 'tool-input-start', choice: 0, block, id: String(block), name },
        { type: 'tool-input-delta', choice: 0, block, text: '{"input":"x"}' },
        { type: 'tool-input-end', choice: 0, block },
      ]),
      {
        showUsage: true,
        request: body,
        fallback: { requestId: 'r', model: 'm', createdSeconds: 1 },
      },
    );
    expect(answer.output).toMatchObject([
      { type: 'function_call', name: 'close', namespace: 'agents', arguments: '{"input":"x"}' },
      { type: 'custom_tool_call', name: 'patch', namespace: 'agents', input: 'x' },
      { type: 'function_call', name: 'close' },
    ]);
    expect((answer.output as JsonObject[])[2]).not.toHaveProperty('namespace');
  });

  test('are written as they were read in their own protocol', () => {
    expect(codec.writeRequest!(codec.readRequest!(body), context)).toEqual(body);
  });

  test('have names within the length that all vendors accept', () => {
    const long = { ...namespace, name: 'n'.repeat(70) };
    const { tools } = codec.readRequest!({ ...body, tools: [long] });
    const names = tools.map((tool) => (tool.type === 'function' ? tool.name : ''));
    expect(names.every((name) => name.length <= 64)).toBe(true);
    expect(new Set(names).size).toBe(2);
  });
});

describe('a request of another protocol', () => {
  const dropped: string[] = [];
  const context = {
    model: 'gpt',
    files: new Map(),
    readsReasoning: false,
    drop: (what: string) => void dropped.push(what),
  };
  const write = (id: 'openai-chat' | 'anthropic-messages', body: JsonObject): JsonObject =>
    codec.writeRequest!(
      callerProtocol(id)!.codec!.readRequest!({
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        ...body,
      }),
      context,
    );

  test('has failed tools marked in the text, and keeps pictures in results', () => {
    const result = (fields: object) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: '1', ...fields }],
    });
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: { x: 1 } }] },
      result({ content: 'no', is_error: true }),
      result({ content: [{ type: 'text', text: 'see' }, picture] }),
    ];
    expect(write('anthropic-messages', { messages, max_tokens: 9 }).input).toEqual([
      { type: 'function_call', call_id: '1', name: 'f', arguments: '{"x":1}' },
      { type: 'function_call_output', call_id: '1', output: 'Error: no' },
      {
        type: 'function_call_output',
        call_id: '1',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
        ],
      },
    ]);
  });

  test('stores nothing, uses the nearest effort, and reports what it leaves out', () => {
    const thinking = { type: 'enabled', budget_tokens: 4_000 };
    const body = { max_tokens: 9_000, thinking, stop_sequences: ['x'], top_k: 3, system: 'Be brief.' };
    expect(write('anthropic-messages', body)).toMatchObject({
      instructions: 'Be brief.',
      store: false,
      reasoning: { effort: 'medium' },
      max_output_tokens: 9_000,
    });
    expect(dropped.toSorted()).toEqual(['budgetTokens', 'stop', 'topK']);
  });

  test('that needs several choices, or a file of another vendor, is refused', () => {
    expect(() => write('openai-chat', { n: 2 })).toThrow(/more than one answer/);
    const content = [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }];
    expect(() => write('anthropic-messages', { messages: [{ role: 'user', content }] })).toThrow(
      /another vendor/,
    );
  });
});
