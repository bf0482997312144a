import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
const model = 'claude-sonnet-4-5';
const summary = 'They spoke of Ulm, where it rains.';
const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const sent = (): string => gate.upstream.requests.at(-1)!.body.toString();
const answering = (text: string): void =>
  gate.upstream.next(
    json({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: text === '' ? [] : [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 30, output_tokens: 20 },
    }),
  );
const conversation: OpenAI.Responses.ResponseInput = [
  { role: 'user', content: 'How is the weather in Ulm?' },
  { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Ulm"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'raining cats' },
  { role: 'assistant', content: 'It rains.' },
];
const compact = async (): Promise<OpenAI.Responses.CompactedResponse> => {
  answering(summary);
  return sdk.responses.compact({ model, input: conversation, instructions: 'Be brief.' });
};
/** The compacted items, as a client sends them back. */
const asInput = ({ output }: OpenAI.Responses.CompactedResponse) => output as OpenAI.Responses.ResponseInput;
const charges = async () => {
  await gate.core.ledger.flush();
  return gate.core.store.db
    .selectFrom('logs')
    .select(['quota', 'model_name'])
    .where('type', '=', 2)
    .execute();
};

beforeEach(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 14, models: model });
  await gate.addChannel({ type: 1, models: 'gpt-4o-mini' });
  await gate.core.settings.set('StoredResponseDays', '1');
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 10, 'gpt-4o-mini': 1 }));
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

describe('a compaction on a channel of another protocol', () => {
  it('is a summary by the model, charged as its call, that no one can read but this gateway', async () => {
    const compacted = await compact();
    for (const text of ['weather in Ulm', 'Call of weather', 'raining cats', 'It rains.', 'Be brief.'])
      expect(sent()).toContain(text);
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      output: [{ type: 'message', role: 'user' }, { type: 'compaction' }],
      usage: { input_tokens: 30, output_tokens: 20 },
    });
    expect(JSON.stringify(compacted)).not.toContain(summary);
    const quota = 10 * (30 + 5 * 20);
    expect(await charges()).toEqual([{ quota, model_name: model }]);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000 - quota, held: 0 });
  });

  it('goes on with its items on every channel, counted as they are sent, and is compacted again', async () => {
    const items = asInput(await compact());
    answering('Still.');
    for (const each of [model, 'gpt-4o-mini']) {
      const asked = { model: each, input: [...items, { role: 'user' as const, content: 'And now?' }] };
      const { input_tokens: counted } = await sdk.responses.inputTokens.count(asked);
      expect(counted).toBeGreaterThan(15);
      await sdk.responses.create(asked);
      for (const text of ['weather in Ulm', summary, 'And now?']) expect(sent()).toContain(text);
      expect(sent()).not.toContain('encrypted_content');
    }
    answering('Shorter.');
    const again = await sdk.responses.compact({ model, input: items });
    expect(sent()).toContain(summary);
    expect(again.output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    expect(JSON.stringify(again)).not.toContain(summary);
  });

  it('takes the conversation of a response that is kept here, and is continued by one', async () => {
    answering('Blue as the sea.');
    const { id } = await sdk.responses.create({ model, input: 'Which colour has the sky?' });
    answering(summary);
    const compacted = await sdk.responses.compact({ model, previous_response_id: id });
    for (const text of ['Which colour', 'Blue as the sea']) expect(sent()).toContain(text);
    answering('one');
    const next = await sdk.responses.create({ model, input: asInput(compacted) });
    answering('two');
    await sdk.responses.create({ model, input: 'On', previous_response_id: next.id });
    for (const text of [summary, 'one', 'On']) expect(sent()).toContain(text);
  });

  it('is refused for others, when it was changed, and where responses are not kept', async () => {
    const items = asInput(await compact());
    const other = clientOf(await gate.addCaller());
    const [, compaction] = items as [unknown, OpenAI.Responses.ResponseCompactionItemParam];
    const changed = { ...compaction, encrypted_content: `${compaction.encrypted_content.slice(0, -4)}AAAA` };
    const before = gate.upstream.requests.length;
    for (const work of [
      other.responses.create({ model, input: items }),
      other.responses.inputTokens.count({ model, input: items }),
      sdk.responses.create({ model, input: [changed] }),
    ])
      expect(await readFailure(work as Promise<unknown>)).toMatchObject({
        status: 400,
        code: 'compaction_unreadable',
      });
    // One of a vendor cannot be read by another vendor.
    const foreign = { type: 'compaction' as const, encrypted_content: 'gAAAAB' };
    expect(await readFailure(sdk.responses.create({ model, input: [foreign] }))).toMatchObject({
      status: 400,
    });
    await gate.core.settings.set('StoredResponseDays', '0');
    expect(await readFailure(sdk.responses.compact({ model, input: 'x' }))).toMatchObject({
      code: 'invalid_api_type',
    });
    expect(gate.upstream.requests).toHaveLength(before);
    expect(await charges()).toHaveLength(1);
  });

  it('fails as its call does, and is one call with an Idempotency-Key', async () => {
    gate.upstream.next('refuse-500');
    expect(await readFailure(sdk.responses.compact({ model, input: 'x' }))).toMatchObject({ status: 500 });
    const poor = clientOf(await gate.addCaller({ balance: 0 }));
    expect(await readFailure(poor.responses.compact({ model, input: 'x' }))).toMatchObject({ status: 403 });
    expect(await charges()).toEqual([]);
    const once = { headers: { 'idempotency-key': 'just-once' } };
    answering(summary);
    const first = await sdk.responses.compact({ model, input: 'x' }, once);
    expect(await sdk.responses.compact({ model, input: 'x' }, once)).toEqual(first);
    expect(await charges()).toHaveLength(1);
  });
});
