import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  caller = await gate.addCaller({ balance: 2_000_000_000 });
});
afterAll(() => gate.close());

interface Money {
  quota: number;
  usd: number;
}
interface QuoteBody {
  endpoint: string;
  input_tokens: number;
  least: Money;
  likely: Money & { from: string };
  most: Money & { bound_by: string };
  affordable: boolean;
}

interface Call {
  path: string;
  body: Record<string, unknown>;
  isForm?: boolean;
}

function send(to: TestCaller, path: string, { body, isForm }: Call, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${to.key}`;
  if (!isForm)
    return fetch(gate.url + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    form.set(name, name === 'file' ? new Blob([Buffer.from(value as string, 'base64')]) : String(value));
  return fetch(gate.url + path, { method: 'POST', headers: { authorization }, body: form });
}

async function askQuote(call: Call, to = caller): Promise<QuoteBody> {
  const answer = await send(to, `/v1/quote?endpoint=${encodeURIComponent(call.path)}`, call);
  const quote = (await answer.json()) as QuoteBody;
  expect(answer.status, JSON.stringify(quote)).toBe(200);
  return quote;
}

async function readBill(call: Call): Promise<number> {
  const answer = await send(caller, call.path, call);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  const id = answer.headers.get('x-tollgate-request-id')!;
  const row = await gate.core.store.db
    .selectFrom('logs')
    .select('quota')
    .where('request_id', '=', id)
    .executeTakeFirstOrThrow();
  return row.quota;
}

const words = fc.string({
  unit: fc.constantFrom(...'abc dé你好\n{}<>1.😀'.split('')),
  minLength: 1,
  maxLength: 600,
});
const limit = fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined });
const stream = fc.boolean();
const image = fc.constantFrom('256x256', '512x512', '1024x1024');
const wav = Buffer.concat([
  Buffer.from(
    'RIFF\x24\x7d\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x7d\x00\x00',
    'latin1',
  ),
  Buffer.alloc(32_000),
]).toString('base64');

/** Every kind of call with an immediate answer. */
const kinds: Record<string, fc.Arbitrary<Call>> = {
  chat: fc
    .record({ words, limit, stream, n: fc.integer({ min: 1, max: 2 }) })
    .map(({ words: content, limit: max, n, ...rest }) => ({
      path: '/v1/chat/completions',
      body: {
        model: 'sandbox',
        messages: [{ role: 'user', content }],
        n,
        ...rest,
        ...(max && { max_tokens: max }),
      },
    })),
  responses: fc.record({ words, limit, stream }).map(({ words: input, limit: max, ...rest }) => ({
    path: '/v1/responses',
    body: { model: 'sandbox', input, ...rest, ...(max && { max_output_tokens: max }) },
  })),
  messages: fc
    .record({ words, stream, max_tokens: fc.integer({ min: 1, max: 400 }) })
    .map(({ words: content, ...rest }) => ({
      path: '/v1/messages',
      body: { model: 'sandbox', messages: [{ role: 'user', content }], ...rest },
    })),
  gemini: fc.record({ words, stream }).map(({ words: text, stream: isStream }) => ({
    path: `/v1beta/models/sandbox:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text }] }] },
  })),
  embeddings: words.map((input) => ({ path: '/v1/embeddings', body: { model: 'sandbox-embedding', input } })),
  images: fc.record({ prompt: words, size: image, n: fc.integer({ min: 1, max: 2 }) }).map((body) => ({
    path: '/v1/images/generations',
    body: { model: 'sandbox-image', ...body },
  })),
  speech: words.map((input) => ({
    path: '/v1/audio/speech',
    body: { model: 'sandbox-speech', input, voice: 'alloy', response_format: 'wav' },
  })),
  transcriptions: fc.constant({
    path: '/v1/audio/transcriptions',
    body: { model: 'sandbox-transcription', file: wav },
    isForm: true,
  }),
};

describe('a quote', () => {
  const eachIsBetween = (calls: fc.Arbitrary<Call>, numRuns: number): Promise<void> =>
    fc.assert(
      fc.asyncProperty(calls, async (call) => {
        const { least, likely, most } = await askQuote(call);
        const bill = await readBill(call);
        const told = JSON.stringify({ least, bill, most, call });
        expect([least.quota <= bill, bill <= most.quota], told).toEqual([true, true]);
        expect(least.quota <= likely.quota && likely.quota <= most.quota).toBe(true);
        expect(most.usd).toBeCloseTo(most.quota / 500_000, 9);
      }),
      { numRuns },
    );

  it.each(Object.entries(kinds))('of %s has the real bill between least and most, always', (_name, calls) =>
    expect(eachIsBetween(calls, 10)).resolves.toBeUndefined(),
  );

  it.each(Object.entries(kinds))(
    'of %s has it there in a thousand calls of all kinds',
    { tags: ['deep'], timeout: 300_000 },
    (_name, calls) => expect(eachIsBetween(calls, 125)).resolves.toBeUndefined(),
  );

  it('costs nothing, holds nothing and writes no row', async () => {
    const before = await gate.readBalance(caller);
    const rows = async () =>
      (
        await gate.core.store.db
          .selectFrom('logs')
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow()
      ).n;
    const had = await rows();
    await askQuote({
      path: '/v1/chat/completions',
      body: { model: 'sandbox', messages: [{ role: 'user', content: 'hi' }] },
    });
    await gate.core.ledger.flush();
    expect([await gate.readBalance(caller), await rows(), await gate.openHolds()]).toEqual([before, had, 0]);
  });

  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['/v1/chat/completions', { model: 'sandbox', messages: [{ role: 'user', content: 'hi' }] }, {}],
    [
      '/v1/messages',
      { model: 'sandbox', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
      { 'anthropic-version': '2023-06-01' },
    ],
    ['/v1/responses', { model: 'sandbox', input: 'hi' }, {}],
    [
      '/v1beta/models/sandbox:generateContent',
      { model: 'sandbox', contents: [{ parts: [{ text: 'hi' }] }] },
      {},
    ],
  ])('knows %s by its body', async (path, body, headers) => {
    const answer = await send(caller, '/v1/quote', { path, body }, headers);
    expect(await answer.json()).toMatchObject({ object: 'quote', endpoint: path });
  });

  it('says what bounds it, and whether the key can pay for the start', async () => {
    const poor = await gate.addCaller({ balance: 1 });
    const body = { model: 'sandbox', messages: [{ role: 'user', content: 'hi '.repeat(2_000) }] };
    const open = await askQuote({ path: '/v1/chat/completions', body });
    expect(open.most.bound_by).toBe('balance');
    const bound = await askQuote({ path: '/v1/chat/completions', body: { ...body, max_tokens: 50 } }, poor);
    expect([bound.most.bound_by, bound.affordable]).toEqual(['request', false]);
  });

  it('knows budgets and runs: the one that bounds it, and the one that would refuse the call', async () => {
    const payer = await gate.addCaller({ balance: 2_000_000 });
    const budget = async (amount: number, model: string) => {
      await addBudget(gate.core.store, amount, { name: `of ${amount}`, user_id: payer.userId, model });
      await gate.core.budgetRules.reload();
    };
    const body = { model: 'sandbox', messages: [{ role: 'user', content: 'hi' }] };
    const quoteIn = async (run?: string) => {
      const headers = run === undefined ? {} : { 'x-tollgate-run': run };
      const answer = await send(payer, '/v1/quote', { path: '', body }, headers);
      const quote = (await answer.json()) as QuoteBody & { refused_by?: string };
      return [quote.most?.quota, quote.most?.bound_by, quote.affordable, quote.refused_by];
    };
    // A budget in tokens bounds no money, and refuses what it has too few tokens for.
    await addBudget(gate.core.store, 5, { name: 'few', user_id: payer.userId, unit: 'tokens' });
    await gate.core.budgetRules.reload();
    expect(await quoteIn()).toEqual([2_000_000, 'balance', false, 'few']);
    await gate.core.store.db
      .updateTable('budgets')
      .set({ amount: 900_000 })
      .where('name', '=', 'few')
      .execute();
    expect(await quoteIn()).toEqual([2_000_000, 'balance', true, undefined]);
    await budget(900_000, '');
    await budget(0, 'another');
    expect(await quoteIn()).toEqual([900_000, 'budget', true, undefined]);
    expect(await quoteIn('fresh; max=1')).toEqual([500_000, 'budget', true, undefined]);
    expect(await quoteIn('fresh; max=0.000002')).toEqual([expect.any(Number), 'budget', false, 'fresh']);
    expect(await gate.core.runs.peek(payer.userId, { path: 'fresh' })).toEqual([]);
    await gate.core.runs.enter(payer.userId, { path: 'begun', amount: 700_000, calls: 1 });
    expect(await quoteIn('begun; max=1')).toEqual([700_000, 'budget', true, undefined]);
    const call = { path: '/v1/chat/completions', body };
    expect((await send(payer, call.path, call, { 'x-tollgate-run': 'begun' })).status).toBe(200);
    expect((await quoteIn('begun')).slice(2)).toEqual([false, 'begun']);
    const refused = await send(payer, call.path, call, { 'x-tollgate-run': 'begun' });
    expect(refused.status).toBe(403);
    await budget(0, '');
    const answer = await send(payer, '/v1/quote', { path: '', body });
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('"refused_by":"of 0"'),
    ]);
  });

  it.each([
    ['a quote', '/v1/quote', 200, { balance: 1_000_000 }],
    ['a count of tokens', '/v1/messages/count_tokens', 200, { balance: 1_000_000 }],
    ['a call whose hold is refused', '/v1/chat/completions', 403, { balance: 0 }],
    [
      'a call whose model has no price',
      '/v1/chat/completions',
      400,
      { balance: 1_000_000, model: 'unpriced' },
    ],
    ['a task whose hold is refused', '/v1/videos', 403, { balance: 0, model: 'sandbox-video' }],
  ])(
    'takes no trial from a channel that recovers: %s',
    async (_, path, status, { balance, model = 'sandbox' }: { balance: number; model?: string }) => {
      let now = Date.UTC(2026, 10, 28);
      const own = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' }, undefined, () => now);
      const recovering = await own.addChannel({
        type: sandbox.type,
        base_url: '',
        models: model,
        priority: 1,
      });
      await own.addChannel({ type: sandbox.type, base_url: '', models: model });
      const { key } = await own.addCaller({ balance });
      const messages = [{ role: 'user', content: 'hi' }];
      const { routing } = own.core;
      for (let count = 0; count < 5; count += 1) routing.health.failed(recovering);
      expect(routing.choose({ group: 'default', model }, new Set())?.id).not.toBe(recovering);
      now += 15_000;
      const answer = await fetch(own.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(
          path === '/v1/videos' ? { model, prompt: 'hi' } : { model, max_tokens: 5, messages },
        ),
      });
      expect(answer.status, await answer.text()).toBe(status);
      expect(routing.choose({ group: 'default', model }, new Set())?.id).toBe(recovering);
      await own.close();
    },
  );

  it('is refused as the call would be', async () => {
    const call = (path: string, body: Record<string, unknown>) =>
      send(caller, `/v1/quote?endpoint=${path}`, { path, body }).then(async (answer) => [
        answer.status,
        ((await answer.json()) as { error: { code: string } }).error.code,
      ]);
    expect(
      await call('/v1/chat/completions', { model: 'nothing', messages: [{ role: 'user', content: 'hi' }] }),
    ).toEqual([404, 'model_not_found']);
    expect(await call('/v1/models', {})).toEqual([404, '']);
    expect(await call('', {})).toEqual([404, '']);
    const unnamed = await send(caller, '/v1/quote', { path: '', body: {} });
    expect([unnamed.status, ((await unnamed.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'invalid_request',
    ]);
  });
});
