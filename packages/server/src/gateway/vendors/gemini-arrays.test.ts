import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../../testing/protocols/codec-bench.ts';
import { body, refuse, replay } from '../../testing/upstream/fake-upstream-faults.ts';
import { type Behaviour, json, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { haveRecordings, recordedStreams } from '../../testing/protocols/recordings.ts';

// `:streamGenerateContent` without `alt=sse`. Google's own clients never use it, so a plain caller reads it.

let gate: GatewayHarness;
let caller: TestCaller;
const gemini = 'gemini-2.5-flash';
const chat = 'moonshot-v1-8k';

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  await gate.addChannel({ type: 1, models: chat });
  await gate.addChannel({ type: 24, models: gemini });
  caller = await gate.addCaller({ balance: 500_000_000 });
});
afterAll(() => gate.close());
afterEach(async () => {
  gate.upstream.script('healthy');
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
});

const ask = (model: string, query = '', headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gate.url}/v1beta/models/${model}:streamGenerateContent${query}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': caller.key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
  });

interface Element {
  candidates?: { content?: { parts?: { text?: string }[] }; finishReason?: string }[];
  usageMetadata?: { totalTokenCount?: number };
  error?: { code: number; status: string; message: string };
}
const elementsOf = (text: string): Element[] => JSON.parse(text) as Element[];
const textOf = (elements: readonly Element[]): string =>
  elements.map(({ candidates }) => candidates?.[0]?.content?.parts?.[0]?.text ?? '').join('');

const piece = (text: string, more: object = {}): string =>
  JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }] });
/** The same, as a piece of chat. */
const chunk = JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: 'one' } }] });
const last = piece('.', { finishReason: 'STOP' });
const events =
  (...pieces: string[]): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.end(pieces.map((each) => `data: ${each}\r\n\r\n`).join(''));
  };

/**
 * Stream whose first element is read before the upstream sends the rest. Returns the first text read, and all of it.
 */
async function readInTwo(rest: string, model = gemini): Promise<[string, string]> {
  const seen = Promise.withResolvers<void>();
  gate.upstream.next(async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.write(`data: ${model === gemini ? piece('one') : chunk}\r\n\r\n`);
    await seen.promise;
    await exchange.write(rest);
    await exchange.fin();
  });
  const reader = (await ask(model)).body!.getReader();
  const first = Buffer.from((await reader.read()).value!).toString();
  seen.resolve();
  let all = first;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    all += Buffer.from(read.value).toString();
  }
  return [first, all];
}

describe('a stream as an array', () => {
  it('has whole elements, each with the bytes of its event', async () => {
    const odd = '{"candidates":[{"content":{"parts":[{"text":"\\u0041"}]}}],  "x_new":1.0}';
    const reported = last.replace(/}$/, ',"usageMetadata":{"promptTokenCount":3, "candidatesTokenCount":2}}');
    gate.upstream.next(events(odd, piece('b'), reported));
    const answer = await ask(gemini);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(answer.headers.get('content-length')).toBeNull();
    expect(await answer.text()).toBe(`[${odd}\n,\r\n${piece('b')}\n,\r\n${reported}\n]\n`);
    expect(gate.upstream.requests.at(-1)!.path).toBe(
      `/v1beta/models/${gemini}:streamGenerateContent?alt=sse`,
    );
  });

  it('tells the usage in its last element where the vendor reports none', async () => {
    gate.upstream.next(events(piece('a'), last));
    const elements = elementsOf(await (await ask(gemini)).text());
    expect(elements).toHaveLength(2);
    expect(elements[1]).toMatchObject({ ...JSON.parse(last), usageMetadata: { source: 'counted' } });
  });

  it('is sent element by element, and ends when the call is settled', async () => {
    const [first, all] = await readInTwo(`data: ${last}\r\n\r\n`);
    expect(first).toBe(`[${piece('one')}`);
    expect(await gate.openHolds()).toBe(0);
    expect(elementsOf(all)).toHaveLength(2);
  });

  it('is written for upstreams of other protocols, too', async () => {
    const elements = elementsOf(await (await ask(chat, '?alt=json')).text());
    expect(textOf(elements)).toBe('word0 word1 word2 word3 word4 ');
    expect(elements.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { totalTokenCount: 15 },
    });
  });

  it('is events for callers who ask for them, and any other format is refused', async () => {
    expect(await (await ask(chat, '?alt=sse')).text()).toMatch(/^data: \{/);
    const refused = await ask(chat, '?alt=proto');
    expect([refused.status, ((await refused.json()) as Element).error?.status]).toEqual([
      400,
      'INVALID_ARGUMENT',
    ]);
  });

  it('is replayed by its Idempotency-Key, byte for byte', async () => {
    const named = { 'idempotency-key': 'an-array' };
    const first = await (await ask(chat, '', named)).text();
    const again = await ask(chat, '', named);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(first);
    expect(textOf(elementsOf(first))).toBe('word0 word1 word2 word3 word4 ');
  });
});

describe('a stream as an array that fails', () => {
  it('before its first element is refused like any other call', async () => {
    gate.upstream.script(refuse(429, { message: 'slow down' }));
    const answer = await ask(gemini);
    expect([answer.status, ((await answer.json()) as Element).error?.status]).toEqual([
      429,
      'RESOURCE_EXHAUSTED',
    ]);
  });

  it('in mid-stream ends with an error as its last element', async () => {
    const error = { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' };
    const [, all] = await readInTwo(`data: ${JSON.stringify({ error })}\r\n\r\n`);
    const elements = elementsOf(all);
    expect([textOf(elements), elements.length, elements[1]]).toEqual(['one', 2, { error }]);
  });

  it('by breaking off is valid JSON all the same', async () => {
    const [, all] = await readInTwo('data: {"candidates":[{"con');
    expect(elementsOf(all).at(-1)?.error).toMatchObject({ code: 502, status: 'UNAVAILABLE' });
    const [, translated] = await readInTwo('data: {"choices":[{"de', chat);
    const elements = elementsOf(translated);
    expect([textOf(elements), elements.length]).toEqual(['one', 2]);
    expect(elements.at(-1)?.error).toMatchObject({ code: 502, status: 'UNAVAILABLE' });
  });

  it('by an event that is not JSON has an error in its place', async () => {
    gate.upstream.next(events(piece('one'), 'garbage', last));
    const elements = elementsOf(await (await ask(gemini)).text());
    expect([elements.length, elements[1]?.error?.code]).toEqual([3, 502]);
  });

  it('by an answer that is not one is refused', async () => {
    for (const answer of [body('<html>maintenance</html>', 'text/html'), json({ ok: true })]) {
      gate.upstream.next(answer);
      const refused = await ask(gemini);
      expect([refused.status, ((await refused.json()) as Element).error?.code]).toEqual([502, 502]);
    }
  });
});

describe.skipIf(!haveRecordings)('recorded streams as arrays (skipped where there are none)', () => {
  const recordings = haveRecordings ? recordedStreams('gemini') : [];

  it.each(recordings.map((recording) => [recording.file, recording] as const))(
    '%s has an element for each of its events',
    async (_file, recording) => {
      gate.upstream.next(replay(recording.body, [777]));
      expect(elementsOf(await (await ask(gemini)).text())).toEqual(dataOf(recording.body));
    },
  );
});
