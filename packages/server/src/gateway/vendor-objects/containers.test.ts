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
