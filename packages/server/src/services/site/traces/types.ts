import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '@tollgate/contract';
import type { ProtocolId, RelayError, UpstreamCall } from '../../../relay/types/index.ts';

/** A relay call as it arrives. */
export interface ArrivedCall {
  method: string;
  /** Without the query, which may hold a key. */
  path: string;
  /** The route's path with its slots, where one matched. */
  route: string | undefined;
  headers: IncomingHttpHeaders;
  requestId: string;
  /** A socket with a span for each response. */
  isSession: boolean;
  /** Unix ms. */
  startedAt: number;
}

/** A try on a channel. */
export interface AttemptedCall {
  channel: { id: number; type: number };
  /** The caller's protocol, or `task` for tasks. */
  kind: ProtocolId | 'task';
  /** The model that the caller asked for. */
  model: string;
  stream: boolean;
}

/** The part of a settled call that its trace records. Times are Unix ms. */
export interface SettledCall {
  usage: Usage;
  upstreamModel: string;
  channelId: number;
  endReason: string;
  startedAt: number;
  /** 0 when no byte came. */
  firstByteAt: number;
  endedAt: number;
  /** The request of the session, where it is a response within one. */
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
  /** The caller, when known. */
  calledBy(caller: { userId: number; tokenId: number }): void;
  /** Quota units were set aside. */
  held(amount: number): void;
  tryBegins(tried: AttemptedCall): void;
  /** The call of the present try is written; its answer will be looked at. */
  sends(call: UpstreamCall): void;
  /** The same of a try that has no answer to look at. */
  asks(url: string, upstreamModel: string): void;
  /** Ends the present attempt; without an error its usage follows at the settlement. */
  tryEnds(error: RelayError | undefined): void;
  settled(charge: Charge, call?: SettledCall): void;
  refused(error: RelayError): void;
  /** The status that the caller is answered. */
  answered(status: number): void;
  /** Ends the call; later reports are ignored. */
  end(): void;
}

/** Starts traces. */
export interface CallTraces {
  /** The trace of a call; undefined where it is not sampled. */
  begin(call: ArrivedCall): CallTrace | undefined;
  /** Sends what waits, for a few seconds at most. */
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
