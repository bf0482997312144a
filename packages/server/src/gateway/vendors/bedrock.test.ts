import { logType } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { logs } from '../../store/index.ts';
import { awsStream, chunkFrame, converseFrame, exceptionFrame } from '../../testing/protocols/aws-frames.ts';
import { body, replay } from '../../testing/upstream/fake-upstream-faults.ts';
import type { Behaviour } from '../../testing/upstream/fake-upstream.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { verifyAwsSignature } from '../../testing/protocols/verify-aws-signature.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const nova = 'us.amazon.nova-lite-v1:0';
const claude = 'claude-3-haiku-20240307';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  const models = `${nova},${claude}`;
  const key = `AKIDEXAMPLE|${secret}|us-east-1`;
  await gate.addChannel({ type: 33, name: 'first', models, key, priority: 10 });
  await gate.addChannel({ type: 33, name: 'second', models, key: 'ABSKexample|us-west-2' });
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [nova]: 1, [claude]: 1 }));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [nova]: 4, [claude]: 5 }));
  await gate.core.settings.set('RetryTimes', '1');
  caller = await gate.addCaller();
});
afterAll(() => gate.close());

/** After every test no call is running, no hold is left and the books balance. */
afterEach(async () => {
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
});

/** Charge of the last call. */
async function lastCost(): Promise<number> {
  const page = { offset: 0, limit: 1 };
  const charges = { userId: caller.userId, type: logType.consume };
  const { rows } = await logs.list(gate.core.store.db, charges, page);
  return rows[0]!.quota;
}

/** One call; `onBytes` is called at the first bytes of the answer. */
async function post(path: string, request: object, onBytes: () => void = () => undefined) {
  const answer = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body!) {
    pieces.push(piece);
    onBytes();
  }
  return { status: answer.status, text: Buffer.concat(pieces).toString() };
}
const hi = [{ role: 'user', content: 'hi é' }];
const chat = (stream: boolean, onBytes?: () => void) =>
  post('/v1/chat/completions', { model: nova, messages: hi, stream }, onBytes);
const messages = (stream: boolean, onBytes?: () => void) =>
  post('/v1/messages', { model: claude, messages: hi, max_tokens: 100, stream }, onBytes);

const wordsOf = [
  converseFrame('messageStart', { role: 'assistant' }),
  converseFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello there, how are you?' } }),
];
const stopped = [
  converseFrame('contentBlockStop', { contentBlockIndex: 0 }),
  converseFrame('messageStop', { stopReason: 'end_turn' }),
  converseFrame('metadata', { usage: { inputTokens: 100, outputTokens: 7, totalTokens: 107 } }),
];
const streams = (...frames: Buffer[]): Behaviour => replay(Buffer.concat(frames), [50], awsStream);

/**
 * An answer whose rest follows after the caller has the beginning: a delivered answer cannot be retried elsewhere.
 */
function inTwoParts(first: readonly Buffer[], rest: readonly Buffer[]) {
  let delivered!: () => void;
  const isDelivered = new Promise<void>((resolve) => {
    delivered = resolve;
  });
  gate.upstream.next(async (exchange) => {
    exchange.head(200, { 'content-type': awsStream });
    await exchange.write(Buffer.concat(first));
    await isDelivered;
    await exchange.end(Buffer.concat(rest));
  });
  return delivered;
}
const throttled = body('{"message":"Too many requests, please wait."}', 'application/json', 429);
const lastRequest = () => gate.upstream.requests.at(-1)!;

describe('a call with signing keys', () => {
  test('has the signature that AWS computes, for an id with a colon', async () => {
    gate.upstream.next(streams(...wordsOf, ...stopped));
    const { status, text } = await chat(true);
    expect([status, text]).toEqual([200, expect.stringContaining('Hello there')]);
    expect(text).toContain('data: [DONE]');
    const request = lastRequest();
    expect(request.path).toBe('/model/us.amazon.nova-lite-v1%3A0/converse-stream');
    const { isRight, ...verified } = verifyAwsSignature(request, secret);
    expect(isRight).toBe(true);
    expect(verified.accessKeyId).toBe('AKIDEXAMPLE');
    expect(verified.scope).toMatch(/^\d{8}\/us-east-1\/bedrock\/aws4_request$/);
    expect(verified.signedHeaders).toEqual(['content-type', 'host', 'x-amz-date']);
    expect(JSON.stringify(request.headers)).not.toContain(secret);
    // 100 input and 7 output tokens, at ratio 1 and completion ratio 4.
    expect(await lastCost()).toBe(128);
    expect(verifyAwsSignature({ ...request, body: Buffer.from('{}') }, secret).isRight).toBe(false);
    expect(verifyAwsSignature(request, 'another').isRight).toBe(false);
  });

  test('signs with the token of a session, too', async () => {
    const key = `ASIAEXAMPLE|${secret}|eu-west-1|session/token==`;
    await gate.addChannel({ type: 33, name: 'session', models: 'session-model', key });
    await gate.core.settings.set(
      'ModelRatio',
      JSON.stringify({ [nova]: 1, [claude]: 1, 'session-model': 1 }),
    );
    gate.upstream.next(streams(...wordsOf, ...stopped));
    await post('/v1/chat/completions', { model: 'session-model', messages: hi, stream: true });
    const request = lastRequest();
    expect(request.headers['x-amz-security-token']).toBe('session/token==');
    const { isRight, signedHeaders, scope } = verifyAwsSignature(request, secret);
    expect([isRight, scope.split('/')[1]]).toEqual([true, 'eu-west-1']);
    expect(signedHeaders).toContain('x-amz-security-token');
  });
});

describe('Claude by Invoke', () => {
  const usage = { input_tokens: 50, cache_read_input_tokens: 0, output_tokens: 6 };
  const start = chunkFrame({
    type: 'message_start',
    message: { id: 'msg_bdrk_1', type: 'message', role: 'assistant', model: 'c', content: [], usage },
  });
  const block = chunkFrame({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'text', text: '' },
  });
  const delta = chunkFrame(
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}',
  );
  const end = [
    chunkFrame({ type: 'content_block_stop', index: 0 }),
    chunkFrame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 6 } }),
    chunkFrame('{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":50}}'),
  ];

  test('is signed and billed to the unit, streamed and whole', async () => {
    gate.upstream.next(streams(start, block, delta, ...end));
    const { text } = await messages(true);
    expect(text).toContain('event: content_block_delta\ndata: {"type":"content_block_delta","index":0');
    expect(text.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
    expect(await lastCost()).toBe(50 + 6 * 5);
    const whole = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi' }],
      usage,
    };
    gate.upstream.next(body(JSON.stringify({ ...whole, stop_reason: 'end_turn' })));
    expect(JSON.parse((await messages(false)).text)).toMatchObject(whole);
    expect(await lastCost()).toBe(50 + 6 * 5);
    for (const request of gate.upstream.requests.slice(-2)) {
      expect(verifyAwsSignature(request, secret).isRight).toBe(true);
      expect(request.json()).toEqual({
        messages: hi,
        max_tokens: 100,
        anthropic_version: 'bedrock-2023-05-31',
      });
    }
    expect(lastRequest().path).toBe('/model/us.anthropic.claude-3-haiku-20240307-v1%3A0/invoke');
  });

  test('that fails in mid-stream is an error in the caller’s protocol, and what was delivered is charged', async () => {
    const failure = exceptionFrame('modelStreamErrorException', 'The model failed.');
    const { status, text } = await messages(true, inTwoParts([start, block, delta], [failure]));
    expect(status).toBe(200);
    const [, error] = text.split('event: error\ndata: ');
    expect(JSON.parse(error!)).toMatchObject({
      type: 'error',
      error: { message: expect.stringMatching(/^The model failed\. \(request id/) as string },
    });
    expect(text).toContain('text_delta');
    expect(text).not.toContain('message_stop');
    // The input that the vendor reported, and one token of text.
    expect(await lastCost()).toBe(50 + 1 * 5);
  });
});

describe('failures', () => {
  test('of a throttled channel are retried on the next, with its own key and region', async () => {
    gate.upstream.next(throttled, streams(...wordsOf, ...stopped));
    const before = gate.upstream.requests.length;
    const { status, text } = await chat(true);
    expect([status, text.includes('[DONE]')]).toEqual([200, true]);
    const tries = gate.upstream.requests.slice(before);
    expect(tries).toHaveLength(2);
    const bearers = tries.filter(({ headers }) => headers.authorization === 'Bearer ABSKexample');
    expect(bearers).toHaveLength(1);
    expect(await lastCost()).toBe(128);
  });

  test('before the first content are retried, too', async () => {
    gate.upstream.next(
      streams(exceptionFrame('throttlingException', 'slow down')),
      streams(...wordsOf, ...stopped),
    );
    const { status, text } = await chat(false);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ message: { content: 'Hello there, how are you?' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 7 },
    });
  });

  test('in mid-stream end the stream with an error, and the text is counted', async () => {
    const failure = exceptionFrame('throttlingException', `no, ${secret}`);
    const { text } = await chat(true, inTwoParts(wordsOf, [failure]));
    const events = text.split('\n\n').filter((each) => each !== '');
    expect(JSON.parse(events.at(-1)!.slice(6))).toMatchObject({
      error: { message: expect.stringMatching(/^no, \[hidden\] \(request id/) as string },
    });
    expect(text).toContain('Hello there');
    expect(text).not.toContain('[DONE]');
    const cost = await lastCost();
    expect(cost).toBeGreaterThan(20);
    expect(cost).toBeLessThan(60);
  });

  test('by a damaged frame end the stream with an error', async () => {
    const damaged = Buffer.from(stopped[1]!);
    damaged[damaged.length - 1]! ^= 1;
    const { text } = await chat(true, inTwoParts(wordsOf, [stopped[0]!, damaged, stopped[2]!]));
    expect(text).toContain('cannot be read');
    expect(text).not.toContain('[DONE]');
  });

  test('for a key of the wrong form are shown to the operator and not to the caller', async () => {
    await gate.addChannel({ type: 33, name: 'bad', models: 'bad-key-model', key: 'AKIDEXAMPLE|only-two' });
    await gate.core.settings.set(
      'ModelRatio',
      JSON.stringify({ [nova]: 1, [claude]: 1, 'bad-key-model': 1 }),
    );
    const { status, text } = await post('/v1/chat/completions', { model: 'bad-key-model', messages: hi });
    expect(status).toBe(502);
    expect(text).toContain('upstream_rejected_channel');
    expect(text).not.toContain('only-two');
  });

  test('by throttling everywhere are a 429 in the caller’s protocol', async () => {
    gate.upstream.next(throttled, throttled);
    const { status, text } = await messages(false);
    expect([status, JSON.parse(text)]).toMatchObject([429, { error: { type: 'rate_limit_error' } }]);
    expect(await gate.openHolds()).toBe(0);
  });
});
