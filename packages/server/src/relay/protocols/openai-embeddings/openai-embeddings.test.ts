import { expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { embeddingBody } from '../../../testing/upstream/fake-upstream-wire.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openai } from '../../providers/openai/index.ts';

const read = (body: JsonObject) => buildRequest('openai-embeddings', body).facts;

test.each([['a text'], [['a', 'b']], [[1, 2, 3]], [[[1, 2], [3]]]])('%j is an input', (input) => {
  expect(read({ model: 'm', input })).toMatchObject({ model: 'm', stream: false, maxOutputTokens: 0 });
});

test.each([
  [{ input: 'x' }],
  [{ model: 'm' }],
  [{ model: 'm', input: '' }],
  [{ model: 'm', input: [] }],
  [{ model: 'm', input: 'x', dimensions: -1 }],
  [{ model: 'm', input: 'x', dimensions: 0.5 }],
])("%j is refused as the caller's fault", (body) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ status: 400, blame: 'caller' }));
});

test.each(['float', 'base64'] as const)(
  'vectors as %s pass byte for byte, and only input is used',
  (encoding) => {
    const answer = JSON.stringify(embeddingBody('m', 2, encoding));
    const request = buildRequest('openai-embeddings', {
      model: 'm',
      input: ['a', 'b'],
      encoding_format: encoding,
    });
    const pipe = bridge(openai, buildChannel(), request, 'm', relayOptions).openPipe(200, 'application/json');
    const { passed, end, text } = feed(pipe, [Buffer.from(answer)]);
    expect(Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).toString()).toBe(answer);
    expect(end).toMatchObject({ outcome: 'complete', usage: { input: 20, output: 0 } });
    expect(text.output).toBe('');
  },
);
