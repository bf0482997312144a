import { type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { readBatch } from '../../../relay/tasks/index.ts';
import { isOver, type Task } from '../../../services/calls/tasks/index.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import type { TaskRouteDeps } from './deps.ts';

/** True once all results are charged. A batch that the gateway gave up has none. */
export const isCharged = ({ state, result }: Task): boolean => isOver(state) && result['isCharged'] === true;

/** Fields of a vendor's object that callers get. */
const shownFields = {
  openai: [
    'created_at',
    'in_progress_at',
    'expires_at',
    'finalizing_at',
    'completed_at',
    'failed_at',
    'expired_at',
    'cancelling_at',
    'cancelled_at',
    'request_counts',
    'errors',
    'status',
  ],
  anthropic: [
    'processing_status',
    'request_counts',
    'ended_at',
    'created_at',
    'expires_at',
    'archived_at',
    'cancel_initiated_at',
  ],
} as const;

/** A batch as its caller sees it. Until all results are charged, it has not ended, and has no results. */
export function shownBatch(
  deps: Pick<TaskRouteDeps, 'options'>,
  { req }: AuthorizedRequest,
  batch: Task,
  results?: JsonObject[],
): JsonObject {
  if (batch.action === 'gemini') return shownAtGoogle(batch, results);
  const api = batch.action === 'anthropic' ? 'anthropic' : 'openai';
  const object = objectOf(batch.result['batch']);
  const known = Object.fromEntries(shownFields[api].map((name) => [name, object[name] ?? null]));
  const ended = isOver(batch.state);
  const isWaiting = !ended && readBatch(api, object)?.isOver === true;
  const hasFailed = batch.state === 'failed' && !isCharged(batch);
  if (api === 'anthropic') {
    const results = `${deps.options(req).ServerAddress}/v1/messages/batches/${batch.taskId}/results`;
    return {
      id: batch.taskId,
      type: 'message_batch',
      ...known,
      ...(isWaiting && { processing_status: 'in_progress', ended_at: null }),
      ...(hasFailed && { processing_status: 'ended' }),
      results_url: ended && !hasFailed ? results : null,
    };
  }
  const { request } = batch;
  const error = { code: 'batch_failed', message: batch.reason, param: null, line: null };
  return {
    id: batch.taskId,
    object: 'batch',
    endpoint: request['endpoint'] ?? '',
    model: batch.model,
    input_file_id: request['input_file_id'] ?? '',
    completion_window: request['completion_window'] ?? '24h',
    metadata: request['metadata'] ?? null,
    ...known,
    ...(isWaiting && { status: 'finalizing' }),
    ...(hasFailed && { status: 'failed', errors: { object: 'list', data: [error] } }),
    output_file_id: (isCharged(batch) && object['output_file_id']) || null,
    error_file_id: (isCharged(batch) && object['error_file_id']) || null,
  };
}

const googleTypes = 'type.googleapis.com/google.ai.generativelanguage.v1main.';

/** Google's operation of a batch, with its results. */
function shownAtGoogle(batch: Task, results: JsonObject[] | undefined): JsonObject {
  const name = `batches/${batch.taskId}`;
  const ended = isOver(batch.state);
  const {
    state,
    createTime,
    updateTime,
    endTime,
    batchStats,
    output: kept,
  } = objectOf(objectOf(batch.result['batch'])['metadata']);
  const isWaiting = !ended && readBatch('gemini', objectOf(batch.result['batch']))?.isOver === true;
  const isOfVectors = batch.request['protocol'] === 'gemini-embeddings';
  const hasFailed = batch.state === 'failed' && !isCharged(batch);
  const file = isCharged(batch) ? textOf(objectOf(kept)['responsesFile']) : '';
  const inFile = file === '' ? undefined : { responsesFile: file };
  const output = results ? { inlinedResponses: { inlinedResponses: results } } : inFile;
  return {
    name,
    metadata: {
      '@type': `${googleTypes}${isOfVectors ? 'EmbedContentBatch' : 'GenerateContentBatch'}`,
      name,
      model: `models/${batch.model}`,
      displayName: batch.request['displayName'] ?? '',
      createTime: createTime ?? null,
      updateTime: updateTime ?? null,
      ...(ended && { endTime: endTime ?? new Date(batch.finishTime).toISOString() }),
      batchStats: batchStats ?? {},
      state: hasFailed ? 'BATCH_STATE_FAILED' : isWaiting ? 'BATCH_STATE_RUNNING' : (state ?? null),
      ...(output && { output }),
    },
    done: ended,
    ...(hasFailed && { error: { code: 13, message: batch.reason } }),
    ...(output && { response: output }),
  };
}
