import { usageOf } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { cuts } from '../../../testing/protocols/codec-bench.ts';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { providerOf } from '../../registry.ts';
import { cohereRerank } from './index.ts';

const request: JsonObject = { model: 'm', query: 'capital', documents: ['one', { text: 'two' }] };

const facts = (more: JsonObject) => {
  const body = { ...request, ...more };
  const { length } = JSON.stringify(body);
  return cohereRerank.inbound.readFacts(body, { byteLength: length, charLength: length });
};

describe('a request to rerank', () => {
  test('is parsed strictly, and sized by its text', () => {
    expect(
      facts({ top_n: 1, return_documents: true, max_chunk_per_doc: 2, overlap_tokens: 0 }),
    ).toMatchObject({
      model: 'm',
      stream: false,
      maxOutputTokens: 0,
    });
    expect(facts({ documents: ['x'.repeat(3_000)] }).estimatedInputTokens).toBeGreaterThan(1_000);
    const picture = { image: `data:image/png;base64,${'A'.repeat(90_000)}` };
    expect(facts({ documents: [picture] }).estimatedInputTokens).toBeLessThan(2_000);
  });

  const refused: [what: string, code: string, more: JsonObject][] = [
    ['no model', 'invalid_rerank_request', { model: '' }],
    ['no query', 'invalid_query', { query: ' ' }],
    ['a query that is no text', 'invalid_query', { query: { image: 'x' } }],
    ['no documents', 'invalid_documents', { documents: [] }],
    ['one document alone', 'invalid_documents', { documents: 'one' }],
    ['a document that is a number', 'invalid_documents', { documents: ['one', 2] }],
    ['a document of unknown form', 'invalid_documents', { documents: [{ title: 'x' }] }],
    ['top_n of nothing', 'invalid_rerank_request', { top_n: 0 }],
    ['top_n in words', 'invalid_rerank_request', { top_n: '3' }],
    ['an overlap below nothing', 'invalid_rerank_request', { overlap_tokens: -1 }],
    ['return_documents in words', 'invalid_rerank_request', { return_documents: 'yes' }],
  ];
  test.each(refused)('with %s is refused', (_what, code, more) => {
    expect(() => facts(more)).toThrow(expect.objectContaining({ status: 400, code, blame: 'caller' }));
  });
});

describe('the search units that a reranking may be charged', () => {
  const texts = (count: number, length: number) => Array.from({ length: count }, () => 'x'.repeat(length));
  test.each([
    ['one for up to a hundred documents', { documents: texts(100, 30) }, undefined],
    ['one more for each hundred begun', { documents: texts(101, 30) }, 2],
    ['ten for a thousand', { documents: texts(1_000, 30) }, 10],
    // A query of 100 tokens leaves 400 for the text of each chunk.
    ['long documents by their chunks', { query: 'q'.repeat(300), documents: texts(100, 1_201) }, 2],
    ['those that fit as they are', { query: 'q'.repeat(300), documents: texts(100, 1_200) }, undefined],
    [
      'with half of a chunk for the longest query',
      { query: 'q'.repeat(9_000), documents: texts(60, 750) },
      undefined,
    ],
    ['up to where they are cut off', { query: 'q', documents: texts(100, 90_000) }, 9],
    ['or their caller cuts them off', { documents: texts(100, 90_000), max_tokens_per_doc: 400 }, undefined],
    [
      'other scripts by their bytes',
      { query: 'q', documents: Array.from({ length: 60 }, () => '字'.repeat(500)) },
      2,
    ],
    ['documents in objects', { documents: texts(150, 30).map((text) => ({ text })) }, 2],
  ])('are %s', (_what, more, units) => {
    expect(facts(more).searchUnits).toBe(units);
  });
});

/** The answer of a provider's upstream, as the caller reads it. */
function answered(type: number, upstream: JsonObject, more: JsonObject = {}, size = 1_000) {
  const provider = providerOf(type)!;
  // A reseller of type 1 has its own address: OpenAI itself has no reranking.
  const baseUrl = type === 1 ? '' : provider.baseUrl;
  const channel = buildChannel({ type, baseUrl: baseUrl || 'https://own.test' });
  const call = bridge(
    provider,
    channel,
    buildRequest('cohere-rerank', { ...request, ...more }),
    'm',
    relayOptions,
  );
  const bytes = Buffer.from(JSON.stringify(upstream));
  const { end, passed } = feed(call.openPipe(200, 'application/json'), cuts(bytes, size));
  expect(passed.length).toBe(0);
  return { url: call.url, end, body: JSON.parse(String(end.tail)) as JsonObject };
}

const results = [
  { index: 1, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.1 },
];
const usage = { prompt_tokens: 12, completion_tokens: 0, total_tokens: 12 };

describe('the answer of a reranker', () => {
  test.each([
    [38, 'Jina', 'https://api.jina.ai/v1/rerank', { results, usage: { total_tokens: 12 } }],
    [
      38,
      'Jina, with less than the total',
      'https://api.jina.ai/v1/rerank',
      { results, usage: { total_tokens: 12, prompt_tokens: 3 } },
    ],
    [
      40,
      'SiliconFlow',
      'https://api.siliconflow.cn/v1/rerank',
      { results, meta: { tokens: { input_tokens: 11, output_tokens: 1 } } },
    ],
    [
      47,
      'Xinference',
      'https://own.test/v1/rerank',
      { results, meta: { billed_units: null, tokens: { input_tokens: 12, output_tokens: null } } },
    ],
    [1, 'a reseller', 'https://own.test/v1/rerank', { results, usage }],
    [
      1,
      'a reseller of Voyage',
      'https://own.test/v1/rerank',
      { object: 'list', data: results, usage: { total_tokens: 12 } },
    ],
  ] as [number, string, string, JsonObject][])(
    'of type %s (%s) has one shape and one usage',
    (type, _name, url, upstream) => {
      const { body, end, ...rest } = answered(type, upstream);
      expect(rest.url).toBe(url);
      expect(body).toMatchObject({ results, usage });
      expect(body.data).toBeUndefined();
      expect([end.outcome, end.usage, end.withUsage]).toEqual([
        'complete',
        usageOf({ input: 12 }),
        undefined,
      ]);
    },
  );

  test.each([
    ['Cohere', 34, { results, meta: { billed_units: { search_units: 3 } } }, 3],
    ['OpenRouter', 20, { results, usage: { search_units: 2, total_tokens: 12 } }, 2],
    ['who counts none', 34, { results, meta: { billed_units: { search_units: null } } }, undefined],
    ['who says what cannot be', 34, { results, meta: { billed_units: { search_units: -3 } } }, undefined],
  ] as [string, number, JsonObject, number | undefined][])(
    'tells the search units of %s, and leaves them to the caller',
    (_name, type, upstream, units) => {
      const { body, end } = answered(type, upstream);
      expect(end.searchUnits).toBe(units);
      expect(body).toMatchObject(upstream);
    },
  );

  test('has documents as objects, and those that the vendor left out where they were requested', () => {
    const upstream = {
      results: [
        { index: 1, score: 0.9, document: 'two' },
        { index: 0, relevance_score: 0.1, document: null },
      ],
      usage,
    };
    expect(answered(47, upstream).body.results).toEqual([
      { index: 1, relevance_score: 0.9, document: { text: 'two' } },
      { index: 0, relevance_score: 0.1 },
    ]);
    expect(answered(47, upstream, { return_documents: true }).body.results).toEqual([
      { index: 1, relevance_score: 0.9, document: { text: 'two' } },
      { index: 0, relevance_score: 0.1, document: { text: 'one' } },
    ]);
  });

  test('without a usage gets the one that was counted', () => {
    const { end } = answered(34, { id: 'r1', results, meta: { billed_units: { search_units: 1 } } }, {}, 1);
    expect(end.usage).toBeUndefined();
    const reported = JSON.parse(String(end.withUsage!(usageOf({ input: 12 })))) as JsonObject;
    expect(reported).toMatchObject({ id: 'r1', usage, meta: { billed_units: { search_units: 1 } } });
  });

  test('that is invalid, or a failure, is one of the channel, in OpenAI’s shape for the caller', () => {
    const { end } = answeredBadly({ message: 'no capacity' });
    expect([end.outcome, end.error?.blame, end.tail]).toEqual(['error', 'channel', undefined]);
    const { status, body } = cohereRerank.inbound.writeError(end.error!, 'R1');
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ error: { code: expect.any(String) as string } });
  });
});

function answeredBadly(upstream: JsonObject) {
  const provider = providerOf(38)!;
  const call = bridge(
    provider,
    buildChannel({ type: 38, baseUrl: provider.baseUrl }),
    buildRequest('cohere-rerank', request),
    'm',
    relayOptions,
  );
  return feed(call.openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(upstream))]);
}
