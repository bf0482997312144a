import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bill, checkBill, logType } from '@tollgate/contract';
import { idempotentCalls, logs } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import { cutMidEvent, refuse } from '../../testing/upstream/fake-upstream-faults.ts';

const model = 'gpt-4o-mini';
/** A model of a vendor without Responses. */
const translated = 'moonshot-v1-8k';
let gate: GatewayHarness;
let time = Date.now();
let answers = 0;

interface Ask {
  path?: string;
  headers?: Record<string, string>;
  stream?: boolean;
  /** Further members of the body. */
  more?: object;
}

async function ask(caller: TestCaller, text: string, { path, headers, stream, more }: Ask = {}) {
  const answer = await fetch(`${gate.url}${path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: text }], ...more }),
  });
  return {
    status: answer.status,
    hit: answer.headers.get('x-tollgate-cache') === 'hit',
    type: answer.headers.get('content-type'),
    id: answer.headers.get('x-tollgate-request-id'),
    body: await answer.text(),
  };
}

/** The newest log rows of a caller, the newest first. */
async function readRows({ userId }: TestCaller) {
  await gate.core.ledger.flush();
  const { rows } = await logs.list(
    gate.core.store.db,
    { userId, type: logType.consume },
    { offset: 0, limit: 50 },
  );
  return rows.map(({ other, ...row }) => ({
    ...row,
    other: JSON.parse(other) as { answer_cache_ratio?: number; receipt: Omit<Bill, 'quota'> },
  }));
}

async function openHouse(databaseUrl: string): Promise<void> {
  gate = await openGateway(databaseUrl === '' ? {} : { DATABASE_URL: databaseUrl }, {}, () => time);
  await gate.addChannel({ models: `${model},embedding` });
  await gate.addChannel({ type: 25, models: translated });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 10, [translated]: 10, embedding: 1 }));
  await gate.core.settings.set('AnswerCacheSeconds', '60');
  await gate.core.settings.set('AnswerCacheShare', '25');
  // No two answers are equal.
  gate.upstream.script(chat({ text: () => `answer${(answers += 1)} ` }));
}

const expectBooks = async (): Promise<void> => {
  await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
  await gate.checkAtRest();
};
const calls = (): number => gate.upstream.requests.length;

eachDialect('the answer cache', ({ open, url }) => {
  afterEach(() => gate.close());

  it('gives the same answer for a share of its price, and the books agree', async () => {
    await (await open()).close();
    await openHouse(url());
    const caller = await gate.addCaller();
    for (const stream of [false, true]) {
      const first = await ask(caller, 'hello', { stream });
      const before = calls();
      const again = await ask(caller, 'hello', { stream });
      expect(again).toEqual({ ...first, hit: true, id: again.id });
      expect([first.hit, again.id === first.id, calls()]).toEqual([false, false, before]);
      const [hit, paid] = await readRows(caller);
      expect(hit!.quota).toBe(Math.round(paid!.quota * 0.25));
      expect(hit).toMatchObject({ request_id: again.id, channel_id: 0, prompt_tokens: paid!.prompt_tokens });
      expect(hit!.other.answer_cache_ratio).toBe(0.25);
      expect(checkBill({ quota: hit!.quota, ...hit!.other.receipt })).toBe(true);
    }
    const rows = await readRows(caller);
    const spent = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000 - spent, held: 0 });
    await expectBooks();
  });
});

/** The same question in each protocol: its path and body. */
const questions: Record<string, (text: string, stream: boolean) => [string, object]> = {
  chat: (text, stream) => [
    '/v1/chat/completions',
    { model, stream, messages: [{ role: 'user', content: text }] },
  ],
  responses: (text, stream) => ['/v1/responses', { model: translated, stream, input: text, store: false }],
  messages: (text, stream) => [
    '/v1/messages',
    {
      model,
      stream,
      max_tokens: 100,
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    },
  ],
  gemini: (text, stream) => [
    `/v1beta/models/${translated}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
};

describe('the answer cache', () => {
  beforeAll(() => openHouse(''));
  afterAll(() => gate.close());
  afterEach(async () => {
    gate.upstream.script(chat({ text: () => `answer${(answers += 1)} ` }));
    await gate.core.settings.set('AnswerCacheSeconds', '60');
    await expectBooks();
  });

  /** True if the second of two equal calls has a stored answer. */
  async function repeats(asked: Ask = {}, second: Ask = asked): Promise<boolean> {
    const caller = await gate.addCaller();
    const first = await ask(caller, 'hello', asked);
    expect([first.status, first.hit]).toEqual([200, false]);
    const again = await ask(caller, 'hello', second);
    expect(again.status).toBe(200);
    return again.hit;
  }

  it.each(Object.keys(questions))(
    'repeats answers of %s, whole and streamed, byte for byte',
    async (name) => {
      const caller = await gate.addCaller();
      for (const stream of [false, true]) {
        const [path, more] = questions[name]!('hello', stream);
        const body = { path, more: { messages: undefined, model: undefined, ...more } };
        const first = await ask(caller, '', body);
        const again = await ask(caller, '', body);
        expect(first.status).toBe(200);
        expect([again.hit, again.body, again.type]).toEqual([true, first.body, first.type]);
        expect(
          await ask(caller, '', { path, more: { ...body.more, ...questions[name]!('other', stream)[1] } }),
        ).toMatchObject({
          hit: false,
        });
      }
    },
  );

  it('asks the vendor again for another caller, key header, text or setting of the answer', async () => {
    const [one, other] = [await gate.addCaller(), await gate.addCaller()];
    await ask(one, 'hello');
    expect((await ask(other, 'hello')).hit).toBe(false);
    expect((await ask(one, 'hello!')).hit).toBe(false);
    expect((await ask(one, 'hello', { more: { temperature: 1 } })).hit).toBe(false);
    expect((await ask(one, 'hello', { headers: { 'openai-beta': 'x' } })).hit).toBe(false);
    expect((await ask(one, 'hello')).hit).toBe(true);
  });

  it('is declined by Cache-Control: no-cache stores the new answer, no-store does nothing', async () => {
    const caller = await gate.addCaller();
    const first = await ask(caller, 'hello');
    const fresh = await ask(caller, 'hello', { headers: { 'cache-control': 'no-cache' } });
    const apart = await ask(caller, 'hello', { headers: { 'cache-control': 'no-store' } });
    expect([fresh.hit, apart.hit]).toEqual([false, false]);
    expect(new Set([first.body, fresh.body, apart.body]).size).toBe(3);
    expect(await ask(caller, 'hello')).toMatchObject({ hit: true, body: fresh.body });
  });

  it('forgets answers after their time, and all of them when it is switched off', async () => {
    const caller = await gate.addCaller();
    const { db } = gate.core.store;
    const stored = async () =>
      (await idempotentCalls.totalsOf(db, idempotentCalls.answersOf(caller.userId))).rows;
    await ask(caller, 'hello');
    await gate.relay.keptAnswers.sweep();
    expect(await stored()).toBe(1);
    time += 61_000;
    expect((await ask(caller, 'hello')).hit).toBe(false);
    time += 61_000;
    await gate.relay.keptAnswers.sweep();
    expect(await stored()).toBe(0);
    await ask(caller, 'hello');
    await gate.core.settings.set('AnswerCacheSeconds', '0');
    expect((await ask(caller, 'hello')).hit).toBe(false);
    await gate.relay.keptAnswers.sweep();
    expect(await stored()).toBe(0);
  });

  it('keeps the newest answers of a user within the limits, apart from those of keys', async () => {
    const caller = await gate.addCaller();
    const { db } = gate.core.store;
    const owner = idempotentCalls.answersOf(caller.userId);
    for (const text of ['one', 'two', 'three']) await ask(caller, text);
    await ask(caller, 'keyed', { headers: { 'idempotency-key': 'mine' } });
    expect(await idempotentCalls.ownersBeyond(db, { rows: 2, size: 1e9 }, 'answers')).toEqual([owner]);
    expect(await idempotentCalls.trim(db, { rows: 2, size: 1e9 }, owner)).toBe(1);
    await idempotentCalls.trim(db, { rows: 1, size: 1e9 }, undefined, 'answers');
    expect(
      await Promise.all(['one', 'two', 'three'].map(async (text) => (await ask(caller, text)).hit)),
    ).toEqual([false, false, true]);
    const again = await ask(caller, 'keyed', { headers: { 'idempotency-key': 'mine' } });
    expect([again.hit, calls()]).toEqual([false, calls()]);
  });

  it.each<[string, object]>([
    ['functions', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['a search', { web_search_options: {} }],
    ['a member that it does not know', { enable_search: true }],
    [
      'an image',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
          },
        ],
      },
    ],
    [
      'the result of a tool',
      {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'tool', tool_call_id: 'a', content: 'y' },
        ],
      },
    ],
    ['a stored answer', { store: true }],
  ])('stores no answer to a request with %s', async (_, more) => {
    expect(await repeats({ more })).toBe(false);
  });

  it('stores no response that its vendor may store, no failure, and none that broke off', async () => {
    const input = { path: '/v1/responses', more: { model: translated, messages: undefined, input: 'hello' } };
    expect(await repeats(input)).toBe(false);
    const caller = await gate.addCaller();
    gate.upstream.script(refuse(400));
    expect((await ask(caller, 'hello')).status).toBe(400);
    gate.upstream.script(cutMidEvent());
    await ask(caller, 'hello', { stream: true });
    gate.upstream.script('healthy');
    expect(await ask(caller, 'hello')).toMatchObject({ status: 200, hit: false });
    expect(await ask(caller, 'hello', { stream: true })).toMatchObject({ status: 200, hit: false });
  });

  it('stores no answer that was shortened because the balance did not cover more', async () => {
    const caller = await gate.addCaller({ balance: 4_000 });
    expect(await ask(caller, 'hello')).toMatchObject({ status: 200, hit: false });
    expect(gate.upstream.requests.at(-1)!.json()).toHaveProperty('max_tokens');
    expect(await ask(caller, 'hello')).toMatchObject({ status: 200, hit: false });
  });

  it('refuses as any call: ceilings, words and rates', async () => {
    const caller = await gate.addCaller();
    await ask(caller, 'test one');
    const [paid] = await readRows(caller);
    const low = String((paid!.quota * 0.25 - 1) / 500_000);
    expect(await ask(caller, 'test one', { headers: { 'x-tollgate-max-cost': low } })).toMatchObject({
      status: 400,
    });
    await gate.core.settings.set('SensitiveWords', 'one');
    expect(await ask(caller, 'test one')).toMatchObject({ hit: false, status: 400 });
    await gate.core.settings.set('SensitiveWords', '');
    await gate.core.settings.set('ModelRequestRateLimitEnabled', 'true');
    await gate.core.settings.set('ModelRequestRateLimitSuccessCount', '1');
    expect((await ask(caller, 'test one')).hit).toBe(true);
    expect((await ask(caller, 'test one')).status).toBe(429);
    await gate.core.settings.set('ModelRequestRateLimitEnabled', 'false');
  });

  it('is free where the share is 0, and costs all at 100', async () => {
    const caller = await gate.addCaller();
    for (const [share, part] of [
      ['0', 0],
      ['100', 1],
    ] as const) {
      await gate.core.settings.set('AnswerCacheShare', share);
      await ask(caller, share);
      expect((await ask(caller, share)).hit).toBe(true);
      const [hit, paid] = await readRows(caller);
      expect(hit!.quota).toBe(paid!.quota * part);
    }
    await gate.core.settings.set('AnswerCacheShare', '25');
  });

  it('repeats embeddings', async () => {
    gate.upstream.script('healthy');
    const more = { model: 'embedding', messages: undefined, input: ['a', 'b'] };
    expect(await repeats({ path: '/v1/embeddings', more })).toBe(true);
  });
});
