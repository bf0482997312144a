import { type Agent, type IncomingMessage, request } from 'node:http';
import type { TestCaller } from '../gateway-harness.ts';
import { type CallKind, writeCall } from './bodies.ts';
import type { Script } from './world.ts';

/** Client-side record of a call. The books are compared with these records afterwards. */
export interface CallRecord {
  kind: CallKind;
  /** Index of the caller. */
  caller: number;
  model: string;
  stream: boolean;
  script: Script;
  /** From the answer's headers; '' without an answer. */
  requestId: string;
  /** HTTP status; 0 without an answer. */
  status: number;
  /**
   * `whole`: the end of the answer was seen. `refused`: an error answer. `failed`: the stream ended with an error
   * event. `broken`: the connection broke. `hung-up`: the client left. `unreached`: no process listened.
   */
  end: 'whole' | 'refused' | 'failed' | 'broken' | 'hung-up' | 'unreached';
  /** Start by performance.now(), and the duration of the call in ms. Both are 0 without a measurement. */
  startedAt: number;
  waitedMs: number;
  /** Cost from a header or trailer; undefined without one. */
  cost: number | undefined;
  /** True for a replayed answer of an earlier call with the same Idempotency-Key. */
  replayed: boolean;
  /** Bytes of the answer's body that arrived. */
  bytes: number;
  /** The answer's body, for comparisons. */
  body: string;
}

export interface CampaignCall {
  url: string;
  agent: Agent;
  caller: TestCaller;
  index: number;
  /** `chat` by default. */
  kind?: Exclude<CallKind, 'voice'>;
  model: string;
  stream: boolean;
  script: Script;
  /** Hang up after this number of pieces of the answer; 0 for never. */
  hangUpAfter: number;
  headers?: Record<string, string>;
}

const header = (res: IncomingMessage, name: string): string => String(res.headers[name] ?? '');

/** Both forms of an answer's end: the stream's last event, or a JSON body of the announced length. */
const sawEnd = (record: CallRecord): boolean =>
  record.stream ? record.body.endsWith('data: [DONE]\n\n') : record.body.endsWith('}');

function outcome(record: CallRecord): CallRecord['end'] {
  if (record.status !== 200) return 'refused';
  if (sawEnd(record)) return 'whole';
  return record.body.includes('"error"') ? 'failed' : 'broken';
}

/** Makes one call; resolves when it is over, with any result. */
export function makeCall(call: CampaignCall): Promise<CallRecord> {
  const { caller, index, kind = 'chat', model, stream, script } = call;
  const record: CallRecord = {
    kind,
    caller: index,
    model,
    stream,
    script,
    requestId: '',
    status: 0,
    end: 'broken',
    startedAt: performance.now(),
    waitedMs: 0,
    cost: undefined,
    replayed: false,
    bytes: 0,
    body: '',
  };
  const { path, contentType, body } = writeCall({ kind, model, stream, script });
  return new Promise((resolve) => {
    let isOver = false;
    const over = (end: CallRecord['end']): void => {
      if (isOver) return;
      isOver = true;
      record.end = end;
      record.waitedMs = performance.now() - record.startedAt;
      resolve(record);
    };
    const req = request(call.url + path, {
      method: 'POST',
      agent: call.agent,
      headers: {
        'content-type': contentType,
        'content-length': body.length,
        authorization: `Bearer ${caller.key}`,
        ...call.headers,
      },
    });
    req.on('error', (error: NodeJS.ErrnoException) => {
      over(error.code === 'ECONNREFUSED' ? 'unreached' : 'broken');
    });
    req.on('response', (res) => {
      record.status = res.statusCode ?? 0;
      record.requestId = header(res, 'x-tollgate-request-id');
      record.replayed = header(res, 'idempotent-replayed') === 'true';
      follow(record, res, call.hangUpAfter, over);
    });
    req.end(body);
  });
}

function follow(
  record: CallRecord,
  res: IncomingMessage,
  hangUpAfter: number,
  over: (end: CallRecord['end']) => void,
): void {
  let pieces = 0;
  res.setEncoding('utf8');
  res.on('data', (text: string) => {
    record.bytes += text.length;
    record.body += text;
    pieces += 1;
    if (pieces !== hangUpAfter) return;
    over('hung-up');
    res.destroy();
  });
  res.on('end', () => {
    const reported = res.trailers['x-tollgate-cost'] ?? header(res, 'x-tollgate-cost');
    if (reported !== '') record.cost = Number(reported);
    over(res.complete ? outcome(record) : 'broken');
  });
  res.on('error', () => over('broken'));
  res.on('close', () => over('broken'));
}
