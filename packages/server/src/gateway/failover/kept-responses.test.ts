import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Behaviour, chat, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { typedEvents } from '../../testing/upstream/fake-upstream-media.ts';
import { event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
let now: number;
const day = 86_400_000;

/** Channels of other protocols, by the model that each serves. */
const vendors = { 'mistral-small': 42, 'claude-sonnet-4-5': 14, 'gemini-2.5-flash': 24 } as const;
type Model = keyof typeof vendors;
const models = Object.keys(vendors) as Model[];

const usages = { prompt_tokens: 30, completion_tokens: 2, total_tokens: 32 };
const answers: Readonly<Record<Model, (text: string) => object>> = {
  'mistral-small': (text) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'mistral-small',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: usages,
  }),
  'claude-sonnet-4-5': (text) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 30, output_tokens: 2 },
  }),
  'gemini-2.5-flash': (text) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 2, totalTokenCount: 32 },
  }),
};
/** The same answers as streams. */
const streams: Readonly<Record<Model, (text: string) => Behaviour>> = {
  'mistral-small': (text) => chat({ chunks: 1, text: () => text }),
  'claude-sonnet-4-5': (text) =>
    typedEvents(
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', usage: { input_tokens: 30, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ),
  'gemini-2.5-flash': (text) => async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.write(event(answers['gemini-2.5-flash'](text)));
    await exchange.end();
  },
};
const answering = (model: Model, text: string): void => gate.upstream.next(json(answers[model](text)));
const sent = (): string => gate.upstream.requests.at(-1)!.body.toString();
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const rows = () => gate.core.store.db.selectFrom('kept_responses').selectAll().execute();
const ask = (model: Model, input: string, more: object = {}) =>
  sdk.responses.create({ model, input, ...more }) as Promise<OpenAI.Responses.Response>;

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({}, {}, () => now);
  for (const [model, type] of Object.entries(vendors)) await gate.addChannel({ type, models: model });
  await gate.core.settings.set('StoredResponseDays', '1');
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

describe('a response of a vendor that stores none', () => {
  it.each(models)('of %s is continued with its whole conversation, whole and streamed', async (model) => {
    answering(model, 'It is blue.');
    const first = await ask(model, 'Which colour has the sky?');
    expect(first).toMatchObject({ store: true, previous_response_id: null });
    answering(model, 'By scattering.');
    const second = await ask(model, 'Why so?', { previous_response_id: first.id, instructions: 'Be brief.' });
    expect(second.previous_response_id).toBe(first.id);
    for (const text of ['Which colour has the sky?', 'It is blue.', 'Why so?', 'Be brief.'])
      expect(sent()).toContain(text);
    expect(sent()).not.toContain('previous_response_id');
    gate.upstream.next(streams[model]('It is dark.'));
    const stream = await sdk.responses.create({
      model,
      input: 'And at night?',
      previous_response_id: second.id,
      stream: true,
    });
    const events = [];
    for await (const each of stream) events.push(each);
    const end = events.find(({ type }) => type === 'response.completed') as { response: { id: string } };
    expect(end.response).toMatchObject({ store: true, previous_response_id: second.id });
    expect(sent()).toContain('By scattering.');
    // Instructions are those of one call.
    expect(sent()).not.toContain('Be brief.');
    answering(model, 'End.');
    await ask(model, 'Go on', { previous_response_id: end.response.id });
    for (const text of ['And at night?', 'It is dark.']) expect(sent()).toContain(text);
  });

  it('is continued on a channel of any other protocol, with the calls of its tools', async () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Ulm"}' },
    };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const answer = answers['mistral-small']('') as { choices: object[] };
    answer.choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    gate.upstream.next(json(answer));
    const tools: OpenAI.Responses.FunctionTool[] = [
      { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
    ];
    const first = await ask('mistral-small', 'How is the weather in Ulm?', { tools });
    expect(first.output).toMatchObject([{ type: 'function_call', call_id: 'call_1' }]);
    answering('claude-sonnet-4-5', 'Rain.');
    const result: OpenAI.Responses.ResponseInput = [
      { type: 'function_call_output', call_id: 'call_1', output: 'raining cats' },
    ];
    const second = await sdk.responses.create({
      model: 'claude-sonnet-4-5',
      input: result,
      tools,
      previous_response_id: first.id,
    });
    for (const text of ['weather in Ulm', 'Ulm', 'raining cats', 'tool_result'])
      expect(sent()).toContain(text);
    answering('gemini-2.5-flash', 'Yes.');
    await ask('gemini-2.5-flash', 'Sure?', { previous_response_id: second.id, tools });
    for (const text of ['raining cats', 'Rain.', 'Sure?']) expect(sent()).toContain(text);
  });

  it('is counted and charged by all of what is sent', async () => {
    const model = 'mistral-small';
    answering(model, 'Indeed.');
    const { id } = await ask(model, 'a long story '.repeat(400));
    const continued = { model, input: 'Why?', previous_response_id: id };
    const { input_tokens: counted } = await sdk.responses.inputTokens.count(continued);
    expect(counted).toBeGreaterThan(1_000);
    gate.upstream.next(chat({ usage: null }));
    await sdk.responses.create(continued);
    await gate.core.ledger.flush();
    const rows = await gate.core.store.db
      .selectFrom('logs')
      .select('prompt_tokens')
      .where('type', '=', 2)
      .execute();
    expect(rows.at(-1)!.prompt_tokens).toBe(counted);
  });

  it('is read, listed and deleted by its owner, and by no other user', async () => {
    answering('claude-sonnet-4-5', 'one');
    const first = await ask('claude-sonnet-4-5', 'first');
    answering('claude-sonnet-4-5', 'two');
    const second = await ask('claude-sonnet-4-5', 'second', { previous_response_id: first.id });
    expect(await sdk.responses.retrieve(second.id)).toMatchObject({ id: second.id, output_text: 'two' });
    const { data } = await sdk.responses.inputItems.list(second.id, { order: 'asc', limit: 2 });
    expect(data).toMatchObject([
      { type: 'message', role: 'user' },
      { type: 'message', role: 'assistant' },
    ]);
    const rest = await sdk.responses.inputItems.list(second.id, { order: 'asc', after: data[1]!.id! });
    expect(rest.data).toMatchObject([{ role: 'user', content: 'second' }]);
    const [newest] = (await sdk.responses.inputItems.list(second.id)).data;
    expect(newest).toEqual(rest.data[0]);
    const other = clientOf(await gate.addCaller());
    const missing = { status: 404, code: 'response_not_found' };
    for (const work of [
      other.responses.retrieve(second.id),
      other.responses.inputItems.list(second.id),
      other.responses.delete(second.id),
    ])
      expect(await readFailure(work as Promise<unknown>)).toMatchObject(missing);
    expect(
      await readFailure(
        other.responses.create({ model: 'claude-sonnet-4-5', input: 'x', previous_response_id: second.id }),
      ),
    ).toMatchObject({ code: 'previous_response_not_found' });
    expect(await readFailure(sdk.responses.cancel(second.id))).toMatchObject({
      status: 400,
      code: 'response_ended',
    });
    await sdk.responses.delete(second.id);
    expect(await readFailure(sdk.responses.retrieve(second.id))).toMatchObject(missing);
    expect(await sdk.responses.retrieve(first.id)).toMatchObject({ output_text: 'one' });
  });

  it('is kept sealed, for the days of the setting, and not at all with store: false or without days', async () => {
    answering('claude-sonnet-4-5', 'a secret answer');
    const { id } = await ask('claude-sonnet-4-5', 'a secret question');
    const [row] = await rows();
    expect(row!.conversation_sealed).toMatch(/^v2\./);
    expect(row!.conversation_sealed.length).toBe(row!.size);
    answering('claude-sonnet-4-5', 'kept');
    const asked = sdk.responses.create({ model: 'claude-sonnet-4-5', input: 'x', store: true });
    const { data, response } = await asked.withResponse();
    expect(data).toMatchObject({ store: true });
    expect(response.headers.get('x-tollgate-dropped')).toBeNull();
    await sdk.responses.delete(data.id);
    answering('claude-sonnet-4-5', 'not kept');
    expect(await ask('claude-sonnet-4-5', 'x', { store: false })).toMatchObject({ store: false });
    expect(await rows()).toHaveLength(1);
    now += day + 1_000;
    expect(await readFailure(sdk.responses.retrieve(id))).toMatchObject({ code: 'response_not_found' });
    await gate.relay.keptResponses.sweep();
    expect(await rows()).toEqual([]);
    await gate.core.settings.set('StoredResponseDays', '0');
    answering('claude-sonnet-4-5', 'not kept');
    expect(await ask('claude-sonnet-4-5', 'x')).toMatchObject({ store: false });
    expect(await rows()).toEqual([]);
  });

  it('is not kept beyond the limits of its size, and the oldest of a user go first', async () => {
    answering('claude-sonnet-4-5', 'short');
    const noise = Array.from({ length: 250_000 }, () => Math.random().toString(36)).join(' ');
    const { id } = await ask('claude-sonnet-4-5', noise);
    expect(await readFailure(sdk.responses.retrieve(id))).toMatchObject({ code: 'response_not_found' });
    const row = { user_id: caller.userId, at: now / 1_000, conversation_sealed: '' };
    const big = { ...row, size: 40 * 1024 * 1024 };
    await gate.core.store.db
      .insertInto('kept_responses')
      .values([
        { ...big, name: 'old' },
        { ...big, name: 'new' },
        { ...row, user_id: 999, size: 1, name: 'other' },
      ])
      .execute();
    await gate.relay.keptResponses.sweep();
    expect((await rows()).map(({ name }) => name)).toEqual(['new', 'other']);
  });

  it('is kept, too, if a vendor of the same protocol does not store it, whole and streamed', async () => {
    const native = 'gpt-5-codex';
    await gate.addChannel({ type: 1, models: native });
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
    const part = (id: string, text: string) => ({
      id,
      object: 'response',
      status: 'completed',
      model: native,
      store: false,
      output: [
        reasoning,
        { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] },
      ],
      usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
    });
    gate.upstream.next(json(part('resp_a', 'one')));
    const first = await sdk.responses.create({ model: native, input: 'first' });
    expect(await sdk.responses.retrieve(first.id)).toMatchObject({ output_text: 'one', store: true });
    gate.upstream.next(
      typedEvents(
        { type: 'response.created', response: { ...part('resp_b', ''), status: 'in_progress', output: [] } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'two' },
        { type: 'response.completed', response: part('resp_b', 'two') },
      ),
    );
    const next = { model: native, input: 'second', previous_response_id: first.id };
    const stream = await sdk.responses.create({ ...next, stream: true });
    for await (const { type } of stream) expect(type).toMatch(/^response/);
    for (const text of ['first', 'one', 'second']) expect(sent()).toContain(text);
    expect(sent()).not.toContain('rs_1');
    gate.upstream.next(json(part('resp_c', 'three')));
    const asked = { model: native, input: 'third', previous_response_id: 'resp_b' };
    await sdk.responses.create({ ...asked, store: false });
    for (const text of ['first', 'two', 'third']) expect(sent()).toContain(text);
    expect(await readFailure(sdk.responses.retrieve('resp_c'))).toMatchObject({ status: 404 });
  });

  it.each(models)('of %s has all calls about it, and none of them costs anything', async (model) => {
    answering(model, 'one');
    const { id } = await ask(model, 'first');
    const { balance } = await gate.readBalance(caller);
    expect(await sdk.responses.retrieve(id, { include: ['reasoning.encrypted_content'] })).toMatchObject({
      id,
    });
    const page: OpenAI.Responses.InputItemListParams = {
      order: 'asc',
      limit: 1,
      include: ['message.input_image.image_url'],
    };
    const { data, has_more: more } = await sdk.responses.inputItems.list(id, page);
    expect([data.length, more]).toEqual([1, false]);
    const after = { ...page, after: data[0]!.id! };
    expect((await sdk.responses.inputItems.list(id, after)).data).toEqual([]);
    const counted = { model, input: 'second', previous_response_id: id };
    const alone = await sdk.responses.inputTokens.count({ model, input: 'second' });
    const whole = await sdk.responses.inputTokens.count(counted);
    expect(whole.input_tokens).toBeGreaterThan(alone.input_tokens);
    expect(await readFailure(sdk.responses.cancel(id))).toMatchObject({ code: 'response_ended' });
    await sdk.responses.delete(id);
    expect(await readFailure(sdk.responses.retrieve(id))).toMatchObject({ status: 404 });
    await gate.core.ledger.flush();
    expect((await gate.readBalance(caller)).balance).toBe(balance);
  });
});
