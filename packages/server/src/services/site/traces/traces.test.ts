import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttp, type Http } from '../../../lib/outbound/http.ts';
import { usageOf } from '@tollgate/contract';
import { type OtlpReceiver, startOtlpReceiver } from '../../../testing/upstream/otlp-receiver.ts';
import { createTraces } from './create-traces.ts';
import { inputMessages } from './content.ts';
import type { CallTraces, SpanOutcome, TraceSettings } from './types.ts';

// A collector that is slow, down or forbidden, behind a real client.

let collector: OtlpReceiver;
let http: Http;
let counts: Record<SpanOutcome, number>;
let complaints: number;
let pauses: number[];
beforeEach(async () => {
  collector = await startOtlpReceiver();
  http = createHttp();
  counts = { exported: 0, queue_full: 0, export_failed: 0 };
  complaints = 0;
  pauses = [];
});
afterEach(async () => {
  await http.close();
  await collector.close();
});

function open(settings: Partial<TraceSettings> = {}): CallTraces {
  const log = { debug() {}, info() {}, warn: () => void (complaints += 1), error() {} };
  return createTraces(
    {
      http,
      log,
      clock: Date.now,
      sleep: (ms, signal) => {
        pauses.push(ms);
        return signal ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms).unref());
      },
      provider: () => 'openai',
      count: (outcome, spans) => (counts[outcome] += spans),
      version: 'test',
    },
    {
      url: `${collector.url}/v1/traces`,
      protocol: 'http/protobuf',
      headers: {},
      timeoutMs: 500,
      sampler: 'always_on',
      ratio: 1,
      serviceName: 'tollgate',
      resource: {},
      capturesContent: false,
      queue: { most: 100, batch: 10, delayMs: 1 },
      ...settings,
    },
  );
}

const call = (traces: CallTraces): void =>
  traces
    .begin({
      method: 'POST',
      path: '/v1/chat/completions',
      route: '/v1/chat/completions',
      headers: {},
      requestId: 'r',
      isSession: false,
      startedAt: Date.now(),
    })
    ?.end();

describe('a collector in trouble', () => {
  it('gets spans again that it could not accept, and no others', async () => {
    collector.answers.push(503, 429, 200, 400);
    const traces = open();
    call(traces);
    await vi.waitFor(() => expect(counts.exported).toBe(1));
    expect(collector.exports).toBe(3);
    expect(pauses).toEqual([1_000, 3_000]);
    call(traces);
    await vi.waitFor(() => expect(counts.export_failed).toBe(1));
    expect(collector.exports).toBe(4);
    expect(complaints).toBe(1);
    await traces.close();
  });

  it('costs spans, each of which is counted, and never more memory than the bound', async () => {
    collector.answers.push('hang');
    const traces = open({ timeoutMs: 60_000 });
    for (let i = 0; i < 10; i += 1) call(traces);
    await vi.waitFor(() => expect(collector.exports).toBe(1));
    // Ten are being sent; the queue has room for ninety.
    for (let i = 0; i < 200; i += 1) call(traces);
    expect(counts).toEqual({ exported: 0, queue_full: 110, export_failed: 0 });
    await collector.close();
    await vi.waitFor(() => expect(counts.export_failed).toBe(100), { timeout: 20_000 });
    expect(complaints).toBe(1);
    call(traces);
    expect(counts.queue_full).toBe(110);
    await traces.close();
    expect(counts.exported).toBe(0);
  });

  it('is contacted only where the address guard allows it', async () => {
    const traces = open({ url: 'http://169.254.169.254/v1/traces' });
    call(traces);
    await vi.waitFor(() => expect(counts.export_failed).toBe(1));
    await traces.close();
  });

  it('gets waiting spans when the process ends', async () => {
    const traces = open({ queue: { most: 100, batch: 100, delayMs: 600_000 } });
    for (let i = 0; i < 30; i += 1) call(traces);
    await traces.close();
    expect(collector.spans.length).toBe(30);
    expect(counts).toEqual({ exported: 30, queue_full: 0, export_failed: 0 });
  });
});

describe('the sampled share of traces', () => {
  it('is near the ratio', () => {
    const traces = open({ sampler: 'traceidratio', ratio: 0.1 });
    let sampled = 0;
    for (let i = 0; i < 5_000; i += 1)
      if (
        traces.begin({
          method: 'GET',
          path: '/',
          route: '/',
          headers: {},
          requestId: 'r',
          isSession: false,
          startedAt: 1,
        })
      )
        sampled += 1;
    // Six standard deviations around 500.
    expect(Math.abs(sampled - 500)).toBeLessThan(128);
  });
});

describe('a trace that has ended', () => {
  it('ignores further events', async () => {
    const traces = open();
    const trace = traces.begin({
      method: 'GET',
      path: '/',
      route: undefined,
      headers: {},
      requestId: 'r',
      isSession: true,
      startedAt: Date.now(),
    })!;
    trace.end();
    trace.settled(
      { charged: 1 },
      {
        usage: usageOf(),
        upstreamModel: 'm',
        channelId: 1,
        endReason: 'complete',
        startedAt: 1,
        firstByteAt: 1,
        endedAt: 2,
        realtimeSession: 'r',
      },
    );
    trace.end();
    await traces.close();
    expect(collector.spans.map(({ name, events }) => [name, events])).toEqual([['GET', []]]);
  });
});

describe('a conversation in a span', () => {
  it.each([
    [
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image_url', image_url: {} },
            ],
          },
        ],
      },
      [{ role: 'user', parts: [{ type: 'text', content: 'a' }, { type: 'image_url' }] }],
    ],
    [
      { contents: [{ role: 'model', parts: [{ text: 'b' }, { inlineData: {} }] }] },
      [{ role: 'model', parts: [{ type: 'text', content: 'b' }, { type: 'inlineData' }] }],
    ],
    [{ input: 'c' }, [{ role: 'user', parts: [{ type: 'text', content: 'c' }] }]],
    [
      { prompt: ['d', 'e'] },
      [
        { role: 'user', parts: [{ type: 'text', content: 'd' }] },
        { role: 'user', parts: [{ type: 'text', content: 'e' }] },
      ],
    ],
  ])('is read from any protocol: %j', (asked, messages) => {
    expect(JSON.parse(inputMessages(asked))).toEqual(messages);
  });

  it('is whole messages, the latest, where it is long', () => {
    const messages = Array.from({ length: 100 }, (_, index) => ({
      role: 'user',
      content: `${index}`.padEnd(2_000),
    }));
    const text = inputMessages({ messages });
    expect(text.length).toBeLessThan(65_536);
    const kept = JSON.parse(text) as { parts: { content: string }[] }[];
    expect(kept.at(-1)!.parts[0]!.content.trim()).toBe('99');
    expect(kept.length).toBeGreaterThan(25);
  });
});
