import { product } from '@tollgate/contract';
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Sleep } from '../../../lib/clock.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import type { Log } from '../../../lib/log.ts';
import { traceContext } from '../../../lib/request-id.ts';
import { TraceSampler } from './trace-sampler.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { RecordedCall } from './recorded-call.ts';
import { type CountSpans, SpanGate } from './span-gate.ts';
import type { TryDeps } from './attempt-span.ts';
import type { ArrivedCall, CallTraces, TraceSettings } from './types.ts';

/** Dependencies of tracing. */
export interface TraceDeps {
  http: Pick<Http, 'request'>;
  log: Log;
  clock: () => number;
  sleep: Sleep;
  provider: TryDeps['provider'];
  /** Receives the counts of sent and dropped spans. Never waits. */
  count: CountSpans;
  version: string;
}

/** Time limit for the last spans at shutdown. */
const farewellMs = 5_000;

/** Starts the tracing of calls: the official SDK, with an exporter that uses our own client. */
export function createTraces(deps: TraceDeps, settings: TraceSettings): CallTraces {
  const { most, batch, delayMs } = settings.queue;
  const gate = new SpanGate(most, deps.count);
  const exporter = new OtlpExporter(deps, settings);
  const processor = new BatchSpanProcessor({
    exporter: gate.behind(exporter),
    maxQueueSize: most,
    maxExportBatchSize: Math.min(batch, most),
    scheduledDelayMillis: delayMs,
  });
  const sampler = new TraceSampler(settings);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': deps.version,
      ...settings.resource,
    }),
    sampler: new AlwaysOnSampler(),
    idGenerator: sampler,
    spanProcessors: [gate.before(processor)],
  });
  const tracer = provider.getTracer(product.id, deps.version);
  const tries: TryDeps = { ...deps, tracer, capturesContent: settings.capturesContent };
  return {
    begin: (call) => begin(tries, sampler, call),
    async close() {
      exporter.leave();
      await Promise.race([provider.shutdown().catch(() => undefined), deps.sleep(farewellMs)]);
    },
  };
}

function begin(deps: TryDeps, sampler: TraceSampler, call: ArrivedCall): RecordedCall | undefined {
  const callers = traceContext(call.headers);
  const context = callers ? remote(callers) : ROOT_CONTEXT;
  if (!sampler.takes(context)) return undefined;
  const span = startServerSpan(deps.tracer, call, context);
  return new RecordedCall(deps, { span, context, state: callers?.tracestate, isSession: call.isSession });
}

function remote({ traceparent = '', tracestate }: Record<string, string>): Context {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}

function startServerSpan(tracer: Tracer, call: ArrivedCall, context: Context): Span {
  const { method, path, route, requestId, startedAt } = call;
  const name = route === undefined ? method : `${method} ${route}`;
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: startedAt }, context);
  // Initial attributes of a span are cleaned twice.
  span.setAttribute('http.request.method', method);
  span.setAttribute('url.path', path);
  span.setAttribute('url.scheme', 'http');
  if (route !== undefined) span.setAttribute('http.route', route);
  span.setAttribute(`${product.id}.request.id`, requestId);
  return span;
}
