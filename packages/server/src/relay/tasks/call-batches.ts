import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../lib/json.ts';
import type { BatchesApi } from '../types/index.ts';

/** A vendor's report of a batch of calls. */
export interface BatchReport {
  /** The vendor's state. */
  status: string;
  /** True if no result will be added. */
  isOver: boolean;
  /** True if the vendor worked through all items. */
  isComplete: boolean;
  /** Items that ended, and all items. */
  ended: number;
  total: number;
  /** Ids of the files with results; empty for a vendor without them. */
  files: string[];
  /** Why it failed; '' if it did not. */
  reason: string;
}

/** Headers of calls about batches and their results, beside those of the channel. */
export const batchHeaders: Readonly<Record<BatchesApi['api'], Record<string, string>>> = {
  openai: {},
  anthropic: { 'anthropic-version': '2023-06-01' },
  gemini: {},
};

const overAtOpenai: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);
const overAtGoogle = /_STATE_(?:SUCCEEDED|FAILED|CANCELLED|EXPIRED)$/;

/** The vendor's id in its object of a batch; '' without one. */
export const batchIdIn = (api: BatchesApi['api'], { id, name }: JsonObject): string =>
  api === 'gemini' ? textOf(name).replace(/^batches\//, '') : textOf(id);

/** Splits a vendor's object of a batch into what is kept of it, and the results in it. */
export function takeResults(
  api: BatchesApi['api'],
  batch: JsonObject,
): { object: JsonObject; inline: JsonObject[] | undefined } {
  if (api !== 'gemini') return { object: batch, inline: undefined };
  const { inputConfig: _input, output, ...metadata } = objectOf(batch['metadata']);
  const { responsesFile, inlinedResponses } = objectOf(output ?? batch['response']);
  const { inlinedResponses: inline } = objectOf(inlinedResponses);
  const object: JsonObject = {
    name: batch['name'] ?? '',
    metadata: { ...metadata, ...(responsesFile !== undefined && { output: { responsesFile } }) },
    ...(batch['error'] !== undefined && { error: batch['error'] }),
  };
  return { object, inline: Array.isArray(inline) ? inline.map(objectOf) : undefined };
}

/** Reads a vendor's object of a batch; undefined if it is none. */
export function readBatch(api: BatchesApi['api'], batch: JsonObject): BatchReport | undefined {
  if (api === 'gemini') return readGoogleBatch(batch);
  const counts = objectOf(batch['request_counts']);
  if (api === 'anthropic') {
    const status = textOf(batch['processing_status']);
    const of = (...names: string[]): number => names.reduce((sum, name) => sum + numberOf(counts[name]), 0);
    const ended = of('succeeded', 'errored', 'canceled', 'expired');
    const isOver = status === 'ended';
    const isComplete = isOver && of('canceled', 'expired') === 0;
    const known = { isOver, isComplete, ended, total: ended + of('processing'), files: [], reason: '' };
    return status === '' ? undefined : { status, ...known };
  }
  const status = textOf(batch['status']);
  if (status === '') return undefined;
  const files = [textOf(batch['output_file_id']), textOf(batch['error_file_id'])].filter((id) => id !== '');
  const { data } = objectOf(batch['errors']);
  const [first] = Array.isArray(data) ? data.filter(isObject) : [];
  return {
    status,
    isOver: overAtOpenai.has(status),
    isComplete: status === 'completed',
    ended: numberOf(counts['completed']) + numberOf(counts['failed']),
    total: numberOf(counts['total']),
    files,
    reason: textOf(first?.['message']),
  };
}

function readGoogleBatch({ metadata, error }: JsonObject): BatchReport | undefined {
  const { state, batchStats, output } = objectOf(metadata);
  const status = textOf(state);
  if (status === '') return undefined;
  const counts = objectOf(batchStats);
  // Google writes whole numbers as texts.
  const of = (name: string): number => Number(counts[name]) || 0;
  const file = textOf(objectOf(output)['responsesFile']);
  return {
    status,
    isOver: overAtGoogle.test(status),
    isComplete: status.endsWith('_SUCCEEDED'),
    ended: of('successfulRequestCount') + of('failedRequestCount'),
    total: of('requestCount'),
    files: file === '' ? [] : [file],
    reason: textOf(objectOf(error)['message']),
  };
}

/** The result of an item. */
export interface ItemResult {
  /** The caller's name of the item. */
  name: string;
  /** The whole answer; undefined if the item failed. */
  answer: JsonObject | undefined;
}

/** Reads a line of a vendor's results; undefined if it is none. */
export function readItemResult(api: BatchesApi['api'], line: JsonObject): ItemResult | undefined {
  if (api === 'gemini') {
    const { key, response } = line;
    return typeof key === 'string'
      ? { name: key, answer: isObject(response) ? response : undefined }
      : undefined;
  }
  const name = line['custom_id'];
  if (typeof name !== 'string') return undefined;
  if (api === 'anthropic') {
    const { type, message } = objectOf(line['result']);
    return { name, answer: type === 'succeeded' && isObject(message) ? message : undefined };
  }
  const { status_code: status, body } = objectOf(line['response']);
  const isAnswer = numberOf(status) >= 200 && numberOf(status) < 300 && isObject(body);
  return { name, answer: isAnswer ? body : undefined };
}
