import { APIUserAbortError } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { dashscope, dashscopeRefusal, page } from '../../testing/upstream/fake-media-vendors.ts';
import { resetAtOnce } from '../../testing/upstream/fake-upstream-faults.ts';
import { images } from '../../testing/upstream/fake-upstream-media.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { fetchedImage, type MediaWorld, openMediaWorld } from '../../testing/worlds/media-world.ts';

// Images that DashScope makes in tasks, requested by OpenAI's own client; the waits are not real.

let world: MediaWorld;
const ask = { model: 'wanx', prompt: 'a cat', size: '1024x1024' } as const;
const price = 10_000;

beforeAll(async () => {
  world = await openMediaWorld();
  await world.gate.addChannel({ type: 17, models: 'wanx,both,gte-rerank', other: 'plugin-1', priority: 1 });
  await world.gate.addChannel({ type: 1, models: 'both' });
  const { settings } = world.gate.core;
  await settings.set('ModelPrice', JSON.stringify({ wanx: 0.02, both: 0.02 }));
  await settings.set('ModelRatio', JSON.stringify({ 'gte-rerank': 1 }));
});
afterAll(() => world.gate.close());
beforeEach(() => world.begin());
afterEach(() => world.inOrder());

/** Reason for a call's failure, for a later check. */
const failureOf = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Method and path of each request since `from`. */
const asked = (from: number) =>
  world.gate.upstream.requests.slice(from).map(({ method, path }) => `${method} ${path}`);
const submit = 'POST /api/v1/services/aigc/text2image/image-synthesis';
const poll = 'GET /api/v1/tasks/task-1';
const cancel = 'POST /api/v1/tasks/task-1/cancel';
const seen = () => world.gate.upstream.requests.length;

describe('an image', () => {
  it('is submitted as a task, polled every three seconds, and charged once', async () => {
    world.gate.upstream.script(dashscope({ steps: ['PENDING', 'RUNNING', 'SUCCEEDED'] }));
    const from = seen();
    const { data } = await world.openai.images.generate(ask);
    expect(data).toEqual([
      { url: 'https://images.test/cat-0.png?sign=a%2Bb', revised_prompt: 'a cat on a roof' },
    ]);
    expect(asked(from)).toEqual([submit, poll, poll, poll]);
    expect(world.waits.asked).toEqual([3_000, 3_000, 3_000]);
    const sent = world.gate.upstream.requests[from]!;
    expect(sent.headers).toMatchObject({
      'x-dashscope-async': 'enable',
      'x-dashscope-plugin': 'plugin-1',
      authorization: 'Bearer sk-upstream-secret',
      'x-tollgate-hop': '1',
    });
    expect(sent.json()).toEqual({
      model: 'wanx',
      input: { prompt: 'a cat' },
      parameters: { size: '1024*1024', n: 1 },
    });
    expect(await world.spent()).toBe(price);
    expect((await world.row()).other).toMatchObject({ call_count: 1, usage_source: 'counted' });
  });

  it('is sent as data where data are requested, fetched from the address the vendor gives', async () => {
    world.gate.upstream.script(dashscope({ steps: ['SUCCEEDED'] }));
    const { data } = await world.openai.images.generate({ ...ask, n: 2, response_format: 'b64_json' });
    expect(data!.map(({ b64_json: base64, url }) => [Buffer.from(base64!, 'base64'), url])).toEqual([
      [fetchedImage, undefined],
      [fetchedImage, undefined],
    ]);
    expect(world.fetched[1]).toBe('https://images.test/cat-1.png?sign=a%2Bb');
    expect(await world.spent()).toBe(2 * price);
  });

  it('is charged for each that came, where a part of the task failed', async () => {
    const results = [
      { url: 'https://images.test/a.png' },
      { code: 'InternalError', message: 'one image failed' },
    ];
    world.gate.upstream.script(dashscope({ steps: ['SUCCEEDED'], results }));
    const { data } = await world.openai.images.generate({ ...ask, n: 2 });
    expect(data).toEqual([{ url: 'https://images.test/a.png' }]);
    expect(await world.spent()).toBe(price);
  });

  it('survives polls that fail', async () => {
    const steps = ['RUNNING', page, resetAtOnce(), 'RUNNING', json({}, 503), 'SUCCEEDED'] as const;
    world.gate.upstream.script(dashscope({ steps }));
    expect((await world.openai.images.generate(ask)).data).toHaveLength(1);
    expect(await world.spent()).toBe(price);
  });
});

describe('a failure costs nothing, and is reported:', () => {
  test.each([
    [
      'of the task',
      dashscope({ steps: ['RUNNING', 'FAILED'], failure: { code: 'InternalError.Algo', message: 'oh no' } }),
      { status: 502, code: 'InternalError.Algo' },
    ],
    [
      'that is its caller’s fault',
      dashscope({
        steps: ['FAILED'],
        failure: { code: 'DataInspectionFailed', message: 'inappropriate content' },
      }),
      { status: 400, code: 'DataInspectionFailed' },
    ],
    [
      'of every image of it',
      dashscope({ steps: ['SUCCEEDED'], results: [{ code: 'InternalError', message: 'no image' }] }),
      { status: 502, code: 'InternalError' },
    ],
    [
      'of the request',
      dashscopeRefusal(400, 'InvalidParameter', 'size is wrong'),
      { status: 400, code: 'InvalidParameter' },
    ],
    ['of the key', dashscopeRefusal(401, 'InvalidApiKey', 'no'), { status: 502 }],
    ['by a web page', page, { status: 502 }],
    [
      'of the questions, again and again',
      dashscope({ steps: ['RUNNING', json({}, 500)] }),
      { status: 502, code: 'task_lost' },
    ],
  ])('%s', async (_what, behaviour, expected) => {
    world.gate.upstream.script(behaviour);
    await expect(world.openai.images.generate(ask)).rejects.toMatchObject(expected);
    expect(await world.spent()).toBe(0);
  });

  it('after twenty polls, and the task is cancelled', async () => {
    world.gate.upstream.script(dashscope({ steps: ['RUNNING'] }));
    const from = seen();
    await expect(world.openai.images.generate(ask)).rejects.toMatchObject({
      status: 504,
      code: 'task_timeout',
    });
    await world.gate.upstream.arrived(from + 21);
    expect(asked(from)).toEqual([submit, ...Array.from({ length: 20 }, () => poll), cancel]);
    expect(await world.spent()).toBe(0);
  });
});

test('a caller who leaves while a task runs pays nothing, and the task is cancelled', async () => {
  world.gate.upstream.script(dashscope({ steps: ['RUNNING'] }));
  world.waits.isHeld = true;
  const from = seen();
  const leaving = new AbortController();
  const left = failureOf(world.openai.images.generate(ask, { signal: leaving.signal }));
  await world.waits.aWait;
  await world.gate.core.ledger.flush();
  expect((await world.gate.readBalance(world.caller)).held).toBe(price);
  leaving.abort();
  expect(await left).toBeInstanceOf(APIUserAbortError);
  await world.gate.upstream.arrived(from + 1);
  const { quota, other } = await world.row();
  expect([quota, other['end_reason']]).toEqual([0, 'client_gone']);
  expect(await world.gate.readBalance(world.caller)).toEqual({ balance: 5_000_000, held: 0 });
  expect(asked(from)).toEqual([submit, cancel]);
});

describe('on a self-hosted address', () => {
  let own: MediaWorld;

  beforeEach(async () => {
    own = await openMediaWorld();
    await own.gate.addChannel({ type: 17, models: 'wanx', priority: 1 });
    await own.gate.core.settings.set('ModelPrice', JSON.stringify({ wanx: 0.02 }));
    await own.begin();
  });
  afterEach(async () => {
    await own.inOrder();
    await own.gate.close();
  });

  it('a task that fails is retried on another channel', async () => {
    await own.gate.addChannel({ type: 1, models: 'wanx' });
    await own.gate.core.settings.set('RetryTimes', '1');
    const failure = { code: 'InternalError', message: 'oh no' };
    const tasks = dashscope({ steps: ['RUNNING', 'FAILED'], failure });
    own.gate.upstream.script((exchange) =>
      (exchange.path.startsWith('/api/v1/') ? tasks : images())(exchange),
    );
    expect((await own.openai.images.generate(ask)).data).toHaveLength(1);
    expect(own.gate.upstream.requests.map(({ path }) => path).slice(-2)).toEqual([
      '/api/v1/tasks/task-1',
      '/v1/images/generations',
    ]);
    expect(await own.spent()).toBe(price);
  });

  it('a stop of the process ends the polling with an error, and releases the hold', async () => {
    own.gate.upstream.script(dashscope({ steps: ['RUNNING'] }));
    own.waits.isHeld = true;
    const refused = failureOf(own.openai.images.generate(ask));
    await own.waits.aWait;
    own.gate.relay.gateway.running.endAll();
    expect(await refused).toMatchObject({ status: 503, code: 'shutting_down' });
    expect(await own.spent()).toBe(0);
  });
});

test.each([
  ['a stream', { stream: true }, 'generations'],
  ['five at once', { n: 5 }, 'generations'],
  ['an edit', { images: ['https://a.test/a.png'] }, 'edits'],
])('%s is refused before anything is sent', async (_what, more, call) => {
  const from = seen();
  const answer = await fetch(`${world.gate.url}/v1/images/${call}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask, ...more }),
  });
  const { error } = (await answer.json()) as { error: { code: string } };
  expect([answer.status, error.code]).toEqual([400, 'cannot_translate']);
  expect(seen()).toBe(from);
  expect(await world.spent()).toBe(0);
});

test('reranking is sent in DashScope’s shape and answered in Jina’s, charged by its total', async () => {
  const results = [{ index: 1, relevance_score: 0.9 }];
  world.gate.upstream.script(json({ output: { results }, usage: { total_tokens: 79 }, request_id: 'r-1' }));
  const documents = ['one', { text: 'two' }];
  const answer = await fetch(`${world.gate.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gte-rerank', query: 'q', documents, top_n: 1, return_documents: true }),
  });
  expect(await answer.json()).toEqual({
    results: [{ index: 1, relevance_score: 0.9, document: { text: 'two' } }],
    usage: { prompt_tokens: 79, completion_tokens: 0, total_tokens: 79 },
  });
  const sent = world.gate.upstream.requests.at(-1)!;
  expect([sent.path, sent.json()]).toEqual([
    '/api/v1/services/rerank/text-rerank/text-rerank',
    {
      model: 'gte-rerank',
      input: { query: 'q', documents: ['one', 'two'] },
      parameters: { top_n: 1, return_documents: true },
    },
  ]);
  expect(await world.spent()).toBe(79);
});
