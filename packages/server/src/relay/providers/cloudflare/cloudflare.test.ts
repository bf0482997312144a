import { expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { cuts } from '../../../testing/protocols/codec-bench.ts';
import { runEvents } from '../../../testing/upstream/fake-applications.ts';
import { sendTools } from '../../../testing/protocols/send-tools.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ProtocolId, UpstreamCall } from '../../types/index.ts';
import { cloudflare } from './index.ts';

function made(protocol: ProtocolId, body: JsonObject, model = '@cf/meta/m'): UpstreamCall {
  const channel = buildChannel({ type: 39, baseUrl: cloudflare.baseUrl, other: 'acc/1' });
  const call = bridge(cloudflare, channel, buildRequest(protocol, { model, ...body }), model, relayOptions);
  return cloudflare.beforeSend!(call, channel, sendTools()) as UpstreamCall;
}
const completion = (body: JsonObject = {}, model?: string) =>
  made('openai-completions', { prompt: 'hi', ...body }, model);
const sentBy = (call: UpstreamCall) => JSON.parse(call.body.toString()) as JsonObject;

const account = 'https://api.cloudflare.com/client/v4/accounts/acc%2F1/ai';
const hi = [{ role: 'user', content: 'hi' }];

test('each protocol has its path below the account', () => {
  expect(made('openai-chat', { messages: hi }).url).toBe(`${account}/v1/chat/completions`);
  expect(made('openai-embeddings', { input: 'hi' }).url).toBe(`${account}/v1/embeddings`);
  expect(completion().url).toBe(`${account}/run/@cf/meta/m`);
});

test('the name of a model cannot leave the path of models', () => {
  expect(completion({}, '../../x?y#z').url).toBe(`${account}/run/x%3Fy%23z`);
});

test('the usage of streams is requested', () => {
  expect(sentBy(made('openai-chat', { messages: hi, stream: true })).stream_options).toEqual({
    include_usage: true,
  });
});

test('a text completion is sent with the fields that Cloudflare supports, and no model', () => {
  const body = { prompt: ['hi'], stream: true, max_tokens: 5, logprobs: 2, user: 'ann', echo: true };
  expect(sentBy(completion(body))).toEqual({ prompt: 'hi', stream: true, max_tokens: 5 });
});

test.each([
  ['several prompts', { prompt: ['a', 'b'] }],
  ['tokens', { prompt: [1, 2] }],
  ['several answers', { n: 2 }],
])('%s are refused', (_what, body) => {
  expect(() => completion(body)).toThrow(expect.objectContaining({ status: 400, code: 'cannot_translate' }));
});

const stream = Buffer.from(runEvents.join(''));
const read = (pieces: Buffer[], body: JsonObject = {}) => {
  const { passed, end } = feed(
    completion({ stream: true, ...body }).openPipe(200, 'text/event-stream'),
    pieces,
  );
  return { text: Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).toString(), end };
};

test('the text that was passed on is counted, wherever the stream ends', () => {
  const words = (text: string): string =>
    [...text.matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].map(([, word]) => JSON.parse(word!) as string).join('');
  for (let bytes = 0; bytes <= stream.length; bytes += 1) {
    const pipe = completion({ stream: true }).openPipe(200, 'text/event-stream');
    const { passed, end, text } = feed(pipe, [stream.subarray(0, bytes)]);
    const tail = end.outcome === 'complete' ? (end.tail?.toString() ?? '') : '';
    expect(text.output, `${bytes} of ${stream.length} bytes`).toBe(words(passed.toString() + tail));
  }
});

test('a stream becomes the chunks of a completion, wherever it is cut', () => {
  const once = read([stream]);
  const chunks = once.text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map(
      (line) => JSON.parse(line.slice(6)) as { choices: { text: string; finish_reason: string | null }[] },
    );
  expect(chunks.flatMap(({ choices }) => choices.map((each) => [each.text, each.finish_reason]))).toEqual([
    ['巴黎 is ', null],
    ['mild.', null],
    ['', 'stop'],
  ]);
  expect(once.end).toMatchObject({ outcome: 'complete', usage: { input: 12, output: 5 } });
  for (let at = 1; at < stream.length; at += 1) {
    expect(read([stream.subarray(0, at), stream.subarray(at)]).text).toBe(once.text);
  }
  expect(read(cuts(stream, 1)).text).toBe(once.text);
});

test('a stream whose last event is not terminated is whole', () => {
  for (const options of [{}, { stream_options: { include_usage: true } }]) {
    expect(read([stream.subarray(0, -2)], options).text).toBe(read([stream], options).text);
  }
});

test('the usage of a stream is sent to callers who requested it', () => {
  expect(read([stream]).text).not.toContain('prompt_tokens');
  expect(read([stream], { stream_options: { include_usage: true } }).text).toContain('"prompt_tokens":12');
});

test.each([
  ['an error', 'data: {"errors":[{"code":7009,"message":"no"}],"success":false}\n\n', 'no'],
  ['garbage', 'data: {"response":\n\n', 'not valid JSON'],
])('%s in a stream is an error', (_what, event, words) => {
  const { end } = read([Buffer.from(runEvents[0]! + event)]);
  expect(end).toMatchObject({
    outcome: 'error',
    error: { message: expect.stringContaining(words) as string },
  });
});

test('a stream without its end is truncated', () => {
  expect(read([Buffer.from(runEvents.slice(0, 2).join(''))]).end.outcome).toBe('truncated');
});

test('a failure with status 200, and one with its own status, have their own message', () => {
  const failure = { success: false, errors: [{ code: 7003, message: 'no route' }], messages: [], result: {} };
  const bytes = Buffer.from(JSON.stringify(failure));
  const chat = made('openai-chat', { messages: hi });
  for (const call of [chat, completion()]) {
    expect(feed(call.openPipe(200, 'application/json'), [bytes]).end).toMatchObject({
      outcome: 'error',
      error: { status: 502, message: 'no route', blame: 'channel' },
    });
  }
  expect(chat.readError(403, 'application/json', bytes)).toMatchObject({ status: 403, message: 'no route' });
});
