import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { channelStatus } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { ambiguousKey, type JsonObject, objectOf, parseObject, scanObject, textOf } from '../../lib/json.ts';
import { answerLines } from '../../lib/outbound/answer-lines.ts';
import { randomText } from '../../lib/random.ts';
import { batchHeaders, batchIdIn, readBatch, takeResults } from '../../relay/tasks/index.ts';
import {
  type Channel,
  type Provider,
  refuse,
  RelayError,
  type TaskQuestion,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import { partsOf } from '../../services/calls/routing/index.ts';
import type { Task } from '../../services/calls/tasks/index.ts';
import { hopHeader, type RelayCall } from '../call/index.ts';
import { admitRate, checkRule, usingGroups } from '../entrance/index.ts';
import { noFile } from '../failover/index.ts';
import { readCeiling, tooLow } from '../hold/index.ts';
import { unanswered } from '../upstream/index.ts';
import { askVendor, vendorHeaders, withoutSecrets } from './ask-vendor.ts';
import { withoutBody } from './background.ts';
import { beginBatch, OwnCalls } from './batch-begin.ts';
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
/** Between two pieces of a file, and from its end to the answer. */
const silenceMs = 120_000;
const firstPollMs = 5_000;
const mb = 1024 * 1024;

/** A batch whose items are in a file that a vendor keeps for the caller. */
export interface FileBatchOrder extends BatchOrder {
  fileId: string;
  /** Path of all calls. */
  endpoint: string;
  /** The caller's fields for the vendor. */
  fields: JsonObject;
  /** Most bytes of the file, and of an item. */
  maxBytes: number;
  maxItemBytes: number;
}

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
 * Submits a batch of OpenAI: reads the file at its vendor, takes one hold for all items, and sends the channel's own
 * file, with its models and overrides. Throws the error; then nothing was sent or charged.
 */
export async function submitFileBatch(deps: TaskDeps, order: FileBatchOrder): Promise<Task> {
  const { relayCall, endpoint, fields, fileId } = order;
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
    const input = await uploadItems(deps, sent, written());
    const batch = { ...fields, input_file_id: input, endpoint: pathAt(provider, endpoint) };
    try {
      return { ...(await create(deps, sent, provider, batch)), input };
    } catch (error) {
      await removeFile(deps, sent, provider, input);
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

const pathAt = ({ batches }: Provider, path: string): string => batches?.pathOf?.(path) ?? path;

/** A line of the file as its vendor gets it. */
function itemLine(
  { provider }: TaskDeps,
  { endpoint }: FileBatchOrder,
  { line: { name }, body, channel }: { line: BatchLine; body: Buffer; channel: Channel },
): Buffer {
  const vendor = provider(channel.type);
  const head = { custom_id: name, method: 'POST', url: vendor ? pathAt(vendor, endpoint) : endpoint };
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"body":`),
    body,
    Buffer.from('}\n'),
  ]);
}

/** Reads the lines of the caller's file, from its vendor, once for each call. */
async function fileLines(
  deps: TaskDeps,
  { relayCall, fileId, endpoint, maxBytes, maxItemBytes }: FileBatchOrder,
): Promise<(hash: Hash) => AsyncGenerator<BatchLine>> {
  const { gateway } = deps;
  const place = await gateway.vendorFiles.find(relayCall.caller.userId, fileId);
  const missing = noFile(relayCall, fileId, 'input_file_id');
  const limits = { maxLine: maxItemBytes, maxBytes, refused: () => missing };
  const read = async function* (hash: Hash, lines: AsyncIterable<Buffer>): AsyncGenerator<BatchLine> {
    let number = 0;
    for await (const line of lines) {
      hash.update(line).update('\n');
      number += 1;
      if (line.toString().trim() !== '') yield readLine(line, number, endpoint);
    }
  };
  // The gateway keeps it itself.
  if (place?.id === 0)
    return (hash) => read(hash, keptLines(gateway.keptParts.read(partsOf(fileId)), maxItemBytes));
  const routed = place && gateway.routing.byId(place.id);
  if (routed?.status !== channelStatus.enabled) throw missing;
  checkRule(relayCall.caller, routed.channel, fileId.slice(0, 100));
  const channel = gateway.routing.withKey(routed.channel, place?.keyId);
  const provider = deps.provider(channel.type);
  const url = gateway.filesUrl('openai', channel, `/${encodeURIComponent(fileId)}/content`);
  if (url === undefined || !provider) throw missing;
  return (hash) => {
    const call = {
      method: 'GET',
      url,
      headers: vendorHeaders({ url, headers: provider.headers(channel) }, channel),
      scope: 'operator',
      proxy: channel.setting.proxy,
      headersTimeoutMs: silenceMs,
      bodyTimeoutMs: silenceMs,
    } as const;
    return read(hash, answerLines(gateway.http, call, limits));
  };
}

/** The lines of a file in parts. */
async function* keptLines(parts: AsyncIterable<Buffer>, maxLine: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of parts) {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > maxLine) throw refuse('request_too_large', { limit: Math.floor(maxLine / mb) });
  }
  if (rest.length > 0) yield rest;
}

/** Reads a line of the caller's file. */
function readLine(raw: Buffer, place: number, endpoint: string): BatchLine {
  const line = parseObject(raw);
  const scan = line && scanObject(raw);
  const body = scan?.members.find(({ key }) => key === 'body');
  const isPost = textOf(line?.['method']).toUpperCase() === 'POST';
  if (!line || !body || !isPost || line['url'] !== endpoint || ambiguousKey(scan!) !== undefined)
    throw refuse('batch_line_invalid', { line: place, endpoint });
  return {
    name: textOf(line['custom_id']),
    place,
    path: endpoint,
    body: raw.subarray(body.valueStart, body.valueEnd),
  };
}

/** A batch for a vendor. */
type SentPlan = BatchPlan & { first: UpstreamCall };

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

/** Uploads the items as a file; resolves to the vendor's id of it. */
async function uploadItems(
  { gateway }: TaskDeps,
  { channel, first, bytes }: SentPlan,
  lines: AsyncIterable<Buffer>,
): Promise<string> {
  const url = gateway.filesUrl('openai', channel, '');
  if (url === undefined) throw refuse('api_not_implemented');
  const boundary = `batch-${randomText(32)}`;
  const part = (head: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
  const start = Buffer.from(
    `${part('name="purpose"')}\r\nbatch\r\n${part('name="file"; filename="batch.jsonl"')}content-type: application/jsonl\r\n\r\n`,
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const form = async function* (): AsyncGenerator<Buffer> {
    yield start;
    yield* lines;
    yield end;
  };
  const body = Readable.from(form());
  try {
    const answer = await gateway.http.request(
      {
        method: 'POST',
        url,
        headers: {
          ...withoutBody(first.headers),
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': String(start.length + bytes + end.length),
          [hopHeader]: '1',
        },
        body,
        scope: 'operator',
        proxy: channel.setting.proxy,
        headersTimeoutMs: silenceMs,
        bodyTimeoutMs: silenceMs,
      },
      mb,
    );
    const type = String(answer.headers['content-type'] ?? '');
    if (answer.status < 200 || answer.status >= 300) throw first.readError(answer.status, type, answer.body);
    const id = textOf(parseObject(answer.body)?.['id']);
    if (id === '' || !body.readableEnded) throw refuse('answer_unreadable');
    return id;
  } catch (cause) {
    body.destroy();
    throw cause instanceof RelayError ? cause : unanswered('upstream_unreachable', cause);
  }
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
    url: provider.batches.createUrl?.(channel, first.upstreamModel) ?? provider.batches.url(channel, ''),
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

/** Deletes the file of a batch that its vendor has refused. */
async function removeFile(
  deps: TaskDeps,
  { channel }: SentPlan,
  provider: Provider,
  id: string,
): Promise<void> {
  const url = deps.gateway.filesUrl('openai', channel, `/${encodeURIComponent(id)}`);
  if (url === undefined) return;
  const question: TaskQuestion = { method: 'DELETE', url, headers: provider.headers(channel) };
  await askVendor(deps, { provider, channel, question, timeoutMs: silenceMs }).catch((err: unknown) => {
    deps.gateway.log.warn({ err, channel: channel.id }, 'the file of a refused batch stays at its vendor');
  });
}
