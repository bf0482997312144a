import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logType } from '@tollgate/contract';
import { idempotentCalls, logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { stallMidStream } from '../../testing/upstream/fake-upstream-faults.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';
import type { HookQuestion } from './ask-hook.ts';

const model = 'gpt-4o-mini';
/** A model of a vendor without Responses. */
const translated = 'moonshot-v1-8k';
let gate: GatewayHarness;
let hook: Server;
/** The hook's questions, and what it answers to each. */
let questions: HookQuestion[] = [];
let answer: (question: HookQuestion, res: ServerResponse, req: IncomingMessage, body: string) => unknown;
const allow = () => ({ action: 'allow' });
const replaceAll =
  (from: string, to: string) =>
  ({ texts }: HookQuestion) => ({
    action: 'replace',
    texts: texts.map((text) => text.replaceAll(from, to)),
  });
/** Refuses texts with a word, also when a window has only the end of it. */
const refuseWord =
  (word: string) =>
  ({ texts, context }: HookQuestion) =>
    (context + texts.join('\n')).includes(word)
      ? { action: 'refuse', reason: 'not allowed' }
      : { action: 'allow' };

const rule = (changes: object = {}) => ({
  name: 'test',
  who: 'all',
  when: ['before', 'after'],
  url: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
  timeout_ms: 2_000,
  on_failure: 'closed',
  window: 20,
  ...changes,
});
const setRules = (...rules: object[]) => gate.core.settings.set('GuardHooks', JSON.stringify(rules));

beforeAll(async () => {
  hook = createServer((req, res) => {
    void readText(req).then((body) => {
      const question = JSON.parse(body) as HookQuestion;
      questions.push(question);
      const said = answer(question, res, req, body);
      if (said !== undefined) res.end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  gate = await openGateway();
  await gate.addChannel({ models: `${model},tts-1` });
  await gate.addChannel({ type: 25, models: translated });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 10, [translated]: 10 }));
  await gate.core.settings.set('GuardHookSecret', 'a secret');
});
afterAll(async () => {
  await gate.close();
  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
});
afterEach(async () => {
  questions = [];
  answer = allow;
  gate.upstream.script('healthy');
  await setRules();
  await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
  await gate.checkAtRest();
});

type Protocol = 'chat' | 'responses' | 'messages' | 'gemini';
const protocols: Protocol[] = ['chat', 'responses', 'messages', 'gemini'];

/** A question in each protocol: its path and body. */
const calls: Record<Protocol, (text: string, stream: boolean) => [string, object]> = {
  chat: (content, stream) => [
    '/v1/chat/completions',
    { model, stream, messages: [{ role: 'user', content }] },
  ],
  responses: (input, stream) => ['/v1/responses', { model: translated, stream, input, store: false }],
  messages: (text, stream) => [
    '/v1/messages',
    { model, stream, max_tokens: 500, messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
  ],
  gemini: (text, stream) => [
    `/v1beta/models/${translated}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
};

async function ask(caller: TestCaller, protocol: Protocol, text: string, stream = false) {
  const [path, body] = calls[protocol](text, stream);
  const got = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: got.status, body: await got.text() };
}

/** Parts of an event in which clients read text. */
interface ShownEvent {
  type?: string;
  choices?: { delta?: { content?: string } }[];
  delta?: string | { text?: string };
  candidates?: { content?: { parts?: { text?: string }[] } }[];
}

/** The events of a stream; throws for one that is not JSON. */
const eventsOf = (body: string): ShownEvent[] =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice(6)) as ShownEvent);

const shownIn = ({ type, choices, delta, candidates }: ShownEvent): string => {
  if (typeof delta === 'string') return type === 'response.output_text.delta' ? delta : '';
  const gemini = candidates?.[0]?.content?.parts?.map(({ text }) => text ?? '').join('');
  return choices?.[0]?.delta?.content ?? delta?.text ?? gemini ?? '';
};
/** What clients of any protocol show of a stream. */
const textOf = (body: string): string => eventsOf(body).map(shownIn).join('');

async function rowsOf({ userId }: TestCaller, type: number) {
  await gate.core.ledger.flush();
  return (await logs.list(gate.core.store.db, { userId, type }, { offset: 0, limit: 9 })).rows;
}

describe('a hook before a call', () => {
  it.each(protocols)('refuses it in %s, before any vendor, without a charge', async (protocol) => {
    const caller = await gate.addCaller();
    await setRules(rule({ when: ['before'] }));
    answer = refuseWord('secret');
    const before = gate.upstream.requests.length;
    for (const stream of [false, true]) {
      const refused = await ask(caller, protocol, 'my secret', stream);
      expect(refused.status).toBe(403);
      expect(JSON.parse(refused.body)).toHaveProperty('error');
      expect(refused.body).toContain('not allowed');
    }
    expect(gate.upstream.requests).toHaveLength(before);
    expect((await gate.readBalance(caller)).balance).toBe(5_000_000);
    expect(await rowsOf(caller, logType.error)).toHaveLength(2);
    expect((await ask(caller, protocol, 'hello')).status).toBe(200);
  });

  it.each(protocols)('replaces its texts in %s', async (protocol) => {
    const caller = await gate.addCaller();
    await setRules(rule({ when: ['before'] }), rule({ when: ['before'], name: 'second' }));
    answer = replaceAll('Alice', '[name]');
    expect((await ask(caller, protocol, 'Alice and Alice')).status).toBe(200);
    expect(gate.upstream.requests.at(-1)!.body.toString()).toContain('[name] and [name]');
    expect(gate.upstream.requests.at(-1)!.body.toString()).not.toContain('Alice');
    const [row] = await rowsOf(caller, logType.consume);
    expect(JSON.parse(row!.other)).toMatchObject({ replaced_by: 'test' });
    expect(questions.map(({ texts }) => texts)).toEqual([['Alice and Alice'], ['[name] and [name]']]);
  });

  it('is asked about its own callers only, in a signed question', async () => {
    const [one, other] = [await gate.addCaller(), await gate.addCaller()];
    let signature: unknown;
    let expected: unknown;
    answer = (_, __, req, body) => {
      signature = req.headers['x-webhook-signature'];
      expected = createHmac('sha256', 'a secret').update(body).digest('hex');
      return allow();
    };
    await setRules(rule({ who: `key:${one.tokenId}`, when: ['before'] }), rule({ who: 'group:vip' }));
    await ask(other, 'chat', 'hello');
    expect(questions).toEqual([]);
    await ask(one, 'chat', 'hello');
    expect(questions).toMatchObject([
      {
        when: 'before',
        user: { id: one.userId },
        model,
        protocol: 'openai-chat',
        group: 'default',
        texts: ['hello'],
      },
    ]);
    expect(signature).toBe(expected);
  });

  it('of a group is asked about keys of auto too, which may be served in it', async () => {
    const caller = await gate.addCaller();
    const { db } = gate.core.store;
    await db.updateTable('tokens').set({ group: 'auto' }).where('id', '=', caller.tokenId).execute();
    gate.core.keys.forgetAll();
    await setRules(rule({ who: 'group:default', when: ['before'] }));
    expect((await ask(caller, 'chat', 'hello')).status).toBe(200);
    expect(questions).toMatchObject([{ group: 'auto', texts: ['hello'] }]);
    const answered = await fetch(`${gate.url}/v1/responses/resp_1`, {
      headers: { authorization: `Bearer ${caller.key}` },
    });
    expect(answered.status).toBe(403);
  });

  const failures: [string, typeof answer][] = [
    ['is slow', () => undefined],
    ['is dead', (_, res) => void res.destroy()],
    ['redirects', (_, res) => void res.writeHead(302, { location: '/' }).end('{"action":"allow"}')],
    ['answers something else', () => ({ action: 'maybe' })],
    ['replaces another number of texts', () => ({ action: 'replace', texts: ['a', 'b'] })],
    ['answers too much', () => ({ action: 'allow', more: 'x'.repeat(9 * 1024 * 1024) })],
  ];
  it.each(failures)('that %s counts as its rule says', async (_, fails) => {
    const caller = await gate.addCaller();
    answer = fails;
    await setRules(rule({ on_failure: 'open', timeout_ms: 300 }));
    expect((await ask(caller, 'chat', 'hello')).status).toBe(200);
    await setRules(rule({ on_failure: 'closed', timeout_ms: 300 }));
    expect((await ask(caller, 'chat', 'hello')).status).toBe(503);
    expect(await rowsOf(caller, logType.consume)).toHaveLength(1);
  });
});

describe('a hook after a call', () => {
  it.each(protocols)('replaces texts of an answer in %s, whole and streamed', async (protocol) => {
    const caller = await gate.addCaller();
    gate.upstream.script(chat({ chunks: 12 }));
    await setRules(rule({ when: ['after'], window: 15 }));
    answer = replaceAll('word', 'term');
    const whole = await ask(caller, protocol, 'hello');
    expect(whole.body).toContain('term0 term1 term2');
    expect(whole.body).not.toContain('word');
    expect(JSON.parse(whole.body)).not.toHaveProperty('error.message');
    const streamed = await ask(caller, protocol, 'hello', true);
    expect(textOf(streamed.body)).toBe(Array.from({ length: 12 }, (_, n) => `term${n} `).join(''));
    expect(streamed.body).not.toContain('word');
  });

  it.each(protocols)('refuses an answer in %s; what the vendor made is charged', async (protocol) => {
    const caller = await gate.addCaller();
    gate.upstream.script(chat({ chunks: 12 }));
    await setRules(rule({ when: ['after'] }));
    answer = refuseWord('word7');
    const whole = await ask(caller, protocol, 'hello');
    expect(whole.status).toBe(403);
    expect(whole.body).not.toContain('word');
    // It ends only because the hook refuses a part.
    gate.upstream.script(stallMidStream(12, { chunks: 20 }));
    const streamed = await ask(caller, protocol, 'hello', true);
    expect(streamed.status).toBe(200);
    expect(streamed.body).not.toContain('word7');
    expect(streamed.body).toContain('not allowed');
    const [cut, paid] = await rowsOf(caller, logType.consume);
    expect(cut!.quota).toBeGreaterThan(0);
    expect(paid!.quota).toBeGreaterThan(0);
    expect(JSON.parse(cut!.other)).toMatchObject({ end_reason: 'hook_refused' });
    await expect.poll(async () => (await rowsOf(caller, logType.error)).length).toBe(2);
  });

  it('reads a stream that its rule passes on afterwards, and reports it', async () => {
    const caller = await gate.addCaller();
    await setRules(rule({ when: ['after'], window: 0 }));
    answer = refuseWord('word3');
    const { body } = await ask(caller, 'chat', 'hello', true);
    expect(textOf(body)).toBe('word0 word1 word2 word3 word4 ');
    await expect.poll(async () => (await rowsOf(caller, logType.error)).length).toBe(1);
    expect(questions).toMatchObject([{ delivered: true, texts: ['word0 word1 word2 word3 word4 '] }]);
  });

  it('delivers nothing of a stream that it has not allowed, however it is cut', async () => {
    const caller = await gate.addCaller({ balance: 500_000_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 6 }),
        fc.constantFrom(...protocols),
        async (words, window, allowed, protocol) => {
          gate.upstream.script(chat({ chunks: words.length, text: (n) => `${words[n]} ` }));
          await setRules(rule({ when: ['after'], window }));
          const passed: string[] = [];
          answer = ({ texts }) => {
            if (passed.length === allowed) return { action: 'refuse' };
            passed.push(texts.join(''));
            return allow();
          };
          const { body } = await ask(caller, protocol, 'hello', true);
          expect(textOf(body)).toBe(passed.join(''));
        },
      ),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 40) },
    );
  });

  it('lets no refused or replaced answer into the cache, and checks those of the cache again', async () => {
    const caller = await gate.addCaller();
    await gate.core.settings.set('AnswerCacheSeconds', '60');
    await setRules(rule({ when: ['after'] }));
    for (const by of [refuseWord('word4'), replaceAll('word', 'term'), allow]) {
      answer = by;
      const before = gate.upstream.requests.length;
      await ask(caller, 'chat', 'hello', true);
      expect(gate.upstream.requests).toHaveLength(before + 1);
    }
    const before = gate.upstream.requests.length;
    answer = refuseWord('word4');
    const again = await ask(caller, 'chat', 'hello', true);
    expect([textOf(again.body).includes('word4'), gate.upstream.requests.length]).toEqual([false, before]);
    await gate.core.settings.set('AnswerCacheSeconds', '0');
  });

  it('ends with a caller who leaves while it is asked', async () => {
    const caller = await gate.addCaller();
    await setRules(rule({ when: ['after'], timeout_ms: 500 }));
    answer = () => undefined;
    const leaving = new AbortController();
    const [path, body] = calls.chat('hello', true);
    const sent = fetch(`${gate.url}${path}`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((got) => got.text());
    await expect.poll(() => questions.length).toBe(1);
    leaving.abort();
    await expect(sent).rejects.toThrow('aborted');
    expect(await rowsOf(caller, logType.consume)).toHaveLength(1);
  });

  it("checks Gemini's stream as one JSON array", async () => {
    const caller = await gate.addCaller();
    await setRules(rule({ when: ['after'] }));
    const path = `/v1beta/models/${translated}:streamGenerateContent`;
    const stream = async () => {
      const got = await fetch(`${gate.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(calls.gemini('hello', true)[1]),
      });
      return JSON.parse(await got.text()) as ShownEvent[];
    };
    answer = replaceAll('word', 'term');
    expect((await stream()).map(shownIn).join('')).toBe('term0 term1 term2 term3 term4 ');
    answer = refuseWord('word4');
    const refused = await stream();
    expect(refused.map(shownIn).join('')).not.toContain('word4');
    expect(refused.at(-1)).toHaveProperty('error.message');
  });

  it('replaces the texts of a form', async () => {
    const caller = await gate.addCaller();
    await gate.addChannel({ models: 'gpt-image-1' });
    await gate.core.settings.set('ModelPrice', JSON.stringify({ 'gpt-image-1': 0.01 }));
    await setRules(rule({ when: ['before'] }));
    answer = replaceAll('Alice', '[name]');
    const form = new FormData();
    form.set('model', 'gpt-image-1');
    form.set('prompt', 'paint Alice');
    form.set('image', new Blob(['Alice'], { type: 'image/png' }), 'a.png');
    await fetch(`${gate.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: form,
    });
    const sent = gate.upstream.requests.at(-1)!.body.toString();
    expect(sent).toContain('paint [name]');
    // The file is sent as it is.
    expect(sent.match(/Alice/g)).toHaveLength(1);
  });

  it('refuses content to be cached, which calls would name instead of their texts', async () => {
    await setRules(rule({ when: ['before'] }));
    const caller = await gate.addCaller();
    const send = (method: string) =>
      fetch(`${gate.url}/v1beta/cachedContents`, {
        method,
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        ...(method === 'POST' && {
          body: JSON.stringify({ model, contents: [{ parts: [{ text: 'a secret' }] }] }),
        }),
      });
    expect((await send('POST')).status).toBe(403);
    expect((await send('GET')).status).toBe(200);
  });

  it('refuses tasks and stored responses, which it cannot check, to its callers', async () => {
    const caller = await gate.addCaller();
    await setRules(rule());
    const post = (path: string, method: string) =>
      fetch(`${gate.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: method === 'POST' ? '{"model":"sora-2","prompt":"a"}' : null,
      });
    expect((await post('/v1/videos', 'POST')).status).toBe(403);
    expect((await post('/v1/responses/resp_1', 'GET')).status).toBe(403);
    expect(questions).toEqual([]);
  });
});

describe('captured content', () => {
  afterEach(async () => {
    await gate.core.settings.set('ContentCapture', '[]');
    await gate.core.settings.set('ContentRedactions', '');
  });

  it.each(protocols)(
    'has the texts of calls in %s of the chosen key, redacted and sealed',
    async (protocol) => {
      const [caller, other] = [await gate.addCaller(), await gate.addCaller()];
      await gate.core.settings.set('ContentCapture', JSON.stringify([`key:${caller.tokenId}`]));
      await gate.core.settings.set('ContentRedactions', '[\\w.]+@[\\w.]+\\w');
      gate.upstream.script(chat({ text: (n) => (n === 2 ? 'bob@b.example ' : `word${n} `) }));
      for (const stream of [false, true]) {
        await ask(other, protocol, 'mail ann@a.example', stream);
        await ask(caller, protocol, 'mail ann@a.example', stream);
        const [row] = await rowsOf(caller, logType.consume);
        await expect
          .poll(() => gate.relay.captured.find(row!.request_id))
          .toMatchObject({ request: 'mail [redacted]', teamId: 0 });
        const found = await gate.relay.captured.find(row!.request_id);
        expect(found!.answer).toContain('word0 word1 [redacted] word3 word4');
        expect(JSON.parse(row!.other)).toMatchObject({ captured: true });
      }
      const stored = await gate.core.store.db
        .selectFrom('idempotent_calls')
        .select(['owner', 'answer'])
        .execute();
      expect(stored.filter(({ owner }) => owner.endsWith(`:${other.userId}`))).toEqual([]);
      expect(stored.some(({ answer: sealed }) => sealed.includes('word0'))).toBe(false);
    },
  );

  it('ends after its days, and with its user', async () => {
    const caller = await gate.addCaller();
    await gate.core.settings.set('ContentCapture', JSON.stringify([`key:${caller.tokenId}`]));
    await ask(caller, 'chat', 'hello');
    const [row] = await rowsOf(caller, logType.consume);
    const found = () => gate.relay.captured.find(row!.request_id);
    await expect.poll(found).toBeDefined();
    await gate.relay.keyedCalls.sweep();
    await gate.relay.keptAnswers.sweep();
    await gate.relay.captured.sweep();
    expect(await found()).toMatchObject({ request: 'hello' });
    const { db } = gate.core.store;
    await db
      .updateTable('idempotent_calls')
      .set((e) => ({ at: e('at', '-', 8 * 86_400) }))
      .where('owner', 'like', 'texts:%')
      .execute();
    expect(await found()).toBeUndefined();
    await gate.relay.captured.sweep();
    const left = () =>
      db.selectFrom('idempotent_calls').selectAll().where('owner', 'like', 'texts:%').execute();
    expect(await left()).toEqual([]);
    await ask(caller, 'chat', 'hello');
    await expect.poll(async () => (await left()).length).toBe(1);
    await idempotentCalls.removeOf(db, caller.userId);
    expect(await left()).toEqual([]);
  });
});
