import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import * as faults from '../../testing/upstream/fake-upstream-faults.ts';
import { healthy, json } from '../../testing/upstream/fake-upstream-scripts.ts';

const secrets = ['sk-dead-key-of-january', 'sk-good-key-of-february'];
const bearer = (key: string) => `Bearer ${key}`;

let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
let channel: number;

beforeEach(async () => {
  gate = await openGateway();
  caller = await gate.addCaller();
  sdk = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  await gate.core.settings.set('RetryTimes', '2');
  await gate.core.settings.set('AutomaticDisableChannelEnabled', 'true');
  channel = await gate.addChannel({
    mode: 'multi_to_single',
    multi_key_mode: 'polling',
    key: secrets.join('\n'),
  });
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

const ask = () =>
  sdk.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] });
const sent = () => gate.upstream.requests.map(({ headers }) => headers.authorization);
const statuses = async () => (await gate.core.channels.listKeys(channel)).map(({ status }) => status);
const lastRow = async () => {
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  return rows[0]!;
};

describe('a channel with several keys', () => {
  it('serves a call with another key when one is refused, and the dead one leaves by itself', async () => {
    gate.upstream.script((exchange) =>
      exchange.headers.authorization === bearer(secrets[0]!)
        ? faults.refuse(401, { message: 'no such key' })(exchange)
        : healthy()(exchange),
    );
    await ask();
    expect(sent()).toEqual(secrets.map(bearer));
    await expect.poll(statuses).toEqual([3, 1]);
    expect((await gate.core.channels.listKeys(channel))[0]).toMatchObject({ reason: 'no such key' });
    expect(await gate.core.channels.get(channel)).toMatchObject({ status: 1 });
    await ask();
    await ask();
    expect(sent().slice(2)).toEqual([bearer(secrets[1]!), bearer(secrets[1]!)]);
    await expect
      .poll(async () => (await gate.core.channels.listKeys(channel)).map(({ uses }) => uses), {
        timeout: 10_000,
      })
      .toEqual([1, 3]);
  });

  it('names the key by its hint to administrators only, and no row has the key', async () => {
    gate.upstream.next(faults.refuse(429));
    await ask();
    const { other } = await lastRow();
    const { admin_info: info, ...shown } = JSON.parse(other) as {
      admin_info: { tries: { key: { hint: string } }[] };
    };
    expect(info.tries.map(({ key }) => key.hint)).toEqual(['••••uary', '••••uary']);
    expect(JSON.stringify(shown)).not.toContain('••••');
    for (const secret of secrets) expect(other).not.toContain(secret.slice(3, 10));
  });

  it('lets a key rest that is used too often, and fails only when no key is left', async () => {
    gate.upstream.script(faults.refuse(429));
    await expect(ask()).rejects.toMatchObject({ status: 429 });
    expect(sent()).toEqual(secrets.map(bearer));
    expect(await statuses()).toEqual([1, 1]);
    gate.upstream.script(faults.refuse(401));
    await expect(ask()).rejects.toMatchObject({ status: 502 });
    await expect.poll(statuses).toEqual([3, 3]);
    expect(await gate.core.channels.get(channel)).toMatchObject({ status: 3 });
    await expect(ask()).rejects.toMatchObject({ status: 503 });
  });

  it.each([
    ['in a header', 5, { retryAfter: '5' }],
    ['in words', 20, { message: 'Rate limit reached. Please try again in 20s.' }],
  ])('lets a key rest as long as the vendor says %s, however short', async (_where, seconds, refusal) => {
    const started = Date.now();
    gate.upstream.next(faults.refuse(429, refusal));
    await ask();
    expect(sent()).toEqual(secrets.map(bearer));
    const [limited] = await gate.core.channels.listKeys(channel);
    const until = gate.core.routing.health.cooldownUntil(limited!.id);
    expect(until).toBeGreaterThanOrEqual(started + seconds * 1_000);
    expect(until).toBeLessThanOrEqual(Date.now() + seconds * 1_000);
    for (let call = 0; call < 3; call += 1) await ask();
    expect(sent().slice(2)).toEqual(Array.from({ length: 3 }, () => bearer(secrets[1]!)));
  });

  it('is called with the key of a stored response by a call that continues it', async () => {
    const usage = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
    const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };
    const made = {
      id: 'resp_made',
      object: 'response',
      status: 'completed',
      store: true,
      output: [text],
      usage,
    };
    gate.upstream.script(json({ ...made, model: 'gpt-4o-mini' }));
    await sdk.responses.create({ model: 'gpt-4o-mini', input: 'Hi' });
    for (let call = 0; call < 3; call += 1)
      await sdk.responses.create({ model: 'gpt-4o-mini', input: 'And?', previous_response_id: 'resp_made' });
    expect(new Set(sent())).toEqual(new Set([bearer(secrets[0]!)]));
  });
});
