import { CohereClient, CohereError } from 'cohere-ai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Reranking as its clients ask for it: Cohere's own from the registry, and plain calls in Jina's shape.

let gate: GatewayHarness;
let caller: TestCaller;
let client: CohereClient;
const documents = ['Carson City', 'Washington, D.C.', 'Lima'];
const results = [
  { index: 1, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.2 },
];
const models = {
  jina: 'jina-reranker-v2-base-multilingual',
  cohere: 'rerank-english-v3.0',
  sandbox: 'sandbox-rerank',
};

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 38, models: models.jina });
  await gate.addChannel({ type: 34, models: models.cohere });
  await gate.addChannel({ type: 9001, models: models.sandbox, base_url: '' });
  // A ratio of 1 makes one unit of quota of one token.
  await gate.core.settings.set(
    'ModelRatio',
    JSON.stringify(Object.fromEntries(Object.values(models).map((model) => [model, 1]))),
  );
  caller = await gate.addCaller({ balance: 1_000_000 });
  client = new CohereClient({ token: caller.key, baseUrl: gate.url, maxRetries: 0 });
});
afterAll(() => gate.close());
afterEach(() => gate.upstream.script('healthy'));

async function rerank(body: object) {
  const answer = await fetch(`${gate.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    cost: Number(answer.headers.get('x-tollgate-cost')),
    body: (await answer.json()) as Record<string, unknown>,
  };
}

/** What a call cost, by the balance. */
async function charged(call: () => Promise<unknown>): Promise<number> {
  const before = await gate.balanceOf(caller);
  await call();
  const after = await gate.balanceOf(caller);
  expect(after.held).toBe(0);
  return before.balance - after.balance;
}

describe('a plain caller in Jina’s shape', () => {
  it('is charged the vendor’s total, which is all input', async () => {
    gate.upstream.next(json({ model: models.jina, results, usage: { total_tokens: 40, prompt_tokens: 3 } }));
    const request = {
      model: models.jina,
      query: 'capital of the USA',
      documents,
      top_n: 2,
      return_documents: false,
    };
    const cost = await charged(async () => {
      const { status, body, cost: reported } = await rerank(request);
      expect([status, reported]).toEqual([200, 40]);
      expect(body).toEqual({
        model: models.jina,
        results,
        usage: { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 },
      });
    });
    expect(cost).toBe(40);
    const sent = gate.upstream.requests.at(-1)!;
    expect([sent.path, sent.json()]).toEqual(['/v1/rerank', request]);
  });

  it('is told what was counted, and charged by the search, where the vendor counts in searches', async () => {
    gate.upstream.next(json({ id: 'r1', results, meta: { billed_units: { search_units: 1 } } }));
    let reported: { prompt_tokens: number } | undefined;
    const cost = await charged(async () => {
      const { body } = await rerank({ model: models.cohere, query: 'capital of the USA', documents });
      reported = body.usage as { prompt_tokens: number };
    });
    // $2 for a thousand.
    expect(cost).toBe(1_000);
    const counted = reported!.prompt_tokens;
    expect(counted).toBeGreaterThan(8);
    expect(reported).toEqual({ prompt_tokens: counted, completion_tokens: 0, total_tokens: counted });
    expect(gate.upstream.requests.at(-1)!.path).toBe('/v2/rerank');
  });

  it('reads errors in OpenAI’s shape, and pays nothing for them', async () => {
    const cost = await charged(async () => {
      const asked = await rerank({ model: models.jina, query: '', documents });
      expect([asked.status, asked.body]).toMatchObject([400, { error: { code: 'invalid_query' } }]);
      gate.upstream.script(refuse(400, { message: 'too many documents' }));
      const refused = await rerank({ model: models.jina, query: 'x', documents });
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { error: { message: expect.stringContaining('too many documents') as string } },
      ]);
    });
    expect(cost).toBe(0);
  });
});

it('words that the site forbids are found in query and documents', async () => {
  for (const more of [
    { query: 'a test_sensitive word' },
    { documents: ['one', { text: 'a TEST_sensitive word' }] },
  ]) {
    const { status, body } = await rerank({ model: models.jina, query: 'x', documents, ...more });
    expect([status, body]).toMatchObject([400, { error: { code: 'sensitive_words_detected' } }]);
  }
});

describe('the cohere-ai client', () => {
  it('reranks at Cohere', async () => {
    gate.upstream.next(
      json({ id: 'r1', results, meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } } }),
    );
    const answer = await client.rerank({
      model: models.cohere,
      query: 'capital of the USA',
      documents,
      topN: 2,
      returnDocuments: true,
    });
    expect(answer.results.map(({ index, document }) => [index, document?.text])).toEqual([
      [1, 'Washington, D.C.'],
      [0, 'Carson City'],
    ]);
    expect([answer.id, answer.meta?.billedUnits?.searchUnits]).toEqual(['r1', 1]);
    expect(gate.upstream.requests.at(-1)!.json()).toEqual({
      model: models.cohere,
      query: 'capital of the USA',
      documents,
      top_n: 2,
    });
  });

  it('reranks at Jina and in the sandbox', async () => {
    gate.upstream.next(json({ model: models.jina, results, usage: { total_tokens: 40 } }));
    const jina = await client.rerank({ model: models.jina, query: 'capital', documents });
    expect(jina.results.map(({ index, relevanceScore }) => [index, relevanceScore])).toEqual([
      [1, 0.9],
      [0, 0.2],
    ]);
    const local = await client.rerank({ model: models.sandbox, query: 'Carson City', documents, topN: 1 });
    expect(local.results).toMatchObject([{ index: 0, relevanceScore: 1 }]);
  });

  it('knows failures by their status', async () => {
    gate.upstream.script(refuse(401, { message: 'no key' }));
    const failed = client.rerank({ model: models.jina, query: 'capital', documents });
    await expect(failed).rejects.toBeInstanceOf(CohereError);
  });

  it('leaves the books in order', async () => {
    expect(await gate.findings()).toEqual([]);
    expect(await gate.openHolds()).toBe(0);
  });
});
