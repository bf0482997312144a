import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Behaviour, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Clients of all protocols with Cohere as upstream, which has its own protocol.

let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
const model = 'command-a-03-2025';
const billed = { input_tokens: 7, output_tokens: 5 };
const usage = { billed_units: billed, tokens: { input_tokens: 500, output_tokens: 9 }, cached_tokens: 400 };

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 34, models: `${model},embed-v4.0` });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1, 'embed-v4.0': 1 }));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [model]: 4 }));
  caller = await gate.addCaller({ balance: 5_000_000 });
  openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
});
afterAll(() => gate.close());
afterEach(() => gate.upstream.script('healthy'));

type Event = Record<string, unknown> & { type: string };

/** Events of a stream, one write each. A promise between them is awaited. */
const streams =
  (...events: (Event | Promise<void>)[]): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    for (const each of events) {
      if (each instanceof Promise) await each;
      else await exchange.write(`event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
    }
    await exchange.end('data: [DONE]\n\n');
  };

const start = { type: 'message-start', id: 'a1', delta: { message: { role: 'assistant' } } };
const end = (reason: string) => ({ type: 'message-end', delta: { finish_reason: reason, usage } });
const call = (type: string, fields: object) => ({
  type,
  index: 0,
  delta: { message: { tool_calls: fields } },
});
const piece = (words: string) => call('tool-call-delta', { function: { arguments: words } });
const plan = { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will look.' } } };
const callsTool = streams(
  start,
  plan,
  call('tool-call-start', { id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }),
  piece('{"city":'),
  piece('"Paris"}'),
  { type: 'tool-call-end', index: 0 },
  end('TOOL_CALL'),
);
const text = (words: string) => ({
  type: 'content-delta',
  index: 0,
  delta: { message: { content: { text: words } } },
});
const answers = json({
  id: 'a2',
  finish_reason: 'COMPLETE',
  message: { role: 'assistant', content: [{ type: 'text', text: '18 degrees.' }] },
  usage,
});

const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const question = 'Weather in Paris?';
const sent = () => gate.upstream.requests.at(-1)!.json();
/** The second half of a turn with a tool, in Cohere's format. */
const answeredTool = [
  { role: 'user', content: question },
  {
    role: 'assistant',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: [{ type: 'document', document: { data: { celsius: 18 } } }] },
];

describe('a turn with a tool at Cohere', () => {
  it('is completed by the openai client, in chat', async () => {
    gate.upstream.next(callsTool);
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: schema } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
    const runner = openai.chat.completions.stream({ model, messages, tools, tool_choice: 'required' });
    const { message, finish_reason: reason } = (await runner.finalChatCompletion()).choices[0]!;
    expect([reason, message.tool_calls?.[0]?.id]).toEqual(['tool_calls', 'c1']);
    expect(sent()).toMatchObject({ stream: true, tools, tool_choice: 'REQUIRED' });
    gate.upstream.next(answers);
    const result = { role: 'tool' as const, tool_call_id: 'c1', content: '{"celsius":18}' };
    const whole = await openai.chat.completions.create({
      model,
      messages: [...messages, message, result],
      tools,
    });
    expect([whole.choices[0]!.message.content, whole.model]).toEqual(['18 degrees.', model]);
    expect(whole.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 5 });
    expect(sent().messages).toMatchObject(answeredTool);
  });

  it('is completed by the openai client, in Responses', async () => {
    gate.upstream.next(callsTool);
    const tools = [{ type: 'function' as const, name: 'weather', parameters: schema, strict: true }];
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: question }];
    const asked = await openai.responses.stream({ model, input, tools }).finalResponse();
    expect(sent()).toMatchObject({ strict_tools: true });
    gate.upstream.next(answers);
    const result = { type: 'function_call_output' as const, call_id: 'c1', output: '{"celsius":18}' };
    const items = [...input, ...asked.output, result] as OpenAI.Responses.ResponseInput;
    const answered = await openai.responses.create({ model, input: items, tools });
    expect(answered.output_text).toBe('18 degrees.');
    expect(sent().messages).toMatchObject(answeredTool);
  });

  it('is completed by Anthropic’s client, whose plan is returned', async () => {
    const claude = new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
    gate.upstream.next(callsTool);
    const tools = [{ name: 'weather', input_schema: schema }];
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
    const asked = await claude.messages.stream({ model, max_tokens: 99, messages, tools }).finalMessage();
    expect([asked.stop_reason, asked.content.map(({ type }) => type)]).toEqual([
      'tool_use',
      ['thinking', 'tool_use'],
    ]);
    gate.upstream.next(answers);
    const answered = await claude.messages.create({
      model,
      max_tokens: 99,
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: asked.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '{"celsius":18}' }] },
      ],
    });
    expect(answered.content).toMatchObject([{ type: 'text', text: '18 degrees.' }]);
    expect(sent()).toMatchObject({ max_tokens: 99, messages: answeredTool });
    expect((sent().messages as object[])[1]).toMatchObject({ tool_plan: 'I will look.' });
  });

  it('is completed by Google’s client', async () => {
    const google = new GoogleGenAI({ apiKey: caller.key, httpOptions: { baseUrl: gate.url } });
    const config = { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }] };
    gate.upstream.next(callsTool);
    const chat = google.chats.create({ model, config });
    let asked;
    for await (const chunk of await chat.sendMessageStream({ message: question })) {
      asked ??= chunk.functionCalls?.[0];
    }
    expect(asked).toMatchObject({ id: 'c1', name: 'weather', args: { city: 'Paris' } });
    gate.upstream.next(answers);
    const functionResponse = { id: 'c1', name: 'weather', response: { celsius: 18 } };
    expect((await chat.sendMessage({ message: { functionResponse } })).text).toBe('18 degrees.');
    expect(sent().messages).toMatchObject(answeredTool);
  });
});

describe('an answer of Cohere', () => {
  const cited = {
    type: 'citation-start',
    index: 0,
    delta: {
      message: {
        citations: {
          start: 0,
          end: 5,
          text: 'Hello',
          type: 'TEXT_CONTENT',
          sources: [{ type: 'document', id: 'd1', document: { url: 'https://a.test', title: 'A' } }],
        },
      },
    },
  };
  const ask = { model, messages: [{ role: 'user' as const, content: 'hi' }] };

  it('has its sources as annotations, and is charged what Cohere bills', async () => {
    gate.upstream.next(streams(start, text('Hello'), text(' you'), cited, end('MAX_TOKENS')));
    const before = await gate.readBalance(caller);
    const documents = [{ id: 'd1', data: { url: 'https://a.test', title: 'A', text: 'Hello' } }];
    // Cohere's own field, without an equivalent in chat.
    const withDocuments = { ...ask, documents };
    const whole = await openai.chat.completions.create(withDocuments);
    const [choice] = whole.choices;
    expect([choice!.message.content, choice!.finish_reason]).toEqual(['Hello you', 'length']);
    expect(choice!.message.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: { url: 'https://a.test', title: 'A', start_index: 0, end_index: 5 },
      },
    ]);
    expect(sent()).toMatchObject({ documents });
    const after = await gate.readBalance(caller);
    expect(before.balance - after.balance).toBe(7 + 5 * 4);
  });

  it('that fails in mid-stream is an error to the caller, and charged for what was read: less than was reported', async () => {
    let goOn = () => undefined as void;
    const isRead = new Promise<void>((resolve) => (goOn = resolve));
    gate.upstream.next(streams(start, text('Hello'), isRead, end('ERROR')));
    const before = await gate.readBalance(caller);
    const stream = await openai.chat.completions.create({ ...ask, stream: true });
    const readAll = async (): Promise<void> => {
      for await (const chunk of stream) {
        expect(chunk.choices[0]?.finish_reason ?? null).toBeNull();
        if (chunk.choices[0]?.delta.content === 'Hello') goOn();
      }
    };
    await expect(readAll()).rejects.toThrow(/ended with ERROR/);
    const after = await gate.readBalance(caller);
    expect(before.balance - after.balance).toBe(11);
  });

  it('that refuses is passed on with Cohere’s message in the caller’s shape', async () => {
    gate.upstream.next(json({ id: 'x', message: 'too many tokens' }, 400));
    await expect(openai.chat.completions.create(ask)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('too many tokens') as string,
    });
  });
});

it('the openai client embeds at Cohere', async () => {
  const vectors = [
    [0.5, -0.25],
    [1, 2],
  ];
  gate.upstream.next(json({ embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 4 } } }));
  const { data, usage: reported } = await openai.embeddings.create({
    model: 'embed-v4.0',
    input: ['a', 'b'],
  });
  expect(data.map(({ embedding }) => embedding)).toEqual(vectors);
  expect(reported).toEqual({ prompt_tokens: 4, total_tokens: 4 });
  expect(await gate.findings()).toEqual([]);
});
