import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { faultPoint } from '../../lib/fault-point.ts';
import { type JsonObject, objectOf, parseObject } from '../../lib/json.ts';
import { batchHeaders, batchIdIn, readBatch, takeResults } from '../../relay/tasks/index.ts';
import { type Provider, refuse, RelayError, type TaskQuestion } from '../../relay/types/index.ts';
import type { Task } from '../../services/calls/tasks/index.ts';
import type { RelayCall } from '../call/index.ts';
import { admitRate, usingGroups } from '../entrance/index.ts';
import { readCeiling, tooLow } from '../hold/index.ts';
import { askVendor, withoutSecrets } from './ask-vendor.ts';
import { withoutBody } from './background.ts';
import { beginBatch, OwnCalls } from './batch-begin.ts';
import {
  type FileBatchOrder,
  fileLines,
  fileRequest,
  itemLine,
  removeFile,
  type SentPlan,
  uploadItems,
} from './batch-file.ts';
import {
  type BatchLine,
  type BatchOrder,
  type BatchPlan,
  itemsInTurn,
  planBatch,
  type WriteItem,
  writeItem,
} from './batch-plan.ts';
import type { TaskDeps } from './deps.ts';

/** The vendor's answer to a new batch. */
const createTimeoutMs = 120_000;
const firstPollMs = 5_000;

/** A batch whose items are in the caller's request. */
export interface ListBatchOrder extends BatchOrder {
  lines: readonly BatchLine[];
  /** Fields of the request that answers repeat. */
  request?: JsonObject;
  /** JSON of the vendor's request around the items, and around the body of each. */
  frame: {
    start: string;
    before(line: BatchLine): string;
    after(line: BatchLine): string;
    end: string;
  };
}

/**
 * Submits a batch of OpenAI or Google: reads the file, takes one hold for all items, and sends the channel's own
 * file, with its models and overrides. Throws the error; then nothing was sent or charged.
 */
export async function submitFileBatch(deps: TaskDeps, order: FileBatchOrder): Promise<Task> {
  const { api, relayCall, endpoint, fields, fileId } = order;
  await admitCaller(deps, relayCall);
  const lines = await fileLines(deps, order);
  const first = createHash('sha256');
  const own = new OwnCalls(deps, relayCall);
  const plan = await orDrop(own, () =>
    planBatch(deps, order, lines(first), (line, body, channel, isOwn) =>
      isOwn ? own.add(line, body) : itemLine(deps, order, { line, body, channel }).length,
    ),
  );
  const digest = first.digest('hex');
  const request = { ...fields, input_file_id: fileId, endpoint };
  if (!plan.first) return holdOwn(deps, order, plan, own, request);
  const sent = { ...plan, first: plan.first };
  return hold(deps, order, plan, request, async (provider) => {
    const { channel } = plan;
    const again = createHash('sha256');
    const written = async function* (): AsyncGenerator<Buffer> {
      for await (const line of lines(again)) {
        if (line.place % itemsInTurn === 0) await nextTurn();
        const { body } = await writeItem(deps, order.readItem(line), channel);
        yield itemLine(deps, order, { line, body, channel });
      }
      // The file is not complete at the vendor yet.
      if (again.digest('hex') !== digest) throw refuse('answer_unreadable');
    };
    const input = await uploadItems(deps, api, sent, written());
    try {
      return { ...(await create(deps, sent, provider, fileRequest(order, provider, input))), input };
    } catch (error) {
      await removeFile(deps, channel, provider, input);
      throw error;
    }
  });
}

/** Submits a batch whose items are in its request. Throws the error; then nothing was sent or charged. */
export async function submitListBatch(deps: TaskDeps, order: ListBatchOrder): Promise<Task> {
  const { frame } = order;
  await admitCaller(deps, order.relayCall);
  const requests: Buffer[] = [];
  const own = new OwnCalls(deps, order.relayCall);
  const write: WriteItem = (line, body, _channel, isOwn) => {
    if (isOwn) return own.add(line, body);
    const start = `${requests.length === 0 ? frame.start : ','}${frame.before(line)}`;
    requests.push(Buffer.from(start), body, Buffer.from(frame.after(line)));
    return body.length;
  };
  const plan = await orDrop(own, () => planBatch(deps, order, order.lines, write));
  if (!plan.first) return holdOwn(deps, order, plan, own, order.request ?? {});
  const sent = { ...plan, first: plan.first };
  const body = Buffer.concat([...requests, Buffer.from(frame.end)]);
  requests.length = 0;
  return hold(deps, order, plan, order.request ?? {}, (provider) => create(deps, sent, provider, body));
}

/** Does a step of a submission; if the batch is refused, what was kept of it is forgotten. */
async function orDrop<T>(own: OwnCalls, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await own.drop();
    throw error;
  }
}

/** Takes the hold of a batch whose calls the gateway makes itself. */
async function holdOwn(
  deps: TaskDeps,
  order: BatchOrder,
  plan: BatchPlan,
  own: OwnCalls,
  request: JsonObject,
): Promise<Task> {
  return orDrop(own, async () => {
    checkCeiling(deps, order, plan);
    faultPoint('before-hold');
    const batch = await own.begin(order, plan, request);
    faultPoint('batch-held');
    return batch;
  });
}

function checkCeiling(
  { gateway }: TaskDeps,
  { relayCall }: Pick<BatchOrder, 'relayCall'>,
  { amount }: BatchPlan,
): void {
  const ceiling = readCeiling(gateway, relayCall.req) ?? Infinity;
  if (amount > ceiling) throw tooLow(gateway, ceiling, amount);
}

async function admitCaller({ gateway }: TaskDeps, { caller, isRateCounted }: RelayCall): Promise<void> {
  const [group = ''] = usingGroups(gateway, caller, '');
  if (!isRateCounted) await admitRate(gateway.rate, caller, group);
}

/** Takes the hold, sends the batch, and notes the vendor's name of it. */
async function hold(
  deps: TaskDeps,
  { relayCall, api }: BatchOrder,
  plan: BatchPlan,
  request: JsonObject,
  send: (provider: Provider) => Promise<JsonObject>,
): Promise<Task> {
  const { gateway, batches } = deps;
  const { channel } = plan;
  const provider = deps.provider(channel.type);
  if (!provider) throw refuse('task_channel_without');
  checkCeiling(deps, { relayCall }, plan);
  faultPoint('before-hold');
  const batch = await beginBatch(deps, relayCall, { api, plan, request });
  faultPoint('batch-held');
  let result: JsonObject;
  try {
    result = await send(provider);
  } catch (cause) {
    await batches.refuse(batch);
    if (cause instanceof RelayError) throw withoutSecrets(cause, provider, channel);
    throw cause;
  }
  faultPoint('batch-sent');
  const vendorId = batchIdIn(api, objectOf(result['batch']));
  const keyId = channel.chosenKey?.id;
  const nextPoll = gateway.clock() + firstPollMs;
  if (!(await batches.accept(batch, { vendorId, result, keyId, nextPoll }))) throw refuse('internal_error');
  deps.onBegun(relayCall.requestId);
  return { ...batch, vendorId, result, state: 'submitted' };
}

/** Creates the batch at its vendor; resolves to the vendor's object. */
async function create(
  deps: TaskDeps,
  { channel, first }: SentPlan,
  provider: Provider,
  body: JsonObject | Buffer,
): Promise<JsonObject> {
  if (!provider.batches) throw refuse('api_not_implemented');
  const { api } = provider.batches;
  const question: TaskQuestion = {
    method: 'POST',
    url:
      provider.batches.createUrl?.(channel, first.upstreamModel, first.protocol) ??
      provider.batches.url(channel, ''),
    headers: { ...withoutBody(first.headers), ...batchHeaders[api], 'content-type': 'application/json' },
    body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
  };
  const answer = await askVendor(deps, { provider, channel, question, timeoutMs: createTimeoutMs });
  if (answer.status < 200 || answer.status >= 300)
    throw first.readError(answer.status, 'application/json', answer.body);
  const batch = parseObject(answer.body);
  if (!batch || batchIdIn(api, batch) === '' || !readBatch(api, batch)) throw refuse('answer_unreadable');
  return { batch: takeResults(api, batch).object };
}
