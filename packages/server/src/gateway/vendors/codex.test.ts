import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openProbe } from '../../boot/upkeep.ts';
import { channels as channelRows } from '../../store/index.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { codex, codexKey, type CodexState, codexState } from '../../testing/upstream/own-wires/fake-codex.ts';

// A ChatGPT account behind clients that do not know it.

const model = 'gpt-5.6-sol';
const charge = Math.round((40 + 12 * 5) * 2);
const messages = [
  { role: 'system' as const, content: 'Be short.' },
  { role: 'user' as const, content: 'How is Paris?' },
];

let gate: GatewayHarness;
let now: number;
let state: CodexState;
let caller: TestCaller;
let openai: OpenAI;
let channel: number;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 23);
  gate = await openGateway({}, {}, () => now);
  state = codexState();
  gate.upstream.script(
    codex(
      state,
      playModel(() => ({ say: 'Paris is mild.' })),
    ),
  );
  channel = await gate.addChannel({
    type: 57,
    models: model,
    key: codexKey(1, `${gate.upstream.url}/oauth/token`),
  });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 2 }));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [model]: 5 }));
  await gate.core.settings.set('AutomaticDisableChannelEnabled', 'true');
  caller = await gate.addCaller();
  openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
});
afterEach(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

const balance = async () => (await gate.readBalance(caller)).balance;
const replaceKey = (more: object) =>
  gate.core.channels.update({ id: channel, key: codexKey(1, `${gate.upstream.url}/oauth/token`, more) });
const ask = async () => (await openai.responses.create({ model, input: 'How is Paris?' })).output_text;
const storedKey = async () => (await gate.core.channels.load(channel))!.channel.key;

describe('Codex answers', () => {
  it('OpenAI’s client for responses, streamed and whole', async () => {
    const before = await balance();
    const whole = await openai.responses.create({ model, input: 'How is Paris?', max_output_tokens: 100 });
    expect([whole.status, whole.output_text]).toEqual(['completed', 'Paris is mild.']);
    expect(whole.usage).toMatchObject({ input_tokens: 40, output_tokens: 12 });
    let text = '';
    for await (const event of await openai.responses.create({ model, input: 'How is Paris?', stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).toBe('Paris is mild.');
    const streamed = await openai.responses.stream({ model, input: 'How is Paris?' }).finalResponse();
    expect(streamed.output_text).toBe('Paris is mild.');
    expect(before - (await balance())).toBe(3 * charge);
  });

  it('OpenAI’s client for chats, streamed and whole', async () => {
    const before = await balance();
    const whole = await openai.chat.completions.create({ model, messages, temperature: 0.5 });
    expect(whole.choices[0]).toMatchObject({ message: { content: 'Paris is mild.' }, finish_reason: 'stop' });
    let text = '';
    for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('Paris is mild.');
    expect(state.asked.map(({ instructions }) => instructions)).toEqual(['Be short.', 'Be short.']);
    expect(before - (await balance())).toBe(2 * charge);
  });

  it('Anthropic’s client, streamed and whole', async () => {
    const anthropic = new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
    const asked = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'How is Paris?' }] };
    const text = [{ type: 'text', text: 'Paris is mild.' }];
    expect((await anthropic.messages.create(asked)).content).toMatchObject(text);
    expect((await anthropic.messages.stream(asked).finalMessage()).content).toMatchObject(text);
  });

  it('the channel test of the operator', async () => {
    const tester = { userId: caller.userId, username: 'tester', group: 'default' };
    const probe = openProbe(gate.core, () => undefined);
    expect((await probe.test(channel, { model }, tester)).error).toBeUndefined();
    state.login = 1;
    await replaceKey({ access_token: 'ended' });
    expect((await probe.test(channel, { model }, tester)).error).toBeUndefined();
    expect(state.renewals).toBe(1);
  });
});

describe('a login', () => {
  it('is renewed before it expires, once for all calls, and kept sealed', async () => {
    await replaceKey({ expired: new Date(now + 4 * 60_000).toISOString() });
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array(20).fill('Paris is mild.'));
    expect([state.renewals, state.spentTwice]).toEqual([1, 0]);
    expect(JSON.parse(await storedKey())).toMatchObject({
      access_token: 'codex-access-2',
      refresh_token: 'codex-refresh-2',
      account_id: 'account-4711',
      email: 'owner@codex.test',
      expired: new Date(now + 864_000_000).toISOString(),
    });
    const row = await channelRows.find(gate.core.store.db, channel);
    expect(JSON.stringify(row)).not.toContain('codex-refresh');
    expect(JSON.stringify(await gate.core.channels.get(channel))).not.toMatch(/codex-(refresh|access)/);
    now += 864_000_000 - 5 * 60_000 + 1;
    expect(await ask()).toBe('Paris is mild.');
    expect([state.renewals, state.spentTwice]).toEqual([2, 0]);
  });

  it('that is refused before its expiry is renewed, and the call repeated once', async () => {
    await ask();
    // The token was revoked early: the vendor no longer accepts it, although its expiry is in the future.
    await replaceKey({ access_token: 'ended', expired: new Date(now + 864_000_000).toISOString() });
    const before = await balance();
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill('Paris is mild.'));
    expect([state.renewals, state.spentTwice]).toEqual([1, 0]);
    expect(before - (await balance())).toBe(3 * charge);
    expect((await gate.core.channels.get(channel)).status).toBe(1);
  });

  it('that is refused although it was just renewed fails, and is not renewed endlessly', async () => {
    state.failure = { status: 401, body: { detail: 'no' } };
    const before = await balance();
    await expect(ask()).rejects.toMatchObject({ status: 502 });
    expect([state.renewals, state.asked.length]).toEqual([1, 2]);
    expect(await balance()).toBe(before);
  });

  it('whose renewal is refused disables its channel, with the reason', async () => {
    await replaceKey({ access_token: 'ended', refresh_token: 'spent' });
    const before = await balance();
    await expect(ask()).rejects.toMatchObject({ status: 502 });
    await expect.poll(async () => (await gate.core.channels.get(channel)).status).toBe(3);
    const { other_info: info } = await gate.core.channels.get(channel);
    expect(info).toContain('refresh_token_reused');
    expect(info).not.toContain('"spent"');
    expect(await balance()).toBe(before);
  });

  it('that cannot be renewed for now leaves its channel enabled, and is renewed by the next call', async () => {
    await replaceKey({ access_token: 'ended' });
    state.refusal = { status: 503, body: { error: { message: 'busy' } } };
    await expect(ask()).rejects.toMatchObject({ status: 503 });
    expect((await gate.core.channels.get(channel)).status).toBe(1);
    delete state.refusal;
    expect(await ask()).toBe('Paris is mild.');
    expect([state.renewals, state.spentTwice]).toEqual([1, 0]);
  });
});

it('an exhausted plan is no failure of the caller, and has a Retry-After', async () => {
  const error = {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    resets_in_seconds: 90,
  };
  state.failure = { status: 429, body: { error } };
  const failed = await openai.responses.create({ model, input: 'hi' }).catch((cause: unknown) => cause);
  expect(failed).toMatchObject({ status: 429 });
  expect((failed as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('90');
});
