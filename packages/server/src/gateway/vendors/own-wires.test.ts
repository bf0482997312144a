import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { channels as channelRows } from '../../store/index.ts';
import { openProbe } from '../../boot/upkeep.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import {
  baidu,
  baiduFailure,
  baiduKey,
  type BaiduState,
} from '../../testing/upstream/own-wires/fake-baidu.ts';
import { hunyuan, hunyuanKey } from '../../testing/upstream/own-wires/fake-hunyuan.ts';
import {
  type FakeSpark,
  sparkFailure,
  sparkKey,
  startFakeSpark,
} from '../../testing/upstream/own-wires/fake-spark.ts';
import { zhipu, zhipuKey } from '../../testing/upstream/own-wires/fake-zhipu.ts';

// Vendors with keys that sign requests or buy tokens and with their own chat formats, behind clients that know only
// OpenAI's and Anthropic's.

let gate: GatewayHarness;
let spark: FakeSpark;
let caller: TestCaller;
/** Baidu's channel. */
let baiduChannel: number;
let openai: OpenAI;
let anthropic: Anthropic;

const state: BaiduState = { tokens: 0 };
const mild = playModel(() => ({ say: 'Paris is mild.' }));
const silent = playModel(() => ({ say: 'Paris is mild.' }), 'silence');
const [ratio, completion] = [1.5, 4];
const charge = Math.round((40 + 12 * completion) * ratio);
const messages = [
  { role: 'system' as const, content: 'Be short.' },
  { role: 'user' as const, content: 'How is Paris?' },
];
const vendors = [
  { model: 'ERNIE-4.0-8K', type: 15, key: baiduKey, answers: baidu(state, mild) },
  { model: 'chatglm_turbo', type: 16, key: zhipuKey, answers: zhipu(mild) },
  { model: 'SparkDesk-v3.5', type: 18, key: sparkKey, answers: mild },
  { model: 'hunyuan-lite', type: 23, key: hunyuanKey, answers: hunyuan(mild) },
];

beforeAll(async () => {
  gate = await openGateway();
  spark = await startFakeSpark(mild);
  for (const { type, model, key } of vendors) {
    const id = await gate.addChannel({
      type,
      models: model,
      key,
      ...(type === 18 && { base_url: spark.url }),
    });
    if (type === 15) baiduChannel = id;
  }
  const priced = [...vendors.map(({ model }) => model), 'hunyuan-none', 'SparkDesk'];
  const all = (value: number) => JSON.stringify(Object.fromEntries(priced.map((name) => [name, value])));
  await gate.core.settings.set('ModelRatio', all(ratio));
  await gate.core.settings.set('CompletionRatio', all(completion));
  caller = await gate.addCaller();
  openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
});
afterAll(async () => {
  await gate.close();
  await spark.close();
});
afterEach(async () => {
  spark.script(mild);
  delete state.refusal;
  delete state.good;
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
});

const balance = async () => (await gate.readBalance(caller)).balance;

describe.each(vendors)('$model', ({ model, answers }) => {
  it('streams to OpenAI’s client, and is charged what the vendor reports', async () => {
    gate.upstream.script(answers);
    const before = await balance();
    let text = '';
    let usage;
    for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe('Paris is mild.');
    expect(usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 12 });
    expect(before - (await balance())).toBe(charge);
  });

  it('answers OpenAI’s client as a whole', async () => {
    gate.upstream.script(answers);
    const before = await balance();
    const { choices } = await openai.chat.completions.create({ model, messages });
    expect(choices[0]).toMatchObject({ message: { content: 'Paris is mild.' }, finish_reason: 'stop' });
    expect(before - (await balance())).toBe(charge);
  });

  it('answers Anthropic’s client', async () => {
    gate.upstream.script(answers);
    const ask = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'How is Paris?' }] };
    const whole = await anthropic.messages.create(ask);
    expect(whole.content).toMatchObject([{ type: 'text', text: 'Paris is mild.' }]);
    const streamed = await anthropic.messages.stream(ask).finalMessage();
    expect(streamed.content).toMatchObject([{ type: 'text', text: 'Paris is mild.' }]);
    expect(streamed.usage).toMatchObject({ input_tokens: 40, output_tokens: 12 });
  });

  it('with a wrong key is a failure of the channel, and costs nothing', async () => {
    gate.upstream.script(answers);
    const key = vendors.find((one) => one.model === model)!.key.replace(/.$/, 'x');
    const type = vendors.find((one) => one.model === model)!.type;
    const id = await gate.addChannel({
      type,
      models: `wrong-${type}`,
      model_mapping: JSON.stringify({ [`wrong-${type}`]: model }),
      key,
      ...(type === 18 && { base_url: spark.url }),
    });
    await gate.core.settings.set(
      'ModelRatio',
      JSON.stringify({ ...gate.core.settings.get('ModelRatio'), [`wrong-${type}`]: 1 }),
    );
    const before = await balance();
    const failed = await openai.chat.completions
      .create({ model: `wrong-${type}`, messages })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 502 });
    expect(String((failed as Error).message)).not.toContain(key.split(/[|.]/)[1]);
    expect(await balance()).toBe(before);
    expect(id).toBeGreaterThan(0);
  });
});

describe('Baidu’s token', () => {
  const model = 'ERNIE-4.0-8K';

  it('is fetched once for all calls', () => {
    expect(state.tokens).toBe(1);
  });

  it.each([
    [110, 'Access token invalid or no longer valid', false],
    [111, 'Access token expired', true],
  ])(
    'that is refused before its expiry (%i) is fetched again, and the call repeated once',
    async (code, words, stream) => {
      gate.upstream.script(baidu(state, mild));
      await openai.chat.completions.create({ model, messages });
      const [before, bought] = [await balance(), state.tokens];
      state.good = bought + 1;
      state.refusal = { error_code: code, error_msg: words };
      const asked = await Promise.all(
        [1, 2, 3].map(async () => {
          if (!stream)
            return (await openai.chat.completions.create({ model, messages })).choices[0]?.message.content;
          let text = '';
          const chunks = await openai.chat.completions.create({ model, messages, stream });
          for await (const { choices } of chunks) text += choices[0]?.delta.content ?? '';
          return text;
        }),
      );
      expect(asked).toEqual(Array(3).fill('Paris is mild.'));
      expect(state.tokens).toBe(bought + 1);
      expect(before - (await balance())).toBe(3 * charge);
      const { status } = await gate.core.channels.get(baiduChannel);
      expect(status).toBe(1);
    },
  );

  it('that is refused to a caller of another protocol is fetched again as well', async () => {
    gate.upstream.script(baidu(state, mild));
    state.good = state.tokens + 1;
    const { content } = await anthropic.messages.create({
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'How is Paris?' }],
    });
    expect(content).toMatchObject([{ type: 'text', text: 'Paris is mild.' }]);
  });

  it('that is refused again is a failure of the channel, which costs nothing', async () => {
    gate.upstream.script(baidu(state, mild));
    const [before, bought] = [await balance(), state.tokens];
    state.good = -1;
    const from = gate.upstream.requests.length;
    await expect(openai.chat.completions.create({ model, messages })).rejects.toMatchObject({ status: 502 });
    expect(
      gate.upstream.requests.slice(from).map(({ path }) => path.split('?')[0]!.split('/').at(-1)),
    ).toEqual(['completions_pro', 'token', 'completions_pro']);
    expect([before - (await balance()), state.tokens]).toEqual([0, bought + 1]);
  });

  it('that expired early is fetched again for a test of the channel as well', async () => {
    gate.upstream.script(baidu(state, mild));
    const probe = openProbe(gate.core, () => undefined);
    const tester = { userId: caller.userId, username: 'tester', group: 'default' };
    state.good = state.tokens + 1;
    expect((await probe.test(baiduChannel, { model }, tester)).error).toBeUndefined();
  });
});

test.each([11, 21])('channels of a vendor that closed are kept, and never chosen (type %i)', async (type) => {
  const { channels, routing, store } = gate.core;
  const id = await gate.addChannel({ models: 'closed-only,hunyuan-lite', priority: 9 });
  // Such a channel cannot be created; it was imported with the rows of another installation.
  await channelRows.update(store.db, id, { type });
  await routing.reload();
  await expect(openai.chat.completions.create({ model: 'closed-only', messages })).rejects.toMatchObject({
    status: 404,
  });
  gate.upstream.script(hunyuan(mild));
  const { choices } = await openai.chat.completions.create({ model: 'hunyuan-lite', messages });
  expect(choices[0]?.message.content).toBe('Paris is mild.');
  expect(routing.modelsOf('default')).not.toContain('closed-only');
  expect(await channels.get(id)).toMatchObject({ type });
});

test('a failure that Baidu reports with status 200 is a failure', async () => {
  gate.upstream.script(baidu(state, baiduFailure(336_100, 'the server is overloaded')));
  await expect(openai.chat.completions.create({ model: 'ERNIE-4.0-8K', messages })).rejects.toMatchObject({
    status: 429,
  });
});

describe('Spark', () => {
  const model = 'SparkDesk-v3.5';
  const ask = () => openai.chat.completions.create({ model, messages });

  it('is sent one message, by the version of the model', async () => {
    await ask();
    const sent = spark.requests.at(-1)!;
    expect(sent.path).toBe('/v3.5/chat');
    expect(sent.json()).toEqual({
      header: { app_id: 'spark-app' },
      parameter: { chat: { domain: 'generalv3.5' } },
      payload: { message: { text: messages } },
    });
  });

  it('refuses by a code, and its message is passed to the caller', async () => {
    spark.script(sparkFailure(10_907, 'token overflow'));
    await expect(ask()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('token overflow') as string,
    });
  });

  it('that breaks off is charged for what came', async () => {
    spark.script(silent);
    const before = await balance();
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    const half = 'Paris is m';
    let text = '';
    const read = async () => {
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        if (text === half) spark.requests.at(-1)!.cut();
      }
    };
    await expect(read()).rejects.toThrow('broke off');
    expect(text).toBe(half);
    const spent = before - (await balance());
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThan(charge);
  });

  it('is tested over its socket', async () => {
    const probe = openProbe(gate.core, () => undefined);
    const id = await gate.addChannel({ type: 18, key: sparkKey, base_url: spark.url, models: 'SparkDesk' });
    const tester = { userId: caller.userId, username: 'tester', group: 'default' };
    expect((await probe.test(id, { model: 'SparkDesk' }, tester)).error).toBeUndefined();
    spark.script(sparkFailure(11_200, 'no license'));
    expect((await probe.test(id, { model: 'SparkDesk' }, tester)).error?.message).toContain('no license');
  });

  it('is closed when the caller leaves', async () => {
    spark.script(silent);
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    for await (const _ of stream) break;
    await expect.poll(() => gate.openHolds()).toBe(0);
    const left = spark.requests.at(-1)!;
    await left.finished;
    expect(left.cutByPeer).toBe(true);
  });

  it('has no tools, so another channel is tried', async () => {
    await gate.addChannel({ type: 1, models: model, priority: -1 });
    gate.upstream.script(chat());
    const tools = [
      { type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ];
    const { choices } = await openai.chat.completions.create({ model, messages, tools });
    expect(choices[0]?.message.content).not.toContain('Paris');
  });
});
