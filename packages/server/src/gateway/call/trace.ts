import type { CallTrace, CallTraces } from '../../services/site/traces/index.ts';
import type { AnswerSink } from './client-stream.ts';
import { traceContext } from '../../lib/request-id.ts';
import type { RelayCall } from './types.ts';
import { product } from '@tollgate/contract';

/** Header of Tollgate's own calls. A request with it comes from a channel with Tollgate's own address. */
export const hopHeader = product.headers.hop;

type Arrived = Parameters<CallTraces['begin']>[0];

/** The trace of a call if it is sampled; it records the status that is written to `res`. */
export function beginTrace(
  traces: CallTraces,
  call: Arrived,
  res: Pick<AnswerSink, 'writeHead' | 'answer'>,
): CallTrace | undefined {
  const trace = traces.begin(call);
  if (!trace) return undefined;
  const writeHead = res.writeHead.bind(res);
  const answer = res.answer?.bind(res);
  res.writeHead = (status, headers) => {
    trace.answered(status);
    return writeHead(status, headers);
  };
  if (answer)
    res.answer = (status, ...rest) => {
      trace.answered(status);
      return answer(status, ...rest);
    };
  return trace;
}

/** The fields of a log line that identify its call: the request id, and the trace id if it is traced. */
export function callInLog({ requestId, trace, req }: Pick<RelayCall, 'requestId' | 'trace' | 'req'>): {
  request: string;
  trace_id?: string;
} {
  const traceId = trace?.traceId ?? traceContext(req.headers)?.['traceparent']?.split('-')[1];
  return { request: requestId, ...(traceId !== undefined && { trace_id: traceId }) };
}
