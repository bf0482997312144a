import { traceContext } from '../../lib/request-id.ts';
import type { RelayCall } from './types.ts';

/** The fields of a log line that identify its call: the request id, and the trace id if it is traced. */
export function callInLog({ requestId, trace, req }: Pick<RelayCall, 'requestId' | 'trace' | 'req'>): {
  request: string;
  trace_id?: string;
} {
  const traceId = trace?.traceId ?? traceContext(req.headers)?.['traceparent']?.split('-')[1];
  return { request: requestId, ...(traceId !== undefined && { trace_id: traceId }) };
}
