import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { cuts, readStream, contentOf, unbalanced } from '../../../testing/protocols/codec-bench.ts';
import { cozeEvent, cozeEvents } from '../../../testing/upstream/fake-applications.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { coze } from '../../providers/coze/index.ts';
import { cozeChat } from './index.ts';

const { codec } = cozeChat;
const whole = Buffer.from(cozeEvents.join(''));
const read = (events: readonly string[]) => contentOf(readStream(codec, [Buffer.from(events.join(''))]));

function made(body: JsonObject) {
  const chat = { model: 'bot', messages: [{ role: 'user', content: 'hi' }], ...body };
  const channel = buildChannel({ type: 49, baseUrl: coze.baseUrl, other: 'bot-1' });
  const call = bridge(coze, channel, buildRequest('openai-chat', chat), 'bot', relayOptions);
  return { call, sent: JSON.parse(call.body.toString()) as JsonObject };
}

describe('requests', () => {
  test('have the conversation with its roles, instructions first, as a stream that is not stored', () => {
    const { call, sent } = made({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: 'Weather?' },
      ],
    });
    const text = { content_type: 'text' };
    expect([call.url, call.headers.accept]).toEqual(['https://api.coze.cn/v3/chat', 'text/event-stream']);
    expect(sent).toEqual({
      bot_id: 'bot-1',
      user_id: 'tollgate',
      stream: true,
      auto_save_history: false,
      additional_messages: [
        { role: 'user', type: 'question', content: 'SYSTEM: \nBe short.', ...text },
        { role: 'user', type: 'question', content: 'hi', ...text },
        { role: 'assistant', type: 'answer', content: 'Hello.', ...text },
        { role: 'user', type: 'question', content: 'Weather?', ...text },
      ],
    });
  });

  test('of a conversation that is too long leave out the oldest turns, never the instructions', () => {
    const turns = Array.from({ length: 150 }, (_, index) => ({ role: 'user', content: `turn ${index}` }));
    const { call, sent } = made({ messages: [{ role: 'system', content: 'Be short.' }, ...turns] });
    const sentMessages = sent.additional_messages as JsonObject[];
    expect(sentMessages.map(({ content }) => content)).toEqual([
      'SYSTEM: \nBe short.',
      ...turns.slice(51).map(({ content }) => content),
    ]);
    expect(call.dropped).toEqual(['messages']);
  });

  test('have files in a list that is written as a text', () => {
    const content = [
      { type: 'text', text: 'See "this"' },
      { type: 'image_url', image_url: { url: 'https://i.test/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    const [sentMessages] = made({ messages: [{ role: 'user', content }] }).sent
      .additional_messages as JsonObject[];
    expect(sentMessages!.content_type).toBe('object_string');
    expect(JSON.parse(sentMessages!.content as string)).toEqual([
      { type: 'text', text: 'See "this"' },
      { type: 'image', file_url: 'https://i.test/a.png' },
      { type: 'image', data: { mediaType: 'image/png', base64: 'AAAA' } },
    ]);
  });

  test('pass variables of the bot', () => {
    expect(made({ custom_variables: { city: 'Paris' } }).sent.custom_variables).toEqual({ city: 'Paris' });
  });

  test.each([
    ['a forced tool', { tool_choice: { type: 'function', function: { name: 'f' } } }],
    ['several answers', { n: 2 }],
    ['a conversation that Coze keeps', { conversation_id: 'c-9' }],
  ])('with %s are refused', (_what, body) => {
    expect(() => made(body)).toThrow(expect.objectContaining({ status: 400, code: 'cannot_translate' }));
  });
});

describe('answers', () => {
  test('have the answer, and not the messages around it', () => {
    expect(read(cozeEvents)).toMatchObject({
      text: '巴黎 is mild.',
      reasoning: 'Hm. ',
      usage: { usage: { input: 12, output: 5 } },
      finish: { reason: { unified: 'stop' } },
    });
  });

  test('in a stream read the same wherever it is cut', () => {
    const events = readStream(codec, [whole]);
    expect(unbalanced(events)).toEqual([]);
    for (let at = 1; at < whole.length; at += 1) {
      expect(readStream(codec, [whole.subarray(0, at), whole.subarray(at)])).toEqual(events);
    }
    expect(readStream(codec, cuts(whole, 1))).toEqual(events);
  });

  test('of a bot that does not stream are written in one piece, several answers one below the other', () => {
    const answer = (id: string, content: string) =>
      cozeEvent('conversation.message.completed', { id, chat_id: 'c', type: 'answer', content });
    const events = [answer('m-1', 'One.'), answer('m-2', 'Two.'), ...cozeEvents.slice(-2)];
    expect(read(events).text).toBe('One.\nTwo.');
  });

  test('in one piece are gathered from the stream', () => {
    const pipe = made({}).call.openPipe(200, 'text/event-stream');
    const { end, passed } = feed(pipe, [whole]);
    expect([passed.length, end.outcome]).toEqual([0, 'complete']);
    const body = JSON.parse(end.tail!.toString()) as { choices: [{ message: JsonObject }] };
    expect(body.choices[0].message).toMatchObject({ content: '巴黎 is mild.', reasoning_content: 'Hm. ' });
  });
});

describe('failures', () => {
  const answered = (body: JsonObject) =>
    feed(made({}).call.openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(body))]).end;

  test.each([
    [4000, 400, 'caller'],
    [4013, 429, 'channel'],
    [4100, 401, 'channel'],
    [4101, 403, 'channel'],
    [700012006, 401, 'channel'],
    [4999, 502, 'channel'],
  ])('with the code %i and status 200 are a %i, to be fixed by the %s', (code, status, blame) => {
    expect(answered({ code, msg: 'no test-channel-key' })).toMatchObject({
      outcome: 'error',
      tail: undefined,
      error: { status, code: String(code), message: `no [hidden] (${code})`, blame },
    });
  });

  test('without content are no answer', () => {
    const body = { code: 0, msg: '', data: { id: 'chat-1', status: 'in_progress' } };
    expect(answered(body)).toMatchObject({ outcome: 'error', error: { status: 502, blame: 'channel' } });
  });

  test.each([
    [
      'chat.failed',
      cozeEvent('conversation.chat.failed', { last_error: { code: 5000, msg: 'no' } }),
      'no (5000)',
    ],
    ['an error event', cozeEvent('error', { code: 4013, msg: 'slow' }), 'slow (4013)'],
    ['a request for a tool', cozeEvent('conversation.chat.requires_action', {}), 'a tool that only a client'],
    ['garbage', 'event:conversation.message.delta\ndata:{"x"\n\n', 'not valid JSON'],
  ])('with %s after some text are an error', (_what, event, words) => {
    const pipe = made({ stream: true }).call.openPipe(200, 'text/event-stream');
    const { end } = feed(pipe, [Buffer.from(cozeEvents.slice(0, 4).join('') + event)]);
    expect(end).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining(words) as string },
    });
  });

  test('without their end are truncated, also with the end marker alone', () => {
    const torn = (events: readonly string[]) =>
      feed(made({ stream: true }).call.openPipe(200, 'text/event-stream'), [Buffer.from(events.join(''))])
        .end;
    expect(torn(cozeEvents.slice(0, 5)).outcome).toBe('truncated');
    expect(torn([...cozeEvents.slice(0, 5), cozeEvents.at(-1)!]).outcome).toBe('truncated');
  });
});
