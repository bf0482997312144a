import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { bridge } from '../../bridge.ts';
import { gemini } from '../../providers/gemini/index.ts';

const model = 'imagen-4.0-generate-001';
const instances = [{ prompt: 'a cat' }];
const read = (body: JsonObject) => buildRequest('gemini-predict', { model, instances, ...body }).facts;
const refusal = expect.objectContaining({ status: 400, blame: 'caller' }) as Error;
const answer = (...pieces: string[]) => {
  const channel = buildChannel({ type: 24, baseUrl: gemini.baseUrl });
  const call = bridge(
    gemini,
    channel,
    buildRequest('gemini-predict', { model, instances }),
    model,
    relayOptions,
  );
  return feed(
    call.openPipe(200, 'application/json'),
    pieces.map((piece) => Buffer.from(piece)),
  );
};

describe('a call of :predict', () => {
  it('holds for the requested images, and for four without a number', () => {
    expect(read({ parameters: { sampleCount: 2 } })).toMatchObject({
      estimatedInputTokens: 516,
      media: { answer: 'images', calls: 2, inputTokens: 516 },
    });
    expect(read({}).media).toMatchObject({ calls: 4, inputTokens: 1_032 });
  });

  test.each<JsonObject>([
    { instances: [] },
    { instances: [...instances, ...instances] },
    { instances: [{}] },
    { instances: 'a cat' },
    { parameters: { sampleCount: 5 } },
    { parameters: { sampleCount: 1.5 } },
    { parameters: { sampleCount: '2' } },
  ])('whose images cannot be counted is refused: %j', (body) => {
    expect(() => read(body)).toThrow(refusal);
  });

  it('passes its answer and counts the images that came, in whatever pieces', () => {
    const large = 'A'.repeat(900_000);
    const body = JSON.stringify({
      predictions: [
        { bytesBase64Encoded: large },
        { raiFilteredReason: 'held back' },
        { bytesBase64Encoded: large },
      ],
    });
    for (const cut of [1, 30, 900_040]) {
      const { end, passed } = answer(body.slice(0, cut), body.slice(cut));
      expect(passed.toString() + end.tail!.toString()).toBe(body);
      expect(end).toMatchObject({ outcome: 'complete', images: 2, usage: { input: 516, output: 0 } });
    }
  });

  it('whose images are all withheld by the filter is a refusal with its reason', () => {
    const { end } = answer(JSON.stringify({ predictions: [{ raiFilteredReason: 'unsafe words' }] }));
    expect(end.error).toMatchObject({ status: 400, code: 'content_policy_violation', blame: 'caller' });
    expect(end.error?.message).toBe('unsafe words');
    expect(answer('{}').end.error?.code).toBe('content_policy_violation');
    expect(answer('{"images":[]}').end.error?.code).toBe('bad_response_body');
  });
});
