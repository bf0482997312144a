import { describe, expect, test } from 'vitest';
import { chat, claude, translated } from '../../testing/protocols/translate-request.ts';
import type { JsonObject } from '../../lib/json.ts';

describe('a Messages request, translated to chat', () => {
  test('keeps what chat supports', () => {
    const { body, dropped } = translated(claude, chat, {
      model: 'm',
      max_tokens: 900,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'Plain words' },
              title: 'a.txt',
            },
            { type: 'document', source: { type: 'url', url: 'https://files.test/a.pdf' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'text', text: 'Looking' },
            { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: true,
              content: [
                { type: 'text', text: 'not found' },
                { type: 'image', source: { type: 'url', url: 'https://img.test/b.png' } },
              ],
            },
            { type: 'text', text: 'And now?' },
          ],
        },
      ],
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      temperature: 0.5,
      top_k: 5,
      stream: true,
      metadata: { user_id: 'u1' },
    });
    expect(body).toEqual({
      model: 'claude-3-7-sonnet-20250219',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
            { type: 'text', text: 'a.txt\nPlain words' },
            { type: 'file', file: { filename: 'file.pdf', file_data: 'data:application/pdf;base64,UERG' } },
          ],
        },
        {
          role: 'assistant',
          content: 'Looking',
          reasoning_content: 'hm',
          reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: '~anthropic-messages~sig' }],
          tool_calls: [{ id: 't1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: 't1', content: 'Error: not found' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Result of the tool call t1:' },
            { type: 'image_url', image_url: { url: 'https://img.test/b.png' } },
          ],
        },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
        },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      max_tokens: 900,
      stop: ['END'],
      temperature: 0.5,
      stream: true,
      user: 'u1',
    });
    expect(dropped).toEqual(['cache_control', 'topK']);
  });

  const hi = [{ role: 'user', content: 'hi' }];
  test.each<[string, JsonObject]>([
    [
      'tools that the caller runs by the schema of the vendor',
      { tools: [{ type: 'bash_20250124', name: 'bash' }] },
    ],
    ['servers that the vendor calls', { mcp_servers: [{ type: 'url', url: 'https://x.test' }] }],
    [
      'a file of the vendor',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
    ],
  ])('is refused where leaving it out would change the meaning: %s', (_name, fields) => {
    expect(() => translated(claude, chat, { model: 'm', max_tokens: 9, messages: hi, ...fields })).toThrow(
      expect.objectContaining({ status: 400, code: 'cannot_translate' }),
    );
  });

  test('has an effort where the model supports one', () => {
    const effort = (model: string, fields: JsonObject): unknown => {
      const request = claude.readRequest!({ model: 'm', max_tokens: 9, messages: hi, ...fields });
      const context = { model, files: new Map(), readsReasoning: false, drop: () => undefined };
      return chat.writeRequest!(request, context).reasoning_effort;
    };
    const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } });
    expect(effort('gpt-5', budget(1_024))).toBe('low');
    expect(effort('gpt-5', budget(10_000))).toBe('medium');
    expect(effort('openai/gpt-oss-120b', budget(32_000))).toBe('high');
    expect(effort('mistral-large', budget(32_000))).toBeUndefined();
    expect(effort('gpt-5', { thinking: { type: 'disabled' } })).toBeUndefined();
    expect(effort('mistral-large', { output_config: { effort: 'low' } })).toBe('low');
    expect(effort('gpt-4o', { output_config: { effort: 'low' } })).toBeUndefined();
  });

  test('has a long user id replaced by its digest', () => {
    const user = (name: string) =>
      translated(claude, chat, { model: 'm', max_tokens: 9, messages: hi, metadata: { user_id: name } }).body
        .user;
    expect(user('u'.repeat(64))).toBe('u'.repeat(64));
    expect(user('u'.repeat(65))).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each(['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250522'])(
    'is refused with %s, which the vendor runs and chats do not have',
    (type) => {
      const tools = [{ type, name: 'x' }];
      expect(() => translated(claude, chat, { model: 'm', max_tokens: 9, messages: hi, tools })).toThrow(
        `the tool ${type} cannot be said`,
      );
    },
  );

  test('leaves out a search for tools, without which an answer is still one, and reports it', () => {
    const tools = [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search' }];
    const { body, dropped } = translated(claude, chat, { model: 'm', max_tokens: 9, messages: hi, tools });
    expect(body.tools).toBeUndefined();
    expect(dropped).toEqual(['tool_search_tool_regex_20251119']);
  });

  test.each(['gpt-4o-search-preview', 'gpt-5-search-api', 'sonar-pro'])(
    'with a search is translated for %s, which searches for every answer',
    (model) => {
      const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
      const { body, dropped } = translated(
        claude,
        chat,
        { model, max_tokens: 9, messages: hi, tools },
        model,
      );
      expect([body.web_search_options, body.tools, dropped]).toEqual([{}, undefined, []]);
    },
  );

  test.each<[JsonObject, string]>([
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'a text block needs the field text'],
    [{ messages: [{ role: 'user', content: ['x'] }] }, 'each content block must be an object'],
    [{ messages: [{ role: 'user', content: [{ type: 'image' }] }] }, 'an image or document needs a source'],
    [{ thinking: { type: 'enabled' } }, 'thinking needs budget_tokens'],
    [{ tools: [{ description: 'x' }] }, 'each tool needs a name'],
    [{ tool_choice: { type: 'maybe' } }, 'tool_choice is not known'],
  ])('is refused where it is malformed: %j', (fields, message) => {
    expect(() => translated(claude, chat, { model: 'm', max_tokens: 9, messages: hi, ...fields })).toThrow(
      message,
    );
  });
});

test('a Messages request that is read and written is the same request', () => {
  const body = {
    model: 'claude-3-7-sonnet-20250219',
    max_tokens: 9_000,
    system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } },
          { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'c' }] },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'c' }] } },
          { type: 'image', source: { type: 'file', file_id: 'f' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
          { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
          { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok', is_error: true }] },
    ],
    tools: [
      { name: 'f', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 4_000 },
    metadata: { user_id: 'u' },
    service_tier: 'standard_only',
    context_management: { edits: [] },
    mcp_servers: [{ type: 'url', url: 'https://x.test', name: 'x' }],
  };
  const { body: again, dropped } = translated(claude, claude, body);
  expect(again).toEqual(body);
  expect(dropped).toEqual([]);
});
