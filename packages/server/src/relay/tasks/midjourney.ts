import { entryOf, type Json, type JsonObject, objectsIn, parseObject, textOf } from '../../lib/json.ts';
import { upstreamFailure } from '../families/openai/index.ts';
import {
  type AcceptedTask,
  type BatchVendor,
  refuse,
  RelayError,
  type TaskState,
  type TaskUpdate,
} from '../types/index.ts';
import { drawingCode } from './midjourney-actions.ts';

/** The vendor's states; any other word means that the task still runs. */
const states: Readonly<Record<string, TaskState>> = {
  '': 'submitted',
  NOT_START: 'submitted',
  SUBMITTED: 'submitted',
  IN_PROGRESS: 'in_progress',
  MODAL: 'in_progress',
  SUCCESS: 'succeeded',
  FAILURE: 'failed',
  CANCEL: 'failed',
};

/** Codes of an accepted task: begun, already existing, or in a queue. */
const takenCodes: ReadonlySet<number> = new Set([
  drawingCode.submitted,
  drawingCode.exists,
  drawingCode.queued,
]);

/** Drawings, through the API of midjourney-proxy. */
export const midjourneyTasks: BatchVendor = {
  submit: (path, body, channel) => ({
    method: 'POST',
    url: channel.baseUrl + path,
    headers: headersFor(channel.key),
    body: Buffer.from(JSON.stringify(body)),
  }),
  readSubmit,
  maxIds: 100,
  poll: (ids, channel) => ({
    method: 'POST',
    url: `${channel.baseUrl}/mj/task/list-by-condition`,
    headers: headersFor(channel.key),
    body: Buffer.from(JSON.stringify({ ids: [...ids] })),
  }),
  readPoll,
};

const headersFor = (key: string): Record<string, string> => ({
  'mj-api-secret': key,
  'content-type': 'application/json',
});

function readSubmit(status: number, body: Buffer): AcceptedTask | RelayError {
  const answer = parseObject(body);
  if (status !== 200 || !answer) return failure(status, answer);
  const code = typeof answer.code === 'number' ? answer.code : 0;
  const vendorId = idOf(answer.result);
  if (!takenCodes.has(code) || vendorId === '') return refusal(code, answer);
  return { vendorId, update: { state: 'submitted' }, answer };
}

/** The result of a submission: a text or a number. An upload has a list of addresses, which is not an id. */
const idOf = (result: Json | undefined): string => {
  if (Array.isArray(result)) return 'upload';
  return typeof result === 'number' ? String(result) : textOf(result);
};

/** A refusing code, with the vendor's text; for a full queue, the text that clients recognise. */
function refusal(code: number, answer: JsonObject): RelayError {
  if (code === drawingCode.busy) return refuse('task_group_full').copy({ original: { code } });
  return new RelayError({
    status: 400,
    // Without an account the channel cannot serve any call: this code disables it.
    code: code === drawingCode.noAccount ? 'account_deactivated' : String(code),
    message: textOf(answer.description) || `code ${code}`,
    blame: code === drawingCode.noAccount ? 'channel' : 'caller',
    original: answer,
  });
}

const failure = (status: number, answer: JsonObject | undefined): RelayError =>
  upstreamFailure(status === 200 ? 502 : status, textOf(answer?.description), []);

function readPoll(status: number, body: Buffer): ReadonlyMap<string, TaskUpdate> | RelayError {
  const list = status === 200 ? parseList(body) : undefined;
  if (!list) return failure(status, undefined);
  return new Map(list.map((task) => [idOf(task.id), updateOf(task)] as const));
}

/** The tasks of an answer, which is a list and not an object. */
function parseList(body: Buffer): JsonObject[] | undefined {
  const wrapped = parseObject(`{"list":${body.toString()}}`);
  return Array.isArray(wrapped?.list) ? objectsIn(wrapped.list) : undefined;
}

function updateOf(task: JsonObject): TaskUpdate {
  const vendorStatus = textOf(task.status);
  const percent = /^(\d{1,3})%$/.exec(textOf(task.progress))?.[1];
  const reason = textOf(task.failReason);
  return {
    state: entryOf(states, vendorStatus) ?? 'in_progress',
    vendorStatus,
    result: task,
    ...(percent !== undefined && { progress: Math.min(100, Number(percent)) }),
    ...(reason !== '' && { reason }),
  };
}
