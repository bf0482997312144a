import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { fakeContainers } from '../../testing/upstream/fake-containers.ts';
import { fakeFiles } from '../../testing/upstream/fake-files.ts';
import { type Behaviour, healthy, json } from '../../testing/upstream/fake-upstream-scripts.ts';

const model = 'gpt-4o-mini';
const claude = 'claude-sonnet-4-5';
const keys = ['sk-first', 'sk-second', 'sk-third'];
let gate: GatewayHarness;
let caller: TestCaller;
let stranger: TestCaller;
let vendor: ReturnType<typeof fakeContainers>;
let answer: Behaviour;

beforeEach(async () => {
  gate = await openGateway();
  answer = healthy();
  vendor = fakeContainers((exchange) => answer(exchange));
  gate.upstream.script(vendor.behaviour);
  for (const key of keys) await gate.addChannel({ name: key, key, models: model });
  for (const key of keys) await gate.addChannel({ name: key, key, models: claude, type: 14 });
  caller = await gate.addCaller();
  stranger = await gate.addCaller();
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

const openaiOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const anthropicOf = ({ key }: TestCaller): Anthropic =>
  new Anthropic({ apiKey: key, baseURL: gate.url, maxRetries: 0 });
const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const missing = { status: 404, code: 'file_not_found' };
const askedKey = (): string => {
  const { authorization, 'x-api-key': key } = gate.upstream.requests.at(-1)!.headers;
  return String(key ?? authorization).replace('Bearer ', '');
};
const spent = async (who: TestCaller): Promise<number> => {
  await gate.core.ledger.flush();
  return 5_000_000 - (await gate.readBalance(who)).balance;
};

describe('a container', () => {
  it('is charged when it is made, and serves its user only, on the key that has it', async () => {
    const sdk = openaiOf(caller);
    const made = await sdk.containers.create({ name: 'lab', memory_limit: '4g' });
    const key = askedKey();
    // 0.12 dollars.
    expect(await spent(caller)).toBe(60_000);
    for (let round = 0; round < 3; round += 1) {
      expect(await sdk.containers.retrieve(made.id)).toMatchObject({ id: made.id, name: 'lab' });
      expect(askedKey()).toBe(key);
    }
    const file = await sdk.containers.files.create(made.id, {
      file: await toFile(Buffer.from('x'), 'a.txt'),
    });
    expect(gate.upstream.requests.at(-1)!.body.toString()).toContain('filename="a.txt"');
    expect((await sdk.containers.files.list(made.id)).data).toEqual([file]);
    expect(await sdk.containers.files.retrieve(file.id, { container_id: made.id })).toEqual(file);
    const content = await sdk.containers.files.content.retrieve(file.id, { container_id: made.id });
    expect(await content.text()).toBe('<b>content</b>');
    expect(content.headers.get('content-disposition')).toBe('attachment');
    expect((await sdk.containers.list()).data).toMatchObject([{ id: made.id }]);
    expect((await sdk.containers.list({ name: 'other' })).data).toEqual([]);

    const other = openaiOf(stranger);
    expect((await other.containers.list()).data).toEqual([]);
    const asked = gate.upstream.requests.length;
    for (const work of [
      () => other.containers.retrieve(made.id),
      () => other.containers.delete(made.id),
      () => other.containers.files.list(made.id),
      () => other.containers.files.content.retrieve(file.id, { container_id: made.id }),
      () =>
        other.responses.create({
          model,
          input: 'a',
          tools: [{ type: 'code_interpreter', container: made.id }],
        }),
    ])
      expect(await failure(Promise.resolve(work()))).toMatchObject(missing);
    expect(gate.upstream.requests.length).toBe(asked);

    await sdk.containers.files.delete(file.id, { container_id: made.id });
    await sdk.containers.delete(made.id);
    expect(await failure(sdk.containers.retrieve(made.id))).toMatchObject(missing);
    expect(await spent(caller)).toBe(60_000);
  });

  it('costs nothing if it is refused, and is not made without money', async () => {
    // @ts-expect-error Name is required.
    expect(await failure(openaiOf(caller).containers.create({}))).toMatchObject({ status: 400 });
    expect(await spent(caller)).toBe(0);
    const poor = await gate.addCaller({ balance: 14_999 });
    expect(await failure(openaiOf(poor).containers.create({ name: 'a' }))).toMatchObject({
      code: 'insufficient_user_quota',
    });
    expect(vendor.containers.size).toBe(0);
  });

  it('begins with files of its user, on their channel', async () => {
    const files = fakeFiles(vendor.behaviour);
    gate.upstream.script(files.behaviour);
    const upload = (who: TestCaller) =>
      toFile(Buffer.from('x'), 'a.txt').then((file) =>
        openaiOf(who).files.create({ file, purpose: 'user_data' }),
      );
    const own = await upload(caller);
    const key = askedKey();
    for (let round = 0; round < 3; round += 1) {
      await openaiOf(caller).containers.create({ name: 'a', file_ids: [own.id] });
      expect(askedKey()).toBe(key);
    }
    const foreign = await upload(stranger);
    const sdk = openaiOf(caller);
    expect(await failure(sdk.containers.create({ name: 'a', file_ids: [foreign.id] }))).toMatchObject(
      missing,
    );
    const { id } = await sdk.containers.create({ name: 'a' });
    expect(await failure(sdk.containers.files.create(id, { file_id: foreign.id }))).toMatchObject(missing);
    const { requests } = gate.upstream;
    const sent = requests.length;
    const form = new FormData();
    form.set('file_id', foreign.id);
    const bodies: [FormData | string, string?][] = [
      [form],
      [`file_id=${foreign.id}`, 'application/x-www-form-urlencoded'],
      [`{"file_id":"${foreign.id}","file_id":"${own.id}"}`, 'application/json'],
      [`{"file_id":["${foreign.id}"]}`, 'text/plain'],
    ];
    for (const [body, type] of bodies) {
      const headers = { authorization: `Bearer ${caller.key}`, ...(type && { 'content-type': type }) };
      const { status } = await fetch(`${gate.url}/v1/containers/${id}/files`, {
        method: 'POST',
        headers,
        body,
      });
      expect([400, 404]).toContain(status);
    }
    expect(requests.length).toBe(sent);
  });
});

describe('what code of a response made', () => {
  const item = { id: 'ci_1', type: 'code_interpreter_call', status: 'completed', container_id: 'cntr_auto1' };
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model,
    output: [item],
    usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
  };
  const events: Behaviour = async (exchange) => {
    exchange.head(200, { 'content-type': 'text/event-stream' });
    const done = { type: 'response.completed', response };
    await exchange.end(Buffer.from(`event: response.completed\ndata: ${JSON.stringify(done)}\n\n`));
  };

  it.each([false, true])('is its user’s, also in a stream (%s)', async (stream) => {
    answer = stream ? events : json(response);
    const sdk = openaiOf(caller);
    const tools: OpenAI.Responses.Tool[] = [{ type: 'code_interpreter', container: { type: 'auto' } }];
    const asked = await sdk.responses.create({ model, input: 'a', store: false, tools, stream });
    if (stream) for await (const _ of asked as AsyncIterable<unknown>);
    const key = askedKey();
    for (let round = 0; round < 3; round += 1) {
      await failure(sdk.containers.retrieve('cntr_auto1'));
      expect(askedKey()).toBe(key);
    }
    const count = gate.upstream.requests.length;
    expect(await failure(openaiOf(stranger).containers.retrieve('cntr_auto1'))).toMatchObject(missing);
    expect(gate.upstream.requests.length).toBe(count);
    await sdk.responses.create({
      model,
      input: 'a',
      tools: [{ type: 'code_interpreter', container: 'cntr_auto1' }],
    });
    expect(askedKey()).toBe(key);
  });
});

describe('a container that an answer makes', () => {
  const session = 15_000;
  /** $0.15 and $0.60 for a million tokens: 75 + 300 quota units. */
  const tokens = 375;
  const usage = { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 };
  const ran = (id: string) => ({
    id: 'ci_1',
    type: 'code_interpreter_call',
    status: 'completed',
    code: '1',
    container_id: id,
  });
  const shell = (id: string) => ({
    id: 'sh_1',
    type: 'shell_call',
    status: 'completed',
    environment: { type: 'container_reference', container_id: id },
  });
  const said = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Done.' }],
  };
  const answering =
    (output: { id: string }[], isCut = false): Behaviour =>
    async (exchange) => {
      const whole = { id: 'resp_1', object: 'response', status: 'completed', model, output, usage };
      if (exchange.json()['stream'] !== true) return json(whole)(exchange);
      exchange.head(200, { 'content-type': 'text/event-stream' });
      const events = [
        ...output.map((item, at) => ({ type: 'response.output_item.added', output_index: at, item })),
        { type: 'response.output_text.delta', output_index: 1, delta: 'Done.' },
        ...(isCut ? [] : [{ type: 'response.completed', response: whole }]),
      ];
      const text = events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('');
      if (!isCut) return exchange.end(Buffer.from(text));
      await exchange.write(Buffer.from(text));
      // The caller has got it.
      await exchange.pause(100);
      exchange.cut();
    };
  const auto = { type: 'code_interpreter', container: { type: 'auto' } };
  const ask = async (
    who: TestCaller,
    tools: object[],
    { headers = {}, ...more }: Record<string, unknown> & { headers?: Record<string, string> } = {},
  ): Promise<number> => {
    const response = await fetch(`${gate.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, input: 'a', max_output_tokens: 1_000, store: false, tools, ...more }),
    });
    await response.text().catch(() => '');
    await expect.poll(() => gate.relay.gateway.running.size, { interval: 2 }).toBe(0);
    return response.status;
  };
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await spent(caller);
    await work();
    return (await spent(caller)) - before;
  };

  it.each([false, true])('costs one session, however often it is used (stream: %s)', async (stream) => {
    const inContainer = (id: string, tool: object = auto) =>
      costOf(() => ((answer = answering([ran(id), said])), ask(caller, [tool], { stream })));
    expect(await inContainer('cntr_1')).toBe(session + tokens);
    expect(await inContainer('cntr_1')).toBe(tokens);
    expect(await inContainer('cntr_2')).toBe(session + tokens);
    // One that the request names was paid when it was made.
    expect(await inContainer('cntr_2', { ...auto, container: 'cntr_2' })).toBe(tokens);
    // Naming an unknown one, whose id a stream shows before its end, does not make it a known one.
    expect(await inContainer('cntr_3', { ...auto, container: 'cntr_3' })).toBe(tokens);
    expect(await inContainer('cntr_3')).toBe(session + tokens);
    const { id } = await openaiOf(caller).containers.create({ name: 'lab' });
    expect(await inContainer(id)).toBe(tokens);
    answer = answering([said]);
    expect(await costOf(() => ask(caller, [auto], { stream }))).toBe(tokens);
  });

  it.each([false, true])(
    'costs by its memory and tool, at most what is held (stream: %s)',
    async (stream) => {
      const large = { type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } };
      const hosted = { type: 'shell', environment: { type: 'container_auto', memory_limit: '16g' } };
      const cost = (output: { id: string }[], tools: object[]) =>
        costOf(() => ((answer = answering([...output, said])), ask(caller, tools, { stream })));
      expect(await cost([ran('cntr_1')], [large])).toBe(4 * session + tokens);
      expect(await cost([shell('cntr_2')], [hosted])).toBe(16 * session + tokens);
      expect(await cost([ran('cntr_3'), shell('cntr_4')], [large, hosted])).toBe(20 * session + tokens);
      expect(await cost([shell('cntr_5')], [large, hosted])).toBe(16 * session + tokens);
      expect(await cost([ran('cntr_6'), ran('cntr_7')], [large])).toBe(4 * session + tokens);
    },
  );

  it.each([false, true])('is held before the call is sent, exactly (stream: %s)', async (stream) => {
    answer = answering([ran('cntr_1'), said]);
    const poor = await gate.addCaller({ balance: session });
    const sent = gate.upstream.requests.length;
    expect(await ask(poor, [auto], { stream })).toBe(403);
    expect(gate.upstream.requests.length).toBe(sent);
    const exact = await gate.addCaller({ balance: session + tokens + 10 });
    expect(await ask(exact, [auto], { stream })).toBe(200);
    await gate.core.ledger.flush();
    expect(await gate.readBalance(exact)).toEqual({ balance: 10, held: 0 });
    // Nothing limits the uses of other tools for it.
    expect(gate.upstream.requests.at(-1)!.body.toString()).not.toContain('max_tool_calls');
  });

  it('costs nothing in a failed attempt, and once in a stream that breaks off or is repeated', async () => {
    await gate.core.settings.setMany({ RetryTimes: '2' });
    let attempts = 0;
    answer = (exchange) => {
      attempts += 1;
      const failed = { error: { code: 'server_error', message: 'it broke' } };
      return attempts === 1 ? json(failed, 500)(exchange) : answering([ran('cntr_1'), said])(exchange);
    };
    expect(await costOf(() => ask(caller, [auto]))).toBe(session + tokens);
    expect(attempts).toBe(2);
    answer = answering([ran('cntr_2'), said], true);
    const broken = await costOf(() => ask(caller, [auto], { stream: true }));
    expect(broken).toBeGreaterThanOrEqual(session);
    expect(broken).toBeLessThan(session + tokens);
    answer = answering([ran('cntr_3'), said]);
    const headers = { 'idempotency-key': 'once' };
    expect(await costOf(() => ask(caller, [auto], { headers }))).toBe(session + tokens);
    expect(await costOf(() => ask(caller, [auto], { headers }))).toBe(0);
    const row = await gate.core.store.db.selectFrom('logs').select('other').orderBy('id', 'desc').execute();
    expect(JSON.parse(row[0]!.other)).toMatchObject({ container_count: 1, container_price: 0.03 });
  });

  it('costs nothing if it is unknown whether it is new, and the call is charged', async () => {
    answer = answering([ran('cntr_1'), said]);
    const { schema } = gate.core.store.db;
    await schema.alterTable('vendor_objects').renameTo('away').execute();
    expect(await costOf(() => ask(caller, [auto]))).toBe(tokens);
    await schema.alterTable('away').renameTo('vendor_objects').execute();
    expect(await costOf(() => ask(caller, [auto]))).toBe(session + tokens);
  });

  it.each([false, true])('is charged to callers of other protocols (stream: %s)', async (stream) => {
    answer = answering([ran('cntr_1'), said]);
    const body = {
      model,
      stream,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'a' }],
      tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
    };
    const cost = await costOf(async () => {
      const response = await fetch(`${gate.url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': caller.key, 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).not.toContain('cntr_1');
      await expect.poll(() => gate.relay.gateway.running.size, { interval: 2 }).toBe(0);
    });
    expect(cost).toBe(session + tokens);
  });
});

describe('what code of a message made', () => {
  const result = (file_id: string) => ({
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: {
      type: 'bash_code_execution_result',
      stdout: '',
      stderr: '',
      return_code: 0,
      content: [{ type: 'bash_code_execution_output', file_id }],
    },
  });
  const container = { id: 'container_1', expires_at: '2030-01-01T00:00:00Z' };
  const usage = { input_tokens: 5, output_tokens: 5 };
  const message = (content: object[]) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: claude,
    content,
    container,
    stop_reason: 'end_turn',
    usage,
  });
  const streamed =
    (blocks: object[]): Behaviour =>
    async (exchange) => {
      exchange.head(200, { 'content-type': 'text/event-stream' });
      const all = [
        { type: 'message_start', message: { ...message([]), container: null, stop_reason: null } },
        ...blocks.flatMap((content_block, index) => [
          { type: 'content_block_start', index, content_block },
          { type: 'content_block_stop', index },
        ]),
        { type: 'message_delta', delta: { stop_reason: 'end_turn', container }, usage },
        { type: 'message_stop' },
      ];
      const text = all.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('');
      await exchange.end(Buffer.from(text));
    };
  const ask = async (who: TestCaller, stream: boolean, more = {}): Promise<void> => {
    const body = {
      model: claude,
      max_tokens: 100,
      messages: [{ role: 'user' as const, content: 'a' }],
      tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
      stream,
      ...more,
    };
    const response = await fetch(`${gate.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': who.key, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
  };
  const download = (who: TestCaller, id: string) => failure(anthropicOf(who).beta.files.download(id));

  it.each([false, true])('can be read by its user, also from a stream (%s)', async (stream) => {
    const blocks = [result('file_made1')];
    answer = stream ? streamed(blocks) : json(message(blocks));
    await ask(caller, stream);
    const key = askedKey();
    answer = json({ ok: true });
    for (let round = 0; round < 3; round += 1) {
      await download(caller, 'file_made1');
      expect(gate.upstream.requests.at(-1)!.path).toBe('/v1/files/file_made1/content');
      expect(askedKey()).toBe(key);
    }
    const count = gate.upstream.requests.length;
    expect(await download(stranger, 'file_made1')).toMatchObject({ status: 404 });
    expect(gate.upstream.requests.length).toBe(count);
    answer = json(message([]));
    for (const named of ['container_1', { id: 'container_1', skills: [] }]) {
      await ask(caller, false, { container: named });
      expect(askedKey()).toBe(key);
    }
    const refused = await fetch(`${gate.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': stranger.key, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: claude,
        max_tokens: 9,
        messages: [{ role: 'user', content: 'a' }],
        container: 'container_1',
      }),
    });
    expect(refused.status).toBe(404);
  });

  it('is nothing that a model only says, nor anything of another user', async () => {
    answer = json(message([result('file_victim')]));
    await ask(stranger, false);
    const said = [
      {
        type: 'tool_use',
        id: 't',
        name: 'f',
        input: { file_id: 'file_other', content: [{ file_id: 'file_other' }] },
      },
      { type: 'text', text: '"file_id":"file_other"' },
      result('file_victim'),
    ];
    for (const stream of [false, true]) {
      answer = stream ? streamed(said) : json(message(said));
      await ask(caller, stream);
    }
    for (const id of ['file_other', 'file_victim'])
      expect(await download(caller, id)).toMatchObject({ status: 404 });
  });
});
