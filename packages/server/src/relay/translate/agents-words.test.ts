import { describe, expect, test } from 'vitest';
import {
  buildChannel,
  buildRequest,
  relayOptions,
  writerOptions,
} from '../../testing/protocols/build-relay.ts';
import { type JsonObject, objectsIn } from '../../lib/json.ts';
import { bridge } from '../bridge.ts';
import { callerProtocol } from '../protocols.ts';
import { providerOf } from '../registry.ts';
import type { ChatEvent, ProtocolId, RelayError } from '../types/index.ts';

// Fields that coding agents and their libraries send beyond the plain protocols, with vendors that do not know them.

const key = '{"access_token":"a","refresh_token":"r","account_id":"i"}';

/** The body that a vendor of a channel type gets. */
function sent(type: number, caller: ProtocolId, body: JsonObject, model = 'm'): string {
  const call = bridge(
    providerOf(type)!,
    buildChannel({ type, key }),
    buildRequest(caller, { model, ...body }),
    model,
    relayOptions,
  );
  return call.body.toString();
}

const others = [
  ['chats', 40],
  ['Messages', 14],
  ['Gemini', 24],
] as const;

describe('the search for tools that Codex makes itself', () => {
  const search = {
    type: 'tool_search',
    execution: 'client',
    description: 'Finds tools by words',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  };
  const found = {
    type: 'namespace',
    name: 'mcp__calendar',
    description: 'A calendar',
    tools: [
      {
        type: 'function',
        name: 'add',
        description: 'Adds a day',
        parameters: { type: 'object', properties: { day: { type: 'string' } } },
        defer_loading: true,
      },
    ],
  };
  const input = [
    { role: 'user', content: 'Add a day' },
    {
      type: 'tool_search_call',
      call_id: 'c1',
      execution: 'client',
      status: 'completed',
      arguments: { query: 'calendar', limit: 12345678901234567890n },
    },
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'completed', tools: [found] },
  ];
  const asText = (value: unknown): string =>
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `#${each}#` : each)).replace(
      /"#(\d+)#"/g,
      '$1',
    );

  test.each(others)('is a function to a vendor of %s, whose findings are offered', (_name, type) => {
    const body = asText({ model: 'm', input, tools: [search] });
    const call = bridge(
      providerOf(type)!,
      buildChannel({ type }),
      buildRequest('openai-responses', body),
      'm',
      relayOptions,
    );
    const text = call.body.toString().replaceAll('\\', '');
    expect(text).toContain('"name":"tool_search","description":"Finds tools by words"');
    expect(text).toContain('"name":"mcp__calendar__add"');
    expect(text).toContain('Found the tool mcp__calendar__add');
    expect(text).toContain('{"query":"calendar","limit":12345678901234567890}');
  });

  test('comes back as a call of it', () => {
    const events: ChatEvent[] = [
      { type: 'start', id: 'x', model: 'm', createdSeconds: 1 },
      { type: 'tool-input-start', choice: 0, block: 0, id: 'c1', name: 'tool_search' },
      { type: 'tool-input-delta', choice: 0, block: 0, text: '{"query":' },
      { type: 'tool-input-delta', choice: 0, block: 0, text: '"calendar"}' },
      { type: 'tool-input-end', choice: 0, block: 0 },
      { type: 'finish', choice: 0, reason: { unified: 'tool-calls', raw: 'tool_calls' } },
    ];
    const codec = callerProtocol('openai-responses')!.codec!;
    const { output } = codec.writeAnswer(events, writerOptions(true, { tools: [search] }));
    expect(objectsIn(output)).toEqual([
      {
        type: 'tool_search_call',
        id: 'tsc_test-request_0',
        call_id: 'c1',
        execution: 'client',
        status: 'completed',
        arguments: { query: 'calendar' },
      },
    ]);
  });
});

describe('a reference of the AI SDK', () => {
  const turns = (id: string, more: JsonObject[] = []) => ({
    input: [
      { role: 'user', content: 'hi' },
      ...more,
      { type: 'item_reference', id },
      { type: 'function_call', call_id: 'c1', name: 'one', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'r' },
    ],
    tools: [{ type: 'function', name: 'one', parameters: { type: 'object', properties: {} } }],
  });
  const here = 'rs_20261128094236123aB3dE6gH_0';
  const keepsNothing = [...others, ['a Codex account', 57]] as const;

  test.each(keepsNothing)('to a thought is left out for %s', (_name, type) => {
    for (const id of [here, 'rs_68af4030baa48193b0b43b4c2a176a1a'])
      expect(sent(type, 'openai-responses', turns(id))).not.toContain(id);
  });
  test.each(keepsNothing)('to what is there itself is left out for %s', (_name, type) => {
    const said = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'So.' }],
    };
    expect(sent(type, 'openai-responses', turns('msg_1', [said]))).toContain('So.');
  });
  test.each(keepsNothing)('to anything else is refused by its name for %s', (_name, type) => {
    const refusal = expect.objectContaining({
      code: 'cannot_translate',
      message: expect.stringContaining('item_reference') as string,
    }) as RelayError;
    expect(() => sent(type, 'openai-responses', turns('msg_1'))).toThrow(refusal);
  });
  test('to a thought that was named here is not shown to OpenAI, which knows its own', () => {
    expect(sent(1, 'openai-responses', turns(here))).not.toContain('item_reference');
    expect(sent(1, 'openai-responses', turns('rs_68af'))).toContain('rs_68af');
  });
});

test.each(others.filter(([, type]) => type !== 14))(
  'what the search for tools of Claude Code found is told to a vendor of %s by its names',
  (_name, type) => {
    const body = sent(type, 'anthropic-messages', {
      max_tokens: 9,
      tools: [
        { name: 'ToolSearch', input_schema: { type: 'object', properties: { query: { type: 'string' } } } },
      ],
      messages: [
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: { query: 'web' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: ['WebFetch', 'WebSearch'].map((name) => ({ type: 'tool_reference', tool_name: name })),
            },
          ],
        },
      ],
    });
    for (const name of ['WebFetch', 'WebSearch']) expect(body).toContain(`Found the tool ${name}`);
  },
);

test.each(others)('a bound of -1 is none for a vendor of %s', (_name, type) => {
  const body = { messages: [{ role: 'user', content: 'x' }], max_tokens: -1 };
  for (const caller of ['openai-chat', 'anthropic-messages'] as const)
    expect(sent(type, caller, body)).not.toContain('-1');
});
