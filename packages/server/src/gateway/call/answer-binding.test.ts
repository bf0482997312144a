import { createHash } from 'node:crypto';
import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openSignedReceipts } from '../../boot/money.ts';
import { logs, receipts } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import {
  type Behaviour,
  chatEvents,
  json,
  sseHeaders,
} from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';

const model = 'gpt-4o-mini';
let gate: GatewayHarness;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: model });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 10 }));
  gate.upstream.script(named());
});
beforeEach(() => gate.core.settings.set('SignedReceipts', 'true'));
afterAll(() => gate.close());

/** A chat with an id and a fingerprint of its own, as slow as `paceMs` between its events. */
const named =
  (paceMs = 0): Behaviour =>
  async (exchange) => {
    const renamed = (text: string): string =>
      text.replace('"id":"chatcmpl-fake"', '"id":"chatcmpl-9","system_fingerprint":"fp_7"');
    if (exchange.json()['stream'] !== true) {
      const body = renamed(JSON.stringify(chatBody(model, 'hello', usageBody(10, 5))));
      return json(JSON.parse(body))(exchange);
    }
    exchange.head(200, sseHeaders);
    for (const event of chatEvents(exchange)) {
      await exchange.write(renamed(event));
      await exchange.pause(paceMs);
    }
    await exchange.end();
  };

const messages = [{ role: 'user', content: 'hello' }];
/** Requests in each protocol, whose upstream speaks chats. */
const asks: Record<string, (stream: boolean) => [path: string, body: object]> = {
  chats: (stream) => ['/v1/chat/completions', { model, stream, messages }],
  messages: (stream) => ['/v1/messages', { model, stream, max_tokens: 90, messages }],
  Gemini: (stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  ],
};

async function ask(caller: TestCaller, [path, body]: [string, object], headers: Record<string, string> = {}) {
  const answer = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { id: answer.headers.get('x-tollgate-request-id')!, bytes: Buffer.from(await answer.arrayBuffer()) };
}

interface Answer {
  id: string;
  model: string;
  fingerprint: string;
  bytes: number;
  sha256: string;
}

/** What the log row of a call says about its answer. */
async function answerIn({ userId }: TestCaller, id: string): Promise<Answer | undefined> {
  await gate.core.ledger.flush();
  const filter = { userId, type: logType.consume };
  const { rows } = await logs.list(gate.core.store.db, filter, { offset: 0, limit: 9 });
  const row = rows.find((each) => each.request_id === id)!;
  return (JSON.parse(row.other) as { answer?: Answer }).answer;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const kinds = Object.keys(asks).flatMap((name) => [false, true].map((stream) => [name, stream] as const));

it.each(kinds)(
  'a call of %s (stream: %s) is bound to its bytes and the vendor’s names',
  async (name, stream) => {
    const caller = await gate.addCaller();
    await gate.core.settings.set('SignedReceipts', 'false');
    const plain = await ask(caller, asks[name]!(stream));
    expect(await answerIn(caller, plain.id)).toBeUndefined();
    await gate.core.settings.set('SignedReceipts', 'true');
    const { id, bytes } = await ask(caller, asks[name]!(stream));
    expect(await answerIn(caller, id)).toEqual({
      id: 'chatcmpl-9',
      model,
      fingerprint: 'fp_7',
      bytes: bytes.length,
      sha256: sha256(bytes),
    });
  },
);

/** The call has the names, and the hash of the bytes that were received up to its number of bytes. */
async function expectBound(
  caller: TestCaller,
  { id, bytes }: Awaited<ReturnType<typeof ask>>,
): Promise<Answer> {
  const answer = (await answerIn(caller, id))!;
  expect(answer.bytes).toBeGreaterThan(0);
  expect(answer.sha256).toBe(sha256(bytes.subarray(0, answer.bytes)));
  return answer;
}

it('comments that keep a connection open are among the bytes', async () => {
  const caller = await gate.addCaller();
  const { settings } = gate.core;
  await settings.set('general_setting.ping_interval_enabled', 'true');
  await settings.set('general_setting.ping_interval_seconds', '1');
  gate.upstream.script(named(400));
  const received = await ask(caller, asks['chats']!(true));
  await settings.set('general_setting.ping_interval_enabled', 'false');
  gate.upstream.script(named());
  expect(received.bytes.toString()).toMatch(/^: PING/m);
  expect((await expectBound(caller, received)).bytes).toBe(received.bytes.length);
});

it('the error behind an answer that broke off is not among them', async () => {
  const caller = await gate.addCaller();
  gate.upstream.script(async (exchange) => {
    exchange.head(200, sseHeaders);
    for (const event of chatEvents(exchange).slice(0, 4)) await exchange.write(event);
    // The caller has a part of it.
    await exchange.pause(200);
    await exchange.fin();
  });
  const received = await ask(caller, asks['chats']!(true));
  gate.upstream.script(named());
  const { bytes } = await expectBound(caller, received);
  expect(bytes).toBeLessThan(received.bytes.length);
  expect(received.bytes.subarray(bytes).toString()).toContain('error');
});

it('a repeated and a stored answer are bound like the first', async () => {
  const caller = await gate.addCaller();
  const keyed = { 'idempotency-key': 'once' };
  const first = await ask(caller, asks['chats']!(true), keyed);
  expect((await ask(caller, asks['chats']!(true), keyed)).bytes).toEqual(first.bytes);
  expect((await expectBound(caller, first)).bytes).toBe(first.bytes.length);
  await gate.core.settings.set('AnswerCacheSeconds', '60');
  await ask(caller, asks['chats']!(false));
  const hit = await ask(caller, asks['chats']!(false));
  await gate.core.settings.set('AnswerCacheSeconds', '0');
  expect(await expectBound(caller, hit)).toMatchObject({ id: 'chatcmpl-9', bytes: hit.bytes.length });
});

it('the receipt has all of it', async () => {
  const caller = await gate.addCaller();
  const received = await ask(caller, asks['chats']!(true));
  await gate.core.ledger.flush();
  await openSignedReceipts(gate.core).seal(() => true);
  const [row] = await receipts.ofTxns(gate.core.store.db, caller.accountId, [received.id]);
  expect(JSON.parse(row!.body)).toMatchObject({
    account: caller.accountId,
    kind: 'usage',
    call: {
      request_id: received.id,
      model,
      usage_source: 'upstream',
      end_reason: 'complete',
      answer: await answerIn(caller, received.id),
    },
  });
});
