import { keylessTypes, logType } from '@tollgate/contract';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logs } from '../store/index.ts';
import { type Behaviour, chat, chatEvents, sseHeaders } from '../testing/upstream/fake-upstream-scripts.ts';
import { refuse as refuseWith } from '../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway({ STREAMING_TIMEOUT: '1' });
  await gate.addChannel({ models: 'gpt-4o-mini,gpt-4o,free-model' });
  await gate.core.settings.set(
    'ModelRatio',
    JSON.stringify({ 'gpt-4o-mini': 0.075, 'gpt-4o': 1.25, 'free-model': 0, 'own-model': 1 }),
  );
});
afterAll(() => gate.close());
afterEach(async () => {
  gate.upstream.script('healthy');
  await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
  await gate.checkAtRest();
});

const client = (who: TestCaller) => new OpenAI({ apiKey: who.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Say something.' }] };

/** The newest charge row; an answer that broke off has an error row after it. */
async function lastLog(who: TestCaller) {
  const charges = { userId: who.userId, type: logType.consume };
  const { rows } = await logs.list(gate.core.store.db, charges, { offset: 0, limit: 1 });
  const row = rows[0];
  if (!row) throw new Error('no log row yet');
  return { ...row, other: JSON.parse(row.other) as Record<string, unknown> };
}

/** Input tokens + output tokens × completion ratio, × model ratio, rounded: docs/compatibility.md#charge. */
const priceOf = (input: number, output: number, ratio: number, completion: number) =>
  Math.max(1, Math.round((input + output * completion) * ratio));

describe('a relayed call', () => {
  it('answers the official client, whole and streamed, and is charged once to the unit', async () => {
    caller = await gate.addCaller();
    gate.upstream.script(
      chat({ chunks: 40, usage: { prompt_tokens: 1000, completion_tokens: 400, total_tokens: 1400 } }),
    );
    const whole = await client(caller).chat.completions.create(ask);
    expect(whole.choices[0]!.message.content).toContain('word0');
    const charge = priceOf(1000, 400, 0.075, 4);
    expect((await gate.readBalance(caller)).balance).toBe(5_000_000 - charge);

    let text = '';
    for await (const chunk of await client(caller).chat.completions.create({ ...ask, stream: true })) {
      expect(chunk.usage ?? null).toBeNull();
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe(whole.choices[0]!.message.content);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000 - 2 * charge, held: 0 });
    const log = await lastLog(caller);
    expect(log).toMatchObject({
      quota: charge,
      prompt_tokens: 1000,
      completion_tokens: 400,
      is_stream: 1,
      type: 2,
    });
    expect(log.other).toMatchObject({ end_reason: 'complete', usage_source: 'upstream' });
  });

  // A server of tools has no chats.
  const chatting = [...keylessTypes].filter((type) => type !== 9002);
  it.each(chatting)('of a channel of type %i without a key is served and charged', async (type) => {
    caller = await gate.addCaller();
    const { url } = gate.upstream;
    // The address of a custom channel is the address of the call.
    const base_url = type === 8 ? `${url}/v1/chat/completions` : url;
    const id = await gate.addChannel({ type, key: '', models: 'own-model', base_url });
    const before = gate.upstream.requests.length;
    const answer = await client(caller).chat.completions.create({ ...ask, model: 'own-model' });
    expect(answer.choices[0]!.message.content).toContain('word0');
    const [request] = gate.upstream.requests.slice(before);
    expect(request!.headers).not.toHaveProperty('authorization');
    expect(await lastLog(caller)).toMatchObject({ channel_id: id });
    await gate.core.channels.remove([id]);
  });

  it('shows the usage chunk to a client that asked for it', async () => {
    caller = await gate.addCaller();
    const stream = await client(caller).chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    const usages = [];
    for await (const chunk of stream) if (chunk.usage) usages.push(chunk.usage);
    expect(usages).toHaveLength(1);
  });

  it('sends the request id and the cost, in headers or a trailer', async () => {
    caller = await gate.addCaller();
    const { response, request_id: id } = await client(caller).chat.completions.create(ask).withResponse();
    const cost = Number(response.headers.get('x-tollgate-cost'));
    expect(cost).toBe(5_000_000 - (await gate.readBalance(caller)).balance);
    expect(id).toBe(response.headers.get('x-tollgate-request-id'));
    expect((await lastLog(caller)).request_id).toBe(id);
  });

  it('passes unknown fields on byte for byte, with only the key exchanged', async () => {
    caller = await gate.addCaller();
    const body =
      '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi","x_part":1}],  "brand_new":{"a":[1,2.50]}}';
    const before = gate.upstream.requests.length;
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(200);
    const request = gate.upstream.requests[before]!;
    expect(request.body.toString()).toBe(body);
    expect(request.headers.authorization).toBe('Bearer sk-upstream-secret');
    expect(request.headers).not.toHaveProperty('traceparent');
  });

  it('continues the trace of its caller at the upstream', async () => {
    caller = await gate.addCaller();
    const trace = {
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'rojo=00f067aa0ba902b7',
    };
    const before = gate.upstream.requests.length;
    await client(caller).chat.completions.create(ask, { headers: trace });
    expect(gate.upstream.requests[before]!.headers).toMatchObject(trace);
  });

  it('counts what was delivered when the upstream reports no usage, and shows it in the log', async () => {
    caller = await gate.addCaller();
    gate.upstream.script('chat-without-usage');
    for await (const _ of await client(caller).chat.completions.create({ ...ask, stream: true }));
    const log = await lastLog(caller);
    expect(log.other['usage_source']).toBe('counted');
    expect(log.prompt_tokens).toBeGreaterThan(5);
    expect(log.completion_tokens).toBeGreaterThanOrEqual(10);
    expect(log.quota).toBeGreaterThan(0);
  });
});

/** Three good events, then the error after they have reached the caller. */
const afterDelivery =
  (delivered: Promise<void>, fault: Behaviour): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.write(chatEvents(exchange, {}).slice(0, 3).join(''));
    await Promise.race([delivered, exchange.closed]);
    await fault(exchange);
  };

describe('failures', () => {
  it('of one channel move on to another, which alone is charged; the failed one is not tried again', async () => {
    const other = await openGateway();
    try {
      await other.addChannel({ name: 'first', priority: 10 });
      await other.addChannel({ name: 'second', priority: 5 });
      await other.core.settings.set('RetryTimes', '3');
      const who = await other.addCaller();
      other.upstream.next('refuse-500');
      const sdk = new OpenAI({ apiKey: who.key, baseURL: `${other.url}/v1`, maxRetries: 0 });
      const answer = await sdk.chat.completions.create(ask);
      expect(answer.choices[0]!.message.content).toBeTruthy();
      expect(other.upstream.requests).toHaveLength(2);
      other.upstream.script('refuse-500');
      await expect(sdk.chat.completions.create(ask)).rejects.toThrow(OpenAI.InternalServerError);
      expect(other.upstream.requests).toHaveLength(4);
      expect(await other.findings()).toEqual([]);
      expect((await other.readBalance(who)).held).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('before anything was delivered cost nothing, whatever they are', async () => {
    caller = await gate.addCaller();
    const names = [
      'refuse-429',
      'refuse-500',
      'refuse-502',
      'refuse-503',
      'reset-at-once',
      'html-200',
      'broken-json',
      'hostile-headers',
    ] as const;
    for (const name of names.slice(0, -1)) {
      gate.upstream.script(name);
      const failed = await client(caller)
        .chat.completions.create(ask)
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(failed, name).toBeInstanceOf(OpenAI.APIError);
    }
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('of an upstream in mid-stream are never shown as success, and what was delivered is charged', async () => {
    const half = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"天');
    const faults: Record<string, Behaviour> = {
      'cut in mid-event': (exchange) => exchange.write(half.subarray(0, 30)).then(() => exchange.fin()),
      'cut in mid-character': (exchange) => exchange.write(half.subarray(0, -1)).then(() => exchange.fin()),
      reset: (exchange) => exchange.cut(),
      silence: (exchange) => exchange.closed,
      'an error event': (exchange) => exchange.end('event: error\ndata: {"error":{"message":"broken"}}\n\n'),
      'garbage instead of events': (exchange) => exchange.end('data: {"choices":[{\n\n'),
    };
    for (const [name, fault] of Object.entries(faults)) {
      caller = await gate.addCaller();
      const delivered = Promise.withResolvers<void>();
      gate.upstream.script(afterDelivery(delivered.promise, fault));
      const read = async () => {
        const stream = await client(caller).chat.completions.create({ ...ask, stream: true });
        for await (const _ of stream) delivered.resolve();
      };
      await expect(read(), name).rejects.toThrow(/error|broke|malformed|broken|stream/i);
      await expect
        .poll(async () => (await lastLog(caller)).other['end_reason'], { message: name, timeout: 10_000 })
        .toMatch(/^upstream_/);
      expect((await lastLog(caller)).quota, name).toBeGreaterThan(0);
    }
  });

  it("of the caller's own making are passed on with their status and are not retried", async () => {
    caller = await gate.addCaller();
    gate.upstream.script(
      refuseWith(400, { type: 'invalid_request_error', code: 'bad', message: 'no such thing' }),
    );
    const before = gate.upstream.requests.length;
    await expect(client(caller).chat.completions.create(ask)).rejects.toMatchObject({
      status: 400,
      code: 'bad',
    });
    expect(gate.upstream.requests.length).toBe(before + 1);
  });

  it("of the channel's key are not shown as the caller's own 401", async () => {
    caller = await gate.addCaller();
    gate.upstream.script(refuseWith(401, { type: 'invalid_request_error', code: 'invalid_api_key' }));
    await expect(client(caller).chat.completions.create(ask)).rejects.toMatchObject({ status: 502 });
  });
});

it('by a slow upstream end an answer in one piece after RELAY_TIMEOUT, however steadily it drips', async () => {
  const hasty = await openGateway({ RELAY_TIMEOUT: '1' });
  try {
    await hasty.addChannel();
    const who = await hasty.addCaller();
    hasty.upstream.script(chat({ chunks: 1_000, paceMs: 20 }));
    const sdk = new OpenAI({ apiKey: who.key, baseURL: `${hasty.url}/v1`, maxRetries: 0 });
    const read = async () => {
      for await (const _ of await sdk.chat.completions.create({ ...ask, stream: true }));
    };
    await expect(read()).rejects.toThrow(/broke/);
    await expect.poll(() => hasty.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
    expect(await hasty.findings()).toEqual([]);
  } finally {
    await hasty.close();
  }
});

describe('a caller who disconnects', () => {
  it('C2: ends the upstream call within a second and pays for what was delivered', async () => {
    caller = await gate.addCaller();
    gate.upstream.script(chat({ chunks: 1000, paceMs: 20, usage: null }));
    const before = gate.upstream.requests.length;
    const abort = new AbortController();
    const stream = await client(caller).chat.completions.create(
      { ...ask, stream: true },
      { signal: abort.signal },
    );
    let seen = 0;
    for await (const _ of stream) if ((seen += 1) === 5) break;
    abort.abort();
    const request = await gate.upstream.arrived(before);
    const cutAt = performance.now();
    await request.closed;
    expect(performance.now() - cutAt).toBeLessThan(1_000);
    await expect
      .poll(async () => (await lastLog(caller)).other['end_reason'], { timeout: 10_000 })
      .toBe('client_gone');
    const log = await lastLog(caller);
    expect(log.completion_tokens).toBeGreaterThanOrEqual(4);
    expect(log.completion_tokens).toBeLessThan(60);
  });

  it('C2: pays what the upstream reports in the end, on a channel that drains', async () => {
    const house = await openGateway();
    try {
      await house.addChannel({ setting: '{"drain":true}' });
      const who = await house.addCaller();
      const usage = { prompt_tokens: 1_000, completion_tokens: 4_000, total_tokens: 5_000 };
      house.upstream.script(chat({ chunks: 40, paceMs: 5, usage }));
      const abort = new AbortController();
      const headers = { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ ...ask, model: 'gpt-4o-mini', stream: true });
      const sent = { method: 'POST', headers, body, signal: abort.signal };
      const answer = await fetch(`${house.url}/v1/chat/completions`, sent);
      await answer.body!.getReader().read();
      abort.abort();
      await expect.poll(() => house.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
      await house.core.ledger.flush();
      const [log] = await house.core.store.db.selectFrom('logs').selectAll().where('type', '=', 2).execute();
      expect(log).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 4_000 });
      expect(JSON.parse(log!.other)).toMatchObject({ end_reason: 'client_gone', usage_source: 'upstream' });
      expect((await house.readBalance(who)).balance).toBe(5_000_000 - log!.quota);
      expect(house.upstream.requests[0]!.cutByPeer).toBe(false);
      expect(await house.findings()).toEqual([]);
    } finally {
      await house.close();
    }
  });

  it('C1: before anything was delivered pays nothing', async () => {
    caller = await gate.addCaller();
    gate.upstream.script('stall-before-headers');
    const before = gate.upstream.requests.length;
    const abort = new AbortController();
    const call = client(caller).chat.completions.create({ ...ask, stream: true }, { signal: abort.signal });
    const request = await gate.upstream.arrived(before);
    abort.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await request.closed;
    await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });
});

describe('the balance', () => {
  it('for ten of two hundred parallel calls serves no more than it covers and never falls below zero', async () => {
    const cost = priceOf(1000, 1000, 1.25, 4);
    caller = await gate.addCaller({ balance: cost * 10 });
    // The last callers may get a shorter answer, bounded by the rest of the balance; an upstream keeps to that bound.
    gate.upstream.script((exchange) => {
      const output = Math.min(1000, Number(exchange.json()['max_tokens']));
      const usage = { prompt_tokens: 1000, completion_tokens: output, total_tokens: 1000 + output };
      return chat({ chunks: 3, usage })(exchange);
    });
    const sdk = client(caller);
    const long = {
      ...ask,
      model: 'gpt-4o',
      messages: [{ role: 'user' as const, content: 'word '.repeat(1000) }],
      max_tokens: 1000,
    };
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () => sdk.chat.completions.create(long)),
    );
    const served = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.usage!] : []));
    expect(served.length).toBeGreaterThan(0);
    expect(served.filter((usage) => usage.completion_tokens === 1000).length).toBeLessThanOrEqual(10);
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    for (const reason of refusals) expect(reason).toMatchObject({ status: 403 });
    const { balance, held } = await gate.readBalance(caller);
    expect(held).toBe(0);
    const prices = served.map((usage) => priceOf(1000, usage.completion_tokens, 1.25, 4));
    expect(balance).toBe(cost * 10 - prices.reduce((sum, price) => sum + price, 0));
    expect(balance).toBeGreaterThanOrEqual(0);
  });

  it('refuses no call because max_tokens is large', async () => {
    caller = await gate.addCaller({ balance: 20_000 });
    const answer = await client(caller).chat.completions.create({
      ...ask,
      model: 'gpt-4o',
      max_tokens: 1_000_000,
    });
    expect(answer.choices).toHaveLength(1);
  });

  it('that ends during a stream ends it between two events, with an error the client sees, and is used up', async () => {
    caller = await gate.addCaller({ balance: 2_000 });
    gate.upstream.script(chat({ chunks: 4_000, text: () => 'some more words here, ', usage: null }));
    let text = '';
    const read = async () => {
      const stream = await client(caller).chat.completions.create({ ...ask, model: 'gpt-4o', stream: true });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    };
    await expect(read()).rejects.toThrow(/quota/);
    expect(text.length).toBeGreaterThan(0);
    expect(text.endsWith('here, ')).toBe(true);
    await expect
      .poll(async () => (await lastLog(caller)).other['end_reason'], { timeout: 10_000 })
      .toBe('quota_exhausted');
    const { balance } = await gate.readBalance(caller);
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(balance).toBeLessThan(2_000);
  });

  it('of zero is refused, for a free model too, and the token allowance counts beside it', async () => {
    caller = await gate.addCaller({ balance: 0 });
    await expect(
      client(caller).chat.completions.create({ ...ask, model: 'free-model' }),
    ).rejects.toMatchObject({ status: 403, code: 'insufficient_user_quota' });
    caller = await gate.addCaller({ allowance: 1 });
    await expect(client(caller).chat.completions.create({ ...ask, model: 'gpt-4o' })).rejects.toMatchObject({
      status: 403,
      code: 'pre_consume_token_quota_failed',
    });
  });
});

describe('the admission of calls', () => {
  it('refuses unknown keys, unknown models and unpriced models in the shape of OpenAI errors', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${gate.url}/v1`, maxRetries: 0 });
    await expect(stranger.chat.completions.create(ask)).rejects.toMatchObject({ status: 401 });
    caller = await gate.addCaller();
    await expect(client(caller).chat.completions.create({ ...ask, model: 'nothing' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    await gate.addChannel({ models: 'unpriced-model' });
    await expect(
      client(caller).chat.completions.create({ ...ask, model: 'unpriced-model' }),
    ).rejects.toMatchObject({ status: 400, code: 'model_price_error' });
  });

  it('refuses bodies that are not JSON or use tricks with numbers, and charges nothing', async () => {
    caller = await gate.addCaller();
    const before = gate.upstream.requests.length;
    const bodies = [
      '',
      '{',
      '[]',
      '"x"',
      '{"model":"gpt-4o-mini"}',
      ...['-2', '1e308', '"9"', '9223372036854775808', '0.5'].map(
        (n) => `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}],"max_tokens":${n}}`,
      ),
      '{"model":"gpt-4o-mini","model":"gpt-4o","messages":[{"role":"user","content":"x"}]}',
    ];
    for (const body of bodies) {
      const answer = await fetch(`${gate.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}` },
        body,
      });
      expect(answer.status, body).toBe(400);
      expect(await answer.json(), body).toMatchObject({
        error: { message: expect.stringContaining('request id') as string },
      });
    }
    expect(gate.upstream.requests.length).toBe(before);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('keeps model requests within the limits of the group, failures included', async () => {
    await gate.core.settings.setMany({
      ModelRequestRateLimitEnabled: 'true',
      ModelRequestRateLimitGroup: JSON.stringify({ default: [3, 2] }),
    });
    try {
      caller = await gate.addCaller();
      await client(caller).chat.completions.create(ask);
      await client(caller).chat.completions.create(ask);
      const refused = await fetch(`${gate.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}` },
        body: JSON.stringify(ask),
      });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.text()).toContain('at most 2 requests');
      const other = await gate.addCaller();
      await expect(client(other).chat.completions.create(ask)).resolves.toBeDefined();
    } finally {
      await gate.core.settings.set('ModelRequestRateLimitEnabled', 'false');
    }
  });

  it('refuses forbidden words, and lets them pass when the check is off', async () => {
    caller = await gate.addCaller();
    const bad = {
      ...ask,
      messages: [
        { role: 'user' as const, content: [{ type: 'text' as const, text: 'a TEST_sensitive word' }] },
      ],
    };
    await expect(client(caller).chat.completions.create(bad)).rejects.toMatchObject({
      status: 400,
      code: 'sensitive_words_detected',
    });
    await gate.core.settings.set('CheckSensitiveEnabled', 'false');
    await expect(client(caller).chat.completions.create(bad)).resolves.toBeDefined();
    await gate.core.settings.set('CheckSensitiveEnabled', 'true');
  });

  it('lists models and answers 501 for endpoints of OpenAI that are not built', async () => {
    caller = await gate.addCaller();
    const ids = [];
    for await (const model of client(caller).models.list()) ids.push(model.id);
    expect(ids).toContain('gpt-4o-mini');
    expect(await client(caller).models.retrieve('gpt-4o-mini')).toMatchObject({
      id: 'gpt-4o-mini',
      object: 'model',
    });
    await expect(client(caller).vectorStores.list()).rejects.toMatchObject({
      status: 501,
      code: 'api_not_implemented',
    });
  });
});
