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
  /** A socket whose responses are spans of their own. */
  isSession: boolean;
  /** Unix ms. */
  startedAt: number;
}

/** A try on a channel. */
export interface AttemptedCall {
  channel: { id: number; type: number };
  /** The caller's protocol, or `task` for what a vendor answers later. */
  kind: ProtocolId | 'task';
  /** The model that the caller asked for. */
  model: string;
  stream: boolean;
}

/** As much of a settled call as its trace tells. Times are Unix ms. */
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

/** What the ledger did, in quota units. */
export interface Charge {
  charged: number;
  writtenOff?: number;
}

/**
 * The trace of one call that is sampled: told by the rooms that the call passes through. Nothing here throws, waits, or
 * changes what the caller gets.
 */
export interface CallTrace {
  /** 32 hexadecimal digits; for the lines of the log. */
  readonly traceId: string;
  /** By which an upstream goes on: the span of the try that began last is its parent. */
  readonly headers: Record<string, string>;
  /** Who calls, once that is known. */
  calledBy(caller: { userId: number; tokenId: number }): void;
  /** Quota units were set aside. */
  held(amount: number): void;
  tryBegins(tried: AttemptedCall): void;
  /** The call of the present try is written; its answer will be looked at. */
  sends(call: UpstreamCall): void;
  /** The same of a try that has no answer to look at. */
  asks(url: string, upstreamModel: string): void;
  /** The present try is over; without an error, what it used is told when it is settled. */
  tryEnds(error: RelayError | undefined): void;
  settled(charge: Charge, call?: SettledCall): void;
  refused(error: RelayError): void;
  /** The status that the caller is answered. */
  answered(status: number): void;
  /** The call is over; what is told later is not heard. */
  end(): void;
}

/** What begins traces. */
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

/** Traces as the environment wants them. */
export interface TraceSettings {
  /** Where spans are sent. */
  url: string;
  protocol: 'http/protobuf' | 'http/json';
  headers: Record<string, string>;
  timeoutMs: number;
  sampler: Sampler;
  /** From 0 to 1. */
  ratio: number;
  serviceName: string;
  resource: Record<string, string>;
  /** What is said in calls and answers stands in the spans. */
  capturesContent: boolean;
  queue: { most: number; batch: number; delayMs: number };
}

/** What became of spans. */
export type SpanOutcome = 'exported' | 'queue_full' | 'export_failed';
