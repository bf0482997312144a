import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { chat, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { typedEvents } from '../../testing/upstream/fake-upstream-media.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
const native = 'gpt-4o-mini';
const translated = 'mistral-small';
const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const last = () => gate.upstream.requests.at(-1)!;
const sent = (): string => last().body.toString();
const askedKey = (): string => String(last().headers.authorization).slice(7);
/** The next answers of a channel of another protocol. */
const saying = (...texts: string[]): void =>
  gate.upstream.next(...texts.map((text) => chat({ chunks: 1, text: () => text })));
const ask = (model: string, input: string, conversation: string) =>
  sdk.responses.create({ model, input, conversation }) as Promise<OpenAI.Responses.Response>;
/** Every call about a conversation that a caller may not see. */
const calls = (client: OpenAI, id: string): (() => unknown)[] => [
  () => client.conversations.retrieve(id),
  () => client.conversations.update(id, { metadata: { a: 'b' } }),
  () => client.conversations.items.list(id),
  () => client.conversations.items.create(id, { items: [{ role: 'user', content: 'x' }] }),
  () => client.conversations.items.retrieve('msg_1', { conversation_id: id }),
  () => client.conversations.items.delete('msg_1', { conversation_id: id }),
  () => client.conversations.delete(id),
];
const missing = { status: 404, code: 'conversation_not_found' };

beforeEach(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 42, models: translated });
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

describe('a conversation that the gateway keeps', () => {
  beforeEach(() => gate.core.settings.set('StoredResponseDays', '1'));

  it('is continued by responses on channels of other protocols, whole and streamed, with their items', async () => {
    const { id } = await sdk.conversations.create({
      items: [{ type: 'message', role: 'user', content: 'My name is Ann.' }],
      metadata: { topic: 'names' },
    });
    saying('Hello Ann.', 'Ann.');
    const first = await ask(translated, 'Hello.', id);
    expect(first).toMatchObject({ conversation: { id }, output_text: 'Hello Ann.' });
    const stream = await sdk.responses.create({
      model: translated,
      input: 'What is my name?',
      conversation: { id },
      stream: true,
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toBe('response.completed');
    for (const text of ['My name is Ann.', 'Hello.', 'Hello Ann.', 'What is my name?'])
      expect(sent()).toContain(text);
    expect(sent()).not.toContain(id);
    const { data } = await sdk.conversations.items.list(id, { order: 'asc' });
    expect(data.map((item) => ('role' in item ? item.role : ''))).toEqual([
      'user',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    const rows = await gate.core.store.db
      .selectFrom('kept_responses')
      .select('conversation_sealed')
      .execute();
    expect(JSON.stringify(rows)).not.toContain('Ann');
  });

  it('is continued on a channel of OpenAI as well, which knows nothing of it', async () => {
    const { id } = await sdk.conversations.create({ items: [{ role: 'user', content: 'A' }] });
    await gate.addChannel({ models: native });
    const message = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'B' }],
    };
    const response = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: native,
      output: [message],
    };
    gate.upstream.next(json({ ...response, usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 } }));
    expect(await ask(native, 'C', id)).toMatchObject({ conversation: { id }, output_text: 'B' });
    expect(JSON.parse(sent()) as JsonObject).not.toHaveProperty('conversation');
    saying('D');
    await ask(translated, 'E', id);
    for (const text of ['A', 'B', 'C', 'E']) expect(sent()).toContain(`"${text}"`);
  });

  it('is read, changed, listed and deleted by its user, and by no other one', async () => {
    const { id } = await sdk.conversations.create({ metadata: { a: '1' } });
    expect(await sdk.conversations.update(id, { metadata: { a: '2' } })).toMatchObject({
      metadata: { a: '2' },
    });
    const added = await sdk.conversations.items.create(id, {
      items: [
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
      ],
    });
    expect(added.data).toHaveLength(2);
    const [one, two] = added.data.map((item) => String(item.id));
    expect(await sdk.conversations.items.retrieve(two!, { conversation_id: id })).toMatchObject({
      content: 'two',
    });
    await sdk.conversations.items.delete(one!, { conversation_id: id });
    expect((await sdk.conversations.items.list(id)).data.map((item) => item.id)).toEqual([two]);
    for (const work of calls(clientOf(await gate.addCaller()), id))
      await expect(Promise.resolve(work())).rejects.toMatchObject(missing);
    const stranger = clientOf(await gate.addCaller());
    const taken = stranger.responses.create({ model: translated, input: 'x', conversation: id });
    expect(await readFailure(taken)).toMatchObject({ ...missing, param: 'conversation' });
    expect(await sdk.conversations.delete(id)).toMatchObject({ deleted: true });
    expect(await readFailure(sdk.conversations.retrieve(id))).toMatchObject(missing);
    expect(gate.upstream.requests).toHaveLength(0);
  });

  it('loses nothing that is added to it at the same time', async () => {
    const { id } = await sdk.conversations.create({});
    const texts = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      texts.map((content) => sdk.conversations.items.create(id, { items: [{ role: 'user', content }] })),
    );
    const { data } = await sdk.conversations.items.list(id);
    const contents = data.map((item) => ('content' in item ? JSON.stringify(item.content) : ''));
    expect(contents.toSorted((a, b) => a.localeCompare(b))).toEqual(
      texts.map((text) => JSON.stringify(text)),
    );
  });
});

describe('a conversation of a vendor', () => {
  const keys = ['sk-first', 'sk-second', 'sk-third'];
  beforeEach(async () => {
    for (const key of keys) await gate.addChannel({ name: key, key, models: native });
  });
  const conversation = { id: 'conv_1', object: 'conversation', created_at: 1, metadata: {} };

  it('and all calls about it go to the channel that made it, and are free', async () => {
    for (let round = 0; round < 4; round += 1) {
      const id = `conv_${round}`;
      gate.upstream.next(json({ ...conversation, id }));
      await sdk.conversations.create({ items: [{ role: 'user', content: 'hi' }] });
      const made = askedKey();
      expect(JSON.parse(sent())).toEqual({ items: [{ role: 'user', content: 'hi' }] });
      const response = {
        id: `resp_${round}`,
        object: 'response',
        status: 'completed',
        model: native,
        store: true,
        output: [],
      };
      gate.upstream.next(
        typedEvents({
          type: 'response.completed',
          response: { ...response, usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 } },
        }),
        json({ object: 'list', data: [], has_more: false }),
        json({ id, object: 'conversation.deleted', deleted: true }),
      );
      const stream = await sdk.responses.create({
        model: native,
        input: 'on',
        conversation: id,
        stream: true,
      });
      for await (const { type } of stream) expect(type).toBe('response.completed');
      expect(JSON.parse(sent())).toMatchObject({ conversation: id });
      expect(askedKey()).toBe(made);
      await sdk.conversations.items.list(id, { limit: 5 });
      expect([askedKey(), last().path]).toEqual([made, `/v1/conversations/${id}/items?limit=5`]);
      await sdk.conversations.delete(id);
      expect([askedKey(), last().method, last().path]).toEqual([made, 'DELETE', `/v1/conversations/${id}`]);
      expect(await readFailure(sdk.conversations.retrieve(id))).toMatchObject(missing);
    }
    await gate.core.ledger.flush();
    const rows = await gate.core.store.db.selectFrom('logs').select('id').where('type', '=', 2).execute();
    expect(rows).toHaveLength(4);
  });

  it('does not exist for others, nor on other channels', async () => {
    gate.upstream.next(json(conversation));
    const { id } = await sdk.conversations.create({});
    const count = gate.upstream.requests.length;
    for (const work of calls(clientOf(await gate.addCaller()), id))
      await expect(Promise.resolve(work())).rejects.toMatchObject(missing);
    expect(await readFailure(ask(translated, 'x', id))).toMatchObject({ ...missing, param: 'conversation' });
    expect(gate.upstream.requests).toHaveLength(count);
  });
});

it('a conversation is not offered where neither a vendor nor the gateway keeps it', async () => {
  expect(await readFailure(sdk.conversations.create({}))).toMatchObject({
    status: 501,
    code: 'api_not_implemented',
  });
});
