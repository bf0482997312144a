import { type JsonObject, parseObject } from '../../../lib/json.ts';
import { readOpenaiError } from '../../families/openai/index.ts';
import { refuse, type RelayError, type TaskUpdate } from '../../types/index.ts';

/** The object in a vendor's answer; the failure where its status is none of success, or where there is no object. */
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

/** True for the answer of a vendor that does not know a task any more. */
export const isGone = (status: number): boolean => status === 404 || status === 410;

/** A task that its vendor does not know any more. */
export const gone = (vendorStatus = 'gone'): TaskUpdate => ({
  state: 'failed',
  reason: refuse('task_lost').message,
  vendorStatus,
});

/** A failure for good, in the vendor's words or, where it has none, by its code. */
export const failed = (vendorStatus: string, ...words: readonly string[]): TaskUpdate => ({
  state: 'failed',
  vendorStatus,
  reason: (words.filter((each) => each !== '').join(': ') || vendorStatus).slice(0, maxReason),
});

/** What is kept of a reason; a whole page of words helps nobody. */
const maxReason = 500;
