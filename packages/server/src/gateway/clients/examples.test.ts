import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { type CallableTool, GoogleGenAI, type Part } from '@google/genai';
import OpenAI from 'openai';
import { ResponsesToolRunner, runnerFunction } from 'openai/helpers/responses-tool-runner';
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

// The kinds of examples in the documentation of the vendors' own clients, before an upstream of each protocol: answers,
// streams, conversations, tools that the client runs itself, answers by a schema, pictures, documents, counts.

/** One model behind an upstream of each protocol; the channel's type selects the protocol. */
const upstreams = {
  'Chat Completions': { type: 31, model: 'played-chat' },
  Responses: { type: 1, model: 'played-responses' },
  Messages: { type: 14, model: 'claude-played' },
  Gemini: { type: 24, model: 'gemini-played' },
} as const;

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
const document = 'JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c';

let gate: GatewayHarness;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;
/** Cities that the client's own tool was run for. */
let asked: string[];

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  for (const { type, model } of Object.values(upstreams)) await gate.addChannel({ type, models: model });
  const { key } = await gate.addCaller({ balance: 500_000_000 });
  openai = new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: key, baseURL: gate.url, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gate.url } });
  gate.upstream.script((exchange) => {
    if (/count_?tokens/i.test(exchange.path)) return json({ input_tokens: 12, totalTokens: 12 })(exchange);
    const words = JSON.stringify(exchange.json());
    return playModel(({ tools, results }) => {
      if (results.length > 0)
        return { say: results.join(' ').includes('18 degrees') ? 'It is mild.' : 'Lost.' };
      if (tools.length > 0) return { call: 'weather', input: { city: 'Paris' } };
      if (words.includes('celsius')) return { say: '{"city":"Paris","celsius":18}' };
      if (words.includes(picture)) return { say: 'I see a picture.' };
      if (words.includes(document)) return { say: 'I read a document.' };
      if (words.includes('What is my name?'))
        return { say: /Alice.*Nice to meet you.*What is my name/.test(words) ? 'Alice' : 'I forgot.' };
      return { say: /Be kind/.test(words) ? 'Hello, dear.' : 'Hello.' };
    })(exchange);
  });
});
afterAll(() => gate.close());
beforeEach(() => {
  asked = [];
});
afterEach(async () => {
  await gate.checkAtRest();
});

const hi = 'Say hello.';
const kind = 'Be kind.';
const question = 'What is the weather in Paris?';
const measured = z.object({ city: z.string(), celsius: z.number() });
const place = z.object({ city: z.string() });
const description = 'The weather of a city.';
const weather = ({ city }: { city: string }): string => {
  asked.push(city);
  return '18 degrees';
};
const said = [
  { role: 'user' as const, content: 'My name is Alice.' },
  { role: 'assistant' as const, content: 'Nice to meet you.' },
  { role: 'user' as const, content: 'What is my name?' },
];

/** Examples of a client: each returns what the application sees. */
type Examples = Record<keyof typeof expected, (model: string) => Promise<unknown>>;

const expected = {
  'an answer with instructions': 'Hello, dear.',
  'a stream': 'Hello.',
  'a conversation': 'Alice',
  'a tool that the client runs': 'It is mild.',
  'an answer by a schema': { city: 'Paris', celsius: 18 },
  'a picture': 'I see a picture.',
  'a document': 'I read a document.',
};

async function joined<T>(
  stream: AsyncIterable<T>,
  textOf: (event: T) => string | undefined,
): Promise<string> {
  let text = '';
  for await (const event of stream) text += textOf(event) ?? '';
  return text;
}

const chat = async (model: string, messages: OpenAI.ChatCompletionMessageParam[]): Promise<string | null> =>
  (await openai.chat.completions.create({ model, messages })).choices[0]!.message.content;

const chats: Examples = {
  'an answer with instructions': (model) =>
    chat(model, [
      { role: 'developer', content: kind },
      { role: 'user', content: hi },
    ]),
  'a stream': async (model) =>
    joined(
      await openai.chat.completions.create({
        model,
        messages: [{ role: 'user', content: hi }],
        stream: true,
      }),
      ({ choices }) => choices[0]?.delta.content ?? undefined,
    ),
  'a conversation': (model) => chat(model, said),
  'a tool that the client runs': (model) =>
    openai.chat.completions
      .runTools({
        model,
        messages: [{ role: 'user', content: question }],
        tools: [zodFunction({ name: 'weather', parameters: place, function: weather, description })],
        stream: true,
      })
      .finalContent(),
  'an answer by a schema': async (model) => {
    const messages = [{ role: 'user' as const, content: 'Measure Paris.' }];
    const format = zodResponseFormat(measured, 'measured');
    const answer = await openai.chat.completions.parse({ model, messages, response_format: format });
    return answer.choices[0]!.message.parsed;
  },
  'a picture': (model) => {
    const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${picture}` } };
    return chat(model, [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }]);
  },
  'a document': (model) => {
    const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${document}` };
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'file' as const, file },
    ];
    return chat(model, [{ role: 'user', content }]);
  },
};

const respond = async (model: string, input: OpenAI.Responses.ResponseInput | string, more: object = {}) =>
  (await openai.responses.create({ model, input, ...more })).output_text;

const responses: Examples = {
  'an answer with instructions': (model) => respond(model, hi, { instructions: kind }),
  'a stream': async (model) =>
    joined(await openai.responses.create({ model, input: hi, stream: true }), (event) =>
      event.type === 'response.output_text.delta' ? event.delta : undefined,
    ),
  'a conversation': async (model) => {
    const [first, second, third] = said;
    const answer = await openai.responses.create({ model, input: [first!] });
    const kept = toResponseInputItems(answer.output);
    expect(kept).toHaveLength(1);
    return respond(model, [first!, ...kept, second!, third!]);
  },
  'a tool that the client runs': async (model) => {
    const tool = zodResponsesFunction({ name: 'weather', parameters: place, function: weather, description });
    const runner = new ResponsesToolRunner({ functions: [runnerFunction(tool)] });
    return (await runner.run(openai, { model, input: question })).output_text;
  },
  'an answer by a schema': async (model) => {
    const text = { format: zodTextFormat(measured, 'measured') };
    return (await openai.responses.parse({ model, input: 'Measure Paris.', text })).output_parsed;
  },
  'a picture': (model) => {
    const image_url = `data:image/png;base64,${picture}`;
    const image = { type: 'input_image' as const, image_url, detail: 'auto' as const };
    return respond(model, [{ role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, image] }]);
  },
  'a document': (model) => {
    const file_data = `data:application/pdf;base64,${document}`;
    const file = { type: 'input_file' as const, filename: 'a.pdf', file_data };
    return respond(model, [{ role: 'user', content: [file, { type: 'input_text', text: 'What is it?' }] }]);
  },
};

const bound = { max_tokens: 1024 };
const textIn = ({ content }: { content: Anthropic.ContentBlock[] | Anthropic.Beta.BetaContentBlock[] }) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const message = async (model: string, content: Anthropic.MessageParam['content'], more: object = {}) =>
  textIn(
    await anthropic.messages.create({ model, ...bound, messages: [{ role: 'user', content }], ...more }),
  );

const messages: Examples = {
  'an answer with instructions': (model) => message(model, hi, { system: kind }),
  'a stream': (model) =>
    anthropic.messages.stream({ model, ...bound, messages: [{ role: 'user', content: hi }] }).finalText(),
  'a conversation': (model) => message(model, '', { messages: said }),
  'a tool that the client runs': async (model) => {
    const tool = betaZodTool({ name: 'weather', inputSchema: place, description, run: weather });
    const asking = { model, ...bound, messages: [{ role: 'user' as const, content: question }] };
    return textIn(await anthropic.beta.messages.toolRunner({ ...asking, tools: [tool] }));
  },
  'an answer by a schema': async (model) => {
    const messages = [{ role: 'user' as const, content: 'Measure Paris.' }];
    const output_config = { format: zodOutputFormat(measured) };
    return (await anthropic.messages.parse({ model, ...bound, messages, output_config })).parsed_output;
  },
  'a picture': (model) => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: picture };
    return message(model, [
      { type: 'image', source },
      { type: 'text', text: 'What is it?' },
    ]);
  },
  'a document': (model) => {
    const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: document };
    return message(model, [
      { type: 'document', source },
      { type: 'text', text: 'What is it?' },
    ]);
  },
};

const generate = async (model: string, contents: string | Part[], config: object = {}) =>
  (await google.models.generateContent({ model, contents, config })).text;

/** A tool that Google's client calls itself. */
const callable: CallableTool = {
  tool: () =>
    Promise.resolve({
      functionDeclarations: [{ name: 'weather', description, parametersJsonSchema: z.toJSONSchema(place) }],
    }),
  callTool: (calls) =>
    Promise.resolve(
      calls.map(({ id, args }) => ({
        functionResponse: {
          ...(id !== undefined && { id }),
          name: 'weather',
          response: { output: weather(args as { city: string }) },
        },
      })),
    ),
};

const gemini: Examples = {
  'an answer with instructions': (model) => generate(model, hi, { systemInstruction: kind }),
  'a stream': async (model) =>
    joined(await google.models.generateContentStream({ model, contents: hi }), ({ text }) => text),
  'a conversation': async (model) => {
    const history = said
      .slice(0, 2)
      .map(({ role, content }) => ({ role: role === 'user' ? role : 'model', parts: [{ text: content }] }));
    const talk = google.chats.create({ model, history });
    return (await talk.sendMessage({ message: said[2]!.content })).text;
  },
  'a tool that the client runs': (model) => generate(model, question, { tools: [callable] }),
  'an answer by a schema': async (model) => {
    const responseJsonSchema = z.toJSONSchema(measured);
    const config = { responseMimeType: 'application/json', responseJsonSchema };
    return JSON.parse((await generate(model, 'Measure Paris.', config)) ?? '') as unknown;
  },
  'a picture': (model) =>
    generate(model, [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data: picture } }]),
  'a document': (model) =>
    generate(model, [
      { inlineData: { mimeType: 'application/pdf', data: document } },
      { text: 'What is it?' },
    ]),
};

const clients = {
  'openai in Chat Completions': chats,
  'openai in Responses': responses,
  '@anthropic-ai/sdk': messages,
  '@google/genai': gemini,
};
const exampleNames = Object.keys(expected) as (keyof typeof expected)[];

describe.each(Object.entries(clients))('%s', (_client, examples) => {
  describe.each(Object.entries(upstreams))('before an upstream of %s', (_protocol, { model }) => {
    it.each(exampleNames)('%s', async (name) => {
      expect(await examples[name](model)).toEqual(expected[name]);
      expect(asked).toEqual(name === 'a tool that the client runs' ? ['Paris'] : []);
    });
  });
});

it.each(Object.entries(upstreams))(
  'Anthropic’s and Google’s clients count tokens before an upstream of %s',
  async (_protocol, { model }) => {
    const { input_tokens } = await anthropic.messages.countTokens({
      model,
      messages: [{ role: 'user', content: question }],
    });
    const { totalTokens } = await google.models.countTokens({ model, contents: question });
    expect(input_tokens).toBeGreaterThan(3);
    expect(totalTokens).toBeGreaterThan(3);
  },
);
