import { traceContext } from '../../lib/trace-context.ts';
import type { RelayCall } from './types.ts';

/** What a line of the log says of its call: the request, and the trace where it is part of one. */
export function callInLog({ requestId, trace, req }: Pick<RelayCall, 'requestId' | 'trace' | 'req'>): {
  request: string;
  trace_id?: string;
} {
  const traceId = trace?.traceId ?? traceContext(req.headers)?.['traceparent']?.split('-')[1];
  return { request: requestId, ...(traceId !== undefined && { trace_id: traceId }) };
}
