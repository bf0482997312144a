import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  batchExtras,
  batchTier,
  type PriceSnapshot,
  withBatchTier,
  inputTokens,
  isPlausible,
  outputTokens,
  price,
  type PriceExtras,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { type JsonObject, objectOf, parseObject, textOf } from '../../lib/json.ts';
import { answerLines } from '../../lib/outbound/answer-lines.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import {
  batchHeaders,
  type BatchReport,
  type ItemResult,
  readBatch,
  readItemResult,
  takeResults,
} from '../../relay/tasks/index.ts';
import {
  type BatchesApi,
  type Channel,
  type DeliveredText,
  type ProtocolId,
  type Provider,
  refuse,
  type RelayError,
} from '../../relay/types/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import { fileIdIn, keptSeconds } from '../../services/calls/routing/index.ts';
import type { ItemPrice, OpenItem, Task } from '../../services/calls/tasks/index.ts';
import { bookingOf } from '../settle/index.ts';
import { askVendor, vendorHeaders } from './ask-vendor.ts';
import { batchFileUrl } from './batch-file.ts';
import type { TaskDeps } from './deps.ts';

/** Items that are charged in one transaction, and bytes of their results, which are kept until then. */
const chunkItems = 100;
const chunkBytes = 8 * 1024 * 1024;
const askTimeoutMs = 30_000;
const silenceMs = 120_000;
const mb = 1024 * 1024;
const maxResultLine = 64 * mb;
/** Google's object has the results of calls in the request. */
const maxObjectBytes = 64 * mb;
const maxResultBytes = 4_096 * mb;

/** A batch at its vendor. */
export interface BatchAt {
  provider: Provider;
  channel: Channel;
  batch: Task;
}

/** The vendor's object of a batch, its report, and the results in it, in the order of the calls. */
export interface AskedBatch {
  object: JsonObject;
  report: BatchReport;
  inline: JsonObject[] | undefined;
}

/** Asks a vendor about a batch. Throws RelayError. */
export async function askBatch(deps: Pick<TaskDeps, 'gateway'>, at: BatchAt): Promise<AskedBatch> {
  const { api } = requireBatches(at.provider);
  const batch = await callBatch(deps, at, 'GET', '');
  const taken = takeResults(api, batch);
  const report = readBatch(api, taken.object);
  if (!report) throw refuse('task_answer_unreadable');
  return { ...taken, report };
}

/** Asks a vendor to cancel a batch. Throws RelayError. */
export async function cancelAtVendor(deps: Pick<TaskDeps, 'gateway'>, at: BatchAt): Promise<AskedBatch> {
  const { api } = requireBatches(at.provider);
  await callBatch(deps, at, 'POST', api === 'gemini' ? ':cancel' : '/cancel');
  // Google's answer is empty.
  return askBatch(deps, at);
}

/** Makes a vendor delete a batch. Throws RelayError. */
export async function deleteAtVendor(deps: Pick<TaskDeps, 'gateway'>, at: BatchAt): Promise<void> {
  await callBatch(deps, at, 'DELETE', '');
}

async function callBatch(
  deps: Pick<TaskDeps, 'gateway'>,
  { provider, channel, batch }: BatchAt,
  method: 'GET' | 'POST' | 'DELETE',
  behind: string,
): Promise<JsonObject> {
  const api = requireBatches(provider);
  const question = {
    method,
    url: api.url(channel, `/${encodeURIComponent(batch.vendorId)}${behind}`),
    headers: { ...provider.headers(channel), ...batchHeaders[api.api] },
  };
  const asked = { provider, channel, question, timeoutMs: askTimeoutMs, maxBytes: maxObjectBytes };
  const { status, body } = await askVendor(deps, asked);
  const object = parseObject(body);
  if (status < 200 || status >= 300) throw refusalOf(status, body);
  if (!object) throw refuse('task_answer_unreadable');
  return object;
}

function requireBatches({ batches }: Provider): BatchesApi {
  if (!batches) throw refuse('task_channel_without');
  return batches;
}

/** A vendor's refusal of a call about a batch. */
function refusalOf(status: number, body: Buffer): RelayError {
  const { message } = objectOf(parseObject(body)?.['error']);
  return refuse(
    'task_answer_unreadable',
    {},
    {
      status: status === 404 || status === 409 || status === 400 ? status : 502,
      cause: new Error(`${status} ${textOf(message)}`),
    },
  );
}

/**
 * Charges all results of a batch that is over, each item once, and ends it. False if `mayContinue` became false before
 * that: another process, or a later poll, goes on.
 */
export async function collectBatch(
  deps: TaskDeps,
  at: BatchAt,
  asked: AskedBatch,
  mayContinue: () => Promise<boolean>,
): Promise<boolean> {
  const { object, report } = asked;
  const { provider, channel, batch } = at;
  const api = requireBatches(provider);
  let chunk: ItemResult[] = [];
  let bytes = 0;
  const charge = async (): Promise<boolean> => {
    if (!(await mayContinue())) return false;
    // Statements of an embedded database give other calls no turn.
    await nextTurn();
    await chargeItems(deps, at, chunk);
    faultPoint('batch-charged');
    chunk = [];
    bytes = 0;
    return true;
  };
  for await (const { result, size } of resultsOf(deps, at, api, asked)) {
    const read = readItemResult(api.api, result);
    if (read?.answer) {
      chunk.push(read);
      bytes += size;
    }
    if ((chunk.length >= chunkItems || bytes >= chunkBytes) && !(await charge())) return false;
  }
  if (chunk.length > 0 && !(await charge())) return false;
  const files: JsonObject[] = [];
  for (const id of report.files) files.push(await describeFile(deps, at, id));
  // Without this mark, its results are not delivered.
  const isKept = { ...batch.result, batch: object, isCharged: true };
  await deps.batches.finish(
    batch,
    report.isComplete
      ? { state: 'succeeded', result: isKept }
      : { state: 'failed', reason: report.reason || report.status, result: isKept },
    files,
  );
  const input = textOf(batch.result['input']);
  const url = input === '' ? undefined : batchFileUrl(deps.gateway, provider, channel, input);
  // The vendor has read it; it only takes room.
  if (url !== undefined)
    await askVendor(deps, {
      provider,
      channel,
      question: { method: 'DELETE', url, headers: provider.headers(channel) },
      timeoutMs: askTimeoutMs,
    }).catch((err: unknown) =>
      deps.gateway.log.info({ err, batch: batch.taskId }, 'the input of a batch stays'),
    );
  return true;
}

/** The results of a batch, with the bytes of each that are read for it: those in its object, or the lines at its addresses. */
async function* resultsOf(
  deps: TaskDeps,
  at: BatchAt,
  api: BatchesApi,
  { report, inline }: AskedBatch,
): AsyncGenerator<{ result: JsonObject; size: number }> {
  // They are in the order of the calls, which need no names there.
  for (const [index, result] of inline?.entries() ?? [])
    yield { result: { ...result, key: String(index + 1) }, size: 0 };
  for (const url of resultUrls(deps, at, api, report))
    for await (const line of resultLines(deps, at, url)) {
      const result = parseObject(line);
      if (result) yield { result, size: line.length };
    }
}

/** The addresses of the results of a batch. The vendor's counts do not decide: its caller would get what they leave out. */
function resultUrls(
  { gateway }: TaskDeps,
  { provider, channel, batch }: BatchAt,
  api: BatchesApi,
  { files }: BatchReport,
): string[] {
  if (api.api === 'anthropic') return [api.url(channel, `/${encodeURIComponent(batch.vendorId)}/results`)];
  return files.flatMap((id) => batchFileUrl(gateway, provider, channel, id, true) ?? []);
}

function resultLines(
  { gateway }: TaskDeps,
  { provider, channel }: BatchAt,
  url: string,
): AsyncGenerator<Buffer> {
  const headers = { ...provider.headers(channel), ...batchHeaders[requireBatches(provider).api] };
  return answerLines(
    gateway.http,
    {
      method: 'GET',
      url,
      headers: vendorHeaders({ url, headers }, channel),
      scope: 'operator',
      proxy: channel.setting.proxy,
      headersTimeoutMs: silenceMs,
      bodyTimeoutMs: silenceMs,
    },
    {
      maxLine: maxResultLine,
      maxBytes: maxResultBytes,
      refused: (status, _type, body) => refusalOf(status, body),
    },
  );
}

async function describeFile(deps: TaskDeps, at: BatchAt, id: string): Promise<JsonObject> {
  const { provider, channel, batch } = at;
  const api = provider.batches?.api === 'gemini' ? 'gemini' : 'openai';
  const url = batchFileUrl(deps.gateway, provider, channel, id);
  if (url === undefined) throw refuse('task_channel_without');
  const question = { method: 'GET', url, headers: provider.headers(channel) } as const;
  const { status, body } = await askVendor(deps, { provider, channel, question, timeoutMs: askTimeoutMs });
  const file = parseObject(body);
  if (status === 200 && file && fileIdIn(api, file) === id) return file;
  if (api === 'openai') throw refusalOf(status, body);
  // Google does not describe all files of results.
  const now = deps.gateway.clock();
  return {
    name: id,
    displayName: `${batch.taskId}.jsonl`,
    mimeType: 'application/jsonl',
    createTime: new Date(now).toISOString(),
    expirationTime: new Date(now + keptSeconds * 1_000).toISOString(),
    state: 'ACTIVE',
    source: 'GENERATED',
  };
}

/** Charges the items of these results that are not charged yet. */
async function chargeItems(deps: TaskDeps, at: BatchAt, results: readonly ItemResult[]): Promise<void> {
  const { batches, gateway } = deps;
  const open = await batches.findOpen(
    at.batch,
    results.map(({ name }) => name),
  );
  const charges: { item: OpenItem; facts: ConsumeFacts }[] = [];
  const vendorPrices = (at.batch.bill.prices ?? []).map(vendorPrice);
  for (const { name, answer } of results) {
    const item = open.get(name);
    // A name that the batch does not have, or has twice, is charged once or not at all.
    if (!item || !answer) continue;
    open.delete(name);
    const facts = await itemFacts(deps, at, item, { name, answer });
    const snapshot = vendorPrices[item.price] ?? facts.snapshot;
    const extras = { calls: 1, factor: batchExtras({ ...snapshot, mode: 'call' })?.factor ?? 1 };
    const cost = gateway.costOf({ ...facts, snapshot, extras });
    charges.push({ item, facts: cost === null ? facts : { ...facts, cost } });
  }
  if (charges.length === 0) return;
  await batches.charge(
    at.batch,
    charges.map(({ item, facts }) => ({ item, settlement: bookingOf(gateway, facts) })),
  );
  for (const { facts } of charges) deps.onItem(facts);
}

/** The price of an item with the vendor's discount in place of the site's, for the operator's cost. */
function vendorPrice({ snapshot, costFactor }: ItemPrice): PriceSnapshot {
  if (costFactor === undefined) return snapshot;
  const { [batchTier]: _own, ...serviceTiers } = snapshot.serviceTiers ?? {};
  return withBatchTier({ ...snapshot, serviceTiers }, costFactor);
}

/** The data of an item's log row. */
async function itemFacts(
  { gateway }: TaskDeps,
  { channel, batch }: BatchAt,
  item: OpenItem,
  { name, answer }: { name: string; answer: JsonObject },
): Promise<ConsumeFacts> {
  const protocol = textOf(batch.request['protocol']) as ProtocolId;
  const pipe = callerProtocol(protocol)?.outbound.openPipe({
    kind: 'json',
    contentType: 'application/json',
    hideUsage: false,
    secrets: [],
    rewrite: undefined,
  });
  if (!pipe) throw new Error(`a batch has calls of the protocol ${protocol}`);
  pipe.push(Buffer.from(JSON.stringify(answer)));
  const { usage: told } = pipe.end(false);
  const { usage, source } = await completeUsage(gateway, told, pipe.takeText(), item, batch);
  const { snapshot } = priceOfItem(batch, item);
  const made = { usage: { ...usage, tier: batchTier }, source, extras: batchExtras(snapshot) };
  return factsOfItem(gateway.clock(), { batch, channel, item, name }, made);
}

/** An item that was answered by a channel. */
interface AnsweredItem {
  batch: Task;
  channel: Channel;
  item: OpenItem;
  /** The caller's name of it. */
  name: string;
}

/** What an answer used, and the extras of its price. */
interface MadeUsage {
  usage: Usage;
  source: ConsumeFacts['usageSource'];
  extras: PriceExtras | undefined;
}

/** The price of an item. */
export function priceOfItem({ bill }: Task, item: OpenItem): ItemPrice {
  const found = bill.prices?.[item.price];
  if (!found) throw new Error('an item of a batch has no price');
  return found;
}

/** The data of the log row of an item, at its price in the bill of the batch. `now` is in Unix ms. */
export function factsOfItem(
  now: number,
  { batch, channel, item, name }: AnsweredItem,
  { usage, source, extras }: MadeUsage,
): ConsumeFacts {
  const { bill, request } = batch;
  const prices = priceOfItem(batch, item);
  return {
    requestId: `${batch.requestId}-${item.place}`,
    userId: batch.userId,
    username: bill.username,
    tokenId: bill.tokenId,
    tokenName: bill.tokenName,
    team: bill.team,
    group: bill.group,
    ...(bill.userGroup !== undefined && { userGroup: bill.userGroup }),
    ...prices,
    isStream: false,
    channelId: channel.id,
    tries: [{ channelId: channel.id, ms: 0, ...(channel.chosenKey && { key: channel.chosenKey }) }],
    usage,
    usageSource: source,
    bill: price(usage, prices.snapshot, extras),
    extras,
    endReason: 'complete',
    isClaude: request['protocol'] === 'anthropic-messages',
    batch: { id: batch.taskId, item: name },
    tags: bill.tags,
    startedAt: batch.submitTime,
    firstByteAt: 0,
    endedAt: now,
  };
}

/** The usage of an answer, as the vendor reported it; what is missing is estimated. */
export async function completeUsage(
  { countTokens }: TaskDeps['gateway'],
  told: Usage | undefined,
  { output, reasoning }: DeliveredText,
  item: OpenItem,
  batch: Task,
): Promise<{ usage: Usage; source: ConsumeFacts['usageSource'] }> {
  const usage = told && isPlausible(told) ? told : usageOf();
  const hasInput = inputTokens(usage) > 0 || ('hasNoInput' in usage && usage.hasNoInput === true);
  if (hasInput && (outputTokens(usage) > 0 || output + reasoning === ''))
    return { usage, source: 'upstream' };
  const { model } = priceOfItem(batch, item);
  const counted = outputTokens(usage) > 0 ? {} : { output: await countTokens(output + reasoning, model) };
  const input = hasInput ? {} : { input: item.tokens };
  return { usage: { ...usage, ...input, ...counted }, source: hasInput ? 'counted' : 'estimated' };
}
