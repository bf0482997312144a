import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import {
  cuts,
  readAnswer,
  readStream,
  contentOf,
  unbalanced,
} from '../../../testing/protocols/codec-bench.ts';
import { difyEvent, difyEvents } from '../../../testing/upstream/fake-applications.ts';
import { bridge } from '../../bridge.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { dify } from '../../providers/dify/index.ts';
import { difyChat } from './index.ts';

const { codec } = difyChat;
const steps = { DIFY_DEBUG: true };
const whole = Buffer.from(difyEvents.join(''));
const read = (events: readonly string[], settings = {}) =>
  contentOf(readStream(codec, [Buffer.from(events.join(''))], settings));

function made(body: JsonObject, paramOverride: JsonObject | null = null) {
  const chat = { model: 'app', messages: [{ role: 'user', content: 'hi' }], ...body };
  const channel = buildChannel({ type: 37, baseUrl: dify.baseUrl, paramOverride });
  const call = bridge(dify, channel, buildRequest('openai-chat', chat), 'app', relayOptions);
  return { call, sent: JSON.parse(call.body.toString()) as JsonObject };
}
const asked = (messages: Json[]): Json | undefined => made({ messages }).sent.query;

describe('requests', () => {
  test('have the conversation as one text, each message under its heading', () => {
    const { call, sent } = made({
      user: 'ann',
      stream: true,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      ],
    });
    expect(call.url).toBe('https://api.dify.ai/v1/chat-messages');
    expect(sent).toEqual({
      inputs: {},
      query: 'SYSTEM: \nBe short.\nUSER: \nhi\nASSISTANT: \nHello.\nUSER: \nWeather?\n',
      response_mode: 'streaming',
      user: 'ann',
      auto_generate_name: false,
    });
  });

  test('have tool calls and their results in brackets', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };
    expect(
      asked([
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'mild' },
      ]),
    ).toBe(
      'USER: \nWeather?\nASSISTANT: \n[called weather with {"city":"Paris"}]\nUSER: \n[weather answered: mild]\n',
    );
  });

  test('refer to files by address, and have files as data uploaded', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'https://i.test/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
    ];
    expect(made({ messages: [{ role: 'user', content }] }).sent.files).toEqual([
      { type: 'image', transfer_method: 'remote_url', url: 'https://i.test/a.png' },
      { type: 'image', transfer_method: 'local_file', data: { mediaType: 'image/png', base64: 'AAAA' } },
      {
        type: 'document',
        transfer_method: 'local_file',
        data: { mediaType: 'application/pdf', base64: 'BBBB', name: 'a.pdf' },
      },
    ]);
  });

  test('pass variables of the application, and no field of another protocol', () => {
    const { call, sent } = made({
      inputs: { city: 'Paris' },
      prediction: {},
      seed: 1,
      max_tokens: 9,
      stop: ['x'],
    });
    expect(sent.inputs).toEqual({ city: 'Paris' });
    expect(call.dropped).toEqual(['max_tokens', 'stop', 'seed', 'prediction']);
  });

  test('ask for JSON without a schema in the text', () => {
    expect(made({ response_format: { type: 'json_object' } }).sent.query).toMatch(
      /^SYSTEM: \nAnswer with one JSON object .*\nUSER: \nhi\n$/,
    );
  });

  test.each([
    ['a forced tool', { tool_choice: 'required', tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['several answers', { n: 2 }],
    ['a schema', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } }],
    ['a conversation that Dify keeps', { conversation_id: 'c-9' }],
    [
      'a file of another vendor',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
  ])('with %s are refused', (_what, body) => {
    expect(() => made(body)).toThrow(expect.objectContaining({ status: 400, code: 'cannot_translate' }));
  });
});

describe('answers', () => {
  const expected = {
    text: '巴黎 is mild.',
    citations: [{ title: 'handbook.pdf', citedText: 'Paris is mild.' }],
    usage: { usage: { input: 12, output: 5 } },
    finish: { reason: { unified: 'stop' } },
  };

  test('read the same streamed and in one piece', () => {
    expect(read(difyEvents)).toMatchObject({ ...expected, reasoning: '' });
    const body = { event: 'message', message_id: 'm', answer: '巴黎 is mild.' };
    const end = JSON.parse(difyEvents.at(-1)!.slice(6)) as JsonObject;
    expect(contentOf(readAnswer(codec, { ...body, metadata: end.metadata }))).toMatchObject(expected);
  });

  test('in a stream read the same wherever it is cut', () => {
    const events = readStream(codec, [whole], steps);
    expect(unbalanced(events)).toEqual([]);
    for (let at = 1; at < whole.length; at += 1) {
      expect(readStream(codec, [whole.subarray(0, at), whole.subarray(at)], steps)).toEqual(events);
    }
    expect(readStream(codec, cuts(whole, 1), steps)).toEqual(events);
  });

  test('of an agent, which only streams, are in one piece by an override of its channel', () => {
    const { call, sent } = made({}, { response_mode: 'streaming' });
    const { end, passed } = feed(call.openPipe(200, 'text/event-stream'), [whole]);
    expect([sent.response_mode, passed.length, end.outcome]).toEqual(['streaming', 0, 'complete']);
    const body = JSON.parse(end.tail!.toString()) as { choices: [{ message: JsonObject }] };
    expect(body.choices[0].message.content).toBe('巴黎 is mild.');
  });

  test('have steps of the workflow as reasoning where the site wants them', () => {
    expect(read(difyEvents, steps).reasoning).toBe(
      'Workflow: started\nNode: Answer\nNode: Answer succeeded\nWorkflow: succeeded\n',
    );
    const reports = readStream(codec, [whole], steps).filter(({ type }) => type === 'reasoning-delta');
    expect(reports.every((event) => 'isReport' in event && event.isReport)).toBe(true);
  });

  test('of an agent that repeats its answer have it once; its tools are steps', () => {
    const thought = { thought: 'x', tool: 'weather', tool_input: '{}', observation: '' };
    const events = [
      difyEvent('agent_message', { answer: 'It is ' }),
      difyEvent('agent_thought', thought),
      difyEvent('agent_thought', { ...thought, observation: 'mild' }),
      difyEvent('agent_message', { answer: 'mild.' }),
      difyEvent('message', { answer: 'It is mild.' }),
      difyEvent('message_end', { metadata: {} }),
    ];
    expect(read(events, steps)).toMatchObject({
      text: 'It is mild.',
      reasoning: 'Tool: weather\n',
      usage: undefined,
    });
  });

  test('that a moderation replaced end as filtered', () => {
    const events = [
      difyEvent('message', { answer: 'Bad' }),
      difyEvent('message_replace', { answer: ' — I cannot say that.' }),
      difyEvent('message_end'),
    ];
    expect(read(events)).toMatchObject({
      text: 'Bad — I cannot say that.',
      finish: { reason: { unified: 'content-filter', raw: 'message_replace' } },
    });
  });

  test('have pictures of the application as files, unless only the gateway can fetch them', () => {
    const file = { type: 'image', belongs_to: 'assistant' };
    const events = [
      difyEvent('message_file', { ...file, url: 'https://f.test/a.png' }),
      difyEvent('message_file', { ...file, url: '/files/b.png' }),
      difyEvent('message_file', { ...file, belongs_to: 'user', url: 'https://f.test/c.png' }),
      difyEvent('message_end'),
    ];
    expect(read(events).files).toBe(1);
  });
});

describe('failures', () => {
  const error = (body: JsonObject, status = 400) =>
    made({}).call.readError(status, 'application/json', Buffer.from(JSON.stringify(body)));

  test.each([
    ['invalid_param', 400, 400, 'caller'],
    ['provider_quota_exceeded', 400, 429, 'channel'],
    ['app_unavailable', 400, 502, 'channel'],
    ['unauthorized', 401, 401, 'channel'],
    ['not_found', 404, 404, 'channel'],
  ])('by %s with status %i are a %i, to be fixed by the %s', (code, status, shown, blame) => {
    expect(error({ code, message: 'no', status }, status)).toMatchObject({
      status: shown,
      code,
      message: 'no',
      blame,
    });
  });

  test('never repeat the key', () => {
    expect(error({ code: 'unauthorized', message: 'bad key test-channel-key' }, 401).message).toBe(
      'bad key [hidden]',
    );
  });

  const stream = (events: readonly string[], broken = false) =>
    feed(
      made({ stream: true }).call.openPipe(200, 'text/event-stream'),
      [Buffer.from(events.join(''))],
      broken,
    ).end;

  test.each([
    ['an error event', [difyEvent('error', { status: 400, code: 'invalid_param', message: 'no' })], 'no'],
    [
      'a failed workflow',
      [difyEvent('workflow_finished', { data: { status: 'failed', error: 'no' } })],
      'failed: no',
    ],
    ['garbage', ['data: {"event":\n\n'], 'not valid JSON'],
  ])('with %s after some text are an error', (_what, events, words) => {
    expect(stream([difyEvents[3]!, ...events])).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining(words) as string },
    });
  });

  test('without their end are truncated', () => {
    expect(stream(difyEvents.slice(0, 5))).toMatchObject({ outcome: 'truncated', usage: undefined });
    expect(stream(difyEvents.slice(0, 5), true).outcome).toBe('truncated');
  });
});
