import { describe, expect, it, test } from 'vitest';
import {
  buildChannel,
  buildRequest,
  relayOptions,
  writerOptions,
} from '../../testing/protocols/build-relay.ts';
import { dataOf, readAnswer, readStream } from '../../testing/protocols/codec-bench.ts';
import { chat, claude, translated } from '../../testing/protocols/translate-request.ts';
import type { ChatCodec } from '../types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { callerProtocol } from '../protocols.ts';
import { bridge } from '../bridge.ts';
import { providerOf } from '../registry.ts';

// Servers of tools and searches of the web, translated between Messages and Responses: the offered tools, the
// actions, and both again in the next turn.

const responses = callerProtocol('openai-responses')!.codec!;
const toResponses = (fields: JsonObject) =>
  translated(claude, responses, { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields });
const toMessages = (fields: JsonObject) =>
  translated(responses, claude, { model: 'm', input: 'hi', ...fields });

const url = 'https://mcp.test/sse';
const server = { type: 'url', url, name: 'docs', authorization_token: 'tok' };
const remote = {
  type: 'mcp',
  server_label: 'docs',
  server_url: url,
  authorization: 'tok',
  require_approval: 'never',
};
const toolset = { type: 'mcp_toolset', mcp_server_name: 'docs' };
const onlyAsk = { default_config: { enabled: false }, configs: { ask: { enabled: true } } };

describe('an MCP server', () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['with all of them', toolset, {}, []],
    ['with some of them', { ...toolset, ...onlyAsk }, { allowed_tools: ['ask'] }, []],
    [
      'with hints for the model',
      { ...toolset, default_config: { defer_loading: true }, cache_control: { type: 'ephemeral' } },
      {},
      ['cache_control', 'defer_loading'],
    ],
    [
      'with a pinned list',
      { ...toolset, configs: { b: { enabled: false } }, tools: [{ name: 'a' }, { name: 'b' }] },
      { allowed_tools: ['a'] },
      ['mcp_toolset.tools'],
    ],
  ])('%s is translated from Messages to Responses', (_title, tool, more, dropped) => {
    const { body, dropped: left } = toResponses({ mcp_servers: [server], tools: [tool] });
    expect([body.tools, left]).toEqual([[{ ...remote, ...more }], dropped]);
  });

  it('of the former version is translated to Responses, too, and one without tools is left out', () => {
    const ofBefore = { ...server, tool_configuration: { enabled: true, allowed_tools: ['ask'] } };
    const off = { ...server, name: 'off', tool_configuration: { enabled: false } };
    expect(toResponses({ mcp_servers: [ofBefore, off] }).body.tools).toEqual([
      { ...remote, allowed_tools: ['ask'] },
    ]);
  });

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['with all of them', {}, {}, []],
    ['with some of them', { allowed_tools: ['ask'] }, onlyAsk, []],
    ['with a filter of names', { allowed_tools: { tool_names: ['ask'] } }, onlyAsk, []],
    [
      'with a description',
      { server_description: 'Docs', defer_loading: true },
      {},
      ['defer_loading', 'server_description'],
    ],
  ])('%s is translated from Responses to Messages', (_title, more, fields, dropped) => {
    const { body, dropped: left } = toMessages({ tools: [{ ...remote, ...more }] });
    expect([body.mcp_servers, body.tools, left]).toEqual([[server], [{ ...toolset, ...fields }], dropped]);
  });

  it('with a bearer among its headers keeps it', () => {
    const { authorization: _, ...rest } = remote;
    const { body } = toMessages({ tools: [{ ...rest, headers: { Authorization: 'Bearer tok' } }] });
    expect(body.mcp_servers).toEqual([server]);
  });

  test.each<[string, JsonObject]>([
    ['require_approval', { require_approval: 'always' }],
    ['require_approval', { require_approval: { never: { tool_names: ['ask'] } } }],
    ['require_approval', { require_approval: null }],
    ['connector_id', { connector_id: 'connector_gmail' }],
    ['tunnel_id', { tunnel_id: 't' }],
    ['server_url', { server_url: null }],
    ['headers', { headers: { 'x-tenant': 'a' } }],
    ['allowed_tools', { allowed_tools: { read_only: true } }],
  ])('of Responses with %s is refused by that name', (name, fields) => {
    expect(() => toMessages({ tools: [{ ...remote, ...fields }] })).toThrow(`${name} of the tool mcp`);
  });

  test.each<[string, JsonObject]>([
    ['configs', { tools: [{ ...toolset, configs: { drop_all: { enabled: false } } }] }],
    ['mcp_server_name', { tools: [{ ...toolset, mcp_server_name: 'other' }] }],
    ['a server name', { mcp_servers: [{ ...server, name: '1 a' }], tools: [] }],
    ['headers of the tool mcp_toolset', { mcp_servers: [{ ...server, headers: { a: 'b' } }] }],
  ])('of Messages with %s is refused by that name', (name, fields) => {
    expect(() => toResponses({ mcp_servers: [server], tools: [toolset], ...fields })).toThrow(name);
  });

  it('is refused where there are none, and a choice of one of its tools everywhere', () => {
    const fields = { mcp_servers: [server], tools: [toolset], messages: [{ role: 'user', content: 'hi' }] };
    expect(() => translated(claude, chat, { model: 'm', ...fields })).toThrow('the tool mcp_toolset');
    const choice = { type: 'mcp', server_label: 'docs' };
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ ...choice, name: 'ask' }] };
    for (const tool_choice of [choice, allowed])
      expect(() => toMessages({ tools: [remote], tool_choice })).toThrow('tool_choice');
  });
});

/** The actions of one turn in each vendor's format: a list, a call, a failed call, a search, and the text. */
const blocks: JsonObject[] = [
  {
    type: 'mcp_tool_listing',
    mcp_server_name: 'docs',
    tools: [{ name: 'ask', description: 'Asks.', input_schema: { type: 'object' } }],
  },
  { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'ask', server_name: 'docs', input: { q: 1 } },
  {
    type: 'mcp_tool_result',
    tool_use_id: 'mcptoolu_1',
    is_error: false,
    content: [{ type: 'text', text: '18' }],
  },
  { type: 'mcp_tool_use', id: 'mcptoolu_2', name: 'ask', server_name: 'docs', input: {} },
  {
    type: 'mcp_tool_result',
    tool_use_id: 'mcptoolu_2',
    is_error: true,
    content: [{ type: 'text', text: 'No.' }],
  },
  { type: 'server_tool_use', id: 'srvtoolu_3', name: 'web_search', input: { query: 'Paris' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_3',
    content: [{ type: 'web_search_result', url: 'https://p.test', title: 'P', encrypted_content: 'e' }],
  },
  {
    type: 'text',
    text: 'Mild.',
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://p.test',
        title: 'P',
        cited_text: 'c',
        encrypted_index: 'i',
      },
    ],
  },
];
const search = { type: 'search', query: 'Paris', queries: ['Paris'] };
const annotation = { type: 'url_citation', url: 'https://p.test', title: 'P', start_index: 0, end_index: 5 };
const call = { type: 'mcp_call', server_label: 'docs', name: 'ask', approval_request_id: null };
const items: JsonObject[] = [
  {
    type: 'mcp_list_tools',
    id: 'mcpl_docs',
    server_label: 'docs',
    error: null,
    tools: [{ name: 'ask', description: 'Asks.', input_schema: { type: 'object' }, annotations: null }],
  },
  { ...call, id: 'mcp_1', status: 'completed', arguments: '{"q":1}', output: '18', error: null },
  { ...call, id: 'mcp_2', status: 'failed', arguments: '{}', output: null, error: 'No.' },
  {
    type: 'web_search_call',
    id: 'ws_3',
    status: 'completed',
    action: { ...search, sources: [{ type: 'url', url: 'https://p.test' }] },
  },
];
const spoken = [{ type: 'output_text', text: 'Mild.', annotations: [annotation] }];

describe('earlier calls of hosted tools in the next turn', () => {
  it('are translated from Messages to Responses, with their sources', () => {
    const { body, dropped } = toResponses({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: blocks },
      ],
      mcp_servers: [server],
      tools: [toolset],
    });
    expect(body.input).toEqual([
      expect.anything(),
      ...items,
      { type: 'message', role: 'assistant', content: spoken },
    ]);
    expect(dropped).toEqual([]);
  });

  const turn = [{ role: 'user', content: 'hi' }, ...items, { role: 'assistant', content: spoken }];

  it('are translated from Responses to Messages, except searches, which Anthropic wants signed', () => {
    const { body, dropped } = toMessages({ input: turn, tools: [remote] });
    const [, assistant] = body.messages as JsonObject[];
    expect(assistant).toEqual({
      role: 'assistant',
      content: [...blocks.slice(0, 5), { type: 'text', text: 'Mild.' }],
    });
    expect(dropped).toEqual(['annotations', 'web_search_call']);
  });

  it('are reported as left out where the server is not offered any more', () => {
    const { body, dropped } = toMessages({ input: turn });
    expect(JSON.stringify(body)).not.toContain('mcp_');
    expect(dropped).toContain('mcp of docs');
  });

  it('are reported as left out without their end', () => {
    const content = [blocks[1]!, { type: 'text', text: 'Wait.' }];
    const { body, dropped } = toResponses({ messages: [{ role: 'assistant', content }] });
    expect([JSON.stringify(body).includes('mcp_call'), dropped]).toEqual([false, ['mcp_tool_use']]);
  });
});

const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'c',
  content: blocks,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 1 } },
};
const include = ['web_search_call.action.sources'];
const output = [
  ...items,
  { type: 'message', id: 'msg', role: 'assistant', status: 'completed', content: spoken },
];
const response = {
  id: 'r',
  object: 'response',
  status: 'completed',
  model: 'g',
  created_at: 1,
  output,
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
};

/** Blocks in Anthropic's streaming order: inputs in pieces, sources before the text. */
const streamOfMessages = (): string => {
  const events: JsonObject[] = [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } },
    },
  ];
  blocks.forEach(({ input, text, citations, ...block }, index) => {
    const start = {
      ...block,
      ...(input !== undefined && { input: {} }),
      ...(text !== undefined && { text: '' }),
    };
    events.push({ type: 'content_block_start', index, content_block: start });
    const delta = (fields: JsonObject) => events.push({ type: 'content_block_delta', index, delta: fields });
    if (input !== undefined) delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) });
    for (const citation of (citations ?? []) as JsonObject[]) delta({ type: 'citations_delta', citation });
    if (text !== undefined) delta({ type: 'text_delta', text });
    events.push({ type: 'content_block_stop', index });
  });
  events.push(
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: message.usage },
    { type: 'message_stop' },
  );
  return events
    .map((data) => `event: ${String(data.type as string)}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');
};
const streamOfResponses = (): string =>
  [
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response },
  ]
    .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');

/** A caller's turn, as it is sent to Anthropic. */
function shownToAnthropic(content: JsonObject[]): unknown {
  const messages = [{ role: 'assistant', content }];
  const request = buildRequest('anthropic-messages', { model: 'm', max_tokens: 9, messages });
  const { body } = bridge(providerOf(14)!, buildChannel({ type: 14 }), request, 'm', relayOptions);
  return (JSON.parse(body.toString()) as { messages: typeof messages }).messages[0]!.content;
}

const forms = ['whole', 'streamed'] as const;

/** An answer of one protocol in another, whole or as the events of its stream. */
function answered(from: ChatCodec, to: ChatCodec, form: (typeof forms)[number], request: JsonObject) {
  const isMessages = from === claude;
  const events =
    form === 'whole'
      ? readAnswer(from, isMessages ? message : response)
      : readStream(from, [Buffer.from(isMessages ? streamOfMessages() : streamOfResponses())]);
  const writer = to.openWriter(writerOptions(true, request));
  const reported = dataOf(Buffer.from(events.map((event) => writer.write(event)).join('') + writer.end()));
  return { whole: to.writeAnswer(events, writerOptions(true, request)), reported };
}

describe.each(forms)('calls of hosted tools in an answer, %s,', (form) => {
  it('are items for callers of Responses, each begun, run and done', () => {
    const { whole, reported } = answered(claude, responses, form, { include });
    const spokenItem = { type: 'message', content: [{ text: 'Mild.', annotations: [annotation] }] };
    expect(whole.output).toMatchObject([...items, spokenItem]);
    expect((reported.at(-1)!.response as JsonObject).output).toEqual(whole.output);
    const types = reported.map(({ type }) => (type as string).replace('response.', ''));
    expect(
      types.slice(types.indexOf('mcp_list_tools.in_progress'), types.indexOf('content_part.added')),
    ).toEqual([
      'mcp_list_tools.in_progress',
      'mcp_list_tools.completed',
      'output_item.done',
      ...['completed', 'failed'].flatMap((end) => [
        'output_item.added',
        'mcp_call.in_progress',
        'mcp_call_arguments.delta',
        'mcp_call_arguments.done',
        `mcp_call.${end}`,
        'output_item.done',
      ]),
      'output_item.added',
      'web_search_call.in_progress',
      'web_search_call.searching',
      'web_search_call.completed',
      'output_item.done',
      'output_item.added',
    ]);
    expect(reported.map(({ sequence_number: number }) => number)).toEqual(reported.map((_, index) => index));
  });

  it('have the pages of a search only for callers who request them', () => {
    const { whole } = answered(claude, responses, form, {});
    expect((whole.output as JsonObject[])[3]).toMatchObject({ action: search });
    expect(JSON.stringify(whole.output)).not.toContain('"sources"');
  });

  it('are blocks for callers of Messages, whose pages are never sent to Anthropic', () => {
    const { whole, reported } = answered(responses, claude, form, {});
    const content = whole.content as JsonObject[];
    const mark = '~foreign~';
    expect(content.slice(0, 5)).toEqual(blocks.slice(1, 6));
    expect(content.slice(5)).toMatchObject([
      { tool_use_id: 'srvtoolu_3', content: [{ url: 'https://p.test', encrypted_content: mark }] },
      { text: 'Mild.', citations: [{ url: 'https://p.test', title: 'P', encrypted_index: mark }] },
    ]);
    expect(whole.stop_reason).toBe('end_turn');
    expect(whole.usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
    const started = reported.filter(({ type }) => type === 'content_block_start');
    expect(started.map(({ content_block: block }) => (block as JsonObject).type)).toEqual(
      content.map(({ type }) => type),
    );
    expect(shownToAnthropic(content)).toEqual([...blocks.slice(1, 5), { type: 'text', text: 'Mild.' }]);
    // The translation back to OpenAI is complete.
    const again = toResponses({ messages: [{ role: 'assistant', content }] }).body.input as JsonObject[];
    expect(again.slice(0, 3)).toEqual(items.slice(1));
    expect(again[3]!.content).toEqual(spoken);
  });
});

it('Anthropic’s own searches and sources pass unchanged', () => {
  expect(shownToAnthropic(blocks)).toEqual(blocks);
});
