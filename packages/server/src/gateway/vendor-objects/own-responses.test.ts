import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Behaviour, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;

/** Channels of other protocols, by the model that each serves. */
const vendors = { 'mistral-small': 42, 'claude-sonnet-4-5': 14, 'gemini-2.5-flash': 24 } as const;
type Model = keyof typeof vendors;
const models = Object.keys(vendors) as Model[];

/** A piece of an answer's stream in the protocol of a model's vendor. */
const pieces: Readonly<Record<Model, { open: object[]; text: (text: string) => object; close: object[] }>> = {
  'mistral-small': {
    open: [],
    text: (content) => ({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content } }] }),
    close: [
      {
        id: 'c',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage: { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 },
      },
    ],
  },
  'claude-sonnet-4-5': {
    open: [
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', usage: { input_tokens: 30, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    text: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    close: [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    ],
  },
  'gemini-2.5-flash': {
    open: [],
    text: (text) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
    close: [
      {
        candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 20, totalTokenCount: 50 },
      },
    ],
  },
};
const words = ['The ', 'sky ', 'is ', 'blue.'];

/** The test lets the answer go on. */
let goOn: () => void;
/** An answer that stops after two words until the test lets it go on. */
const stopping = (model: Model): Behaviour => {
  const { open, text, close } = pieces[model];
  const { promise, resolve } = Promise.withResolvers<void>();
  goOn = resolve;
  return async (exchange) => {
    exchange.head(200, sseHeaders);
    for (const each of [...open, ...words.slice(0, 2).map(text)]) await exchange.write(event(each));
    await promise;
    for (const each of [...words.slice(2).map(text), ...close]) await exchange.write(event(each));
    await exchange.end();
  };
};
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
type Events = OpenAI.Responses.ResponseStreamEvent[];
const begin = (model: Model) =>
  sdk.responses.create({ model, input: 'Why?', background: true, stream: true });
const readAll = async (stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<Events> => {
  const events: Events = [];
  for await (const each of stream) events.push(each);
  return events;
};
const resume = async (id: string, after?: number): Promise<Events> =>
  readAll(
    await sdk.responses.retrieve(id, {
      stream: true,
      ...(after !== undefined && { starting_after: after }),
    }),
  );
const numbersOf = (events: Events): number[] => events.map(({ sequence_number: number }) => number);
const textOfAll = (events: Events): string =>
  events.map((each) => (each.type === 'response.output_text.delta' ? each.delta : '')).join('');
/** Begins a response and leaves once the first words are here; returns its events up to then. */
async function beginAndLeave(model: Model): Promise<{ id: string; seen: Events }> {
  const stream = await begin(model);
  const seen: Events = [];
  for await (const each of stream) {
    seen.push(each);
    if (textOfAll(seen) === 'The sky ') break;
  }
  stream.controller.abort();
  const [first] = seen;
  return { id: (first as OpenAI.Responses.ResponseCreatedEvent).response.id, seen };
}
const charges = async () => {
  await gate.core.ledger.flush();
  return gate.core.store.db
    .selectFrom('logs')
    .select(['quota', 'completion_tokens'])
    .where('type', '=', 2)
    .execute();
};

beforeEach(async () => {
  gate = await openGateway();
  for (const [model, type] of Object.entries(vendors)) await gate.addChannel({ type, models: model });
  await gate.core.settings.set('StoredResponseDays', '1');
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  goOn();
  await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
  await gate.checkAtRest();
  await gate.close();
});

describe('a response in the background at a vendor that runs none', () => {
  it.each(models)(
    'of %s is streamed, resumed by several readers while it runs, and replayed',
    async (model) => {
      gate.upstream.next(stopping(model));
      const { id, seen } = await beginAndLeave(model);
      const after = seen.at(-1)!.sequence_number;
      const readers = [resume(id, after), resume(id), resume(id, 1)];
      expect(await sdk.responses.retrieve(id)).toMatchObject({ status: 'in_progress', background: true });
      goOn();
      const [rest, all, most] = await Promise.all(readers);
      expect(numbersOf(all!)).toEqual(all!.map((_, index) => index));
      expect(all!.slice(0, seen.length)).toEqual(seen);
      expect([...seen, ...rest!]).toEqual(all);
      expect(most).toEqual(all!.slice(2));
      expect(textOfAll(all!)).toBe(words.join(''));
      expect(all!.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { id, status: 'completed', background: true },
      });
      expect(await resume(id)).toEqual(all);
      expect(await resume(id, all!.length + 5)).toEqual([]);
      expect(await sdk.responses.retrieve(id)).toMatchObject({
        status: 'completed',
        output_text: words.join(''),
      });
      expect(await charges()).toMatchObject([{ completion_tokens: 20 }]);
    },
  );

  it('is polled without a stream, and continued once it has ended', async () => {
    const model = 'claude-sonnet-4-5';
    gate.upstream.next(stopping(model));
    const begun = await sdk.responses.create({ model, input: 'Why?', background: true });
    expect(begun).toMatchObject({ status: 'queued', background: true, output: [] });
    const next = { model, input: 'On', previous_response_id: begun.id };
    expect(await readFailure(sdk.responses.create(next))).toMatchObject({
      status: 400,
      code: 'previous_response_running',
    });
    expect((await gate.readBalance(caller)).held).toBeGreaterThan(0);
    goOn();
    await expect.poll(async () => (await sdk.responses.retrieve(begun.id)).status).toBe('completed');
    expect((await sdk.responses.inputItems.list(begun.id)).data).toMatchObject([{ role: 'user' }]);
    gate.upstream.next(stopping(model));
    goOn();
    await readAll(await sdk.responses.create({ ...next, stream: true }));
    expect(gate.upstream.requests.at(-1)!.body.toString()).toContain('The sky is blue.');
    expect(await charges()).toHaveLength(2);
  });

  it('is cancelled for what it has made, and then deleted with its events', async () => {
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    const { id } = await beginAndLeave('claude-sonnet-4-5');
    const reader = resume(id);
    expect(await sdk.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect((await reader).at(-1)).toMatchObject({ type: 'response.cancelled' });
    expect(await sdk.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    const [charged] = await charges();
    expect(charged!.completion_tokens).toBeLessThan(20);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000 - charged!.quota, held: 0 });
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    const running = await beginAndLeave('claude-sonnet-4-5');
    await sdk.responses.delete(running.id);
    await sdk.responses.delete(id);
    expect(await gate.core.store.db.selectFrom('kept_responses').selectAll().execute()).toEqual([]);
    expect(await readFailure(resume(id))).toMatchObject({ status: 404 });
  });

  it('does not exist for others, and fails as its call does', async () => {
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    const { id } = await beginAndLeave('claude-sonnet-4-5');
    const other = clientOf(await gate.addCaller());
    for (const work of [
      other.responses.retrieve(id),
      other.responses.retrieve(id, { stream: true }),
      other.responses.cancel(id),
      other.responses.delete(id),
      sdk.responses.retrieve(`${id} events 0`),
    ])
      expect(await readFailure(work as Promise<unknown>)).toMatchObject({ code: 'response_not_found' });
    goOn();
    expect((await resume(id)).at(-1)).toMatchObject({ type: 'response.completed' });
    gate.upstream.next('refuse-500');
    expect(await readFailure(begin('claude-sonnet-4-5'))).toMatchObject({ status: 500 });
    gate.upstream.next('refuse-500');
    const failed = await sdk.responses.create({
      model: 'claude-sonnet-4-5',
      input: 'Why?',
      background: true,
    });
    await expect.poll(async () => (await sdk.responses.retrieve(failed.id)).status).toBe('failed');
    const poor = clientOf(await gate.addCaller({ balance: 0 }));
    const asked = { model: 'claude-sonnet-4-5', input: 'hi', background: true };
    expect(await readFailure(poor.responses.create(asked))).toMatchObject({ status: 403 });
    expect(await readFailure(sdk.responses.create({ ...asked, store: false }))).toMatchObject({
      code: 'background_not_stored',
    });
  });

  it('serves a hundred readers at once, and is one call with an Idempotency-Key', async () => {
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    const { id } = await beginAndLeave('claude-sonnet-4-5');
    const readers = Array.from({ length: 100 }, (_, index) => resume(id, index % 5));
    goOn();
    const read = await Promise.all(readers);
    for (const [index, events] of read.entries()) {
      expect(events.at(-1)!.type).toBe('response.completed');
      expect(events[0]!.sequence_number).toBe((index % 5) + 1);
    }
    const sent = gate.upstream.requests.length;
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    goOn();
    const once = (): Promise<OpenAI.Responses.Response> =>
      sdk.responses.create(
        { model: 'claude-sonnet-4-5', input: 'Why?', background: true },
        { headers: { 'idempotency-key': 'just-once' } },
      );
    expect((await once()).id).toBe((await once()).id);
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
    expect(gate.upstream.requests).toHaveLength(sent + 1);
    expect(await charges()).toHaveLength(2);
  });

  it('adds to its conversation once it has ended', async () => {
    const model = 'claude-sonnet-4-5';
    const { id: conversation } = await sdk.conversations.create({});
    gate.upstream.next(stopping(model));
    goOn();
    const stream = await sdk.responses.create({
      model,
      input: 'Why?',
      background: true,
      stream: true,
      conversation,
    });
    expect((await readAll(stream)).at(-1)).toMatchObject({
      type: 'response.completed',
      response: { conversation: { id: conversation } },
    });
    const { data } = await sdk.conversations.items.list(conversation, { order: 'asc' });
    expect(data).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
    expect(
      await readFailure(
        sdk.conversations.items.list(conversation, { after: 'msg_unknown' }) as Promise<unknown>,
      ),
    ).toMatchObject({ status: 400, code: 'invalid_query' });
  });

  it('is refused and free if its conversation is too long to be kept', async () => {
    gate.upstream.script('stall-before-headers');
    goOn = () => undefined;
    const input = Array.from({ length: 250_000 }, () => Math.random().toString(36)).join(' ');
    for (const stream of [true, false])
      expect(
        await readFailure(
          sdk.responses.create({ model: 'claude-sonnet-4-5', input, background: true, stream }),
        ),
      ).toMatchObject({ status: 400, code: 'conversation_too_long' });
    expect(await charges()).toEqual([]);
  });

  it('fails with its text in its events if it is too long to be kept with its conversation', async () => {
    const long = (length: number): string =>
      Array.from({ length: length / 10 }, () => Math.random().toString(36).slice(2, 12)).join('');
    const model = 'claude-sonnet-4-5';
    const { open, text, close } = pieces[model];
    gate.upstream.next(async (exchange) => {
      exchange.head(200, sseHeaders);
      for (const each of [...open, text(long(300_000)), ...close]) await exchange.write(event(each));
      await exchange.end();
    });
    goOn = () => undefined;
    const rich = await gate.addCaller({ balance: 5_000_000_000 });
    sdk = clientOf(rich);
    const events = await readAll(
      await sdk.responses.create({ model, input: long(1_600_000), background: true, stream: true }),
    );
    const failed = { status: 'failed', error: { message: expect.stringContaining('too long') as string } };
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: failed });
    expect(textOfAll(events).length).toBeGreaterThan(290_000);
    const { id } = (events[0] as OpenAI.Responses.ResponseCreatedEvent).response;
    expect(await sdk.responses.retrieve(id)).toMatchObject(failed);
    expect(await charges()).toMatchObject([{ completion_tokens: 20 }]);
  });

  it('is one of 32 of its user, and each is held for', async () => {
    gate.upstream.script('stall-before-headers');
    goOn = () => undefined;
    const start = (): Promise<unknown> =>
      readFailure(sdk.responses.create({ model: 'claude-sonnet-4-5', input: 'Why?', background: true }));
    const begun = await Promise.all(Array.from({ length: 40 }, start));
    const ids = begun.flatMap((each) => (each instanceof OpenAI.APIError ? [] : [each as { id: string }]));
    expect(ids).toHaveLength(32);
    expect(begun.find((each) => each instanceof OpenAI.APIError)).toMatchObject({ status: 429 });
    expect(await gate.openHolds()).toBe(32);
    // Several at once cancel or delete the same ones.
    const ends = ids.flatMap(({ id }) => [
      sdk.responses.cancel(id),
      sdk.responses.delete(id),
      sdk.responses.delete(id),
    ]);
    await Promise.allSettled(ends as Promise<unknown>[]);
    await expect.poll(() => gate.openHolds()).toBe(0);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
    expect(await gate.core.store.db.selectFrom('kept_responses').selectAll().execute()).toEqual([]);
  });

  it('fails for its readers once responses are no longer kept, and keeps nothing more', async () => {
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    const { id } = await beginAndLeave('claude-sonnet-4-5');
    await gate.core.settings.set('StoredResponseDays', '0');
    goOn();
    await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
    expect(await readFailure(sdk.responses.retrieve(id))).toMatchObject({ status: 404 });
    await gate.relay.keptResponses.sweep();
    expect(await gate.core.store.db.selectFrom('kept_responses').selectAll().execute()).toEqual([]);
    expect(await charges()).toHaveLength(1);
  });

  it('is kept and charged the same while its texts are captured', async () => {
    await gate.core.settings.set('ContentCapture', JSON.stringify([`key:${caller.tokenId}`]));
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    goOn();
    const events = await readAll(await begin('claude-sonnet-4-5'));
    expect(textOfAll(events)).toBe(words.join(''));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
    expect(await charges()).toMatchObject([{ completion_tokens: 20 }]);
  });

  it('needs a number to go on from', async () => {
    gate.upstream.next(stopping('claude-sonnet-4-5'));
    const { id } = await beginAndLeave('claude-sonnet-4-5');
    goOn();
    for (const after of ['-1', '1.5', 'x', '99999999999999999999', '1e3'])
      expect(
        await fetch(`${gate.url}/v1/responses/${id}?stream=true&starting_after=${after}`, {
          headers: { authorization: `Bearer ${caller.key}` },
        }).then(({ status }) => status),
      ).toBe(400);
  });
});
