import { type Bill, channelInput, logType, noCostRule, recomputeQuota } from '@tollgate/contract';
import { CohereClient, CohereError } from 'cohere-ai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Reranking by its clients: Cohere's own from the registry, and plain calls in Jina's format.

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
/** At a ratio of 1, one token costs one quota unit. */
const ratios = Object.fromEntries(Object.values(models).map((model) => [model, 1]));

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 38, models: models.jina });
  await gate.addChannel({ type: 34, models: models.cohere });
  await gate.addChannel({ type: 9001, models: models.sandbox, base_url: '' });
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
  caller = await gate.addCaller({ balance: 1_000_000 });
  client = new CohereClient({ token: caller.key, baseUrl: gate.url, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});
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

async function newestRow() {
  const mine = { userId: caller.userId, type: logType.consume };
  const { rows } = await logs.list(gate.core.store.db, mine, { offset: 0, limit: 1 });
  return rows[0]!;
}

/** Cost of a call, by the balance. */
async function charged(call: () => Promise<unknown>): Promise<number> {
  const before = await gate.readBalance(caller);
  await call();
  const after = await gate.readBalance(caller);
  expect(after.held).toBe(0);
  return before.balance - after.balance;
}

describe('a plain HTTP caller with Jina’s shape', () => {
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

  it('gets the counted usage, and is charged by the search, where the vendor counts in searches', async () => {
    gate.upstream.next(json({ id: 'r1', results, meta: { billed_units: { search_units: 1 } } }));
    let reported: { prompt_tokens: number } | undefined;
    const cost = await charged(async () => {
      const { body } = await rerank({ model: models.cohere, query: 'capital of the USA', documents });
      reported = body.usage as { prompt_tokens: number };
    });
    // $2 per thousand.
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

it('has forbidden words found in query and documents', async () => {
  for (const more of [
    { query: 'a test_sensitive word' },
    { documents: ['one', { text: 'a TEST_sensitive word' }] },
  ]) {
    const { status, body } = await rerank({ model: models.jina, query: 'x', documents, ...more });
    expect([status, body]).toMatchObject([400, { error: { code: 'sensitive_words_detected' } }]);
  }
});

describe('a reranking that the vendor bills by search units, at a price per call', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `document ${index}`);
  const ask = (asked: string[]) => rerank({ model: models.cohere, query: 'capital', documents: asked });
  const billing = (units?: number) =>
    json({
      id: 'r1',
      results,
      ...(units !== undefined && { meta: { billed_units: { search_units: units } } }),
    });

  it.each([
    ['for a thousand documents', many, 10, 10],
    ['fewer than were held for', many, 4, 4],
    ['more than were held for', documents, 99, 1],
    ['none', many, undefined, 1],
    ['for long documents by their chunks', Array.from({ length: 60 }, () => 'word '.repeat(700)), 2, 2],
  ])('is charged for each of them once: %s', async (_what, asked, units, calls) => {
    gate.upstream.next(billing(units));
    let reported = 0;
    const cost = await charged(async () => void (reported = (await ask(asked)).cost));
    expect([cost, reported]).toEqual([1_000 * calls, 1_000 * calls]);
    const other = JSON.parse((await newestRow()).other) as {
      call_count?: number;
      receipt: Pick<Bill, 'terms' | 'minimum'>;
    };
    expect(other.call_count ?? 1).toBe(calls);
    expect(other.receipt.terms).toMatchObject([{ what: 'calls', count: calls }]);
    expect(recomputeQuota(other.receipt)).toBe(1_000 * calls);
  });

  it('has the cost of each of them, also where it is sold by the token', async () => {
    const [byToken] = await gate.core.channels.create(
      channelInput.parse({ type: 34, name: 'c', key: 'k', models: 'mine', base_url: gate.upstream.url }),
    );
    await gate.core.settings.set('ModelRatio', JSON.stringify({ ...ratios, mine: 1 }));
    await gate.core.costs.save(byToken!.id, { ...noCostRule, models: { mine: { call: 0.002 } } });
    gate.upstream.next(billing(10));
    const { status } = await rerank({ model: 'mine', query: 'capital', documents: many });
    expect(status).toBe(200);
    expect((await newestRow()).cost).toBe(10_000);
  });

  it('is refused, and not sent, where the balance does not cover them all', async () => {
    const poor = await gate.addCaller({ balance: 9_999 });
    const sent = gate.upstream.requests.length;
    const answer = await fetch(`${gate.url}/v1/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${poor.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: models.cohere, query: 'capital', documents: many }),
    });
    expect(answer.status).toBe(403);
    expect(gate.upstream.requests).toHaveLength(sent);
    expect(await gate.readBalance(poor)).toEqual({ balance: 9_999, held: 0 });
  });
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

  it('raises the error class of each status', async () => {
    gate.upstream.script(refuse(401, { message: 'no key' }));
    const failed = client.rerank({ model: models.jina, query: 'capital', documents });
    await expect(failed).rejects.toBeInstanceOf(CohereError);
  });

  it('leaves the books consistent', async () => {
    expect(await gate.findings()).toEqual([]);
    expect(await gate.openHolds()).toBe(0);
  });
});
