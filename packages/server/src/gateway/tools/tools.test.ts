import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { product } from '@tollgate/contract';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { createReceipts } from '../../services/upkeep/logs/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { startToolServer, type TestToolServer } from '../../testing/upstream/tool-server.ts';

/** Other processes may be slow. */
const patient = { timeout: 20_000 };
const toolServerType = 9002;
/** Quota units of the price of each tool, in dollars: a cent. */
const price = 5_000;

let gate: GatewayHarness;
let server: TestToolServer;
let caller: TestCaller;
const clients: Client[] = [];

const priced = (names: readonly string[], dollars = 0.01) =>
  gate.core.settings.set(
    'ModelPrice',
    JSON.stringify(Object.fromEntries(names.map((name) => [name, dollars]))),
  );
const all = ['add', 'metered', 'fails', 'refuses', 'slow', 'breaks', 'leaks'].map(
  (name) => `weather__${name}`,
);

const addServer = (url = server.url, more: Record<string, unknown> = {}) =>
  gate.addChannel({
    type: toolServerType,
    base_url: url,
    key: 'tool-secret-1234',
    models: all.join(','),
    ...more,
  });

beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  server = await startToolServer();
  await priced(all);
  await addServer();
  await gate.addChannel({ models: 'gpt-4o-mini' });
});
beforeEach(async () => {
  caller = await gate.addCaller();
  for (const list of [server.calls, server.headers, server.messages, server.cancelled]) list.length = 0;
});
afterAll(async () => {
  for (const client of clients) await client.close();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await server.close();
  await gate.close();
});

/** The official client with an API key. */
async function connect(
  { key }: Pick<TestCaller, 'key'> = caller,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gate.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}`, 'accept-language': 'en', ...headers } },
    }),
  );
  return client;
}

const call = async (name: string, given: Record<string, unknown> = {}, headers?: Record<string, string>) => {
  const client = await connect(caller, headers);
  return client.callTool({ name: `weather__${name}`, arguments: given });
};

/** The error of a call. */
async function failure(work: () => Promise<unknown>): Promise<McpError> {
  try {
    await work();
  } catch (error) {
    return error as McpError;
  }
  throw new Error('the call succeeded');
}

const spent = async (of = caller): Promise<number> => 5_000_000 - (await gate.readBalance(of)).balance;

const rows = async (type = 2) =>
  (
    await gate.core.store.db
      .selectFrom('logs')
      .select([
        'quota',
        'model_name',
        'content',
        'tags',
        'channel_id',
        'request_id',
        'other',
        'prompt_tokens',
      ])
      .where('user_id', '=', caller.userId)
      .where('type', '=', type)
      .orderBy('id')
      .execute()
  ).map(({ other, ...row }) => ({ ...row, other: JSON.parse(other) as Record<string, unknown> }));

const receiptOf = (requestId: string) =>
  createReceipts({ db: gate.core.store.db, channelName: String, signed: { ofTxns: async () => [] } }).find(
    { id: caller.userId, role: 1 },
    requestId,
  );

describe('the tools of a key', () => {
  it('are those of the servers of its group, under names that every client takes', async () => {
    const { tools } = await (await connect()).listTools();
    expect(tools.map(({ name }) => name)).toEqual(all.toSorted());
    expect(tools.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(tools.find(({ name }) => name === 'weather__add')).toMatchObject({
      title: 'Addition',
      inputSchema: { properties: { a: { type: 'number' } } },
    });
    const other = await gate.addCaller({ group: 'vip' });
    expect((await (await connect(other)).listTools()).tools).toEqual([]);
    await expect((await connect(other)).callTool({ name: 'weather__add' })).rejects.toThrow(
      'There is no tool weather__add',
    );
  });

  it('are limited by the models of the key', async () => {
    await gate.core.store.db
      .updateTable('tokens')
      .set({ model_limits_enabled: 1, model_limits: 'weather__add' })
      .where('id', '=', caller.tokenId)
      .execute();
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['weather__add']);
    const error = await failure(() => client.callTool({ name: 'weather__fails' }));
    expect(error.data).toMatchObject({ code: 'model_not_allowed', status: 403 });
    expect(server.calls).toEqual([]);
  });

  it('are no models, and models are no tools', async () => {
    const answer = await fetch(`${gate.url}/v1/models`, {
      headers: { authorization: `Bearer ${caller.key}` },
    });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['gpt-4o-mini']);
    const error = await failure(async () => (await connect()).callTool({ name: 'gpt-4o-mini' }));
    expect(error.message).toContain('There is no tool gpt-4o-mini');
    const chat = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: JSON.stringify({ model: 'weather__add', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(await chat.json()).toMatchObject({ error: { code: 'invalid_api_type' } });
    expect(await spent()).toBe(0);
  });

  it('of a server that does not answer are missing, and the others are there', async () => {
    const gone = await startToolServer({ name: 'gone' });
    await gone.close();
    const id = await addServer(gone.url, { models: 'gone__add' });
    await priced([...all, 'gone__add']);
    expect((await (await connect()).listTools()).tools.length).toBe(all.length);
    await gate.core.channels.remove([id]);
    await priced(all);
  });
});

describe('a call of a tool', () => {
  it('passes its result, and costs its price', async () => {
    const result = await call('add', { a: 2, b: 3 });
    expect(result).toMatchObject({ content: [{ type: 'text', text: '5' }], structuredContent: { sum: 5 } });
    expect(server.calls).toEqual([{ name: 'add', arguments: { a: 2, b: 3 }, session: undefined }]);
    expect(server.headers[0]).toMatchObject({ authorization: 'Bearer tool-secret-1234' });
    expect(await spent()).toBe(price);
    const [row] = await rows();
    expect(row).toMatchObject({
      quota: price,
      model_name: 'weather__add',
      prompt_tokens: 0,
      other: {
        tool: true,
        upstream_model_name: 'add',
        end_reason: 'complete',
        call_count: 1,
        model_price: 0.01,
      },
    });
    expect(row!.content).not.toContain('timed out');
    expect(await receiptOf(row!.request_id)).toMatchObject({ matches: true, charged: price });
  });

  it.each<[string, unknown, number]>([
    ['a number of dollars', 0.004, 2_000],
    ['a decimal text', '0.0025', 1_250],
    ['dollars by name', { usd: 0.001, provider: 'x' }, 500],
    ['nothing', 0, 0],
    ['more than the price', 5, price],
    ['less than nothing', -1, price],
    ['another currency', { eur: 0.001 }, price],
  ])('costs what its server reports, and at most its price: %s', async (_name, cost, charged) => {
    const result = await call('metered', { cost });
    expect(result._meta).toEqual({ cost });
    expect(await spent()).toBe(charged);
    const [row] = await rows();
    expect(row!.quota).toBe(charged);
    expect(await receiptOf(row!.request_id)).toMatchObject({ matches: true, charged });
  });

  it('that fails as a tool costs its price, and one that fails as a message costs nothing', async () => {
    expect(await call('fails')).toMatchObject({ isError: true });
    expect(await spent()).toBe(price);
    const error = await failure(() => call('refuses'));
    expect(error).toMatchObject({ code: -32_602, data: { field: 'city' } });
    expect(error.message).toContain('the city is missing');
    expect(await spent()).toBe(price);
    expect((await rows(5)).map((row) => row.model_name)).toEqual(['weather__refuses']);
  });

  it('without an answer costs nothing, and is not sent a second time', async () => {
    await gate.core.settings.set('RetryTimes', '2');
    const second = await startToolServer();
    const id = await addServer(second.url);
    const error = await failure(() => call('breaks'));
    expect(error).toMatchObject({ data: { status: 504, code: 'tool_unanswered' } });
    expect(error.message).toContain('(request id: ');
    expect(server.calls.length + second.calls.length).toBe(1);
    expect(await spent()).toBe(0);
    await gate.core.channels.remove([id]);
    await second.close();
  });

  it('goes to another channel if a server refuses it', async () => {
    await gate.core.settings.set('RetryTimes', '2');
    const second = await startToolServer({ refuses: 429 });
    const id = await addServer(second.url, { priority: 10 });
    expect(await call('add', { a: 1, b: 1 })).toMatchObject({ content: [{ text: '2' }] });
    expect(second.calls).toEqual([]);
    expect((await rows())[0]!.other).toMatchObject({
      admin_info: { tries: [{ channelId: id, status: 429 }, {}] },
    });
    await gate.core.channels.remove([id]);
    await second.close();
  });

  it('never shows the key of its channel', async () => {
    expect(JSON.stringify(await call('leaks'))).toContain('your key is [hidden]');
  });

  it('has a session of its own at a server with sessions', async () => {
    const second = await startToolServer({ name: 'second', hasSessions: true });
    const id = await addServer(second.url, { models: 'second__add' });
    await priced([...all, 'second__add']);
    const client = await connect();
    for (const a of [1, 2]) await client.callTool({ name: 'second__add', arguments: { a, b: 0 } });
    const sessions = second.calls.map(({ session }) => session);
    expect(new Set(sessions).size).toBe(2);
    expect(sessions).not.toContain(undefined);
    await expect.poll(() => second.messages.filter((method) => method === 'DELETE').length, patient).toBe(3);
    await gate.core.channels.remove([id]);
    await priced(all);
    await second.close();
  });
});

describe('a call that runs', () => {
  it('passes progress, as its client names it', async () => {
    const seen: unknown[] = [];
    const client = await connect();
    await client.callTool({ name: 'weather__slow', arguments: { steps: 2 } }, undefined, {
      onprogress: (progress) => seen.push(progress),
    });
    expect(seen).toEqual([
      { progress: 1, total: 2, message: 'step 1' },
      { progress: 2, total: 2, message: 'step 2' },
    ]);
  });

  it('is cancelled at its server, and costs its price', async () => {
    const second = await startToolServer({ name: 'second', hasSessions: true });
    const id = await addServer(second.url, { models: 'second__slow' });
    await priced([...all, 'second__slow']);
    const stop = new AbortController();
    const client = await connect();
    const cancelled = failure(() =>
      client.callTool({ name: 'second__slow', arguments: { steps: 1_000 } }, undefined, {
        signal: stop.signal,
      }),
    );
    await expect.poll(() => second.calls.length, patient).toBe(1);
    stop.abort('enough');
    await cancelled;
    await expect.poll(() => second.cancelled, patient).toEqual(['slow']);
    await expect.poll(() => spent(), patient).toBe(price);
    expect((await rows())[0]!.other).toMatchObject({ end_reason: 'client_gone' });
    await gate.core.channels.remove([id]);
    await priced(all);
    await second.close();
  });

  it('cannot be cancelled by another key', async () => {
    const client = await connect();
    const running = client.callTool({ name: 'weather__slow', arguments: { steps: 10, ms: 30 } });
    await expect.poll(() => server.calls.length, patient).toBe(1);
    const other = await gate.addCaller();
    const { sessionId } = client.transport!;
    const answer = await fetch(`${gate.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${other.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId!,
      },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
    });
    expect(answer.status).toBe(202);
    expect(await running).toMatchObject({ content: [{ text: 'slow but there' }] });
  });

  it('goes on without its caller, and costs what it costs', async () => {
    const client = await connect();
    client.callTool({ name: 'weather__slow', arguments: { steps: 10 } }).catch(() => undefined);
    await expect.poll(() => server.calls.length, patient).toBe(1);
    await client.close();
    await expect.poll(() => spent(), patient).toBe(price);
    expect(server.cancelled).toEqual([]);
    expect((await rows())[0]!.other).toMatchObject({ end_reason: 'complete' });
  });
});

describe('money of a call', () => {
  it('is held before its server is asked: without it nothing is called', async () => {
    caller = await gate.addCaller({ balance: price - 1 });
    const error = await failure(() => call('add'));
    expect(error.data).toMatchObject({ code: 'insufficient_user_quota', status: 403 });
    expect(server.calls).toEqual([]);
    expect((await gate.readBalance(caller)).balance).toBe(price - 1);
  });

  it('counts in budgets by model, runs and tags, and keeps to a ceiling', async () => {
    await addBudget(gate.core.store, price, { model: 'weather__add', user_id: caller.userId });
    await gate.core.budgetRules.reload();
    const headers = {
      [product.headers.run]: 'night; max=0.05',
      [product.headers.tags]: 'team=search',
    };
    await call('add', {}, headers);
    expect((await failure(() => call('add'))).data).toMatchObject({ code: 'budget_reached' });
    const error = await failure(() => call('fails', {}, { [product.headers.maxCost]: '0.009' }));
    expect(error.data).toMatchObject({ code: 'max_cost_too_low', status: 400 });
    expect(JSON.parse((await rows())[0]!.tags!)).toEqual({ team: 'search', run: 'night' });
    expect(await spent()).toBe(price);
  });

  it('is nothing at a price of 0, and a tool without a price is refused', async () => {
    await priced(['weather__add'], 0);
    expect(await call('add', { a: 1, b: 1 })).toMatchObject({ content: [{ text: '2' }] });
    expect((await rows()).map(({ quota }) => quota)).toEqual([0]);
    expect((await (await connect()).listTools()).tools.map(({ name }) => name)).toEqual(['weather__add']);
    expect((await failure(() => call('fails'))).data).toMatchObject({ code: 'model_price_error' });
    await gate.core.settings.set('SelfUseModeEnabled', 'true');
    expect(await call('fails')).toMatchObject({ isError: true });
    await gate.core.settings.set('SelfUseModeEnabled', 'false');
    expect(await spent()).toBe(0);
    await priced(all);
  });

  it('never exceeds the balance, with many calls at once', async () => {
    caller = await gate.addCaller({ balance: price * 3 + 1 });
    const client = await connect();
    const ends = await Promise.allSettled(
      Array.from({ length: 8 }, () => client.callTool({ name: 'weather__metered', arguments: {} })),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBe(3);
    expect(server.calls.length).toBe(3);
    expect((await gate.readBalance(caller)).balance).toBe(1);
  });
});

describe('the address', () => {
  const send = (method: string, body?: string, key = caller.key) =>
    fetch(`${gate.url}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      ...(body !== undefined && { body }),
    });

  it('answers in JSON-RPC with a request id, whatever is wrong', async () => {
    const unknown = await send('POST', '{}', 'sk-wrong');
    expect(unknown.status).toBe(401);
    expect(await unknown.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_000,
        data: { code: 'invalid_api_key', request_id: unknown.headers.get('x-request-id') },
      },
    });
    for (const body of ['', '[]', '{"a":1}', '{"jsonrpc":"2.0","id":1,"method":"tools/call","id":2}']) {
      const answer = await send('POST', body);
      expect(answer.status, body).toBe(400);
      expect(await answer.json(), body).toMatchObject({ jsonrpc: '2.0', error: {} });
    }
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(method);
      expect(answer.status).toBe(405);
      await answer.text();
    }
  });

  it('offers nothing beside tools', async () => {
    const client = await connect();
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    await client.ping();
    const answer = await send('POST', '{"jsonrpc":"2.0","id":7,"method":"resources/list"}');
    expect(await answer.text()).toContain('"code":-32601');
  });

  it('answers a program that takes no streams in one piece, with its charge', async () => {
    const answer = await fetch(`${gate.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"weather__add"}}',
    });
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id: 'x', result: { content: [{}] } });
    expect(answer.headers.get(product.headers.cost)).toBe(String(price));
  });

  it('ends a stream that its server resumes again and again, and charges nothing', async () => {
    const piece = `event: message\ndata: ${JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 1, message: 'x'.repeat(1_000_000) },
    })}\n\n`;
    let streams = 0;
    const endless = createServer((req, res) => {
      void readText(req).then((body) => {
        const message = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
        if (req.method === 'POST' && message.method !== 'tools/call') {
          if (message.id === undefined) return res.writeHead(202).end();
          const serverInfo = { name: 'endless', version: '1' };
          const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
          res.writeHead(200, { 'content-type': 'application/json' });
          return res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
        }
        streams += 1;
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        return res.end(`id: ${streams}\nretry: 10\ndata: \n\n${piece.repeat(6)}`);
      });
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as AddressInfo;
    await priced([...all, 'endless']);
    await addServer(`http://127.0.0.1:${port}/`, { models: 'endless', model_mapping: '{"endless":"run"}' });
    const client = await connect();
    const error = await failure(() => client.callTool({ name: 'endless', arguments: {} }));
    expect(error.data).toMatchObject({ code: 'tool_unanswered' });
    expect(streams).toBe(3);
    expect(await spent()).toBe(0);
    endless.closeAllConnections();
    endless.close();
  });

  it('is closed to callers whose texts a hook has to check', async () => {
    const hook = { name: 'pii', who: `key:${caller.tokenId}`, when: ['before'], url: 'https://hook.test/' };
    const rule = { ...hook, timeout_ms: 1_000, on_failure: 'closed', window: 0 };
    await gate.core.settings.set('GuardHooks', JSON.stringify([rule]));
    const answer = await send('POST', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { data: { code: 'hook_unsupported' } } });
    await gate.core.settings.set('GuardHooks', '[]');
  });

  it('reports the charge in a trailer', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather__add"}}';
    const asked = request(`${gate.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    }).end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    expect(answer.trailers[product.headers.cost]).toBe(String(price));
  });
});
