import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { typedEvents } from '../../testing/upstream/fake-upstream-media.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
let now: number;
const model = 'gpt-4o-mini';
/** Names of the channels; their keys identify them to the upstream. */
const keys = ['sk-first', 'sk-second', 'sk-third'];

const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });

const responseOf = (id: string, store: boolean) => ({
  id,
  object: 'response',
  status: 'completed',
  model,
  store,
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
});
/** The next answer is a response with this id. */
const answering = (id: string, store = true): void => gate.upstream.next(json(responseOf(id, store)));
const askedKey = (): string => String(gate.upstream.requests.at(-1)!.headers.authorization).slice(7);
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({}, {}, () => now);
  for (const key of keys) await gate.addChannel({ name: key, key });
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('a call that continues a stored response', () => {
  it('goes to the channel that made it, whole or streamed, and to no other when that one fails', async () => {
    await gate.core.settings.set('RetryTimes', '3');
    for (let round = 0; round < 6; round += 1) {
      answering(`resp_${round}`);
      await sdk.responses.create({ model, input: 'hi' });
      const made = askedKey();
      for (let again = 0; again < 4; again += 1) {
        answering(`resp_${round}_${again}`);
        await sdk.responses.create({ model, input: 'on', previous_response_id: `resp_${round}` });
        expect(askedKey()).toBe(made);
      }
    }
    const response = responseOf('resp_streamed', true);
    gate.upstream.next(
      typedEvents(
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'hi' },
        { type: 'response.completed', response },
      ),
    );
    const stream = await sdk.responses.create({ model, input: 'hi', stream: true });
    for await (const event of stream) expect(event.type).toMatch(/^response/);
    const made = askedKey();
    const sent = gate.upstream.requests.length;
    gate.upstream.next('refuse-500');
    const failed = await readFailure(
      sdk.responses.create({ model, input: 'on', previous_response_id: response.id }),
    );
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
    expect(gate.upstream.requests).toHaveLength(sent + 1);
    expect(askedKey()).toBe(made);
  });

  it('is refused as OpenAI does, and costs nothing, where the response is not known or not the caller’s', async () => {
    answering('resp_of_caller');
    await sdk.responses.create({ model, input: 'hi' });
    answering('resp_not_stored', false);
    await sdk.responses.create({ model, input: 'hi', store: false });
    const other = await gate.addCaller();
    const sent = gate.upstream.requests.length;
    for (const [who, id] of [
      [caller, 'resp_never_made'],
      [caller, 'resp_not_stored'],
      [other, 'resp_of_caller'],
    ] as const) {
      const asked = { model, input: 'on', previous_response_id: id };
      expect(await readFailure(clientOf(who).responses.create(asked))).toMatchObject({
        status: 400,
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        type: 'invalid_request_error',
        message: expect.stringContaining(`Previous response with id '${id}' not found`) as string,
      });
    }
    expect(gate.upstream.requests).toHaveLength(sent);
    expect(await gate.readBalance(other)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('is refused once its channel is off, serves the caller no more, or has forgotten it', async () => {
    answering('resp_1');
    await sdk.responses.create({ model, input: 'hi' });
    const id = keys.indexOf(askedKey()) + 1;
    const next = { model, input: 'on', previous_response_id: 'resp_1' };
    for (const [change, back] of [
      [{ status: 2 }, { status: 1 }],
      [{ group: 'vip' }, { group: 'default' }],
      [{ models: 'gpt-4o' }, { models: model }],
    ]) {
      await gate.core.channels.update({ id, ...change });
      expect(await readFailure(sdk.responses.create(next))).toMatchObject({
        code: 'previous_response_not_found',
      });
      await gate.core.channels.update({ id, ...back });
    }
    answering('resp_2');
    await sdk.responses.create(next);
    now += 31 * 86_400_000;
    expect(await readFailure(sdk.responses.create(next))).toMatchObject({
      code: 'previous_response_not_found',
    });
    await gate.relay.storedResponses.sweep();
    const rows = await gate.core.store.db.selectFrom('stored_responses').selectAll().execute();
    expect(rows).toEqual([]);
  });

  it('is refused for a conversation: there are none here', async () => {
    for (const conversation of ['conv_1', { id: 'conv_1' }])
      expect(await readFailure(sdk.responses.create({ model, input: 'hi', conversation }))).toMatchObject({
        status: 404,
        code: 'conversation_not_found',
        param: 'conversation',
      });
    expect(gate.upstream.requests).toHaveLength(0);
  });
});
