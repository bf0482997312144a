import { type JsonObject, parseObject } from '../../lib/json.ts';
import type { BatchesApi } from '../types/index.ts';

/** Vendors in the shape of which the gateway works through batches itself. */
export type OwnApi = Exclude<BatchesApi['api'], 'gemini'>;

/** Why items of a batch are left. */
type LeftBy = 'cancelled' | 'expired';

/** The state of a batch that the gateway works through. Times are Unix ms. */
export interface OwnBatchState {
  startedAt: number;
  expiresAt: number;
  /** 0 while it runs. */
  endedAt: number;
  /** Set for one that was cancelled or has expired. */
  left?: LeftBy | undefined;
  /** All items, and those that were answered, have failed, or were left. */
  total: number;
  answered: number;
  failed: number;
  leftItems: number;
  /** Ids of the files of OpenAI's shape that exist. */
  answers: string | null;
  errors: string | null;
}

const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** The object of a batch as its vendor would write it. */
export function ownBatchObject(api: OwnApi, state: OwnBatchState): JsonObject {
  const { startedAt, expiresAt, endedAt, left, total, answered, failed, leftItems } = state;
  if (api === 'anthropic') {
    const time = (ms: number): string => new Date(ms).toISOString();
    return {
      processing_status: endedAt > 0 ? 'ended' : left === 'cancelled' ? 'canceling' : 'in_progress',
      request_counts: {
        processing: total - answered - failed - leftItems,
        succeeded: answered,
        errored: failed,
        canceled: left === 'cancelled' ? leftItems : 0,
        expired: left === 'expired' ? leftItems : 0,
      },
      created_at: time(startedAt),
      expires_at: time(expiresAt),
      ended_at: endedAt > 0 ? time(endedAt) : null,
    };
  }
  const end = left ?? 'completed';
  const status = endedAt > 0 ? end : left === 'cancelled' ? 'cancelling' : 'in_progress';
  return {
    status,
    created_at: seconds(startedAt),
    in_progress_at: seconds(startedAt),
    expires_at: seconds(expiresAt),
    ...(endedAt > 0 && { [`${end}_at`]: seconds(endedAt) }),
    request_counts: { total, completed: answered, failed: failed + leftItems },
    output_file_id: state.answers,
    error_file_id: state.errors,
  };
}

/** The result of an item: an answer, an error as its caller would get it, or why it was left. */
export type OwnResult = { answer: string } | { status: number; error: string } | { left: LeftBy };

/** A line of results as the vendor would write it, with its end. */
export function ownResultLine(api: OwnApi, id: string, name: string, result: OwnResult): string {
  const head = { ...(api === 'openai' && { id }), custom_id: name };
  const line = (rest: JsonObject): string => `${JSON.stringify({ ...head, ...rest })}\n`;
  if (api === 'anthropic') {
    if ('left' in result)
      return line({ result: { type: result.left === 'cancelled' ? 'canceled' : 'expired' } });
    if ('answer' in result)
      return line({ result: { type: 'succeeded', message: parseObject(result.answer) ?? {} } });
    return line({ result: { type: 'errored', error: parseObject(result.error) ?? {} } });
  }
  if ('left' in result) {
    const message = result.left === 'cancelled' ? 'The batch was cancelled.' : 'The batch has expired.';
    return line({ response: null, error: { code: `batch_${result.left}`, message } });
  }
  const [status, body] =
    'answer' in result ? [200, parseObject(result.answer)] : [result.status, parseObject(result.error)];
  return line({ response: { status_code: status, request_id: id, body: body ?? {} }, error: null });
}
