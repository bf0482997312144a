import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { type Behaviour, chat, json } from '../../testing/upstream/fake-upstream-scripts.ts';

// A search that Anthropic's client requests, at vendors that have another name for it or none.

let gate: GatewayHarness;
let client: Anthropic;
let coder: OpenAI;
const tools: Anthropic.Messages.ToolUnion[] = [
  { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['paris.test'] },
];
const ask = (model: string) => ({
  model,
  max_tokens: 100,
  tools,
  messages: [{ role: 'user' as const, content: 'How is Paris?' }],
});

const answer = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_780_000_000,
  status: 'completed',
  model: 'gpt-5',
  output: [
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'Paris', sources: [{ type: 'url', url: 'https://paris.test' }] },
    },
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Paris is mild.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
};

const claudeAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    { type: 'mcp_tool_listing', mcp_server_name: 'docs', tools: [] },
    { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'ask', server_name: 'docs', input: { q: 1 } },
    {
      type: 'mcp_tool_result',
      tool_use_id: 'mcptoolu_1',
      is_error: false,
      content: [{ type: 'text', text: '18' }],
    },
    { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: { query: 'Paris' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_2', content: [] },
    { type: 'text', text: 'Paris is mild.' },
  ],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 20, output_tokens: 5, server_tool_use: { web_search_requests: 1 } },
};

const vendor: Behaviour = (exchange) => {
  if (exchange.path === '/v1/responses') return json(answer)(exchange);
  return exchange.path === '/v1/messages' ? json(claudeAnswer)(exchange) : chat()(exchange);
};

beforeAll(async () => {
  gate = await openGateway();
  // OpenAI has Responses, 01.AI only chats.
  await gate.addChannel({ type: 31, models: 'both,chat-only', priority: 1 });
  await gate.addChannel({ type: 1, models: 'both,gpt-5' });
  await gate.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
  const ratios = { both: 1, 'chat-only': 1, 'gpt-5': 1, 'claude-sonnet-4-5': 1 };
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
  const { key } = await gate.addCaller();
  client = new Anthropic({ apiKey: key, baseURL: gate.url, maxRetries: 0 });
  coder = new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  gate.upstream.script(vendor);
});
afterAll(() => gate.close());

/** The search, its pages and the answer, as a caller of Messages receives them. */
const searchAndText = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'Paris' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'https://paris.test' }],
  },
  { type: 'text', text: 'Paris is mild.' },
];

const asked = (from: number) => gate.upstream.requests.slice(from);

it('is sent in the format of Responses to a vendor that speaks it, and not in that of chats', async () => {
  const from = gate.upstream.requests.length;
  const { data, response } = await client.messages.create(ask('gpt-5')).withResponse();
  expect(data.content).toMatchObject(searchAndText);
  const [sent, ...more] = asked(from);
  expect([sent?.path, more]).toEqual(['/v1/responses', []]);
  expect(sent?.json()).toMatchObject({
    tools: [{ type: 'web_search', filters: { allowed_domains: ['paris.test'] } }],
    include: ['web_search_call.action.sources'],
    max_tool_calls: 3,
  });
  expect(response.headers.get('x-tollgate-dropped')).toBeNull();
});

it('skips a channel whose protocol lacks it, for one that has it', async () => {
  const from = gate.upstream.requests.length;
  const { content } = await client.messages.create(ask('both'));
  expect(content).toMatchObject(searchAndText);
  expect(asked(from).map(({ path }) => path)).toEqual(['/v1/responses']);
});

it('is refused where no channel has it, and nothing is sent', async () => {
  const from = gate.upstream.requests.length;
  await expect(client.messages.create(ask('chat-only'))).rejects.toMatchObject({ status: 400 });
  expect(asked(from)).toEqual([]);
  expect(await gate.findings()).toEqual([]);
});

it('chats without such a tool are sent as before', async () => {
  const from = gate.upstream.requests.length;
  await client.messages.create({ ...ask('gpt-5'), tools: [] });
  expect(asked(from).map(({ path }) => path)).toEqual(['/v1/chat/completions']);
});

/** Tools that a coding client sends with each call: its own, and a search that no message needs. */
const coding = (model: string) => ({
  model,
  input: 'Read the file.',
  tools: [
    { type: 'function' as const, name: 'shell', parameters: { type: 'object' }, strict: false },
    { type: 'web_search' as const },
  ],
});

it('that a coding client offers beside its own tools is reported as left out where it is missing', async () => {
  const from = gate.upstream.requests.length;
  const { response } = await coder.responses.create(coding('chat-only')).withResponse();
  expect(response.headers.get('x-tollgate-dropped')).toBe('web_search');
  const [sent] = asked(from);
  expect(sent?.json()).toMatchObject({ tools: [{ type: 'function', function: { name: 'shell' } }] });
  expect(JSON.stringify(sent?.json())).not.toContain('search');
});

it('that a coding client forces, or that stands alone, is refused', async () => {
  const from = gate.upstream.requests.length;
  const offer = coding('chat-only');
  const alone = { ...offer, tools: [{ type: 'web_search' as const }] };
  for (const asking of [{ ...offer, tool_choice: 'required' as const }, alone])
    await expect(coder.responses.create(asking)).rejects.toMatchObject({ status: 400 });
  expect(asked(from)).toEqual([]);
});

const server = { type: 'url' as const, url: 'https://mcp.test', name: 'docs', authorization_token: 'tok' };
const remote = {
  type: 'mcp' as const,
  server_label: 'docs',
  server_url: 'https://mcp.test',
  authorization: 'tok',
  require_approval: 'never' as const,
};

/** Log rows of the newest calls. */
async function newestRows(pageSize: number) {
  const all = { start_timestamp: 0, end_timestamp: 0, username: '', token_name: '', model_name: '' };
  const filters = { ...all, type: logType.consume, channel: 0, group: '', request_id: '' };
  return (await gate.core.logs.list(filters, { page: 1, pageSize })).items;
}

/** Charge of the last call without its tokens. */
async function searchesOnTheBill(): Promise<unknown> {
  const [row] = await newestRows(1);
  return (JSON.parse(row!.other) as { web_search_call_count?: number }).web_search_call_count;
}

describe('an MCP server', () => {
  it("that Anthropic's client names is called by OpenAI, and its searches are charged", async () => {
    const from = gate.upstream.requests.length;
    const servers = { mcp_servers: [server], betas: ['mcp-client-2025-11-20'] };
    const toolset = { type: 'mcp_toolset' as const, mcp_server_name: 'docs' };
    await client.beta.messages.create({ ...ask('gpt-5'), ...servers, tools: [toolset] });
    const [sent, ...more] = asked(from);
    expect([sent?.path, sent?.json(), more]).toEqual([
      '/v1/responses',
      expect.objectContaining({ tools: [remote] }),
      [],
    ]);
    expect(await searchesOnTheBill()).toBe(1);
  });

  it("that OpenAI's client names is called by Anthropic, under the beta that it needs", async () => {
    const from = gate.upstream.requests.length;
    const model = 'claude-sonnet-4-5';
    const { output, output_text: text } = await coder.responses.create({
      model,
      input: 'hi',
      tools: [remote],
    });
    expect(text).toBe('Paris is mild.');
    expect(output).toMatchObject([
      { type: 'mcp_list_tools', server_label: 'docs' },
      { type: 'mcp_call', id: 'mcp_1', name: 'ask', arguments: '{"q":1}', output: '18', error: null },
      { type: 'web_search_call', id: 'ws_2', action: { type: 'search', query: 'Paris' } },
      { type: 'message' },
    ]);
    const [sent] = asked(from);
    expect(sent?.headers['anthropic-beta']).toBe('mcp-client-2026-09-15');
    expect(sent?.json()).toMatchObject({
      mcp_servers: [server],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'docs' }],
    });
    expect(await searchesOnTheBill()).toBe(1);
  });

  it('passes unchanged to a vendor of the same protocol, with its beta, and costs the reported tokens', async () => {
    const from = gate.upstream.requests.length;
    const toolset = {
      type: 'mcp_toolset' as const,
      mcp_server_name: 'docs',
      configs: { ask: { enabled: false } },
    };
    await client.beta.messages.create({
      ...ask('claude-sonnet-4-5'),
      mcp_servers: [server],
      betas: ['mcp-client-2025-11-20'],
      tools: [toolset],
    });
    const approved = { ...remote, require_approval: 'always' as const, headers: { 'x-team': 'a' } };
    await coder.responses.create({ model: 'gpt-5', input: 'hi', tools: [approved] });
    const [messages, responses, ...more] = asked(from);
    expect(more).toEqual([]);
    expect(messages?.headers['anthropic-beta']).toBe('mcp-client-2025-11-20');
    expect(messages?.json()).toMatchObject({ mcp_servers: [server], tools: [toolset] });
    expect(responses?.json()).toMatchObject({ tools: [approved] });
    for (const row of await newestRows(2))
      expect(row).toMatchObject({ prompt_tokens: 20, completion_tokens: 5 });
  });

  it('is refused by name where the protocol has no such tool, and nothing is sent', async () => {
    const from = gate.upstream.requests.length;
    const toolset = { type: 'mcp_toolset' as const, mcp_server_name: 'docs' };
    const servers = { mcp_servers: [server], betas: ['mcp-client-2025-11-20'], tools: [toolset] };
    await expect(client.beta.messages.create({ ...ask('chat-only'), ...servers })).rejects.toThrow(/mcp/);
    await expect(
      coder.responses.create({ model: 'chat-only', input: 'hi', tools: [remote] }),
    ).rejects.toThrow(/mcp/);
    expect(asked(from)).toEqual([]);
  });

  it('whose calls need an approval is refused, and nothing is sent', async () => {
    const from = gate.upstream.requests.length;
    const tools = [{ ...remote, require_approval: 'always' as const }];
    await expect(coder.responses.create({ model: 'claude-sonnet-4-5', input: 'hi', tools })).rejects.toThrow(
      /require_approval of the tool mcp/,
    );
    expect(asked(from)).toEqual([]);
    expect(await gate.findings()).toEqual([]);
  });
});
