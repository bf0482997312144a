import { describe, expect, test } from 'vitest';
import { chat, claude, translated } from '../../testing/protocols/translate-request.ts';
import type { JsonObject } from '../../lib/json.ts';

describe('a chat request, translated to Messages', () => {
  test('keeps instructions, pictures, files, tools, their results and the bounds', () => {
    const { body, dropped } = translated(chat, claude, {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: [{ type: 'text', text: 'No jokes.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'https://img.test/a.png' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,UERG' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
            { id: 'call:2', type: 'function', function: { name: 'look', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'a cat' },
        { role: 'tool', tool_call_id: 'call:2', content: [{ type: 'text', text: 'a dog' }] },
        { role: 'user', content: 'Go on.' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks', parameters: { type: 'object' }, strict: true },
        },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      max_completion_tokens: 500,
      temperature: 1.5,
      stop: 'END',
      stream: true,
      stream_options: { include_usage: true },
      user: 'u1',
      seed: 7,
      logit_bias: { 1: 2 },
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
    });
    expect(body).toEqual({
      model: 'claude-3-7-sonnet-20250219',
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'No jokes.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
            { type: 'image', source: { type: 'url', url: 'https://img.test/a.png' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'UERG' },
              title: 'a.pdf',
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } },
            { type: 'tool_use', id: 'call_2_33331b62', name: 'look', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'a cat' },
            { type: 'tool_result', tool_use_id: 'call_2_33331b62', content: 'a dog' },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' }, strict: true }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      max_tokens: 500,
      temperature: 1,
      stop_sequences: ['END'],
      stream: true,
      metadata: { user_id: 'u1' },
    });
    expect(dropped).toEqual(['logitBias', 'metadata', 'prompt_cache_key', 'seed']);
  });

  const hi = [{ role: 'user', content: 'hi' }];
  const someOnly = { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] };
  test.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'a forced one',
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      { tool_choice: { type: 'tool', name: 'f' } },
      ['f', 'g'],
    ],
    ['none', { tool_choice: 'none' }, { tool_choice: { type: 'none' } }, ['f', 'g']],
    [
      'one of some',
      { tool_choice: { type: 'allowed_tools', allowed_tools: someOnly } },
      { tool_choice: { type: 'any' } },
      ['f'],
    ],
  ])('keeps the choice of a tool: %s', (_name, fields, expected, offered) => {
    const tools = [
      { type: 'function', function: { name: 'f', parameters: {} } },
      { type: 'function', function: { name: 'g', parameters: {} } },
    ];
    const { body } = translated(chat, claude, { model: 'm', messages: hi, tools, ...fields });
    expect(body).toMatchObject(expected);
    expect((body.tools as JsonObject[]).map(({ name }) => name)).toEqual(offered);
  });

  test('asks for JSON by a schema, or in the text where there is none', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const format = { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } };
    expect(
      translated(chat, claude, { model: 'm', messages: hi, response_format: format }).body.output_config,
    ).toEqual({
      format: { type: 'json_schema', schema },
    });
    const words = translated(chat, claude, {
      model: 'm',
      messages: hi,
      response_format: { type: 'json_object' },
    });
    expect(words.body.system).toContain('JSON object');
  });

  test('has an effort or budget, below the bound on the output', () => {
    const thinking = (fields: JsonObject): unknown =>
      translated(chat, claude, { model: 'm', messages: hi, ...fields }).body.thinking;
    expect(thinking({ reasoning_effort: 'high' })).toEqual({ type: 'enabled', budget_tokens: 4_096 });
    expect(thinking({ reasoning_effort: 'high', max_tokens: 2_000 })).toEqual({
      type: 'enabled',
      budget_tokens: 1_600,
    });
    expect(thinking({ reasoning: { max_tokens: 3_000 } })).toEqual({ type: 'enabled', budget_tokens: 3_000 });
    expect(thinking({ reasoning_effort: 'none' })).toEqual({ type: 'disabled' });
    expect(thinking({ reasoning_effort: 'minimal' })).toBeUndefined();
    expect(thinking({ reasoning_effort: 'high', max_tokens: 100 })).toBeUndefined();
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
    expect(thinking({ reasoning_effort: 'high', tools, tool_choice: 'required' })).toBeUndefined();
  });

  test('returns signed thoughts to their vendor alone', () => {
    const assistant = (details: JsonObject[]): JsonObject => ({
      model: 'm',
      messages: [
        ...hi,
        { role: 'assistant', content: 'yes', reasoning_content: 'hm', reasoning_details: details },
        ...hi,
      ],
    });
    const own = translated(
      chat,
      claude,
      assistant([
        { type: 'reasoning.text', text: 'hm', signature: '~anthropic-messages~sig' },
        { type: 'reasoning.encrypted', data: '~anthropic-messages~xyz' },
      ]),
    );
    expect((own.body.messages as JsonObject[])[1]!.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'yes' },
    ]);
    const foreign = translated(
      chat,
      claude,
      assistant([{ type: 'reasoning.text', text: 'hm', signature: '~gemini~sig' }]),
    );
    expect((foreign.body.messages as JsonObject[])[1]!.content).toBe('yes');
    expect(foreign.dropped).toEqual(['reasoning of earlier turns']);
  });

  test.each<[string, JsonObject]>([
    ['several answers', { n: 2 }],
    [
      'sound',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'QQ==', format: 'wav' } }] },
        ],
      },
    ],
    [
      'a file of the vendor',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
    [
      'content nobody else knows',
      { messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { url: 'x' } }] }] },
    ],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['sound as an answer', { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }],
  ])('is refused where leaving it out would change the meaning: %s', (_name, fields) => {
    expect(() => translated(chat, claude, { model: 'm', messages: hi, ...fields })).toThrow(
      expect.objectContaining({ status: 400, code: 'cannot_translate' }),
    );
  });

  test('begins with the user and has no empty message', () => {
    const { body } = translated(chat, claude, {
      model: 'm',
      messages: [
        { role: 'system', content: 'x' },
        { role: 'assistant', content: 'I ' },
      ],
    });
    expect(body.system).toBe('x');
    expect(body.messages).toEqual([
      { role: 'user', content: '...' },
      { role: 'assistant', content: 'I' },
    ]);
  });
});
