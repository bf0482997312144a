import type { AnswerHandler } from '../../lib/outbound/http.ts';
import { type AnswerEnd, type UpstreamCall, refuse } from '../../relay/types/index.ts';
import { LocalCall, SocketCall, unanswered } from '../upstream/index.ts';

/** One of Tollgate's own calls to an upstream, separate from the calls of callers. */
interface ProbeCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
  /** The channel's proxy; '' for none. */
  proxy: string;
}

interface ProbeAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends a call and collects its answer within limits of time and size; rejects if there is none. */
export type Send = (call: ProbeCall) => Promise<ProbeAnswer>;

/** Timeout between two pieces of a sandbox answer. */
const localSilenceMs = 10_000;
/** Timeout between two messages of a vendor's socket. */
const socketTimes = { headersTimeoutMs: 15_000, bodyTimeoutMs: 30_000 };

/** Sends a prepared call and reads its whole answer; throws RelayError if the channel failed. */
export async function exchangeWhole(send: Send, call: UpstreamCall, proxy: string): Promise<AnswerEnd> {
  const answer = await sendOrFail(send, call, proxy);
  const type = answer.headers['content-type'];
  const contentType = (Array.isArray(type) ? type[0] : type) ?? '';
  if (answer.status < 200 || answer.status > 299)
    throw call.readError(answer.status, contentType, answer.body);
  const pipe = call.openPipe(answer.status, contentType);
  pipe.push(answer.body);
  const end = pipe.end(false);
  if (end.outcome === 'complete') return end;
  throw end.error ?? refuse('answer_incomplete');
}

async function sendOrFail(send: Send, call: UpstreamCall, proxy: string): Promise<ProbeAnswer> {
  try {
    if (call.local) return await gatherOwn(new LocalCall(call.local, localSilenceMs));
    if (call.overSocket) return await gatherOwn(new SocketCall(call, proxy, socketTimes));
    return await send({ method: call.method, url: call.url, headers: call.headers, body: call.body, proxy });
  } catch (cause) {
    throw unanswered('upstream_unreachable', cause);
  }
}

/** Collects an answer that does not come over HTTP in the same form. */
function gatherOwn(call: Pick<LocalCall, 'run'>): Promise<ProbeAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const head: Pick<ProbeAnswer, 'status' | 'headers'> = { status: 0, headers: {} };
    const handler: AnswerHandler = {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        head.status = status;
        head.headers = headers;
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd: () => resolve({ ...head, body: Buffer.concat(chunks) }),
      onResponseError: (_controller, error) => reject(error),
    };
    call.run(handler);
  });
}
