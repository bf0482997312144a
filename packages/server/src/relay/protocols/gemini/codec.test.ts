import { usageOf } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { feed, writerOptions } from '../../../testing/protocols/build-relay.ts';
import { dataOf, readAnswer, readStream } from '../../../testing/protocols/codec-bench.ts';
import { type ChatEvent, type AnswerPipe, type BodyKind, RelayError } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { gemini } from './index.ts';

const codec = gemini.codec!;
const chunk = (parts: object[], candidate: object = {}, more: object = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...candidate }], responseId: 'r1', modelVersion: 'gemini-x', ...more })}\r\n\r\n`;
const stop = { finishReason: 'STOP' };
const read = (...chunks: string[]): ChatEvent[] => readStream(codec, [Buffer.from(chunks.join(''))]);
const open = (kind: BodyKind = 'stream'): AnswerPipe =>
  gemini.outbound.openPipe({
    kind,
    contentType: '',
    hideUsage: false,
    secrets: ['the-key'],
    rewrite: undefined,
  });
const usage = { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 } };

const place = { choice: 0, block: 0 };
const start: ChatEvent = { type: 'start', id: 'x', model: 'up', createdSeconds: 5 };
const finish: ChatEvent = { type: 'finish', choice: 0, reason: { unified: 'stop', raw: 'stop' } };
const write = (events: readonly ChatEvent[]): JsonObject[] => {
  const writer = codec.openWriter(writerOptions());
  return dataOf(Buffer.from(events.map((each) => writer.write(each)).join('') + writer.end()));
};

describe('a passing stream', () => {
  test('holds back the event with the finish reason, of any length', () => {
    const picture = chunk(
      [{ inlineData: { mimeType: 'image/png', data: 'A'.repeat(300_000) } }],
      stop,
      usage,
    );
    const { passed, end } = feed(open(), [Buffer.from(chunk([{ text: 'Hi' }]) + picture)]);
    expect(passed.toString()).toBe(chunk([{ text: 'Hi' }]));
    expect(end).toMatchObject({ outcome: 'complete', usage: { input: 4, output: 2 } });
    expect(end.tail!.toString()).toBe(picture);
  });

  test('goes on until all candidates have finished', () => {
    const second = (parts: object[], more: object = {}) => chunk(parts, { index: 1, ...more });
    const chunks = [
      chunk([{ text: 'a' }]),
      second([{ text: 'b' }]),
      chunk([], stop),
      second([{ text: 'c' }]),
      second([], stop),
    ];
    const { passed, end } = feed(open(), [Buffer.from(chunks.join(''))]);
    expect(passed.toString()).toBe(chunks.slice(0, -1).join(''));
    expect(end.outcome).toBe('complete');
  });

  test('is whole when the prompt was blocked', () => {
    const blocked = `data: ${JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, ...usage })}\r\n\r\n`;
    expect(feed(open(), [Buffer.from(blocked)]).end.outcome).toBe('complete');
    expect(read(blocked).at(-1)).toMatchObject({ reason: { unified: 'content-filter', raw: 'SAFETY' } });
  });

  test('without a finish reason is truncated, even when it closes properly', () => {
    expect(feed(open(), [Buffer.from(chunk([{ text: 'Hi' }], {}, usage))]).end.outcome).toBe('truncated');
  });

  test('does not treat a report without output as the usage', () => {
    const early = { usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } };
    const { end, text } = feed(open(), [Buffer.from(chunk([{ text: 'Hello there' }], {}, early))], true);
    expect([end.usage, text.output]).toEqual([undefined, 'Hello there']);
  });

  test('fails with an error object, and keeps the secret of the channel', () => {
    const error = (message: string) =>
      `data: ${JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } })}\r\n\r\n`;
    const plain = feed(open(), [Buffer.from(chunk([{ text: 'Hi' }]) + error('overloaded'))]).end;
    expect(plain).toMatchObject({
      outcome: 'error',
      error: { status: 503, code: 'UNAVAILABLE', blame: 'channel' },
    });
    expect(plain.tail!.toString()).toBe(error('overloaded'));
    expect(feed(open(), [Buffer.from(error('bad the-key'))]).end.tail).toBeUndefined();
  });

  test('a whole answer passes, an invalid one does not', () => {
    const whole = JSON.stringify({
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, ...stop }],
      ...usage,
    });
    expect(feed(open('json'), [Buffer.from(whole)]).end).toMatchObject({
      outcome: 'complete',
      usage: { output: 2 },
    });
    expect(feed(open('json'), [Buffer.from('{"ok":true}')]).end.outcome).toBe('error');
  });
});

describe('the reader', () => {
  test('puts a signature on a call before the call', () => {
    const events = read(
      chunk([{ text: 'hm', thought: true }]),
      chunk([{ functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'sig' }], stop),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'start', 'reasoning-start', 'reasoning-delta', 'reasoning-end',
      'tool-input-start', 'tool-input-delta', 'tool-input-end', 'finish',
    ]); // prettier-ignore
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'reasoning-end', signature: 'sig', signer: 'gemini' }),
    );
    expect(events).toContainEqual(expect.objectContaining({ id: 'call_r1_0_0', name: 'f' }));
    expect(events.at(-1)).toMatchObject({ reason: { unified: 'tool-calls', raw: 'STOP' } });
  });

  test('gives positions in characters, where Google counts bytes', () => {
    const text = 'Grüße aus Köln.';
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://koeln.test', title: 'Köln' } }],
      groundingSupports: [
        { segment: { startIndex: 12, endIndex: 18, text: 'Köln.' }, groundingChunkIndices: [0] },
      ],
    };
    const events = read(chunk([{ text }], { ...stop, groundingMetadata }));
    const { citation } = events.find((event) => event.type === 'annotation')!;
    expect(citation).toMatchObject({ url: 'https://koeln.test', title: 'Köln', start: 10, end: 15 });
    expect(text.slice(citation.start, citation.end)).toBe('Köln.');
    const back = write([
      start,
      { type: 'text-delta', ...place, text },
      { type: 'annotation', choice: 0, citation },
      finish,
    ]).at(-1) as { candidates: [{ groundingMetadata: JsonObject }] };
    expect(back.candidates[0].groundingMetadata.groundingSupports).toEqual(
      groundingMetadata.groundingSupports,
    );
  });

  test('reads pictures, log probabilities and every kind of refusal', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'Hi', logProbability: -0.1 }],
      topCandidates: [{ candidates: [{ token: 'Ho', logProbability: -2 }] }],
    };
    const events = read(
      chunk([{ text: 'Hi' }], { logprobsResult }),
      chunk([{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }], { finishReason: 'IMAGE_SAFETY' }),
    );
    const delta = events.find(({ type }) => type === 'text-delta');
    expect(delta).toMatchObject({
      logprobs: { content: [{ token: 'Hi', logprob: -0.1, top_logprobs: [{ token: 'Ho' }] }] },
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'file' }));
    expect(events.at(-1)).toMatchObject({ reason: { unified: 'content-filter', raw: 'IMAGE_SAFETY' } });
  });

  test.each(['data: {"candidates": [\r\n\r\n', 'data: {"error":{"code":429,"message":"slow"}}\r\n\r\n'])(
    'ends with an error, its blocks closed: %j',
    (failure) => {
      const events = read(chunk([{ text: 'Hi' }]), failure, chunk([{ text: 'lost' }]));
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['text-end', 'error']);
    },
  );
});

describe('the writer', () => {
  test('writes usage and finish reason in the last chunk', () => {
    const counted = usageOf({ input: 3, cacheRead: 2, output: 4, reasoning: 1 });
    const delta: ChatEvent = { type: 'text-delta', ...place, text: 'Hi' };
    const chunks = write([start, delta, finish, { type: 'usage', usage: counted }]);
    expect(chunks).toHaveLength(2);
    expect(chunks[0]).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, index: 0 }],
    });
    expect(chunks[1]).toMatchObject({
      candidates: [{ finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 5,
        cachedContentTokenCount: 2,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 1,
        totalTokenCount: 10,
      },
    });
  });

  test('writes calls whole, with the signature of the thoughts before them', () => {
    const call: ChatEvent[] = [
      { type: 'reasoning-start', ...place },
      { type: 'reasoning-end', ...place, signature: 'sig', signer: 'anthropic-messages' },
      { type: 'tool-input-start', choice: 0, block: 1, id: 'a', name: 'f' },
      { type: 'tool-input-delta', choice: 0, block: 1, text: '{"x"' },
      { type: 'tool-input-delta', choice: 0, block: 1, text: ':1}' },
      { type: 'tool-input-end', choice: 0, block: 1 },
    ];
    const [first] = write([start, ...call, finish]);
    const part = {
      functionCall: { id: 'a', name: 'f', args: { x: 1 } },
      thoughtSignature: Buffer.from('~anthropic-messages~sig').toString('base64'),
    };
    expect(first).toMatchObject({ candidates: [{ content: { parts: [part] } }] });
    const body = { model: 'm', contents: [{ role: 'model', parts: [part] }] };
    expect(codec.readRequest!(body).messages[0]!.parts).toMatchObject([
      { type: 'reasoning', signature: 'sig', signer: 'anthropic-messages' },
      { type: 'tool-call', id: 'a', name: 'f' },
    ]);
  });

  test('joins the parts of a whole answer', () => {
    const events: ChatEvent[] = [
      start,
      { type: 'text-delta', ...place, text: 'He' },
      { type: 'text-delta', ...place, text: 'y' },
      finish,
    ];
    const whole = codec.writeAnswer(events, writerOptions());
    expect(whole).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'Hey' }] }, finishReason: 'STOP' }],
    });
    expect(readAnswer(codec, whole)).toContainEqual(
      expect.objectContaining({ type: 'text-delta', text: 'Hey' }),
    );
  });
});

test('writes errors in Google’s shape', () => {
  const error = new RelayError({ status: 429, code: 'rate_limited', message: 'slow down', blame: 'caller' });
  const { status, body } = gemini.inbound.writeError(error, 'R1');
  expect([status, JSON.parse(body)]).toEqual([
    429,
    {
      error: {
        code: 429,
        message: 'slow down (request id: R1)',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'rate_limited' }],
      },
    },
  ]);
  expect(gemini.inbound.writeStreamError(error, 'R1').toString()).toBe(`data: ${body}\r\n\r\n`);
});

test('the number that a vendor has as a code is no reason for Google’s clients', () => {
  const error = new RelayError({ status: 400, code: '400', type: '', message: 'too long', blame: 'caller' });
  expect(JSON.parse(gemini.inbound.writeError(error, 'R1').body)).toMatchObject({
    error: { details: [{ reason: 'INVALID_ARGUMENT' }] },
  });
});

test('a refused key is a failure of the channel, although Google answers 400', () => {
  const bad = {
    error: {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
    },
  };
  const answer = (body: unknown, status: number) =>
    gemini.outbound.readError({
      status,
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify(body)),
      secrets: [],
      retryAfterSeconds: undefined,
    });
  expect(answer(bad, 400)).toMatchObject({ status: 400, blame: 'channel', original: bad.error });
  expect(
    answer({ error: { code: 400, message: 'bad contents', status: 'INVALID_ARGUMENT' } }, 400).blame,
  ).toBe('caller');
  expect(
    answer([{ error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED' } }], 429),
  ).toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    blame: 'channel',
  });
});

test('bytes in both alphabets of base64 are read as the one that all vendors accept', () => {
  const parts = [{ inlineData: { mimeType: 'image/png', data: 'a-_b' } }];
  expect(codec.readRequest!({ model: 'm', contents: [{ parts }] }).messages[0]!.parts).toMatchObject([
    { type: 'image', source: { kind: 'data', base64: 'a+/b' } },
  ]);
});
