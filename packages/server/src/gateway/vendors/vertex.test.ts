import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelStatus } from '@tollgate/contract';
import { logs } from '../../store/index.ts';
import { FakeGoogle } from '../../testing/upstream/fake-google.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import { type Behaviour, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Official clients of every protocol with Vertex AI as upstream, which exchanges the key for a token.

const google = new FakeGoogle();
const claude = 'claude-sonnet-4-20250514';
const gemini = 'gemini-2.5-pro';
let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
let anthropic: Anthropic;
let genai: GoogleGenAI;

beforeEach(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  caller = await gate.addCaller({ balance: 500_000_000 });
  openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
  genai = new GoogleGenAI({ apiKey: caller.key, httpOptions: { baseUrl: gate.url } });
  google.exchanges.length = 0;
  google.refusal = undefined;
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

const wordsOf = (text: string): Behaviour => google.before(playModel(() => ({ say: text })));
const addVertex = (fields: object = {}) =>
  gate.addChannel({
    type: 41,
    key: google.keyFile(`${gate.upstream.url}/token`),
    models: `${claude},${gemini}`,
    other: '{"default":"us-central1","claude-sonnet-4-20250514":"us-east5"}',
    ...fields,
  });
const messages = [{ role: 'user' as const, content: 'Say hello.' }];
const lastPath = (): string => decodeURIComponent(gate.upstream.requests.at(-1)!.path);

/** Text that each official client reads from a model, whole and streamed. */
const readers: Record<string, (model: string) => Promise<string[]>> = {
  async chat(model) {
    const whole = await openai.chat.completions.create({ model, messages });
    let streamed = '';
    for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? '';
    }
    return [whole.choices[0]?.message.content ?? '', streamed];
  },
  async responses(model) {
    const whole = await openai.responses.create({ model, input: 'Say hello.' });
    const streamed = await openai.responses.stream({ model, input: 'Say hello.' }).finalResponse();
    return [whole.output_text, streamed.output_text];
  },
  async messages(model) {
    const asked = { model, max_tokens: 100, messages };
    const whole = await anthropic.messages.create(asked);
    const streamed = await anthropic.messages.stream(asked).finalText();
    return [whole.content[0]?.type === 'text' ? whole.content[0].text : '', streamed];
  },
  async gemini(model) {
    const whole = await genai.models.generateContent({ model, contents: 'Say hello.' });
    let streamed = '';
    for await (const chunk of await genai.models.generateContentStream({ model, contents: 'Say hello.' })) {
      streamed += chunk.text ?? '';
    }
    return [whole.text ?? '', streamed];
  },
};

describe('models on Vertex AI', () => {
  it.each(Object.keys(readers).flatMap((protocol) => [claude, gemini].map((model) => [protocol, model])))(
    'answer callers of %s: %s',
    async (protocol, model) => {
      await addVertex();
      gate.upstream.script(wordsOf('Hello from Google.'));
      expect(await readers[protocol]!(model)).toEqual(['Hello from Google.', 'Hello from Google.']);
      const start = '/v1/projects/fake-project/locations';
      expect(lastPath()).toBe(
        model === claude
          ? `${start}/us-east5/publishers/anthropic/models/claude-sonnet-4@20250514:streamRawPredict?alt=sse`
          : `${start}/us-central1/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
      );
      expect(google.exchanges).toHaveLength(1);
      await gate.core.ledger.flush();
      const { rows } = await logs.list(
        gate.core.store.db,
        { userId: caller.userId },
        { offset: 0, limit: 9 },
      );
      expect(rows.map((row) => [row.model_name, row.prompt_tokens, row.completion_tokens])).toEqual([
        [model, 40, 12],
        [model, 40, 12],
      ]);
    },
  );

  it('complete a turn with a tool for the Anthropic client', async () => {
    await addVertex();
    gate.upstream.script(
      google.before(
        playModel(({ results }) =>
          results[0] === undefined
            ? { call: 'weather', input: { city: 'Paris' } }
            : { say: `It is ${results[0]}.` },
        ),
      ),
    );
    const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }];
    const asked = { model: claude, max_tokens: 100, tools };
    const first = await anthropic.messages.stream({ ...asked, messages }).finalMessage();
    const call = first.content.find((block) => block.type === 'tool_use')!;
    const result = { type: 'tool_result' as const, tool_use_id: call.id, content: '18 degrees' };
    const turn: Anthropic.MessageParam[] = [
      ...messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ];
    expect(await anthropic.messages.stream({ ...asked, messages: turn }).finalText()).toBe(
      'It is 18 degrees.',
    );
    const sent = gate.upstream.requests.at(-1)!.json();
    expect(sent).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true });
    expect(sent).not.toHaveProperty('model');
  });

  it('have their tokens counted by Google, with the token of all calls', async () => {
    await addVertex();
    gate.upstream.script(google.before(json({ input_tokens: 31, totalTokens: 32 })));
    expect((await anthropic.messages.countTokens({ model: claude, messages })).input_tokens).toBe(31);
    expect(lastPath()).toMatch(/\/publishers\/anthropic\/models\/count-tokens:rawPredict$/);
    expect((await genai.models.countTokens({ model: gemini, contents: 'hi' })).totalTokens).toBe(32);
    expect(google.exchanges).toHaveLength(1);
  });

  it('share one token between fifty concurrent callers', async () => {
    await addVertex();
    gate.upstream.script(wordsOf('Hello.'));
    const ask = () => openai.chat.completions.create({ model: gemini, messages });
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    expect(new Set(answers.map(({ choices }) => choices[0]?.message.content))).toEqual(new Set(['Hello.']));
    expect(google.exchanges).toHaveLength(1);
  });

  it('answer an API key as well', async () => {
    await addVertex({ key: google.apiKey, other: 'global' });
    gate.upstream.script(wordsOf('Hello.'));
    expect(await readers['gemini']!(gemini)).toEqual(['Hello.', 'Hello.']);
    expect(lastPath()).toBe('/v1/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
    expect(google.exchanges).toHaveLength(0);
  });
});

describe('a key that Google refuses', () => {
  it('fails the channel and not the caller: the next one answers, and it is disabled', async () => {
    await gate.core.settings.set('RetryTimes', '1');
    await gate.core.settings.set('AutomaticDisableChannelEnabled', 'true');
    const refused = await addVertex({
      key: google.strangeKeyFile(`${gate.upstream.url}/token`),
      priority: 10,
    });
    await addVertex({ priority: 5 });
    gate.upstream.script(wordsOf('Hello.'));
    const { choices } = await openai.chat.completions.create({ model: gemini, messages });
    expect(choices[0]?.message.content).toBe('Hello.');
    await expect.poll(() => gate.core.routing.byId(refused)?.status).toBe(channelStatus.autoDisabled);
  });

  it('is reported to a caller without another channel as a failure of the gateway, not as theirs', async () => {
    await addVertex({ key: google.strangeKeyFile(`${gate.upstream.url}/token`) });
    gate.upstream.script(wordsOf('Hello.'));
    const failed = await openai.chat.completions
      .create({ model: gemini, messages })
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
    expect(failed).toMatchObject({ status: 502, code: 'upstream_rejected_channel' });
    expect(JSON.stringify(failed)).not.toMatch(/PRIVATE KEY|fake-project|ya29/);
    expect(await gate.readBalance(caller)).toEqual({ balance: 500_000_000, held: 0 });
  });
});

it('errors are in the protocol of the caller, and Google’s own object goes to Google’s clients alone', async () => {
  await addVertex();
  const error = {
    code: 429,
    message: 'Quota exceeded for projects/fake-project.',
    status: 'RESOURCE_EXHAUSTED',
  };
  gate.upstream.script(google.before(json({ error }, 429)));
  await expect(readers['messages']!(claude)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  await expect(readers['messages']!(claude)).rejects.toMatchObject({ type: 'rate_limit_error' });
  await expect(readers['chat']!(claude)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  gate.upstream.script(
    google.before(json([{ error: { ...error, code: 400, status: 'INVALID_ARGUMENT' } }], 400)),
  );
  const failed: unknown = await readers['messages']!(claude).catch((thrown: unknown) => thrown);
  expect(failed).toBeInstanceOf(Anthropic.BadRequestError);
  expect(failed).toMatchObject({ type: 'invalid_request_error' });
  expect((failed as Error).message).toContain('Quota exceeded for');
  expect((failed as Error).message).not.toContain('fake-project');
  const own = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  gate.upstream.script(google.before(json(own, 529)));
  await expect(readers['messages']!(claude)).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
});

it('messages of the upstream do not carry the token or the key to a caller', async () => {
  await addVertex();
  const { private_key: pem } = JSON.parse(google.keyFile('')) as { private_key: string };
  const error = { code: 400, message: `no ${google.token(1)} ${pem} f00dfeed`, status: 'INVALID_ARGUMENT' };
  gate.upstream.script(google.before(json({ error }, 400)));
  for (const [protocol, model] of [
    ['gemini', gemini],
    ['chat', gemini],
    ['messages', claude],
  ] as const) {
    const failed = await readers[protocol]!(model).catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(Error);
    expect(`${(failed as Error).message} ${JSON.stringify(failed)}`).not.toMatch(/PRIVATE KEY|f00dfeed|ya29/);
  }
});
