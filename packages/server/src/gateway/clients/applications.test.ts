/** @module-tag deep */
import Anthropic from '@anthropic-ai/sdk';
import { noCostRule } from '@tollgate/contract';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import * as fake from '../../testing/upstream/fake-applications.ts';
import type { RecordedRequest } from '../../testing/upstream/fake-upstream.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { type Behaviour, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Vendors with their own wire formats, behind clients that know only OpenAI's and Anthropic's.

let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
let anthropic: Anthropic;

/** Model ratio and completion ratio of every model here. */
const [ratio, completion] = [1.5, 4];
const charge = Math.round((12 + 5 * completion) * ratio);
/** Price of a search by Perplexity: 2.5 US dollars per thousand. */
const searchFee = 1_250;
const messages = [
  { role: 'system' as const, content: 'Be short.' },
  { role: 'user' as const, content: 'How is Paris?' },
];

const workersModel = '@cf/meta/llama-3.1-8b-instruct';
const applications = [
  { model: 'dify-app', type: 37, other: '', answers: fake.dify, price: charge },
  { model: 'coze-bot', type: 49, other: 'bot-1', answers: fake.coze, price: charge },
  { model: workersModel, type: 39, other: 'acc-1', answers: fake.workersAi, price: charge },
  { model: 'sonar', type: 27, other: '', answers: fake.perplexity, price: charge + searchFee },
  { model: 'sonar-pro', type: 27, other: '', answers: fake.perplexity, price: charge + searchFee },
];

beforeAll(async () => {
  gate = await openGateway();
  const models = applications.map(({ model }) => model);
  for (const { type, model, other } of applications) {
    const id = await gate.addChannel({ type, models: model, other });
    if (type === 27) await gate.core.costs.save(id, { ...noCostRule, reported: true });
  }
  const all = (value: number) => JSON.stringify(Object.fromEntries(models.map((name) => [name, value])));
  await gate.core.settings.set('ModelRatio', all(ratio));
  await gate.core.settings.set('CompletionRatio', all(completion));
  caller = await gate.addCaller();
  openai = clientOf(caller);
  anthropic = new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
});
afterAll(() => gate.close());
afterEach(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
});

const clientOf = ({ key }: TestCaller) =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const spentBy = async (who: TestCaller, before: number) => before - (await gate.readBalance(who)).balance;
const balance = async (who: TestCaller) => (await gate.readBalance(who)).balance;

/** Text and reasoning of a streamed chat. */
async function streamed(client: OpenAI, model: string) {
  let [text, reasoning] = ['', ''];
  const chunks = await client.chat.completions.create({ model, messages, stream: true });
  for await (const { choices } of chunks) {
    const sent = (choices[0]?.delta ?? {}) as { content?: string; reasoning_content?: string };
    text += sent.content ?? '';
    reasoning += sent.reasoning_content ?? '';
  }
  return { text, reasoning };
}

describe.each(applications)('$model', ({ model, answers, price }) => {
  it('answers the openai client whole and streamed, and is charged to the unit', async () => {
    gate.upstream.script(answers);
    let before = await balance(caller);
    const whole = await openai.chat.completions.create({ model, messages });
    expect(whole.choices[0]!.message.content).toMatch(/^巴黎 is mild(\[1\])?\.$/);
    expect(whole.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 });
    expect(await spentBy(caller, before)).toBe(price);
    before = await balance(caller);
    expect((await streamed(openai, model)).text).toBe(whole.choices[0]!.message.content);
    expect(await spentBy(caller, before)).toBe(price);
  });

  it('answers the Anthropic client whole and streamed', async () => {
    gate.upstream.script(answers);
    const ask = { model, max_tokens: 50, messages: [messages[1]! as Anthropic.MessageParam] };
    const before = await balance(caller);
    const whole = await anthropic.messages.create(ask);
    expect(whole.content.find(({ type }) => type === 'text')).toMatchObject({ text: /^巴黎 is mild/ });
    expect(whole).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 12, output_tokens: 5 } });
    const { content, usage } = await anthropic.messages.stream(ask).finalMessage();
    expect(content.map(({ type }) => type)).toContain('text');
    expect(usage).toMatchObject({ input_tokens: 12, output_tokens: 5 });
    expect(await spentBy(caller, before)).toBe(2 * price);
  });

  it('costs nothing when it refuses, and the caller gets its own message', async () => {
    gate.upstream.script(refuse(422, { message: 'no such thing' }));
    const before = await balance(caller);
    await expect(openai.chat.completions.create({ model, messages })).rejects.toThrow('no such thing');
    expect(await spentBy(caller, before)).toBe(0);
  });

  it('is not called without a balance', async () => {
    gate.upstream.script(answers);
    const poor = await gate.addCaller({ balance: 1 });
    const asked = gate.upstream.requests.length;
    await expect(clientOf(poor).chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 403,
      code: 'insufficient_user_quota',
    });
    expect(gate.upstream.requests).toHaveLength(asked);
    expect(await gate.readBalance(poor)).toEqual({ balance: 1, held: 0 });
  });
});

const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pictured = [
  {
    role: 'user' as const,
    content: [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${image}` } },
    ],
  },
];
/** File of a message, in the vendor's format. */
function shown(chat: RecordedRequest): unknown {
  const { files, additional_messages: sent } = chat.json() as {
    files?: unknown[];
    additional_messages?: { content: string }[];
  };
  return files ? files[0] : (JSON.parse(sent![0]!.content) as unknown[])[1];
}
const lastTwo = () => gate.upstream.requests.slice(-2);

describe('files', () => {
  it.each([
    ['dify-app', fake.dify, { type: 'image', transfer_method: 'local_file', upload_file_id: 'file-1' }],
    ['coze-bot', fake.coze, { type: 'image', file_id: 'file-1' }],
  ] as const)('%s gets them before the message that shows them', async (model, answers, reference) => {
    gate.upstream.script(answers);
    await openai.chat.completions.create({ model, messages: pictured, user: 'ann' });
    const [upload, chat] = lastTwo();
    expect([upload!.path, upload!.headers.authorization]).toEqual([
      '/v1/files/upload',
      'Bearer sk-upstream-secret',
    ]);
    expect(upload!.body.includes(Buffer.from(image, 'base64'))).toBe(true);
    expect(upload!.body.toString('latin1')).toContain('filename="file.png"');
    expect(shown(chat!)).toEqual(reference);
    expect(chat!.body.toString()).not.toContain(image);
  });

  it.each(['dify-app', 'coze-bot'])(
    'a file for %s, which takes none, fails the call, which costs nothing',
    async (model) => {
      gate.upstream.script(
        json({ code: 'file_too_large', msg: 'too large', message: 'too large', status: 413 }, 413),
      );
      const before = await balance(caller);
      const asked = gate.upstream.requests.length;
      await expect(openai.chat.completions.create({ model, messages: pictured })).rejects.toThrow(
        'too large',
      );
      expect(gate.upstream.requests).toHaveLength(asked + 1);
      expect(await spentBy(caller, before)).toBe(0);
    },
  );
});

/** A few words and, after the caller has received them, a failure. */
const failsAfter =
  (events: readonly string[], failure: string): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.write(events.join(''));
    // Long enough for the first token count of an almost empty balance, which loads the tokenizer.
    await exchange.pause(1_500);
    await exchange.end(failure);
  };

/** Streams that fail, and their error messages. */
const torn: readonly (readonly [string, string, Behaviour])[] = [
  [
    'dify-app',
    'the model is gone',
    failsAfter(
      fake.difyEvents.slice(0, 5),
      fake.difyEvent('error', { status: 400, code: 'app_unavailable', message: 'the model is gone' }),
    ),
  ],
  [
    'coze-bot',
    'the plugin broke',
    failsAfter(
      fake.cozeEvents.slice(0, 5),
      fake.cozeEvent('conversation.chat.failed', { last_error: { code: 5000, msg: 'the plugin broke' } }),
    ),
  ],
];

describe('failures in mid-stream', () => {
  it.each(torn)(
    '%s: the client throws, and what was delivered is charged',
    async (model, words, behaviour) => {
      gate.upstream.script(behaviour);
      const before = await balance(caller);
      await expect(streamed(openai, model)).rejects.toThrow(words);
      await expect.poll(() => spentBy(caller, before), { timeout: 5_000 }).toBeGreaterThan(0);
      expect(await spentBy(caller, before)).toBeLessThan(charge * 2);
    },
  );

  it.each(torn)('%s: an answer in one piece fails, and costs nothing', async (model, words, behaviour) => {
    gate.upstream.script(behaviour);
    const before = await balance(caller);
    await expect(openai.chat.completions.create({ model, messages })).rejects.toThrow(words);
    expect(await spentBy(caller, before)).toBe(0);
  });

  it('failures of Coze with status 200 are failures', async () => {
    gate.upstream.script(json({ code: 4013, msg: 'slow down', detail: { logid: '1' } }));
    await expect(openai.chat.completions.create({ model: 'coze-bot', messages })).rejects.toMatchObject({
      status: 429,
    });
    gate.upstream.script(json({ code: 4000, msg: 'bad additional_messages' }));
    await expect(streamed(openai, 'coze-bot')).rejects.toThrow('400 bad additional_messages (4000)');
  });

  it('failures of Workers AI with status 200 are failures', async () => {
    gate.upstream.script(
      json({ success: false, errors: [{ code: 7003, message: 'no such account' }], result: {} }),
    );
    await expect(openai.chat.completions.create({ model: workersModel, messages })).rejects.toThrow(
      'no such account',
    );
  });
});

describe('a feature that an application lacks', () => {
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: {} } }];

  it.each(['dify-app', 'coze-bot'])(
    '%s: tools are reported as left out, a forced one is refused',
    async (model) => {
      gate.upstream.script(model === 'dify-app' ? fake.dify : fake.coze);
      const { data, response } = await openai.chat.completions
        .create({ model, messages, tools, temperature: 0.5 })
        .withResponse();
      expect(data.choices[0]!.finish_reason).toBe('stop');
      expect(response.headers.get('x-tollgate-dropped')).toBe('tools, temperature');
      expect(gate.upstream.requests.at(-1)!.body.toString()).not.toContain('weather');
      const asked = gate.upstream.requests.length;
      await expect(
        openai.chat.completions.create({ model, messages, tools, tool_choice: 'required' }),
      ).rejects.toMatchObject({ status: 400, code: 'cannot_translate' });
      expect(gate.upstream.requests).toHaveLength(asked);
    },
  );

  it('steps of a Dify workflow are reasoning, and cost nothing', async () => {
    gate.upstream.script(fake.dify);
    const { reasoning } = await streamed(openai, 'dify-app');
    expect(reasoning).toContain('Node: Answer succeeded\n');
  });
});

describe('Perplexity', () => {
  const ask = { model: 'sonar', messages };

  it('passes its sources to the clients of all protocols', async () => {
    gate.upstream.script(fake.perplexity);
    const pages = ['https://a.test/1', 'https://b.test/2'];
    const whole = await openai.chat.completions.create(ask);
    expect(whole.choices[0]!.message.annotations!.map(({ url_citation: { url } }) => url)).toEqual(pages);
    const urls: string[] = [];
    for await (const { choices } of await openai.chat.completions.create({ ...ask, stream: true })) {
      const { annotations = [] } = (choices[0]?.delta ?? {}) as {
        annotations?: { url_citation: { url: string } }[];
      };
      urls.push(...annotations.map(({ url_citation: { url } }) => url));
    }
    expect(urls).toEqual(pages);
    const { output_text: text } = await openai.responses.create({ model: 'sonar', input: 'How is Paris?' });
    expect(text).toBe('巴黎 is mild[1].');
  });

  it('has the cost that the vendor reports on its log row', async () => {
    gate.upstream.script(fake.perplexity);
    await openai.chat.completions.create({ ...ask, model: 'sonar-pro' });
    expect(gate.upstream.requests.at(-1)!.json()).toMatchObject({ preset: 'fast' });
    await gate.core.ledger.flush();
    const page = { offset: 0, limit: 1 };
    const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, page);
    expect(rows[0]).toMatchObject({ cost: 2_250 });
  });
});

describe('Workers AI', () => {
  it('completes texts by its own endpoint, whole and streamed', async () => {
    gate.upstream.script(fake.workersAi);
    const before = await balance(caller);
    const ask = { model: workersModel, prompt: 'How is Paris?' };
    const whole = await openai.completions.create(ask);
    expect(whole.choices[0]).toMatchObject({ text: '巴黎 is mild.', finish_reason: 'stop' });
    const { path } = gate.upstream.requests.at(-1)!;
    expect(path).toBe(`/client/v4/accounts/acc-1/ai/run/${workersModel}`);
    let text = '';
    for await (const chunk of await openai.completions.create({ ...ask, stream: true })) {
      text += chunk.choices[0]?.text ?? '';
    }
    expect(text).toBe('巴黎 is mild.');
    expect(await spentBy(caller, before)).toBe(2 * charge);
  });

  it('embeds', async () => {
    const { data } = await openai.embeddings.create({
      model: workersModel,
      input: 'x',
      encoding_format: 'float',
    });
    expect(data[0]!.embedding).toEqual([0.5]);
  });
});

describe('channels without an account or bot', () => {
  it.each([
    [49, 'this channel names no bot'],
    [39, 'this channel names no account'],
  ])('of type %i fail before anything is sent', async (type, words) => {
    const model = `unset-${type}`;
    await gate.addChannel({ type, models: model, other: '' });
    await gate.core.settings.set('SelfUseModeEnabled', 'true');
    const asked = gate.upstream.requests.length;
    await expect(openai.chat.completions.create({ model, messages })).rejects.toThrow(words);
    expect(gate.upstream.requests).toHaveLength(asked);
  });
});
