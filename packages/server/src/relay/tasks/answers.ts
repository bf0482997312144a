import { type JsonObject, parseObject, textOf } from '../../lib/json.ts';
import {
  type Channel,
  type TaskQuestion,
  refuse,
  RelayError,
  type TaskUpdate,
  type VideoVendor,
} from '../types/index.ts';
import { readOpenaiError } from '../families/openai/index.ts';

type Headers = Readonly<Record<string, string>>;

/** A call without a body and with a JSON answer. */
export const getJson = (url: string, headers: Headers): TaskQuestion => ({
  method: 'GET',
  url,
  headers: { accept: 'application/json', ...headers },
});

/** A call with JSON body and answer; members without a value are omitted. */
export const postJson = (url: string, headers: Headers, body: JsonObject): TaskQuestion => ({
  method: 'POST',
  url,
  headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

/** The bytes of a video at an address that the vendor's answer named, which needs no key. */
export const publicVideo = (url: string): TaskQuestion => ({ method: 'GET', url, headers: {} });

/** The header of vendors that receive the channel's key unchanged. */
export const bearer = ({ key }: Channel): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** The object in a vendor's answer; the failure if the status is not a success, or if there is no object. */
export function readAnswer(status: number, body: Buffer): JsonObject | RelayError {
  if (status >= 300)
    return readOpenaiError({
      status,
      contentType: body.subarray(0, 1).toString() === '<' ? 'text/html' : '',
      body,
      secrets: [],
      retryAfterSeconds: undefined,
    });
  return parseObject(body) ?? refuse('answer_not_json');
}

/** True for a vendor's answer that a task no longer exists. */
export const isGone = (status: number): boolean => status === 404 || status === 410;

/** A task that no longer exists at its vendor. */
export const gone = (vendorStatus = 'gone'): TaskUpdate => ({
  state: 'failed',
  reason: refuse('task_lost').message,
  vendorStatus,
});

/** Reads the answer to a submission, with the task's id in `field`; `update` is the state of the task. */
export const submitReader =
  (field: string, update: (answer: JsonObject) => TaskUpdate): VideoVendor['readSubmit'] =>
  (status, body) => {
    const answer = readAnswer(status, body);
    if (answer instanceof RelayError) return answer;
    const vendorId = textOf(answer[field]);
    return vendorId === '' ? refuse('answer_unknown_object') : { vendorId, update: update(answer) };
  };

/**
 * Reads the answer to a poll: lost if the vendor does not know the task, a failure after which the poll is repeated, or
 * the result of `update` for the object, which must have its state in `field`.
 */
export const pollReader =
  (field: string, update: (answer: JsonObject) => TaskUpdate): VideoVendor['readPoll'] =>
  (status, body) => {
    if (isGone(status)) return gone();
    const answer = readAnswer(status, body);
    if (answer instanceof RelayError) return answer;
    return textOf(answer[field]) === '' ? refuse('answer_unknown_object') : update(answer);
  };

/** A permanent failure, in the vendor's words or, without any, by its code. */
export const failed = (vendorStatus: string, ...words: readonly string[]): TaskUpdate => ({
  state: 'failed',
  vendorStatus,
  reason: (words.filter((each) => each !== '').join(': ') || vendorStatus).slice(0, maxReason),
});

/** Maximum length of a stored reason. */
const maxReason = 500;

/** A finished video, at the vendor's address; without an address there is no video. */
export function videoAt(url: string, vendorStatus: string, seconds?: unknown): TaskUpdate {
  if (url === '') return failed(vendorStatus, refuse('vendor_file_missing').message);
  const made = Number(seconds);
  return {
    state: 'succeeded',
    vendorStatus,
    progress: 100,
    result: { url },
    ...(Number.isFinite(made) && made > 0 && { seconds: made }),
  };
}
