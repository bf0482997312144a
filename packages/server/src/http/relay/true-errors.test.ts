import { channelStatus } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';

// Clients choose the message for their users, and whether they retry, by the refusal that they read.

let gate: GatewayHarness;
let caller: TestCaller;
let poor: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'gpt-4o-mini' });
  await gate.addChannel({ models: 'claude-test', type: 14 });
  await gate.addChannel({ models: 'unpriced' });
  await gate.addChannel({ models: 'of-others', group: 'vip' });
  const off = await gate.addChannel({ models: 'switched-off' });
  await gate.core.channels.update({ id: off, status: channelStatus.disabled });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-mini': 1, 'claude-test': 1 }));
  caller = await gate.addCaller();
  poor = await gate.addCaller({ balance: 0 });
});
afterAll(() => gate.close());
afterEach(() => gate.core.settings.set('PaymentRequiredEnabled', 'false'));

async function post(path: string, body: unknown, key = caller.key) {
  const isForm = body instanceof FormData;
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as unknown };
}

const messages = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const sound = (model: string) => {
  const form = new FormData();
  form.set('model', model);
  form.set('file', new Blob(['RIFF']), 'a.wav');
  return form;
};
const openai = (code: string) => ({ error: { code, message: expect.any(String) as string } });

/** Calls that name a model, and each protocol's error for an unknown model. */
const calls: [string, (model: string) => [path: string, body: unknown], unknown][] = [
  ['chat', (model) => ['/v1/chat/completions', { model, messages }], openai('model_not_found')],
  [
    'Messages',
    (model) => ['/v1/messages', { model, messages, max_tokens: 9 }],
    { error: { type: 'not_found_error' } },
  ],
  [
    'a count of Messages',
    (model) => ['/v1/messages/count_tokens', { model, messages }],
    { error: { type: 'not_found_error' } },
  ],
  ['Responses', (model) => ['/v1/responses', { model, input: 'hi' }], openai('model_not_found')],
  [
    'Gemini',
    (model) => [`/v1beta/models/${model}:generateContent`, { contents }],
    { error: { status: 'NOT_FOUND', code: 404 } },
  ],
  [
    'Gemini, streamed',
    (model) => [`/v1beta/models/${model}:streamGenerateContent`, { contents }],
    { error: { status: 'NOT_FOUND' } },
  ],
  [
    'Gemini embeddings',
    (model) => [`/v1beta/models/${model}:embedContent`, { content: contents[0] }],
    { error: { status: 'NOT_FOUND' } },
  ],
  ['completions', (model) => ['/v1/completions', { model, prompt: 'hi' }], openai('model_not_found')],
  ['embeddings', (model) => ['/v1/embeddings', { model, input: 'hi' }], openai('model_not_found')],
  ['moderations', (model) => ['/v1/moderations', { model, input: 'hi' }], openai('model_not_found')],
  [
    'reranking',
    (model) => ['/v1/rerank', { model, query: 'hi', documents: ['a'] }],
    openai('model_not_found'),
  ],
  ['images', (model) => ['/v1/images/generations', { model, prompt: 'hi' }], openai('model_not_found')],
  [
    'speech',
    (model) => ['/v1/audio/speech', { model, input: 'hi', voice: 'alloy' }],
    openai('model_not_found'),
  ],
  ['transcripts', (model) => ['/v1/audio/transcriptions', sound(model)], openai('model_not_found')],
  ['videos', (model) => ['/v1/videos', { model, prompt: 'hi' }], openai('model_not_found')],
  ['older videos', (model) => ['/v1/video/generations', { model, prompt: 'hi' }], openai('model_not_found')],
  ['Kling', (model) => ['/kling/v1/videos/text2video', { model_name: model, prompt: 'hi' }], { code: 404 }],
  [
    'Google’s videos',
    (model) => [`/v1beta/models/${model}:predictLongRunning`, { instances: [{ prompt: 'hi' }] }],
    { error: { status: 'NOT_FOUND' } },
  ],
  ['songs', () => ['/suno/submit/music', { prompt: 'hi' }], { code: 'model_not_found' }],
  ['drawings', () => ['/mj/submit/imagine', { prompt: 'hi' }], { code: 4 }],
];

describe.each(calls)('%s', (_name, ask, shape) => {
  it('a model that no channel has is 404, and clients are told not to retry', async () => {
    const { status, headers, body } = await post(...ask('no-such-model'));
    expect(body).toMatchObject(shape as object);
    expect([status, headers.get('x-should-retry')]).toEqual([404, 'false']);
  });
});

describe.each(calls.slice(0, 6))('%s', (_name, ask) => {
  it.each([
    ['of other groups is 503, which no retry cures', 'of-others', 503, 'false'],
    ['that is switched off is 503, which may pass', 'switched-off', 503, null],
  ])('a model %s', async (_what, model, expected, retry) => {
    const { status, headers } = await post(...ask(model));
    expect([status, headers.get('x-should-retry')]).toEqual([expected, retry]);
  });

  it('a model without a price is named by a 400', async () => {
    const isCount = ask('unpriced')[0].endsWith('count_tokens');
    if (isCount) return;
    const { status, headers, body } = await post(...ask('unpriced'));
    expect([status, headers.get('x-should-retry')]).toEqual([400, 'false']);
    expect(JSON.stringify(body)).toContain('Model unpriced ratio or price not set');
  });
});

it.each([
  ['a wrong key', 'sk-nobody', { model: 'gpt-4o-mini', messages }, 401],
  ['a bad request', undefined, { model: 'gpt-4o-mini' }, 400],
])('%s is not retried', async (_name, key, body, expected) => {
  const { status, headers } = await post('/v1/chat/completions', body, key);
  expect([status, headers.get('x-should-retry')]).toEqual([expected, 'false']);
});

describe('no money', () => {
  const asks: [string, [string, unknown], unknown, unknown][] = [
    [
      'chat',
      ['/v1/chat/completions', { model: 'gpt-4o-mini', messages }],
      openai('insufficient_user_quota'),
      { error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
    ],
    [
      'Responses',
      ['/v1/responses', { model: 'gpt-4o-mini', input: 'hi' }],
      openai('insufficient_user_quota'),
      { error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
    ],
    [
      'Messages',
      ['/v1/messages', { model: 'claude-test', messages, max_tokens: 9 }],
      {
        error: {
          type: 'billing_error',
          message: expect.stringContaining('Your credit balance is too low') as string,
        },
      },
      { error: { type: 'billing_error' } },
    ],
    [
      'Gemini',
      ['/v1beta/models/gpt-4o-mini:generateContent', { contents }],
      { error: { code: 403, status: 'RESOURCE_EXHAUSTED' } },
      { error: { code: 402, status: 'RESOURCE_EXHAUSTED' } },
    ],
  ];
  it.each(asks)(
    'is told in the words of %s, with 403, or with 402 where the site wants it',
    async (_name, [path, body], usual, strict) => {
      const refused = await post(path, body, poor.key);
      expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([403, 'false']);
      expect(refused.body).toMatchObject(usual as object);
      await gate.core.settings.set('PaymentRequiredEnabled', 'true');
      const payment = await post(path, body, poor.key);
      expect([payment.status, payment.headers.get('x-should-retry')]).toEqual([402, 'false']);
      expect(payment.body).toMatchObject(strict as object);
    },
  );
});

describe.each([
  ['the vendor’s own', 'gpt-4o-mini'],
  ['a translated one', 'claude-test'],
])('a stream of Responses that breaks off, %s', (_name, model) => {
  it('ends in an error with the number behind the last event’s', async () => {
    const own = [
      {
        type: 'response.created',
        sequence_number: 0,
        response: { id: 'r', object: 'response', model, output: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 41, delta: 'hi, "sequence_number":9' },
    ];
    const foreign = [
      { type: 'message_start', message: { id: 'm', role: 'assistant', model, content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    ];
    let resolve = (): void => undefined;
    const begun = new Promise<void>((done) => (resolve = done));
    gate.upstream.next(async (exchange) => {
      exchange.head(200, sseHeaders);
      for (const event of model === 'claude-test' ? foreign : own)
        await exchange.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      await begun;
      await exchange.fin();
    });
    const answer = await fetch(`${gate.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: JSON.stringify({ model, input: 'hi', stream: true }),
    });
    let text = '';
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      resolve();
    }
    const numbers = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data]) => (JSON.parse(data!) as { sequence_number: number }).sequence_number,
    );
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers.at(-1)).toBe(numbers.at(-2)! + 1);
  });
});

it('a code that is only the status is no reason for Google’s clients', async () => {
  gate.upstream.next(
    json({ error: { code: 400, message: 'too long', type: 'exceed_context_size_error' } }, 400),
  );
  const { body } = await post('/v1beta/models/gpt-4o-mini:generateContent', { contents });
  expect(body).toMatchObject({
    error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'exceed_context_size_error' }] },
  });
});

describe('an error of the vendor', () => {
  const chat = ['/v1/chat/completions', { model: 'gpt-4o-mini', messages }] as const;
  const limited = {
    error: {
      message: 'Rate limit reached: try again in 3 days',
      type: 'tokens',
      code: 'rate_limit_exceeded',
    },
  };
  const quotas = {
    'retry-after': '287441',
    'x-should-retry': 'true',
    'x-ratelimit-remaining-tokens': '0',
    'anthropic-ratelimit-unified-status': 'rejected',
  };

  it('brings its reason, its quotas and the true time to wait from a lone channel', async () => {
    gate.upstream.next(json(limited, 429, quotas));
    const { status, headers, body } = await post(...chat);
    expect(status).toBe(429);
    expect(body).toEqual(limited);
    expect(Object.keys(quotas).map((name) => headers.get(name))).toEqual(Object.values(quotas));
  });

  it('brings no header that repeats the channel’s key, and none of other kinds', async () => {
    gate.upstream.next(
      json(limited, 429, {
        'x-ratelimit-limit': 'sk-upstream-secret',
        'set-cookie': 'a=b',
        'x-internal': '1',
      }),
    );
    const { headers } = await post(...chat);
    for (const name of ['x-ratelimit-limit', 'set-cookie', 'x-internal'])
      expect(headers.get(name)).toBeNull();
  });

  it('is that of the group where several channels were asked', async () => {
    await gate.core.settings.set('RetryTimes', '3');
    const second = await gate.addChannel({ models: 'gpt-4o-mini' });
    gate.upstream.next(json(limited, 429, quotas), json(limited, 429, quotas));
    const { status, body } = await post(...chat);
    expect(status).toBe(429);
    expect(JSON.stringify(body)).toContain('The upstreams of this group are saturated');
    await gate.core.channels.update({ id: second, status: channelStatus.disabled });
    await gate.core.settings.set('RetryTimes', '0');
  });

  it.each([
    [403, 'insufficient_user_quota', 502],
    [429, 'insufficient_quota', 429],
    [402, 'x', 502],
  ])(
    'about the channel’s empty account (%i, %s) is not taken for one about the caller’s',
    async (status, code, shown) => {
      gate.upstream.next(json({ error: { message: 'pay us', type: code, code } }, status));
      const answer = await post(...chat);
      expect(answer.status).toBe(shown);
      expect(JSON.stringify(answer.body)).not.toMatch(/pay us|insufficient/);
    },
  );
});
