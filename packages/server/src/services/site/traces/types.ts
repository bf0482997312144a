import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '@tollgate/contract';
import type { ProtocolId, RelayError, UpstreamCall } from '../../../relay/types/index.ts';

/** A relay call at its arrival. */
export interface ArrivedCall {
  method: string;
  /** Without the query, which may contain a key. */
  path: string;
  /** The path of the matched route with its slots; absent for none. */
  route: string | undefined;
  headers: IncomingHttpHeaders;
  requestId: string;
  /** A socket with a span for each response. */
  isSession: boolean;
  /** Unix ms. */
  startedAt: number;
}

/** An attempt on a channel. */
export interface AttemptedCall {
  channel: { id: number; type: number };
  /** The caller's protocol; `task` for tasks, `tool` for tools. */
  kind: ProtocolId | 'task' | 'tool';
  /** The model in the caller's request. */
  model: string;
  stream: boolean;
}

/** The traced data of a settled call. Times are Unix ms. */
export interface SettledCall {
  usage: Usage;
  upstreamModel: string;
  channelId: number;
  endReason: string;
  startedAt: number;
  /** 0 without a first byte. */
  firstByteAt: number;
  endedAt: number;
  /** The request of the session, for a response within one. */
  realtimeSession?: string | undefined;
}

/** Changes in the ledger, in quota units. */
export interface Charge {
  charged: number;
  writtenOff?: number;
}

/**
 * The trace of one sampled call. Every part of the gateway reports to it. Its methods never throw or wait, and never
 * change the answer.
 */
export interface CallTrace {
  /** 32 hexadecimal digits; for the lines of the log. */
  readonly traceId: string;
  /** Trace context for the upstream: the span of the latest attempt is the parent. */
  readonly headers: Record<string, string>;
  /** Records the caller, when known. */
  calledBy(caller: { userId: number; tokenId: number }): void;
  /** Records the held quota units. */
  held(amount: number): void;
  tryBegins(tried: AttemptedCall): void;
  /** The request of the present attempt was sent; its answer will be read. */
  sends(call: UpstreamCall): void;
  /** The same for an attempt without an answer to read. */
  asks(url: string, upstreamModel: string): void;
  /** Ends the present attempt; without an error its usage follows at the settlement. */
  tryEnds(error: RelayError | undefined): void;
  settled(charge: Charge, call?: SettledCall): void;
  refused(error: RelayError): void;
  /** Records the status of the response to the caller. */
  answered(status: number): void;
  /** Ends the call; later reports are ignored. */
  end(): void;
}

/** Starts traces. */
export interface CallTraces {
  /** The trace of a call; undefined if it is not sampled. */
  begin(call: ArrivedCall): CallTrace | undefined;
  /** Sends waiting spans, for a few seconds at most. */
  close(): Promise<void>;
}

export type Sampler =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

/** Tracing options of the environment. */
export interface TraceSettings {
  /** Addresses of collectors. */
  url: string;
  protocol: 'http/protobuf' | 'http/json';
  headers: Record<string, string>;
  timeoutMs: number;
  sampler: Sampler;
  /** From 0 to 1. */
  ratio: number;
  serviceName: string;
  resource: Record<string, string>;
  /** True if content of calls and answers is recorded. */
  capturesContent: boolean;
  queue: { most: number; batch: number; delayMs: number };
}

/** Results of spans. */
export type SpanOutcome = 'exported' | 'queue_full' | 'export_failed';
