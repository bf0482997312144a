import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { type Behaviour, chat, json } from '../../testing/upstream/fake-upstream-scripts.ts';

// A search that Anthropic's client asks for, at vendors who call it otherwise or have none.

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
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'Paris' } },
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

const vendor: Behaviour = (exchange) =>
  exchange.path === '/v1/responses' ? json(answer)(exchange) : chat()(exchange);

beforeAll(async () => {
  gate = await openGateway();
  // OpenAI speaks Responses, 01.AI chats alone.
  await gate.addChannel({ type: 31, models: 'both,chat-only', priority: 1 });
  await gate.addChannel({ type: 1, models: 'both,gpt-5' });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ both: 1, 'chat-only': 1, 'gpt-5': 1 }));
  const { key } = await gate.addCaller();
  client = new Anthropic({ apiKey: key, baseURL: gate.url, maxRetries: 0 });
  coder = new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  gate.upstream.script(vendor);
});
afterAll(() => gate.close());

const asked = (from: number) => gate.upstream.requests.slice(from);

it('is asked of a vendor who speaks Responses in their words, and not in those of chats', async () => {
  const from = gate.upstream.requests.length;
  const { data, response } = await client.messages.create(ask('gpt-5')).withResponse();
  expect(data.content).toMatchObject([{ type: 'text', text: 'Paris is mild.' }]);
  const [sent, ...more] = asked(from);
  expect([sent?.path, more]).toEqual(['/v1/responses', []]);
  expect(sent?.json()).toMatchObject({
    tools: [{ type: 'web_search', filters: { allowed_domains: ['paris.test'] } }],
  });
  expect(response.headers.get('x-tollgate-dropped')).toBe('max_uses');
});

it('passes over a channel that cannot say it, for one that can', async () => {
  const from = gate.upstream.requests.length;
  const { content } = await client.messages.create(ask('both'));
  expect(content).toMatchObject([{ type: 'text', text: 'Paris is mild.' }]);
  expect(asked(from).map(({ path }) => path)).toEqual(['/v1/responses']);
});

it('is refused where no channel can say it, and nothing is sent', async () => {
  const from = gate.upstream.requests.length;
  await expect(client.messages.create(ask('chat-only'))).rejects.toMatchObject({ status: 400 });
  expect(asked(from)).toEqual([]);
  expect(await gate.findings()).toEqual([]);
});

it('without such a tool chats are asked as before', async () => {
  const from = gate.upstream.requests.length;
  await client.messages.create({ ...ask('gpt-5'), tools: [] });
  expect(asked(from).map(({ path }) => path)).toEqual(['/v1/chat/completions']);
});

/** What a coding client sends with each call: tools of its own, and a search that nothing asks for. */
const coding = (model: string) => ({
  model,
  input: 'Read the file.',
  tools: [
    { type: 'function' as const, name: 'shell', parameters: { type: 'object' }, strict: false },
    { type: 'web_search' as const },
  ],
});

it('that a coding client offers beside its own tools is left out by name where there is none', async () => {
  const from = gate.upstream.requests.length;
  const { response } = await coder.responses.create(coding('chat-only')).withResponse();
  expect(response.headers.get('x-tollgate-dropped')).toBe('web_search');
  const [sent] = asked(from);
  expect(sent?.json()).toMatchObject({ tools: [{ type: 'function', function: { name: 'shell' } }] });
  expect(JSON.stringify(sent?.json())).not.toContain('search');
});

it('that a coding client has to call, or that stands alone, is no offer', async () => {
  const from = gate.upstream.requests.length;
  const offer = coding('chat-only');
  const alone = { ...offer, tools: [{ type: 'web_search' as const }] };
  for (const asking of [{ ...offer, tool_choice: 'required' as const }, alone])
    await expect(coder.responses.create(asking)).rejects.toMatchObject({ status: 400 });
  expect(asked(from)).toEqual([]);
});
