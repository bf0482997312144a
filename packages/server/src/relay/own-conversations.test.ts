import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, objectsIn, textOf } from '../lib/json.ts';
import { callOn, sentBy } from '../testing/wire/wire-tests.ts';
import { providerOf } from './registry.ts';

// Vendors with their own formats refuse conversations in which user and assistant do not alternate. Callers send them
// often: instructions in between, two consecutive messages, text after the result of a tool.

const message = (role: string, content: string): JsonObject => ({ role, content });
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const calls: JsonObject = { role: 'assistant', content: null, tool_calls: [call] };
const answer: JsonObject = { role: 'tool', tool_call_id: 'call_1', content: '18 degrees' };

/** Conversation → the sent turns, without instructions. */
const conversations: Record<string, [messages: JsonObject[], turns: [side: string, words: string][]]> = {
  'two of the user in a row': [
    [message('user', 'a'), message('assistant', 'b'), message('user', 'c'), message('user', 'd')],
    [
      ['user', 'a'],
      ['assistant', 'b'],
      ['user', 'c\n\nd'],
    ],
  ],
  'one that the assistant begins': [
    [message('assistant', 'a'), message('assistant', 'b'), message('user', 'c')],
    [
      ['user', '...'],
      ['assistant', 'a\n\nb'],
      ['user', 'c'],
    ],
  ],
  'two of the assistant in a row': [
    [message('user', 'a'), message('assistant', 'b'), message('assistant', 'c'), message('user', 'd')],
    [
      ['user', 'a'],
      ['assistant', 'b\n\nc'],
      ['user', 'd'],
    ],
  ],
};

const withInstructions: JsonObject[] = [
  message('system', 'Be kind.'),
  message('user', 'a'),
  message('developer', 'Be short.'),
  message('user', 'b'),
];
const withTool: JsonObject[] = [message('user', 'a'), calls, answer, message('user', 'b')];

interface Vendor {
  type: number;
  hasNoTools?: true;
  key: string;
  /** Turns of a body; the result of a tool is on the user's side. */
  turns: (body: JsonObject) => [side: string, words: string][];
  instructions: (body: JsonObject) => string;
}

const agreed = 'Okay';
const sideOf = (role: string): string => (role === 'assistant' ? role : 'user');

const vendors: Record<string, Vendor> = {
  'Baidu’s first API': {
    type: 15,
    key: 'id|secret',
    turns: ({ messages }) =>
      objectsIn(messages).map(({ role, content }) => [sideOf(textOf(role)), textOf(content)]),
    instructions: ({ system }) => textOf(system),
  },
  'Zhipu’s third API': {
    type: 16,
    key: 'id.secret',
    hasNoTools: true,
    turns: ({ prompt }) =>
      objectsIn(prompt)
        .filter((_turn, index, all) => all.length === 1 || all[1]!.content !== agreed || index > 1)
        .map(({ role, content }) => [sideOf(textOf(role)), textOf(content)]),
    // Instructions have no role here: a user message has them, and the model agrees.
    instructions: ({ prompt }) => {
      const [first, second] = objectsIn(prompt);
      return second?.content === agreed ? textOf(first?.content) : 'not agreed to';
    },
  },
  Hunyuan: {
    type: 23,
    key: 'app|id|secret',
    turns: ({ Messages: messages }) =>
      objectsIn(messages)
        .filter(({ Role }) => Role !== 'system')
        .map(({ Role, Content }) => [sideOf(textOf(Role)), textOf(Content)]),
    instructions: ({ Messages: messages }) => {
      const [first, ...rest] = objectsIn(messages);
      return rest.some(({ Role }) => Role === 'system') ? 'not first' : textOf(first?.Content);
    },
  },
};

const send = ({ type, key }: Vendor, messages: JsonObject[], more: JsonObject = {}): JsonObject =>
  sentBy(callOn(providerOf(type)!, 'openai-chat', { channel: { key }, body: { messages, ...more } }));

describe.each(Object.entries(vendors))('%s', (_name, vendor) => {
  it.each(Object.entries(conversations))(
    'gets %s in turns, the first the user’s',
    (_what, [messages, turns]) => {
      expect(vendor.turns(send(vendor, messages))).toEqual(turns);
    },
  );

  it('gets instructions first, wherever they were', () => {
    const body = send(vendor, withInstructions);
    expect(vendor.instructions(body)).toBe('Be kind.\n\nBe short.');
    expect(vendor.turns(body)).toEqual([['user', 'a\n\nb']]);
  });

  it('gets a turn of the user between instructions and an assistant that begins', () => {
    const body = send(vendor, [
      message('system', 'Be kind.'),
      message('assistant', 'a'),
      message('user', 'b'),
    ]);
    expect(vendor.instructions(body)).toBe('Be kind.');
    expect(vendor.turns(body)).toEqual([
      ['user', '...'],
      ['assistant', 'a'],
      ['user', 'b'],
    ]);
  });

  it('gets no empty message', () => {
    expect(vendor.turns(send(vendor, [message('user', '')]))).toEqual([['user', ' ']]);
  });
});

it.each(Object.entries(vendors).filter(([, { hasNoTools }]) => !hasNoTools))(
  "%s gets the user's text after the answer of a tool as a part of it",
  (_name, vendor) => {
    expect(vendor.turns(send(vendor, withTool)).at(-1)).toEqual(['user', '18 degrees\n\nb']);
  },
);

it('Hunyuan gets pictures of several messages together, and none after the answer of a tool', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } };
  const looked = { role: 'user', content: [picture] };
  const { Messages: messages } = send(vendors['Hunyuan']!, [message('user', 'What is it?'), looked]);
  expect(messages).toEqual([
    {
      Role: 'user',
      Contents: [
        { Type: 'text', Text: 'What is it?' },
        { Type: 'image_url', ImageUrl: { Url: 'https://pictures.test/a.png' } },
      ],
    },
  ]);
  expect(() => send(vendors['Hunyuan']!, [message('user', 'a'), calls, answer, looked])).toThrow(
    expect.objectContaining({ code: 'cannot_translate', status: 400 }),
  );
});

it('Hunyuan gets answers of several tools separately', () => {
  const two = { ...calls, tool_calls: [call, { ...call, id: 'call_2' }] };
  const { Messages: messages } = send(vendors['Hunyuan']!, [
    message('user', 'a'),
    two,
    answer,
    { ...answer, tool_call_id: 'call_2' },
  ]);
  expect(objectsIn(messages).map((message) => [message.Role, objectOf(message).ToolCallId])).toEqual([
    ['user', undefined],
    ['assistant', undefined],
    ['tool', 'call_1'],
    ['tool', 'call_2'],
  ]);
});
