import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Sleep } from '../../../lib/clock.ts';
import type { Answer, Http } from '../../../lib/outbound/http.ts';
import type { Log } from '../../../lib/log.ts';
import type { ExportDone } from './span-gate.ts';
import type { TraceSettings } from './types.ts';

/** Maximum size of a collector's response: it is empty, or a short error. */
const maxAnswerBytes = 64 * 1024;
/** Pauses before an export is retried; OTLP/HTTP, "Failures". */
const pausesMs = [1_000, 3_000];
const longestPauseMs = 10_000;
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const complainEveryMs = 60_000;

interface ExporterDeps {
  http: Pick<Http, 'request'>;
  log: Log;
  clock: () => number;
  sleep: Sleep;
}

/**
 * Sends spans by OTLP/HTTP through the outbound client of the site, so that its address check applies. Failed exports
 * are retried a few times and then dropped; the gate counts them.
 */
export class OtlpExporter implements SpanExporter {
  private readonly deps: ExporterDeps;
  private readonly settings: TraceSettings;
  private complainedAt = -Infinity;
  private readonly leaving = new AbortController();

  constructor(deps: ExporterDeps, settings: TraceSettings) {
    this.deps = deps;
    this.settings = settings;
  }

  export(spans: ReadableSpan[], done: ExportDone): void {
    void this.carry(spans, done);
  }

  private async carry(spans: ReadableSpan[], done: ExportDone): Promise<void> {
    let code = 0;
    try {
      await this.send(spans);
    } catch (cause) {
      code = 1;
      this.complain(cause, spans.length);
    }
    done({ code });
  }

  /** Disables retries from now on. */
  leave(): void {
    this.leaving.abort(new Error('the process ends'));
  }

  shutdown(): Promise<void> {
    this.leave();
    return Promise.resolve();
  }

  private async send(spans: ReadableSpan[]): Promise<void> {
    const { protocol } = this.settings;
    const serializer = protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;
    const body = serializer.serializeRequest(spans);
    if (!body) throw new Error('the spans could not be written');
    for (let round = 0; ; round += 1) {
      const { status, headers } = await this.post(Buffer.from(body));
      if (status >= 200 && status < 300) return;
      const pause = pausesMs[round];
      if (pause === undefined || this.leaving.signal.aborted || !passing.has(status))
        throw new Error(`the collector answered ${status}`);
      const asked = Number(headers['retry-after']) * 1_000;
      await this.deps.sleep(Math.min(longestPauseMs, asked > 0 ? asked : pause), this.leaving.signal);
    }
  }

  private post(body: Buffer): Promise<Answer> {
    const { url, protocol, headers, timeoutMs } = this.settings;
    const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
    return this.deps.http.request(
      {
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': type },
        body,
        scope: 'operator',
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxAnswerBytes,
    );
  }

  /** Logs at most once a minute: a collector in an outage fails for every batch. */
  private complain(cause: unknown, spans: number): void {
    const now = this.deps.clock();
    if (now - this.complainedAt < complainEveryMs) return;
    this.complainedAt = now;
    this.deps.log.warn({ err: cause, spans }, 'spans could not be exported');
  }
}
