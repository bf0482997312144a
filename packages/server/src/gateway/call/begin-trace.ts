import type { CallTrace, CallTraces } from '../../services/site/traces/index.ts';
import type { AnswerSink } from './client-stream.ts';

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
