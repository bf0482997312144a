import { type Context, SpanKind, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TraceSettings } from './types.ts';

/**
 * Decides which calls are traced before anything is allocated. The SDK calls its sampler only after a span has been
 * described. Spans then start with the sampled trace id.
 */
export class TraceSampler implements IdGenerator {
  private readonly sampler: Sampler;
  private readonly ids = new RandomIdGenerator();
  private traceId = '';

  constructor(settings: Pick<TraceSettings, 'sampler' | 'ratio'>) {
    this.sampler = samplerOf(settings);
  }

  /** Whether a call with this parent context is traced; if so, its span must start at once. */
  takes(context: Context): boolean {
    this.traceId = trace.getSpanContext(context)?.traceId ?? this.ids.generateTraceId();
    const { decision } = this.sampler.shouldSample(context, this.traceId, '', SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  generateTraceId(): string {
    return this.traceId;
  }

  generateSpanId(): string {
    return this.ids.generateSpanId();
  }
}

function samplerOf({ sampler, ratio }: Pick<TraceSettings, 'sampler' | 'ratio'>): Sampler {
  const [, isParentBased, kind] = /^(parentbased_)?(.*)$/.exec(sampler)!;
  const root =
    kind === 'always_off'
      ? new AlwaysOffSampler()
      : kind === 'always_on'
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}
