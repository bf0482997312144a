import { inputTokens, outputTokens, product, type Usage } from '@tollgate/contract';
import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { ProtocolId, UpstreamCall } from '../../../relay/types/index.ts';
import { AnswerLook } from './answer-look.ts';
import { inputMessages, outputMessages } from './content.ts';
import type { AttemptedCall, SettledCall } from './types.ts';

/** Provider names of the conventions; all others have our own name. */
const known: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
};

/** `gen_ai.provider.name` of one of our providers. */
const providerName = (id: string): string => known[id] ?? (id === '' ? 'unknown' : id);

/** A caller's protocol, a task, a tool, or the opening of a session's socket. */
type SpanKindName = ProtocolId | 'task' | 'tool' | 'realtime';

const operations: Readonly<Partial<Record<SpanKindName, string>>> = {
  'openai-completions': 'text_completion',
  'openai-embeddings': 'embeddings',
  'gemini-embeddings': 'embeddings',
  'openai-moderations': 'moderation',
  'cohere-rerank': 'rerank',
  'openai-images': 'generate_content',
  'gemini-predict': 'generate_content',
  'openai-audio': 'generate_content',
  gemini: 'generate_content',
  task: 'generate_content',
  tool: 'execute_tool',
  realtime: 'connect',
};

/** `gen_ai.operation.name`, by the conventions if they have a name. */
const operationName = (kind: SpanKindName): string => operations[kind] ?? 'chat';

/** Dependencies of attempt spans. */
export interface TryDeps {
  tracer: Tracer;
  clock: () => number;
  /** The name of one of our providers, by its number; '' for none. */
  provider: (type: number) => string;
  capturesContent: boolean;
}

interface SpannedTry extends Omit<AttemptedCall, 'kind'> {
  kind: SpanKindName;
}

/** End reasons that are the upstream's fault. */
const faults: ReadonlySet<string> = new Set(['upstream_error', 'upstream_broken']);

/** One attempt at an upstream, by the conventions of generative AI: a client span. */
export class AttemptSpan {
  readonly span: Span;
  private readonly deps: TryDeps;
  private readonly beganAt: number;
  private readonly model: string;
  private look: AnswerLook | undefined;
  private endedAt: number | undefined;

  /** @param startedAt - Unix ms; now by default */
  constructor(deps: TryDeps, parent: Context, tried: SpannedTry, startedAt = deps.clock()) {
    const { channel, kind, model, stream } = tried;
    this.deps = deps;
    this.beganAt = startedAt;
    this.model = model;
    const operation = operationName(kind);
    this.span = deps.tracer.startSpan(
      `${operation} ${model}`,
      { kind: SpanKind.CLIENT, startTime: startedAt },
      parent,
    );
    const { span } = this;
    span.setAttribute('gen_ai.operation.name', operation);
    span.setAttribute('gen_ai.provider.name', providerName(deps.provider(channel.type)));
    span.setAttribute('gen_ai.request.model', model);
    if (stream) span.setAttribute('gen_ai.request.stream', true);
    span.setAttribute(`${product.id}.channel.id`, channel.id);
  }

  /** Address, and upstream model. */
  asks(url: string, upstreamModel: string): void {
    if (upstreamModel !== this.model) this.span.setAttribute('gen_ai.request.model', upstreamModel);
    if (!URL.canParse(url)) return;
    const { hostname, port, protocol } = new URL(url);
    const usual = protocol === 'https:' || protocol === 'wss:' ? 443 : 80;
    this.span.setAttribute('server.address', hostname);
    this.span.setAttribute('server.port', Number(port) || usual);
  }

  sends(call: UpstreamCall): void {
    this.asks(call.url, call.upstreamModel);
    this.look = new AnswerLook(this.deps.capturesContent);
    this.look.over(call);
    if (this.deps.capturesContent) this.span.setAttribute('gen_ai.input.messages', inputMessages(call.asked));
  }

  /** The attempt has its response; the span stays open for its usage. */
  answered(): void {
    this.endedAt = this.deps.clock();
  }

  fails(error: { code: string; status: number }): void {
    this.span.setAttributes({ 'error.type': error.code, 'http.response.status_code': error.status });
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.end();
  }

  settled({ usage, endReason, firstByteAt, endedAt }: SettledCall): void {
    const { span, look } = this;
    addUsage(span, usage);
    if (firstByteAt > 0)
      span.setAttribute(
        'gen_ai.response.time_to_first_chunk',
        Math.max(0, firstByteAt - this.beganAt) / 1000,
      );
    if (look) this.describe(look, endReason);
    span.setAttribute(`${product.id}.end_reason`, endReason);
    if (faults.has(endReason)) {
      span.setAttribute('error.type', endReason);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.endedAt ??= endedAt;
    this.end();
  }

  private describe(look: AnswerLook, endReason: string): void {
    const { span } = this;
    const { model, id, finishReasons } = look;
    if (model !== undefined) span.setAttribute('gen_ai.response.model', model);
    if (id !== undefined) span.setAttribute('gen_ai.response.id', id);
    if (finishReasons.length > 0) span.setAttribute('gen_ai.response.finish_reasons', finishReasons);
    if (!this.deps.capturesContent) return;
    span.setAttribute('gen_ai.output.messages', outputMessages(look.text(), finishReasons[0] ?? endReason));
  }

  end(): void {
    this.span.end(this.endedAt ?? this.deps.clock());
  }
}

/** Rare kinds of tokens are recorded only if there are any. */
function addUsage(span: Span, usage: Usage): void {
  span.setAttribute('gen_ai.usage.input_tokens', inputTokens(usage));
  span.setAttribute('gen_ai.usage.output_tokens', outputTokens(usage));
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  if (usage.cacheRead > 0) span.setAttribute('gen_ai.usage.cache_read.input_tokens', usage.cacheRead);
  if (written > 0) span.setAttribute('gen_ai.usage.cache_creation.input_tokens', written);
  if (usage.reasoning > 0) span.setAttribute('gen_ai.usage.reasoning.output_tokens', usage.reasoning);
}
