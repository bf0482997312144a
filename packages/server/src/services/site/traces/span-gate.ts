import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { SpanOutcome } from './types.ts';

/** Result of an export; code 0 is success. */
export type ExportDone = Parameters<SpanExporter['export']>[1];

export type CountSpans = (outcome: SpanOutcome, spans: number) => void;

/**
 * Bounds the spans in memory and counts the result of each: waiting, sent or dropped. The SDK's own processor drops
 * silently, so it never gets more spans than it keeps.
 */
export class SpanGate {
  private open = 0;
  private readonly most: number;
  private readonly count: CountSpans;

  constructor(most: number, count: CountSpans) {
    this.most = most;
    this.count = count;
  }

  /** Wraps a processor: admits spans up to the limit. */
  before(inner: SpanProcessor): SpanProcessor {
    return {
      onStart: (span, context) => inner.onStart(span, context),
      onEnd: (span) => {
        if (this.open >= this.most) return this.count('queue_full', 1);
        this.open += 1;
        inner.onEnd(span);
      },
      forceFlush: () => inner.forceFlush(),
      shutdown: () => inner.shutdown(),
    };
  }

  /** Wraps an exporter: frees capacity after spans were sent or failed. */
  behind(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans: ReadableSpan[], done: ExportDone) =>
        exporter.export(spans, (result) => {
          this.open -= spans.length;
          this.count(result.code === 0 ? 'exported' : 'export_failed', spans.length);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
  }
}
