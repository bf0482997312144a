import { expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { moderationBody } from '../../../testing/upstream/fake-upstream-wire.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openai } from '../../providers/openai/index.ts';

const read = (body: JsonObject) => buildRequest('openai-moderations', body).facts;

test('a body without a model uses the stable moderation model', () => {
  expect(read({ input: 'x' }).model).toBe('text-moderation-stable');
  expect(read({ input: 'x', model: null }).model).toBe('text-moderation-stable');
  expect(read({ input: 'x', model: 'other' }).model).toBe('other');
});

test('images of an input are not held for as text, whether they are data or addresses', () => {
  const url = `data:image/png;base64,${'A'.repeat(90_000)}`;
  const withImage = (image: string) =>
    read({
      model: 'omni-moderation-latest',
      input: [
        { type: 'text', text: 'hello' },
        { type: 'image_url', image_url: { url: image } },
      ],
    }).estimatedInputTokens;
  expect(withImage(url)).toBeLessThan(100);
  expect(withImage('https://example.com/a.png')).toBeGreaterThan(0);
});

test.each([[{}], [{ input: '' }], [{ input: [] }], [{ input: 'x', model: 7 }]])(
  "%j is refused as the caller's fault",
  (body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ status: 400, blame: 'caller' }));
  },
);

test('the verdict passes byte for byte, and no usage is invented', () => {
  const answer = JSON.stringify(moderationBody('m'));
  const request = buildRequest('openai-moderations', { input: 'x' });
  const pipe = bridge(openai, buildChannel(), request, 'm', relayOptions).openPipe(200, 'application/json');
  const { passed, end, text } = feed(pipe, [Buffer.from(answer)]);
  expect(Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).toString()).toBe(answer);
  expect(end).toMatchObject({ outcome: 'complete', usage: undefined });
  expect(text.output).toBe('');
});
