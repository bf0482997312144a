import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { channelStatus } from '@tollgate/contract';
import {
  ambiguousKey,
  isObject,
  type JsonObject,
  objectOf,
  parseObject,
  scanObject,
  textOf,
} from '../../lib/json.ts';
import { answerLines } from '../../lib/outbound/answer-lines.ts';
import { randomText } from '../../lib/random.ts';
import {
  type Channel,
  type Provider,
  refuse,
  RelayError,
  type TaskQuestion,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import { fileIdIn, findCopy, partsOf, readCopy } from '../../services/calls/routing/index.ts';
import { hopHeader } from '../call/index.ts';
import { checkRule } from '../entrance/index.ts';
import { noFile } from '../failover/index.ts';
import { unanswered } from '../upstream/index.ts';
import { askVendor, vendorHeaders } from './ask-vendor.ts';
import { withoutBody } from './background.ts';
import type { BatchLine, BatchOrder, BatchPlan } from './batch-plan.ts';
import type { TaskDeps } from './deps.ts';

/** Between two pieces of a file, and from its end to the answer. */
const silenceMs = 120_000;
const mb = 1024 * 1024;
/** Lines that are read before other calls get a turn: most of a file may be empty ones. */
const linesInTurn = 1_000;

/** A batch whose items are in a file that a vendor keeps for the caller. */
export interface FileBatchOrder extends BatchOrder {
  api: 'openai' | 'gemini';
  fileId: string;
  /** Path of all calls. */
  endpoint: string;
  /** The model of all calls, if the path has it. */
  model?: string;
  /** The caller's fields for the vendor. */
  fields: JsonObject;
  /** Most bytes of the file, and of an item. */
  maxBytes: number;
  maxItemBytes: number;
}

/** A batch for a vendor. */
export type SentPlan = BatchPlan & { first: UpstreamCall };

const pathAt = ({ batches }: Provider, path: string): string => batches?.pathOf?.(path) ?? path;

/** A line of the file as its vendor gets it. */
export function itemLine(
  { provider }: TaskDeps,
  { api, endpoint }: FileBatchOrder,
  { line: { name }, body, channel }: { line: BatchLine; body: Buffer; channel: Channel },
): Buffer {
  const vendor = provider(channel.type);
  const url = vendor ? pathAt(vendor, endpoint) : endpoint;
  const head = api === 'gemini' ? { key: name } : { custom_id: name, method: 'POST', url };
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"${bodyFields[api]}":`),
    body,
    Buffer.from('}\n'),
  ]);
}

/** The field of a line with the call. */
const bodyFields = { openai: 'body', gemini: 'request' } as const;

/** The vendor's request for a batch of the calls in a file. */
export const fileRequest = (
  { api, fields, endpoint }: FileBatchOrder,
  provider: Provider,
  input: string,
): JsonObject =>
  api === 'gemini'
    ? { batch: { ...fields, inputConfig: { fileName: input } } }
    : { ...fields, input_file_id: input, endpoint: pathAt(provider, endpoint) };

/** Reads the lines of the caller's file, from its vendor or from what the gateway keeps, once for each call. */
export async function fileLines(
  deps: TaskDeps,
  order: FileBatchOrder,
): Promise<(hash: Hash) => AsyncGenerator<BatchLine>> {
  const { api, relayCall, fileId, maxBytes, maxItemBytes } = order;
  const { gateway } = deps;
  const { userId } = relayCall.caller;
  const place = await gateway.vendorFiles.find(userId, fileId);
  const missing = noFile(
    relayCall,
    fileId,
    api === 'gemini' ? 'batch.inputConfig.fileName' : 'input_file_id',
  );
  const read = async function* (hash: Hash, lines: AsyncIterable<Buffer>): AsyncGenerator<BatchLine> {
    let number = 0;
    for await (const line of lines) {
      hash.update(line).update('\n');
      number += 1;
      if (number % linesInTurn === 0) await nextTurn();
      if (line.toString().trim() !== '') yield readLine(line, number, order);
    }
  };
  if (api === 'gemini') {
    if (!place) throw missing;
    const copy = await findCopy(gateway.keptParts, userId, fileId, place);
    if (!copy) throw refuse('batch_file_not_kept', { file: fileId });
    return (hash) => read(hash, keptLines(readCopy(gateway.keptParts, copy, fileId), maxItemBytes));
  }
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
  const limits = { maxLine: maxItemBytes, maxBytes, refused: () => missing };
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
function readLine(raw: Buffer, place: number, { api, endpoint, model }: FileBatchOrder): BatchLine {
  const line = parseObject(raw);
  const scan = line && scanObject(raw);
  const body = scan?.members.find(({ key }) => key === bodyFields[api]);
  const isPlain = line !== undefined && body !== undefined && ambiguousKey(scan!) === undefined;
  const isCall =
    api === 'gemini'
      ? scan?.members.length === 2 && typeof line?.['key'] === 'string' && isObject(line['request'])
      : textOf(line?.['method']).toUpperCase() === 'POST' && line?.['url'] === endpoint;
  if (!isPlain || !isCall)
    throw api === 'gemini'
      ? refuse('batch_request_line_invalid', { line: place })
      : refuse('batch_line_invalid', { line: place, endpoint });
  const written = raw.subarray(body.valueStart, body.valueEnd);
  if (api === 'openai') return { name: textOf(line['custom_id']), place, path: endpoint, body: written };
  const { model: named, ...request } = objectOf(line['request']);
  if (named !== undefined && textOf(named).replace(/^models\//, '') !== model)
    throw refuse('batch_models_differ');
  return {
    name: textOf(line['key']),
    place,
    path: endpoint,
    body: named === undefined ? written : Buffer.from(JSON.stringify(request)),
  };
}

/** The form of an upload around the items. */
function formOf(api: FileBatchOrder['api'], boundary: string): { type: string; start: string; end: string } {
  const end = `\r\n--${boundary}--\r\n`;
  const type = 'content-type: application/jsonl\r\n\r\n';
  if (api === 'gemini') {
    const file = JSON.stringify({ file: { displayName: 'batch.jsonl', mimeType: 'application/jsonl' } });
    const start = `--${boundary}\r\ncontent-type: application/json\r\n\r\n${file}\r\n--${boundary}\r\n${type}`;
    return { type: `multipart/related; boundary=${boundary}`, start, end };
  }
  const part = (head: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
  const start = `${part('name="purpose"')}\r\nbatch\r\n${part('name="file"; filename="batch.jsonl"')}${type}`;
  return { type: `multipart/form-data; boundary=${boundary}`, start, end };
}

/** Uploads the items as a file; resolves to the vendor's id of it. */
export async function uploadItems(
  { gateway }: TaskDeps,
  api: FileBatchOrder['api'],
  { channel, first, bytes }: SentPlan,
  lines: AsyncIterable<Buffer>,
): Promise<string> {
  const url = gateway.filesUrl(api, channel, api === 'gemini' ? undefined : '');
  if (url === undefined) throw refuse('api_not_implemented');
  const { type, ...around } = formOf(api, `batch-${randomText(32)}`);
  const start = Buffer.from(around.start);
  const end = Buffer.from(around.end);
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
          ...(api === 'gemini' && { 'x-goog-upload-protocol': 'multipart' }),
          'content-type': type,
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
    const answerType = String(answer.headers['content-type'] ?? '');
    if (answer.status < 200 || answer.status >= 300)
      throw first.readError(answer.status, answerType, answer.body);
    const described = objectOf(parseObject(answer.body));
    const id = fileIdIn(api, api === 'gemini' ? objectOf(described['file']) : described);
    if (id === '' || !body.readableEnded) throw refuse('answer_unreadable');
    return id;
  } catch (cause) {
    body.destroy();
    throw cause instanceof RelayError ? cause : unanswered('upstream_unreachable', cause);
  }
}

/** The address of a file of a batch, or of its content; undefined if the channel keeps none. */
export function batchFileUrl(
  gateway: TaskDeps['gateway'],
  { batches }: Provider,
  channel: Channel,
  id: string,
  ofContent = false,
): string | undefined {
  const ofGoogle = batches?.api === 'gemini';
  const content = ofGoogle ? ':download?alt=media' : '/content';
  const behind = `/${encodeURIComponent(ofGoogle ? id.replace(/^files\//, '') : id)}`;
  return gateway.filesUrl(ofGoogle ? 'gemini' : 'openai', channel, ofContent ? behind + content : behind);
}

/** Deletes the file of a batch that its vendor has refused. */
export async function removeFile(
  deps: TaskDeps,
  channel: Channel,
  provider: Provider,
  id: string,
): Promise<void> {
  const url = batchFileUrl(deps.gateway, provider, channel, id);
  if (url === undefined) return;
  const question: TaskQuestion = { method: 'DELETE', url, headers: provider.headers(channel) };
  await askVendor(deps, { provider, channel, question, timeoutMs: silenceMs }).catch((err: unknown) => {
    deps.gateway.log.warn({ err, channel: channel.id }, 'the file of a refused batch stays at its vendor');
  });
}
