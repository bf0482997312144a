import { expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import {
  completionBody,
  completionChunk,
  event,
  usageBody,
} from '../../../testing/upstream/fake-upstream-wire.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openai } from '../../providers/openai/index.ts';

const read = (body: JsonObject) => buildRequest('openai-completions', body).facts;
const pipeFor = (body: JsonObject, contentType: string) =>
  bridge(openai, buildChannel(), buildRequest('openai-completions', body), 'm', relayOptions).openPipe(
    200,
    contentType,
  );

test('every prompt and every generated choice, returned or not, counts for the hold', () => {
  expect(read({ model: 'm', prompt: 'x' }).choices).toBe(1);
  expect(read({ model: 'm', prompt: ['x', 'y', 'z'], n: 2 }).choices).toBe(6);
  expect(read({ model: 'm', prompt: 'x', n: 2, best_of: 5 }).choices).toBe(5);
  expect(read({ model: 'm', prompt: [1, 2, 3] }).choices).toBe(1);
  expect(read({ model: 'm', prompt: 'x', max_tokens: 7 }).maxOutputTokens).toBe(7);
});

test.each([
  [{ prompt: 'x' }],
  [{ model: 'm' }],
  [{ model: 'm', prompt: 7 }],
  [{ model: 'm', prompt: 'x', n: -1 }],
  [{ model: 'm', prompt: 'x', best_of: 1.5 }],
  [{ model: 'm', prompt: 'x', max_tokens: -2 }],
  [{ model: 'm', prompt: 'x', max_tokens: 2 ** 63 }],
])("%j is refused as the caller's fault", (body) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ status: 400, blame: 'caller' }));
});

test('a stream without usage passes byte for byte and leaves its text to be counted', () => {
  const stream = [
    event(completionChunk('m', 'one ', null)),
    event(completionChunk('m', '天', 'stop')),
    'data: [DONE]\n\n',
  ].join('');
  const pipe = pipeFor({ model: 'm', prompt: 'x', stream: true }, 'text/event-stream');
  const { passed, end, text } = feed(pipe, [Buffer.from(stream)]);
  expect(Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).toString()).toBe(stream);
  expect(end).toMatchObject({ outcome: 'complete', usage: undefined });
  expect(text.output).toBe('one 天');
});

test('a whole answer reports its usage and passes byte for byte', () => {
  const answer = JSON.stringify(completionBody('m', 'one', usageBody(10, 3)));
  const pipe = pipeFor({ model: 'm', prompt: 'x' }, 'application/json');
  const { passed, end } = feed(pipe, [Buffer.from(answer)]);
  expect(Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).toString()).toBe(answer);
  expect(end).toMatchObject({ outcome: 'complete', usage: { input: 10, output: 3 } });
});
