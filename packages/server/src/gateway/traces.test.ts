import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';
import { openRealtimeWorld, realtimeModel } from '../testing/worlds/realtime-world.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../testing/upstream/otlp-receiver.ts';
import { chatEvents, sseHeaders } from '../testing/upstream/fake-upstream-scripts.ts';
import { openVideoWorld } from '../testing/upstream/tasks/video-world.ts';

// Traces as a collector receives them, over real sockets from a real gateway.

const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${callersTrace}-00f067aa0ba902b7-01`;

let collector: OtlpReceiver;
beforeEach(async () => {
  collector = await startOtlpReceiver();
});
afterEach(() => collector.close());

const traced = (more: Record<string, string> = {}): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_BSP_SCHEDULE_DELAY: '1',
  ...more,
});

async function withGate(env: Record<string, string>, run: (gate: GatewayHarness) => Promise<void>) {
  const gate = await openGateway(env);
  try {
    await gate.addChannel({});
    await run(gate);
    expect(await gate.findings()).toEqual([]);
  } finally {
    await gate.close();
  }
}

const readSpans = (count: number): Promise<ReceivedSpan[]> =>
  vi.waitFor(
    () => {
      expect(collector.spans.length).toBeGreaterThanOrEqual(count);
      return collector.spans.toSorted((a, b) => Number(a.start - b.start) || a.kind - b.kind);
    },
    { timeout: 20_000 },
  );

const ask = (
  { url }: GatewayHarness,
  { key }: TestCaller,
  more: { stream?: boolean; headers?: Record<string, string> } = {},
): Promise<Response> =>
  fetch(`${url}/v1/chat/completions?key=in-the-query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify({
      model: 'gpt-4o-mini',
      stream: more.stream ?? false,
      messages: [{ role: 'user', content: 'the secret question' }],
    }),
  });

describe('the trace of a call', () => {
  it.each(['http/json', 'http/protobuf'])(
    'is a span below its caller’s, and one for its attempt, over %s',
    (protocol) =>
      withGate(
        traced({
          OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
          OTEL_SERVICE_NAME: 'gate-7',
          OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        }),
        async (gate) => {
          const caller = await gate.addCaller();
          const before = (await gate.readBalance(caller)).balance;
          const answer = await ask(gate, caller, {
            stream: true,
            headers: { traceparent, tracestate: 'rojo=1' },
          });
          expect(answer.status).toBe(200);
          await answer.text();
          const [server, client, ...others] = await readSpans(2);
          expect(others).toEqual([]);
          expect(server).toMatchObject({
            name: 'POST /v1/chat/completions',
            kind: 2,
            traceId: callersTrace,
            parentSpanId: '00f067aa0ba902b7',
            status: 0,
            attributes: {
              'http.request.method': 'POST',
              'http.route': '/v1/chat/completions',
              'url.path': '/v1/chat/completions',
              'http.response.status_code': 200,
              'tollgate.user.id': caller.userId,
              'tollgate.token.id': caller.tokenId,
              'tollgate.request.id': answer.headers.get('x-oneapi-request-id'),
            },
            resource: { 'service.name': 'gate-7', 'deployment.environment.name': 'test' },
          });
          const charged = before - (await gate.readBalance(caller)).balance;
          expect(charged).toBeGreaterThan(0);
          expect(server!.events.map(({ name }) => name)).toEqual(['tollgate.hold', 'tollgate.settlement']);
          expect(server!.events[0]!.attributes['tollgate.quota.held']).toBeGreaterThanOrEqual(charged);
          expect(server!.events[1]!.attributes).toEqual({
            'tollgate.quota.charged': charged,
            'tollgate.end_reason': 'complete',
          });
          expect(client).toMatchObject({
            name: 'chat gpt-4o-mini',
            kind: 3,
            traceId: callersTrace,
            parentSpanId: server!.spanId,
            status: 0,
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.provider.name': 'openai',
              'gen_ai.request.model': 'gpt-4o-mini',
              'gen_ai.request.stream': true,
              'gen_ai.response.model': 'gpt-4o-mini',
              'gen_ai.response.finish_reasons': ['stop'],
              'server.address': '127.0.0.1',
              'server.port': gate.upstream.port,
              'tollgate.channel.id': expect.any(Number),
              'tollgate.end_reason': 'complete',
            },
          });
          const { attributes } = client!;
          expect(attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0);
          expect(attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
          expect(attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThanOrEqual(0);
          expect(client!.start).toBeGreaterThanOrEqual(server!.start);
          expect(client!.end).toBeGreaterThanOrEqual(client!.start);
          expect(server!.end).toBeGreaterThanOrEqual(client!.end);
          // The upstream's span is a child of the attempt.
          expect(gate.upstream.requests[0]!.headers).toMatchObject({
            traceparent: `00-${callersTrace}-${client!.spanId}-01`,
            tracestate: 'rojo=1',
          });
          expect(collector.headers['x-tenant']).toBe('a b');
          // Neither the text nor a key is in the trace.
          const all = JSON.stringify(collector.spans.map(({ start: _start, end: _end, ...span }) => span));
          for (const secret of ['secret question', 'in-the-query', caller.key, 'sk-upstream'])
            expect(all).not.toContain(secret);
        },
      ),
  );
});

describe('failures in the trace', () => {
  it('are a span for each attempt, the failed one with its error', () =>
    withGate(traced(), async (gate) => {
      const second = await gate.addChannel({ name: 'second', priority: -1 });
      await gate.core.settings.set('RetryTimes', '1');
      gate.upstream.next('refuse-503');
      const caller = await gate.addCaller();
      await (await ask(gate, caller)).text();
      const spans = await readSpans(3);
      const [failed, answered] = spans.filter(({ kind }) => kind === 3);
      expect(failed).toMatchObject({
        name: 'chat gpt-4o-mini',
        status: 2,
        attributes: { 'http.response.status_code': 503, 'error.type': expect.any(String) },
      });
      expect(failed!.attributes).not.toHaveProperty('gen_ai.usage.input_tokens');
      expect(answered).toMatchObject({ status: 0, attributes: { 'tollgate.channel.id': second } });
      const parents = gate.upstream.requests.map(
        ({ headers }) => String(headers['traceparent']).split('-')[2],
      );
      expect(parents).toEqual([failed!.spanId, answered!.spanId]);
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    }));

  it('are the status and the reason of a refusal, with and without an attempt', () =>
    withGate(traced(), async (gate) => {
      const caller = await gate.addCaller();
      expect((await ask(gate, { ...caller, key: 'sk-unknown' })).status).toBe(401);
      const [stranger] = await readSpans(1);
      expect(stranger).toMatchObject({
        kind: 2,
        status: 0,
        attributes: { 'http.response.status_code': 401, 'error.type': expect.any(String) },
      });
      expect(stranger!.attributes).not.toHaveProperty('tollgate.user.id');
      await gate.core.settings.set('RetryTimes', '0');
      gate.upstream.next('refuse-500');
      const { status } = await ask(gate, caller);
      expect(status).toBeGreaterThanOrEqual(500);
      const [server, client] = (await readSpans(3)).filter(({ traceId }) => traceId !== stranger!.traceId);
      expect(server).toMatchObject({
        kind: 2,
        status: 2,
        attributes: { 'http.response.status_code': status },
      });
      expect(client).toMatchObject({ kind: 3, status: 2, parentSpanId: server!.spanId });
      expect(server!.events.map(({ name }) => name)).toEqual(['tollgate.hold']);
    }));

  it('are the end of a stream that broke off, which is charged for', () =>
    withGate(traced(), async (gate) => {
      const delivered = Promise.withResolvers<void>();
      gate.upstream.next(async (exchange) => {
        exchange.head(200, sseHeaders);
        await exchange.write(chatEvents(exchange).slice(0, 3).join(''));
        await delivered.promise;
        exchange.cut();
      });
      const answer = await ask(gate, await gate.addCaller(), { stream: true });
      const reader = answer.body!.getReader();
      await reader.read();
      delivered.resolve();
      while (!(await reader.read()).done);
      const [server, client] = await readSpans(2);
      expect(client).toMatchObject({ status: 2, attributes: { 'error.type': 'upstream_broken' } });
      expect(server!.events[1]).toMatchObject({
        name: 'tollgate.settlement',
        attributes: { 'tollgate.end_reason': 'upstream_broken' },
      });
    }));
});

describe('message content', () => {
  it('is in the span only where it is switched on', () =>
    withGate(traced({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }), async (gate) => {
      const caller = await gate.addCaller();
      const answer = (await (await ask(gate, caller)).json()) as {
        choices: { message: { content: string } }[];
      };
      const { content } = answer.choices[0]!.message;
      expect(content).not.toBe('');
      const client = (await readSpans(2)).find(({ kind }) => kind === 3)!;
      expect(JSON.parse(String(client.attributes['gen_ai.input.messages']))).toEqual([
        { role: 'user', parts: [{ type: 'text', content: 'the secret question' }] },
      ]);
      expect(JSON.parse(String(client.attributes['gen_ai.output.messages']))).toEqual([
        { role: 'assistant', parts: [{ type: 'text', content }], finish_reason: 'stop' },
      ]);
    }));
});

describe('which calls are traced', () => {
  it('none where no collector is configured, and a caller’s trace passes through', () =>
    withGate({ OTEL_TRACES_SAMPLER: 'always_on' }, async (gate) => {
      const caller = await gate.addCaller();
      await (await ask(gate, caller, { headers: { traceparent } })).text();
      await (await ask(gate, caller)).text();
      const [first, second] = gate.upstream.requests.map(({ headers }) => headers['traceparent']);
      expect([first, second]).toEqual([traceparent, undefined]);
      expect(collector.exports).toBe(0);
    }));

  it.each([
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_SAMPLER: 'always_off' },
  ])('none with %o', (env) =>
    withGate(traced(env), async (gate) => {
      await (await ask(gate, await gate.addCaller(), { headers: { traceparent } })).text();
      expect(gate.upstream.requests[0]!.headers['traceparent']).toBe(traceparent);
      await gate.core.ledger.flush();
      expect(collector.exports).toBe(0);
    }),
  );

  it('those that their callers sample, where the sampler follows them', () =>
    withGate(
      traced({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }),
      async (gate) => {
        const caller = await gate.addCaller();
        await (await ask(gate, caller)).text();
        await (
          await ask(gate, caller, { headers: { traceparent: traceparent.replace(/01$/, '00') } })
        ).text();
        await (await ask(gate, caller, { headers: { traceparent } })).text();
        const spans = await readSpans(2);
        expect(spans.map(({ traceId }) => traceId)).toEqual([callersTrace, callersTrace]);
      },
    ));
});

describe('sessions and tasks', () => {
  it('have spans for the socket’s opening and for each response', async () => {
    const world = await openRealtimeWorld(traced());
    try {
      const client = await world.open(await world.gate.addCaller());
      await client.next('session.created');
      await client.respond();
      await client.respond();
      await client.leave();
      const spans = await readSpans(4);
      const server = spans.find(({ kind }) => kind === 2)!;
      expect(server).toMatchObject({
        name: 'GET /v1/realtime',
        attributes: { 'http.response.status_code': 101 },
      });
      const tries = spans.filter(({ kind }) => kind === 3);
      expect(tries.map(({ name }) => name)).toEqual([
        `connect ${realtimeModel}`,
        `chat ${realtimeModel}`,
        `chat ${realtimeModel}`,
      ]);
      for (const { parentSpanId } of tries) expect(parentSpanId).toBe(server.spanId);
      expect(tries[1]!.attributes).toMatchObject({
        'gen_ai.usage.input_tokens': 200,
        'gen_ai.usage.output_tokens': 150,
      });
      const charges = server.events.filter(({ name }) => name === 'tollgate.settlement');
      expect(charges).toMatchObject(
        Array.from({ length: 2 }, () => ({ attributes: { 'tollgate.quota.charged': 5_650 } })),
      );
      const { headers } = world.upstream.sessions[0]!.handshake;
      expect(headers['traceparent']).toBe(`00-${server.traceId}-${tries[0]!.spanId}-01`);
    } finally {
      await world.close();
    }
  });

  it('show which vendor was asked for a task, and what it cost', async () => {
    const world = await openVideoWorld(traced());
    try {
      const made = await world.call('/v1/videos', { model: 'sora-2', prompt: 'the secret question' });
      expect(made.status).toBe(200);
      const spent = world.start - (await world.gate.readBalance(world.caller)).balance;
      const [server, client] = await readSpans(2);
      expect(server).toMatchObject({
        name: 'POST /v1/videos',
        attributes: { 'http.response.status_code': 200 },
      });
      expect(server!.events).toMatchObject([
        { name: 'tollgate.hold', attributes: { 'tollgate.quota.held': spent } },
        { name: 'tollgate.settlement', attributes: { 'tollgate.quota.charged': spent } },
      ]);
      expect(client).toMatchObject({
        name: 'generate_content sora-2',
        kind: 3,
        parentSpanId: server!.spanId,
        attributes: { 'server.address': '127.0.0.1', 'gen_ai.request.model': 'sora-2' },
      });
      expect(world.vendor.headers['traceparent']).toBe(`00-${server!.traceId}-${client!.spanId}-01`);
    } finally {
      await world.close();
    }
  });
});
