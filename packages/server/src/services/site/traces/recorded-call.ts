import { product } from '@tollgate/contract';
import { type Context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import type { RelayError, UpstreamCall } from '../../../relay/types/index.ts';
import { AttemptSpan, type TryDeps } from './attempt-span.ts';
import type { CallTrace, Charge, SettledCall, AttemptedCall } from './types.ts';

interface Begun {
  span: Span;
  /** Context of the parent span. */
  context: Context;
  /** The caller's `tracestate`, passed on unchanged. */
  state: string | undefined;
  isSession: boolean;
}

/** A sampled call: the server's span, and a client's span for each attempt below it. */
export class RecordedCall implements CallTrace {
  readonly traceId: string;
  private readonly deps: TryDeps;
  private readonly span: Span;
  private readonly context: Context;
  private readonly state: string | undefined;
  private readonly isSession: boolean;
  /** The present attempt, or the last one until it is settled. */
  private current: AttemptSpan | undefined;
  private lastTry: { tried: AttemptedCall; span: Span } | undefined;
  private status = 0;
  private isOver = false;

  constructor(deps: TryDeps, { span, context, state, isSession }: Begun) {
    this.deps = deps;
    this.span = span;
    this.context = trace.setSpan(context, span);
    this.state = state;
    this.isSession = isSession;
    this.traceId = span.spanContext().traceId;
  }

  get headers(): Record<string, string> {
    const { spanId } = (this.lastTry?.span ?? this.span).spanContext();
    const traceparent = `00-${this.traceId}-${spanId}-01`;
    return this.state === undefined ? { traceparent } : { traceparent, tracestate: this.state };
  }

  calledBy({ userId, tokenId }: { userId: number; tokenId: number }): void {
    this.span.setAttributes({ [`${product.id}.user.id`]: userId, [`${product.id}.token.id`]: tokenId });
  }

  held(amount: number): void {
    this.span.addEvent(`${product.id}.hold`, { [`${product.id}.quota.held`]: amount }, this.deps.clock());
  }

  tryBegins(tried: AttemptedCall): void {
    this.current?.end();
    const kind = this.isSession ? 'realtime' : tried.kind;
    this.current = new AttemptSpan(this.deps, this.context, { ...tried, kind });
    this.lastTry = { tried, span: this.current.span };
  }

  sends(call: UpstreamCall): void {
    this.current?.sends(call);
  }

  asks(url: string, upstreamModel: string): void {
    this.current?.asks(url, upstreamModel);
  }

  tryEnds(error: RelayError | undefined): void {
    if (error) this.current?.fails(error);
    else this.current?.answered();
    // A socket is open; its responses have separate spans.
    if (!error && !this.isSession) return;
    if (!error) this.current?.end();
    this.current = undefined;
  }

  settled({ charged, writtenOff = 0 }: Charge, call?: SettledCall): void {
    this.span.addEvent(
      `${product.id}.settlement`,
      {
        [`${product.id}.quota.charged`]: charged,
        ...(writtenOff > 0 && { [`${product.id}.quota.written_off`]: writtenOff }),
        ...(call && { [`${product.id}.end_reason`]: call.endReason }),
      },
      this.deps.clock(),
    );
    if (call?.realtimeSession !== undefined) this.response(call);
    else if (call) this.current?.settled(call);
    else this.current?.end();
    this.current = undefined;
  }

  /** One response of a session. */
  private response(call: SettledCall): void {
    if (!this.lastTry || this.isOver) return;
    const { channel } = this.lastTry.tried;
    const model = call.upstreamModel;
    const tried: AttemptedCall = { channel, kind: 'openai-chat', model, stream: true };
    new AttemptSpan(this.deps, this.context, tried, call.startedAt).settled(call);
  }

  refused(error: RelayError): void {
    this.span.setAttribute('error.type', error.code);
    if (error.status >= 500) this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  answered(status: number): void {
    this.status = status;
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.current?.end();
    if (this.status > 0) this.span.setAttribute('http.response.status_code', this.status);
    if (this.status >= 500) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end(this.deps.clock());
  }
}
