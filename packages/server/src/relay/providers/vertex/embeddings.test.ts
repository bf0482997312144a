import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { FakeGoogle } from '../../../testing/upstream/fake-google.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ProtocolId } from '../../types/index.ts';
import { vertex } from './index.ts';

const key = new FakeGoogle().keyFile('https://oauth2.googleapis.com/token');
const channel = buildChannel({ type: 41, key, baseUrl: '', other: 'us-central1' });

describe('embeddings', () => {
  const embed = (protocol: ProtocolId, model: string, body: JsonObject) => {
    const named = protocol === 'gemini-embeddings' ? body : { model, ...body };
    const request = buildRequest(protocol, named, protocol === 'gemini-embeddings' ? { model } : {});
    return bridge(vertex, channel, request, model, relayOptions);
  };
  const bodyOf = ({ body }: { body: Buffer }): unknown => JSON.parse(body.toString());
  const answered = (made: ReturnType<typeof embed>, answer: object): unknown[] => {
    const { end } = feed(made.openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(answer))]);
    return [end.outcome, JSON.parse(end.tail!.toString()), end.usage?.input];
  };
  const prediction = (value: number) => ({ embeddings: { values: [value], statistics: { token_count: 3 } } });

  test('are predictions, in OpenAI’s protocol', () => {
    const made = embed('openai-embeddings', 'text-embedding-005', { input: ['a', 'b'], dimensions: 2 });
    expect(made.url).toMatch(/\/publishers\/google\/models\/text-embedding-005:predict$/);
    expect(bodyOf(made)).toEqual({
      instances: [{ content: 'a' }, { content: 'b' }],
      parameters: { outputDimensionality: 2 },
    });
    const [outcome, answer, input] = answered(made, { predictions: [prediction(1), prediction(2)] });
    expect([outcome, input]).toEqual(['complete', 6]);
    expect(answer).toMatchObject({
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [2] },
      ],
      usage: { prompt_tokens: 6, total_tokens: 6 },
    });
  });

  test('are predictions, in Gemini’s protocol, one and many', () => {
    const one = { content: { parts: [{ text: 'a' }] }, taskType: 'RETRIEVAL_QUERY' };
    const single = embed('gemini-embeddings', 'text-embedding-005', one);
    expect(bodyOf(single)).toEqual({ instances: [{ content: 'a', task_type: 'RETRIEVAL_QUERY' }] });
    expect(answered(single, { predictions: [prediction(1)] })).toEqual([
      'complete',
      { embedding: { values: [1] }, usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } },
      3,
    ]);
    const many = embed('gemini-embeddings', 'text-embedding-005', { requests: [one, one] });
    const [, answer] = answered(many, { predictions: [prediction(1), prediction(2)] });
    expect(answer).toMatchObject({ embeddings: [{ values: [1] }, { values: [2] }] });
  });

  test("of newer models are requested like Gemini's, one text at a time", () => {
    const made = embed('openai-embeddings', 'gemini-embedding-2', { input: 'a' });
    expect(made.url).toMatch(/:embedContent$/);
    expect(bodyOf(made)).toEqual({ content: { role: 'user', parts: [{ text: 'a' }] } });
    const [outcome, , input] = answered(made, {
      embedding: { values: [1] },
      usageMetadata: { promptTokenCount: 2 },
    });
    expect([outcome, input]).toEqual(['complete', 2]);
    expect(() => embed('openai-embeddings', 'gemini-embedding-2', { input: ['a', 'b'] })).toThrow(
      /one text at a time/,
    );
  });
});
