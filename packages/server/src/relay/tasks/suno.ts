import { entryOf, type Json, type JsonObject, objectsIn, parseObject, textOf } from '../../lib/json.ts';
import { upstreamFailure } from '../families/openai/index.ts';
import type { AcceptedTask, BatchVendor, RelayError, TaskState, TaskUpdate } from '../types/index.ts';

/** The models for the billing of songs and lyrics. */
export const songModels: readonly string[] = ['suno_music', 'suno_lyrics'];

/** The vendor's states; any other word means that the task still runs. */
const states: Readonly<Record<string, TaskState>> = {
  NOT_START: 'submitted',
  SUBMITTED: 'submitted',
  QUEUED: 'queued',
  IN_PROGRESS: 'in_progress',
  SUCCESS: 'succeeded',
  FAILURE: 'failed',
};

/** Songs and lyrics, through the API that self-hosted Suno servers share. */
export const sunoTasks: BatchVendor = {
  submit: (path, body, channel) => ({
    method: 'POST',
    url: channel.baseUrl + path,
    headers: jsonHeaders(channel.key),
    body: Buffer.from(JSON.stringify(body)),
  }),
  readSubmit,
  maxIds: 100,
  poll: (ids, channel) => ({
    method: 'POST',
    url: `${channel.baseUrl}/suno/fetch`,
    headers: jsonHeaders(channel.key),
    body: Buffer.from(JSON.stringify({ ids: [...ids] })),
  }),
  readPoll,
};

const jsonHeaders = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});

function readSubmit(status: number, body: Buffer): AcceptedTask | RelayError {
  const answer = parseObject(body);
  const vendorId = textOf(answer?.data);
  if (status !== 200 || answer?.code !== 'success' || vendorId === '') return failure(status, answer);
  return { vendorId, update: { state: 'submitted' }, answer };
}

function readPoll(status: number, body: Buffer): ReadonlyMap<string, TaskUpdate> | RelayError {
  const answer = parseObject(body);
  if (status !== 200 || answer?.code !== 'success') return failure(status, answer);
  return new Map(objectsIn(answer.data).map((task) => [textOf(task.task_id), updateOf(task)] as const));
}

function updateOf(task: JsonObject): TaskUpdate {
  const vendorStatus = textOf(task.status);
  const progress = percentOf(task.progress);
  return {
    state: entryOf(states, vendorStatus) ?? 'in_progress',
    vendorStatus,
    result: task,
    ...(progress !== undefined && { progress }),
    ...(textOf(task.fail_reason) && { reason: textOf(task.fail_reason) }),
  };
}

/** `"40%"` as 40; undefined for any other text. */
function percentOf(value: Json | undefined): number | undefined {
  const found = /^(\d{1,3})%$/.exec(textOf(value))?.[1];
  return found === undefined ? undefined : Math.min(100, Number(found));
}

/** A success status without the word for success is the vendor's failure. */
const failure = (status: number, answer: JsonObject | undefined): RelayError =>
  upstreamFailure(status === 200 ? 502 : status, textOf(answer?.message), []);
