import {
  askBatch,
  type BatchLine,
  cancelAtVendor,
  deleteAtVendor,
  submitFileBatch,
  submitListBatch,
  passThrough,
  sendParts,
  taskChannel,
  vendorHeaders,
} from '../../../gateway/index.ts';
import { camelCased } from '../../../relay/protocols/gemini/index.ts';
import { batchHeaders } from '../../../relay/tasks/index.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { type BatchesApi, refuse } from '../../../relay/types/index.ts';
import { partsOf } from '../../../services/calls/routing/index.ts';
import { isOver, type OwnBatch, type Task } from '../../../services/calls/tasks/index.ts';
import { markOfKey, readCredential } from '../../../services/people/tokens/index.ts';
import { callIn, emptyCall, type AuthorizedRequest, readBodyOf, readJson } from '../read-call.ts';
import { isCharged, shownBatch } from './batch-view.ts';
import { answerJson } from './body.ts';
import type { TaskHandler, TaskRouteDeps } from './deps.ts';

/** Most items of a batch, and bytes of one. */
const maxItems = 50_000;
const maxItemBytes = 32 * 1024 * 1024;
const maxName = 256;
const maxPage = 100;
/** OpenAI's fields that its vendor gets. */
const passedFields = ['completion_window', 'metadata', 'output_expires_after'];

/** The vendor that shaped a call. Throws for clients of others at the same path. */
function apiOf({ matched: { route }, inbound }: AuthorizedRequest): BatchesApi['api'] {
  if (route.inbound.id === 'anthropic-messages') return 'anthropic';
  if (inbound.id === 'gemini') return 'gemini';
  if (inbound.id !== 'openai-chat') throw refuse('api_not_implemented');
  return 'openai';
}

const keyOf = ({ path, query, req }: AuthorizedRequest) =>
  markOfKey(readCredential(path, query, req.headers));

/** POST /v1/batches: the calls in a file of the caller, as one batch. */
export const createBatch: TaskHandler = async (deps, authorized) => {
  if (apiOf(authorized) !== 'openai') throw refuse('api_not_implemented');
  const { json } = readJson(await readBodyOf(authorized, deps.maxBodyBytes));
  const endpoint = textOf(json['endpoint']);
  const route = deps.routeOf(endpoint);
  if (route?.kind !== 'relay' || route.access !== 'key' || route.form || route.fromPath)
    throw refuse('batch_invalid', { field: 'endpoint' });
  const fileId = textOf(json['input_file_id']);
  if (fileId === '') throw refuse('batch_invalid', { field: 'input_file_id' });
  const fields: JsonObject = { completion_window: '24h' };
  for (const name of passedFields) if (json[name] !== undefined) fields[name] = json[name];
  const batch = await submitFileBatch(deps.tasks, {
    relayCall: { ...emptyCall(authorized), query: '' },
    key: keyOf(authorized),
    api: 'openai',
    endpoint,
    fileId,
    fields,
    maxItems,
    maxItemBytes,
    maxBytes: deps.maxFileBytes,
    readItem: (line) => readItem(authorized, route, line),
  });
  if (batch.bill.own) deps.poller.requestRun();
  answerJson(deps, authorized, shownBatch(deps, authorized, batch));
};

/** POST /v1/messages/batches: the calls in the request, as one batch. */
export const createMessageBatch: TaskHandler = async (deps, authorized) => {
  const { json } = readJson(await readBodyOf(authorized, deps.maxBodyBytes));
  const route = deps.routeOf('/v1/messages');
  const requests = json['requests'];
  if (!Array.isArray(requests) || !route) throw refuse('batch_invalid', { field: 'requests' });
  if (requests.length > maxItems) throw refuse('batch_too_long', { most: maxItems });
  const lines = requests.map((request, index): BatchLine => {
    const { custom_id: name, params } = objectOf(request);
    if (!isObject(params)) throw refuse('batch_invalid', { field: `requests.${index}.params` });
    const body = Buffer.from(JSON.stringify(params));
    return { name: textOf(name), place: index + 1, path: route.path, body };
  });
  const batch = await submitListBatch(deps.tasks, {
    relayCall: { ...emptyCall(authorized), query: '' },
    key: keyOf(authorized),
    api: 'anthropic',
    maxItems,
    lines,
    frame: {
      start: '{"requests":[',
      before: ({ name }) => `{"custom_id":${JSON.stringify(name)},"params":`,
      after: () => '}',
      end: ']}',
    },
    readItem: (line) => readItem(authorized, route, line),
  });
  if (batch.bill.own) deps.poller.requestRun();
  answerJson(deps, authorized, shownBatch(deps, authorized, batch));
};

/** Google's fields of a batch. Others would have no effect. */
const googleFields: ReadonlySet<string> = new Set(['displayName', 'inputConfig', 'model', 'priority']);

/** POST …/models/{model}:batchGenerateContent and :asyncBatchEmbedContent: the calls in the request, or in a file, as one batch. */
export const createGoogleBatch: TaskHandler = async (deps, authorized) => {
  const { json } = readJson(await readBodyOf(authorized, deps.maxBodyBytes));
  const { inputConfig, ...given } = camelCased(objectOf(json['batch']));
  const unknown = Object.keys(given).find((name) => !googleFields.has(name));
  if (unknown !== undefined) throw refuse('batch_invalid', { field: `batch.${unknown}` });
  const { fileName, requests: inside } = camelCased(objectOf(inputConfig));
  const { route: asked, slots } = authorized.matched;
  const { model = '' } = slots;
  const verb = asked.path.endsWith(':asyncBatchEmbedContent') ? 'embedContent' : 'generateContent';
  const path = `/v1beta/models/${encodeURIComponent(model)}:${verb}`;
  const route = deps.routeOf(path);
  if (!route) throw refuse('api_not_implemented');
  const fields: JsonObject = { displayName: given['displayName'] ?? 'batch' };
  if (given['priority'] !== undefined) fields['priority'] = given['priority'];
  const order = {
    relayCall: { ...emptyCall(authorized), query: '' },
    key: keyOf(authorized),
    api: 'gemini',
    maxItems,
    readItem: (line: BatchLine) => readItem(authorized, route, line),
  } as const;
  if (fileName !== undefined) {
    if (textOf(fileName) === '' || inside !== undefined)
      throw refuse('batch_invalid', { field: 'batch.inputConfig.fileName' });
    const batch = await submitFileBatch(deps.tasks, {
      ...order,
      endpoint: path,
      model,
      fileId: textOf(fileName),
      fields,
      maxItemBytes,
      maxBytes: deps.maxFileBytes,
    });
    return answerJson(deps, authorized, shownBatch(deps, authorized, batch));
  }
  const { requests } = objectOf(inside);
  const field = 'batch.inputConfig.requests.requests';
  if (!Array.isArray(requests)) throw refuse('batch_invalid', { field });
  if (requests.length > maxItems) throw refuse('batch_too_long', { most: maxItems });
  const lines = requests.map((each, index): BatchLine => {
    const { request } = objectOf(each);
    if (!isObject(request)) throw refuse('batch_invalid', { field: `${field}.${index}.request` });
    const { model: named = model, ...body } = request;
    if (textOf(named).replace(/^models\//, '') !== model) throw refuse('batch_models_differ');
    return { name: String(index + 1), place: index + 1, path, body: Buffer.from(JSON.stringify(body)) };
  });
  const batch = await submitListBatch(deps.tasks, {
    ...order,
    lines,
    isAnsweredAtOnce: true,
    request: fields,
    frame: {
      start: `{"batch":${JSON.stringify(fields).slice(0, -1)},"inputConfig":{"requests":{"requests":[`,
      before: () => '{"request":',
      after: ({ place }) =>
        `,"metadata":${JSON.stringify(objectOf(objectOf(requests[place - 1])['metadata']))}}`,
      end: ']}}}}',
    },
  });
  answerJson(deps, authorized, shownBatch(deps, authorized, batch));
};

function readItem(
  authorized: AuthorizedRequest,
  route: NonNullable<ReturnType<TaskRouteDeps['routeOf']>>,
  line: BatchLine,
) {
  if (line.name.length > maxName) throw refuse('batch_name_invalid');
  const call = callIn(
    { ...authorized, path: line.path, query: '', matched: { route, slots: authorized.matched.slots } },
    line.body,
  );
  authorized.model = call.facts.model;
  return call;
}

/** GET /v1/batches, GET /v1/messages/batches, and Google's: the newest first. */
export const listBatches: TaskHandler = async (deps, authorized) => {
  const query = new URLSearchParams(authorized.query);
  const api = apiOf(authorized);
  const limit = Number(query.get('limit') ?? (query.get('pageSize') || 20));
  if (!Number.isInteger(limit) || limit < 1) throw refuse('batch_invalid', { field: 'limit' });
  if (query.has('before_id')) throw refuse('batch_invalid', { field: 'before_id' });
  const after = query.get('after') ?? query.get('after_id') ?? (query.get('pageToken') || null);
  const before = after === null ? undefined : (await ownBatch(deps, authorized, after)).id;
  const most = Math.min(limit, maxPage);
  const found = await deps.tasks.tasks.page(
    {
      platforms: ['batch'],
      action: api,
      userId: authorized.caller.userId,
      ...(before !== undefined && { before }),
    },
    { offset: 0, limit: most + 1 },
  );
  const data = found.slice(0, most).map((batch) => shownBatch(deps, authorized, batch));
  const last = found[data.length - 1]?.taskId ?? null;
  const hasMore = found.length > most;
  if (api === 'gemini')
    return answerJson(deps, authorized, { operations: data, ...(hasMore && { nextPageToken: last }) });
  answerJson(deps, authorized, {
    ...(api === 'openai' && { object: 'list' }),
    data,
    first_id: found[0]?.taskId ?? null,
    last_id: last,
    has_more: hasMore,
  });
};

/** GET /v1/batches/{id}, GET /v1/messages/batches/{id}, and Google's, which has the results. */
export const readOneBatch: TaskHandler = async (deps, authorized) => {
  const batch = await ownBatch(deps, authorized);
  const results =
    batch.action === 'gemini' && isCharged(batch) && batch.result['input'] === undefined
      ? (await askBatch(deps.tasks, atVendor(deps, authorized, batch))).inline
      : undefined;
  answerJson(deps, authorized, shownBatch(deps, authorized, batch, results));
};

/** POST /v1/batches/{id}/cancel, POST /v1/messages/batches/{id}/cancel: what has ended by then is charged. */
export const cancelBatch: TaskHandler = async (deps, authorized) => {
  const batch = await ownBatch(deps, authorized);
  const answer = (task: Task): void =>
    answerJson(deps, authorized, batch.action === 'gemini' ? {} : shownBatch(deps, authorized, task));
  if (isOver(batch.state)) return answer(batch);
  if (batch.bill.own) {
    await deps.tasks.batches.cancel(batch);
    deps.poller.requestRun();
    const state =
      batch.action === 'anthropic' ? { processing_status: 'canceling' } : { status: 'cancelling' };
    return answer({ ...batch, result: { batch: { ...objectOf(batch.result['batch']), ...state } } });
  }
  const asked = await cancelAtVendor(deps.tasks, atVendor(deps, authorized, batch));
  const result = { ...batch.result, batch: asked.object };
  await deps.tasks.tasks.recordProgress(
    [{ task: batch, update: { state: 'in_progress', vendorStatus: asked.report.status, result } }],
    deps.tasks.gateway.clock(),
  );
  answer({ ...batch, result, state: 'in_progress' });
};

/** DELETE /v1/messages/batches/{id}, and Google's: at the vendor and here, once it is over. */
export const deleteBatch: TaskHandler = async (deps, authorized) => {
  const batch = await ownBatch(deps, authorized);
  if (!isOver(batch.state)) throw refuse('batch_not_over');
  const { own } = batch.bill;
  if (own) await forgetResults(deps, batch, own);
  else await deleteAtVendor(deps.tasks, atVendor(deps, authorized, batch));
  await deps.tasks.tasks.forget(batch);
  const deleted = { id: batch.taskId, type: 'message_batch_deleted' };
  answerJson(deps, authorized, batch.action === 'gemini' ? {} : deleted);
};

/** GET /v1/messages/batches/{id}/results: the vendor's lines, once all of them are charged. */
export const resultsOfBatch: TaskHandler = async (deps, authorized) => {
  const batch = await ownBatch(deps, authorized);
  if (!isOver(batch.state)) throw refuse('batch_not_over');
  if (!isCharged(batch)) throw refuse('batch_not_found', { id: batch.taskId });
  const head = { 'content-type': 'application/x-jsonl', ...deps.identityHeaders(authorized.requestId) };
  if (batch.bill.own) return sendParts(authorized.client, head, keptResults(deps, batch.bill.own));
  const { channel, provider } = atVendor(deps, authorized, batch);
  const missing = refuse('batch_not_found', { id: batch.taskId });
  if (!provider.batches) throw missing;
  const url = provider.batches.url(channel, `/${encodeURIComponent(batch.vendorId)}/results`);
  await passThrough(deps.tasks.gateway, authorized.client, {
    call: {
      url,
      headers: vendorHeaders(
        { url, headers: { ...provider.headers(channel), ...batchHeaders.anthropic } },
        channel,
      ),
      scope: 'operator',
      proxy: channel.setting.proxy,
    },
    headOf: (status) => (status === 200 ? { status, headers: head } : undefined),
    missing,
  });
};

/** The results of a batch that the gateway has worked through. */
async function* keptResults({ tasks }: TaskRouteDeps, { answers, errors }: OwnBatch): AsyncGenerator<Buffer> {
  for (const id of [answers, errors]) yield* tasks.gateway.keptParts.read(partsOf(id));
}

async function forgetResults({ tasks }: TaskRouteDeps, batch: Task, { answers, errors }: OwnBatch) {
  const { keptParts, vendorFiles } = tasks.gateway;
  for (const id of [answers, errors]) await keptParts.remove(partsOf(id));
  await vendorFiles.drop({ userId: batch.userId, requestId: batch.requestId, api: 'anthropic' });
}

/** A batch of the caller in its protocol. Throws for one of somebody else. */
async function ownBatch(
  { tasks }: TaskRouteDeps,
  authorized: AuthorizedRequest,
  id = authorized.matched.slots.id ?? '',
): Promise<Task> {
  const batch = await tasks.tasks.findOwn(authorized.caller.userId, id);
  if (batch?.platform !== 'batch' || batch.action !== apiOf(authorized))
    throw refuse('batch_not_found', { id: id.slice(0, 100) });
  return batch;
}

/** The channel that has a batch. Throws if it was deleted, or has another type by now. */
function atVendor({ tasks }: TaskRouteDeps, { caller }: AuthorizedRequest, batch: Task) {
  const channel = taskChannel(tasks, batch, caller);
  const provider = channel && tasks.provider(channel.type);
  if (!channel || provider?.batches?.api !== batch.action || batch.vendorId === '')
    throw refuse('batch_not_found', { id: batch.taskId });
  return { channel, provider, batch };
}
