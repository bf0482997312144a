import { describe, expect, test } from 'vitest';
import {
  buildChannel,
  buildRequest,
  relayOptions,
  writerOptions,
} from '../../testing/protocols/build-relay.ts';
import { readAnswer } from '../../testing/protocols/codec-bench.ts';
import { bridge } from '../bridge.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ChatCodec, ProtocolId } from '../types/index.ts';
import { protocols } from '../protocols.ts';
import { providerOf } from '../registry.ts';

// A caller who changes vendors sends the thoughts of the first vendor in the fields of the caller's protocol. Each
// vendor gets its own thoughts back as it signed them, and never those of another vendor, which it would refuse.

interface Asked {
  type: number;
  protocol: ProtocolId;
  model: string;
}

function sent({ type, protocol, model }: Asked, body: JsonObject): JsonObject {
  const request = buildRequest(protocol, body, protocol === 'gemini' ? { model, stream: false } : {});
  const call = bridge(providerOf(type)!, buildChannel({ type }), request, model, relayOptions);
  return JSON.parse(call.body.toString()) as JsonObject;
}
/** True if the bytes of the request are unchanged. */
function untouched({ type, protocol, model }: Asked, body: JsonObject): boolean {
  const request = buildRequest(protocol, body, protocol === 'gemini' ? { model, stream: false } : {});
  const call = bridge(providerOf(type)!, buildChannel({ type }), request, model, relayOptions);
  return call.body.equals(request.raw);
}

describe('a model of a family that wants its thoughts back', () => {
  const history: Partial<Record<ProtocolId, JsonObject>> = {
    'anthropic-messages': {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'look it up', signature: '' },
            { type: 'tool_use', id: 't', name: 'f', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
      ],
    },
    gemini: {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        {
          role: 'model',
          parts: [{ text: 'look it up', thought: true }, { functionCall: { id: 't', name: 'f', args: {} } }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 't', name: 'f', response: { output: 'ok' } } }] },
      ],
    },
  };
  const models = ['deepseek-ai/DeepSeek-V4', 'moonshotai/Kimi-K2.6', 'zai-org/GLM-5.2', 'Qwen/Qwen3.6-397B'];
  const thoughtsSent = (type: number, model: string): unknown[] =>
    Object.entries(history).map(([protocol, body]) => {
      const { messages } = sent({ type, protocol: protocol as ProtocolId, model }, body);
      return (messages as JsonObject[]).map((message) => message.reasoning_content).find(Boolean);
    });

  test.each([1, 8, 17, 40, 45])('gets them from channels of type %i, and no other model does', (type) => {
    for (const model of models)
      expect([model, ...thoughtsSent(type, model)]).toEqual([model, 'look it up', 'look it up']);
    expect(thoughtsSent(type, 'gpt-4o')).toEqual([undefined, undefined]);
  });

  test('gets them from Gemini callers of a vendor who speaks Messages too', () => {
    expect(thoughtsSent(26, 'glm-5.2')[1]).toBe('look it up');
  });

  test('does not get them where its host refuses them', () => {
    expect(thoughtsSent(9101, 'moonshotai/kimi-k2-instruct')).toEqual([undefined, undefined]);
  });
});

describe('a caller of Gemini', () => {
  const to = (model: string): Asked => ({ type: 24, protocol: 'gemini', model });
  const turns = (...parts: JsonObject[]): JsonObject => ({
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts },
      { role: 'user', parts: [{ text: 'on' }] },
    ],
  });
  const partsSent = (model: string, ...parts: JsonObject[]): unknown =>
    (sent(to(model), turns(...parts)).contents as { parts: unknown }[])[1]!.parts;

  test('returns Google its own signatures, in unchanged bytes', () => {
    const own = turns({ text: 'so', thought: true }, { text: 'ho', thoughtSignature: 'AbC=' });
    expect(untouched(to('gemini-3-pro'), own)).toBe(true);
  });

  test('returns it no thoughts of other vendors, and none without a signature', () => {
    const foreign = '~anthropic-messages~xyz';
    expect(
      partsSent(
        'gemini-2.5-pro',
        { text: 'so', thought: true, thoughtSignature: foreign },
        { text: '', thought_signature: foreign },
        { text: 'ho', thoughtSignature: foreign },
        { functionCall: { name: 'f', args: {} }, thoughtSignature: foreign },
      ),
    ).toEqual([{ text: 'ho' }, { functionCall: { name: 'f', args: {} } }]);
  });

  test('gets Google’s placeholder for a missing signature, where the model refuses calls without one', () => {
    const call = { functionCall: { name: 'f', args: {} } };
    expect(partsSent('gemini-3-pro', { ...call, thoughtSignature: '~openai-responses~x' })).toEqual([
      { ...call, thoughtSignature: 'skip_thought_signature_validator' },
    ]);
  });

  test('has marked signatures recognized that a client decoded and encoded in another alphabet', () => {
    // Clients of Gemini get base64 for the whole signature; Python's client sends it back as base64url.
    const marked = (text: string) => Buffer.from(text).toString('base64url');
    const signed = (signature: string) => ({ text: 'ho', thoughtSignature: marked(signature) });
    expect(partsSent('gemini-2.5-pro', signed('~anthropic-messages~x?>~'))).toEqual([{ text: 'ho' }]);
    expect(partsSent('gemini-2.5-pro', signed('~gemini~AbC='))).toEqual([
      { text: 'ho', thoughtSignature: 'AbC=' },
    ]);
  });

  test('returns it what went through another protocol', () => {
    const call = { functionCall: { name: 'f', args: {} } };
    expect(partsSent('gemini-3-pro', { ...call, thoughtSignature: '~gemini~AbC=' })).toEqual([
      { ...call, thoughtSignature: 'AbC=' },
    ]);
  });
});

describe('a caller of Messages', () => {
  const claude: Asked = { type: 14, protocol: 'anthropic-messages', model: 'claude-opus-4-6' };
  const result = { type: 'tool_result', tool_use_id: 't', content: 'ok' };
  const turns = (blocks: JsonObject[], answer: JsonObject = { type: 'text', text: 'on' }): JsonObject => ({
    model: claude.model,
    max_tokens: 9_000,
    thinking: { type: 'adaptive' },
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: blocks },
      { role: 'user', content: [answer] },
    ],
  });
  const blocksSent = (blocks: JsonObject[]): unknown =>
    (sent(claude, turns(blocks)).messages as { content: unknown }[])[1]!.content;
  const text = { type: 'text', text: 'ho' };

  test('returns Anthropic its own thoughts, in unchanged bytes', () => {
    expect(untouched(claude, turns([{ type: 'thinking', thinking: 'so', signature: 'AbC=' }, text]))).toBe(
      true,
    );
  });

  test('returns it none of other vendors', () => {
    const thought = { type: 'thinking', thinking: 'so', signature: '~gemini~x' };
    const hidden = { type: 'redacted_thinking', data: '~openai-responses~x' };
    expect(blocksSent([thought, hidden, text])).toEqual([text]);
    expect(blocksSent([thought])).toEqual([{ type: 'text', text: '...' }]);
  });

  test('returns it what went through another protocol', () => {
    expect(blocksSent([{ type: 'thinking', thinking: 'so', signature: '~anthropic-messages~AbC=' }])).toEqual(
      [{ type: 'thinking', thinking: 'so', signature: 'AbC=' }],
    );
  });

  test('does not continue thinking where the thoughts before a tool were another vendor’s', () => {
    const blocks = [
      { type: 'thinking', thinking: 'so', signature: '~gemini~x' },
      { type: 'tool_use', id: 't', name: 'f', input: {} },
    ];
    expect(sent(claude, turns(blocks, result))).not.toHaveProperty('thinking');
    expect(sent(claude, turns(blocks))).toHaveProperty('thinking');
  });
});

describe('a caller of Responses', () => {
  const openai: Asked = { type: 1, protocol: 'openai-responses', model: 'gpt-5' };
  const asking = (...items: JsonObject[]): JsonObject => ({
    model: 'gpt-5',
    input: [{ role: 'user', content: 'hi' }, ...items],
  });
  const thought = (encrypted: string): JsonObject => ({
    type: 'reasoning',
    summary: [],
    encrypted_content: encrypted,
  });

  test('returns OpenAI its own thoughts, in unchanged bytes', () => {
    expect(untouched(openai, asking(thought('gAAA=')))).toBe(true);
  });

  test('returns it none of other vendors, and its own without their mark', () => {
    const { input } = sent(openai, asking(thought('~gemini~x'), thought('~openai-responses~gAAA=')));
    expect(input).toEqual([{ role: 'user', content: 'hi' }, thought('gAAA=')]);
  });
});

describe('a caller of chat', () => {
  const openrouter: Asked = { type: 20, protocol: 'openai-chat', model: 'google/gemini-3-pro' };
  const asking = (...details: JsonObject[]): JsonObject => ({
    model: openrouter.model,
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'ho', ...(details.length > 0 && { reasoning_details: details }) },
    ],
  });
  const text = (signature: string): JsonObject => ({ type: 'reasoning.text', text: 'so', signature });

  test('returns OpenRouter the thoughts of its vendors, in unchanged bytes', () => {
    expect(untouched(openrouter, asking(text('AbC='), { type: 'reasoning.summary', summary: 'so' }))).toBe(
      true,
    );
  });

  test('returns it none that another channel signed', () => {
    const hidden = { type: 'reasoning.encrypted', data: '~gemini~x' };
    expect(sent(openrouter, asking(text('~anthropic-messages~x'), hidden)).messages).toEqual(
      asking().messages,
    );
    expect(sent(openrouter, asking(hidden, text('AbC='))).messages).toEqual(asking(text('AbC=')).messages);
  });
});

describe('thoughts that OpenRouter tells in a list', () => {
  const details = [
    { type: 'reasoning.text', text: 'so', signature: 'AbC=', format: 'anthropic-claude-v1', index: 0 },
    { type: 'reasoning.encrypted', data: 'xyz', id: 'rs_1', format: 'openai-responses-v1', index: 1 },
  ];
  const message = { role: 'assistant', content: 'ho', reasoning_details: details };
  const body = {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  };
  const user = { role: 'user', content: 'on' };
  const goOn: [ProtocolId, type: number, (answer: JsonObject) => JsonObject][] = [
    [
      'anthropic-messages',
      20,
      ({ content = [] }) => ({ messages: [user, { role: 'assistant', content }, user] }),
    ],
    ['openai-responses', 25, ({ output }) => ({ input: [user, ...(output as JsonObject[]), user] })],
  ];

  test.each(goOn)('come back with all of their fields from a caller of %s', (protocol, type, historyOf) => {
    const caller = protocols[protocol]!.codec as ChatCodec;
    const answer = caller.writeAnswer(readAnswer(protocols['openai-chat']!.codec!, body), writerOptions());
    const { messages } = sent(
      { type, protocol, model: 'anthropic/claude-sonnet-5' },
      {
        model: 'm',
        ...(protocol === 'anthropic-messages' && { max_tokens: 9 }),
        ...historyOf(answer),
      },
    );
    const returned = (messages as JsonObject[]).flatMap((each) => each.reasoning_details ?? []);
    expect(returned).toEqual(details);
  });
});

describe('what Google says beside the calls of its chats', () => {
  const extra = (signature: string): JsonObject => ({ google: { thought_signature: signature } });
  const call = (id: string, signature: string): JsonObject => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
    extra_content: extra(signature),
  });
  const calls = [call('a', 'AbC='), call('b', 'DeF=')];
  const message = { role: 'assistant', content: null, tool_calls: calls };
  const body = {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  };
  const user = { role: 'user', content: 'on' };
  const goOn: [ProtocolId, (answer: JsonObject) => JsonObject][] = [
    [
      'anthropic-messages',
      ({ content = [] }) => ({
        messages: [
          user,
          { role: 'assistant', content },
          {
            role: 'user',
            content: ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })),
          },
        ],
      }),
    ],
    [
      'openai-responses',
      ({ output }) => ({
        input: [
          user,
          ...(output as JsonObject[]),
          ...['a', 'b'].map((id) => ({ type: 'function_call_output', call_id: id, output: 'x' })),
        ],
      }),
    ],
    [
      'gemini',
      ({ candidates }) => ({
        contents: [
          { role: 'user', parts: [{ text: 'on' }] },
          (candidates as JsonObject[])[0]!.content!,
          {
            role: 'user',
            parts: ['a', 'b'].map((id) => ({
              functionResponse: { id, name: 'f', response: { output: 'x' } },
            })),
          },
        ],
      }),
    ],
  ];
  const returned = (protocol: ProtocolId, model: string, history: JsonObject): unknown[] => {
    const whole =
      protocol === 'anthropic-messages'
        ? { model: 'm', max_tokens: 9, ...history }
        : { model: 'm', ...history };
    const { messages } = sent({ type: 40, protocol, model }, whole);
    return (messages as JsonObject[]).flatMap((each) =>
      ((each.tool_calls ?? []) as JsonObject[]).map(({ extra_content: beside }) => beside),
    );
  };

  test.each(goOn)(
    'comes back with them from a caller of %s, and goes to no other model',
    (protocol, historyOf) => {
      const caller = protocols[protocol]!.codec as ChatCodec;
      const answer = caller.writeAnswer(readAnswer(protocols['openai-chat']!.codec!, body), writerOptions());
      const history = historyOf(answer);
      expect(returned(protocol, 'gemini-3-pro', history)).toEqual([extra('AbC='), extra('DeF=')]);
      expect(returned(protocol, 'glm-5.2', history)).toEqual([undefined, undefined]);
    },
  );

  test('stays where a chat is written anew', () => {
    const { codec } = protocols['openai-chat']!;
    const answer = (codec as ChatCodec).writeAnswer(readAnswer(codec!, body), writerOptions());
    expect(answer.choices).toMatchObject([{ message: { tool_calls: calls } }]);
  });
});
