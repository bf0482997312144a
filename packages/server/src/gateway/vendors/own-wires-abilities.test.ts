import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import type { Asked, Turn } from '../../testing/model/fake-model-words.ts';
import type { Behaviour } from '../../testing/upstream/fake-upstream-scripts.ts';
import { baidu, baiduKey, type BaiduState } from '../../testing/upstream/own-wires/fake-baidu.ts';
import { codex, codexKey, codexState } from '../../testing/upstream/own-wires/fake-codex.ts';
import { hunyuan, hunyuanKey } from '../../testing/upstream/own-wires/fake-hunyuan.ts';
import { type FakeSpark, sparkKey, startFakeSpark } from '../../testing/upstream/own-wires/fake-spark.ts';
import {
  byTemplate,
  template,
  templateKey,
  templateModel,
} from '../../testing/upstream/own-wires/fake-template.ts';
import { zhipu, zhipuKey } from '../../testing/upstream/own-wires/fake-zhipu.ts';

// Features of official clients at a model behind each vendor's own wire format. Each feature works, is refused by
// name before the request is sent, or is left out by name. Chats, streams and failures: own-wires.test.ts.

type Fate = 'done' | 'refused';
interface Wire {
  model: string;
  type: number;
  /** Key of the channel; it may contain an address of the upstream. */
  key: string | ((url: string) => string);
  other?: string;
  /** Adds the vendor's checks and token endpoint in front of the model's answer. */
  door: (answer: Behaviour) => Behaviour;
  tools: Fate;
  pictures: Fate;
  schema: Fate;
  /** Position of a schema in the sent request. */
  schemaAt?: string;
  thinking: 'done' | 'left out';
}

const none = (answer: Behaviour) => answer;
const tokens: BaiduState = { tokens: 0 };
const baiduDoor = (answer: Behaviour) => baidu(tokens, answer);

const wires: Wire[] = [
  {
    model: 'ERNIE-4.0-8K',
    type: 15,
    key: baiduKey,
    door: baiduDoor,
    tools: 'done',
    pictures: 'refused',
    schema: 'refused',
    thinking: 'left out',
  },
  {
    model: 'chatglm_turbo',
    type: 16,
    key: zhipuKey,
    door: zhipu,
    tools: 'refused',
    pictures: 'refused',
    schema: 'refused',
    thinking: 'left out',
  },
  {
    model: 'SparkDesk-v3.5',
    type: 18,
    key: sparkKey,
    door: none,
    tools: 'refused',
    pictures: 'refused',
    schema: 'refused',
    thinking: 'left out',
  },
  {
    model: 'hunyuan-vision',
    type: 23,
    key: hunyuanKey,
    door: hunyuan,
    tools: 'done',
    pictures: 'done',
    schema: 'refused',
    thinking: 'left out',
  },
  {
    model: 'llama-native',
    type: 4,
    key: 'k',
    other: 'native',
    door: none,
    tools: 'done',
    pictures: 'done',
    schema: 'done',
    schemaAt: 'format',
    thinking: 'done',
  },
  {
    model: 'gpt-5.6-sol',
    type: 57,
    key: (url) => codexKey(1, `${url}/oauth/token`),
    door: (answer) => codex(codexState(), answer),
    tools: 'done',
    pictures: 'done',
    schema: 'done',
    schemaAt: 'text.format.schema',
    thinking: 'done',
  },
  {
    model: templateModel,
    type: 58,
    key: templateKey,
    other: template,
    door: byTemplate,
    tools: 'done',
    pictures: 'done',
    schema: 'done',
    schemaAt: 'response_format.json_schema.schema',
    thinking: 'done',
  },
];

let gate: GatewayHarness;
let spark: FakeSpark;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;

beforeAll(async () => {
  gate = await openGateway();
  spark = await startFakeSpark(mild);
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  for (const { model, type, key, other } of wires) {
    const address = type === 18 ? { base_url: spark.url } : {};
    await gate.addChannel({
      type,
      models: model,
      key: typeof key === 'string' ? key : key(gate.upstream.url),
      ...(other && { other }),
      ...address,
    });
  }
  const { key } = await gate.addCaller({ balance: 500_000_000 });
  openai = new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: key, baseURL: gate.url, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gate.url } });
});
afterAll(async () => {
  await gate.close();
  await spark.close();
});
afterEach(async () => {
  await expect.poll(() => gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
});

/** Calls the tool while it has no result of it, and thinks if the request asks for it. */
const decide = ({ tools, results }: Asked): Turn =>
  tools.length > 0 && results.length === 0
    ? { call: 'weather', input: { city: 'Paris' } }
    : { say: 'Paris is mild.' };
const mild = playModel(decide);
const thoughtful: Behaviour = (exchange) =>
  playModel(() => ({
    say: 'Paris is mild.',
    ...(/"(think|effort|reasoning_effort)":"?(high|true)/.test(exchange.body.toString()) && {
      thought: 'Let me see.',
    }),
  }))(exchange);

const question = [{ role: 'user' as const, content: 'How is Paris?' }];
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Refused with this message, before any request to the vendor. */
async function expectRefusal(call: () => Promise<unknown>, words: string): Promise<void> {
  const asked = [gate.upstream.requests.length, spark.requests.length];
  await expect(call()).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(words) as string,
  });
  expect([gate.upstream.requests.length, spark.requests.length]).toEqual(asked);
}

describe.each(wires)('$model', ({ model, type, door, tools, pictures, schema, schemaAt, thinking }) => {
  it(`tools are ${tools}, in OpenAI’s client and in Anthropic’s`, async () => {
    gate.upstream.script(door(mild));
    const offered = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
    const ask = () => openai.chat.completions.create({ model, messages: question, tools: offered });
    if (tools === 'refused') return expectRefusal(ask, 'tools cannot be said');
    const { message } = (await ask()).choices[0]!;
    const [call] = message.tool_calls!;
    expect(call).toMatchObject({ function: { name: 'weather', arguments: '{"city":"Paris"}' } });
    const result = { role: 'tool' as const, tool_call_id: call!.id, content: '18 degrees' };
    const messages = [...question, message, result];
    const { choices } = await openai.chat.completions.create({ model, messages, tools: offered });
    expect(choices[0]!.message.content).toBe('Paris is mild.');
    expect(gate.upstream.requests.at(-1)!.body.toString()).toContain('18 degrees');
    const { content, stop_reason: reason } = await anthropic.messages
      .stream({
        model,
        max_tokens: 99,
        messages: question,
        tools: [{ name: 'weather', input_schema: { ...parameters, type: 'object' } }],
      })
      .finalMessage();
    expect(content.at(-1)).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: 'Paris' } });
    expect(reason).toBe('tool_use');
  });

  it('Google’s client is answered, whole and streamed, and gets refusals as errors of its own', async () => {
    gate.upstream.script(door(mild));
    const asked = { model, contents: 'How is Paris?' };
    const whole = await google.models.generateContent(asked);
    expect([whole.text, whole.usageMetadata?.candidatesTokenCount]).toEqual(['Paris is mild.', 12]);
    let text = '';
    for await (const chunk of await google.models.generateContentStream(asked)) text += chunk.text ?? '';
    expect(text).toBe('Paris is mild.');
    const functionDeclarations = [{ name: 'weather', parametersJsonSchema: parameters }];
    const outcome = await google.models
      .generateContent({ ...asked, config: { tools: [{ functionDeclarations }] } })
      .then(
        ({ functionCalls }) => functionCalls?.[0]?.name,
        (error: unknown) =>
          error instanceof ApiError && [error.status, /INVALID_ARGUMENT/.test(error.message)],
      );
    expect(outcome).toEqual(tools === 'done' ? 'weather' : [400, true]);
  });

  it(`pictures are ${pictures}`, async () => {
    gate.upstream.script(door(mild));
    const url = `data:image/png;base64,${picture}`;
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    const ask = () => openai.chat.completions.create({ model, messages: [{ role: 'user', content }] });
    if (pictures === 'refused') return expectRefusal(ask, 'cannot be said');
    await ask();
    expect(gate.upstream.requests.at(-1)!.body.toString()).toContain(picture);
  });

  it(`an answer by a schema is ${schema}`, async () => {
    gate.upstream.script(door(mild));
    const json_schema = { name: 'place', schema: parameters };
    const response_format = { type: 'json_schema' as const, json_schema };
    const ask = () => openai.chat.completions.create({ model, messages: question, response_format });
    if (schema === 'refused') return expectRefusal(ask, 'an answer by a schema cannot be said');
    await ask();
    expect(gate.upstream.requests.at(-1)!.json()).toHaveProperty(schemaAt!, parameters);
  });

  it(`thinking is ${thinking}`, async () => {
    gate.upstream.script(door(thoughtful));
    const { data, response } = await openai.chat.completions
      .create({ model, messages: question, reasoning_effort: 'high' })
      .withResponse();
    const message = data.choices[0]!.message as { content: string | null; reasoning_content?: string };
    expect(message.content).toBe('Paris is mild.');
    const dropped = response.headers.get('x-tollgate-dropped');
    const expected = thinking === 'done' ? ['Let me see.', null] : [undefined, 'reasoning_effort'];
    expect([message.reasoning_content, dropped]).toEqual(expected);
  });

  it('is cancelled when the client leaves', async () => {
    const silent = playModel(decide, 'silence');
    spark.script(silent);
    gate.upstream.script(door(silent));
    const stream = await openai.chat.completions.create({ model, messages: question, stream: true });
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    spark.script(mild);
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
    const left = (type === 18 ? spark : gate.upstream).requests.at(-1)!;
    await left.finished;
    expect(left.cutByPeer).toBe(true);
  });
});
