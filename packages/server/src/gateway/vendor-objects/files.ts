import type { Readable } from 'node:stream';
import { channelStatus } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { type JsonObject, objectOf, parseObject } from '../../lib/json.ts';
import type { Answer } from '../../lib/outbound/http.ts';
import { randomText } from '../../lib/random.ts';
import {
  type Channel,
  type FilesApi,
  refuse,
  RelayError,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import {
  dropCopy,
  fileIdIn,
  type FileQuery,
  giveCopy,
  keptSeconds,
  partsOf,
  removeCopy,
  sizeOfPart,
} from '../../services/calls/routing/index.ts';
import { readRefusal, RefusalBody } from '../answer/index.ts';
import { type GatewayDeps, hopHeader, type RelayCall } from '../call/index.ts';
import { admit, admitRate, checkRule, ruleBar, usingGroups } from '../entrance/index.ts';
import { noChannel, noFile } from '../failover/index.ts';
import { passThrough, sendParts, withoutBody, withoutSecrets } from '../tasks/index.ts';
import { unanswered } from '../upstream/index.ts';
import { copyPart } from './copies.ts';

/** A file on its way from a caller to a vendor. */
export interface FileUpload {
  /** The caller, and an empty request, which gives the headers of the channel. */
  relayCall: RelayCall;
  api: FilesApi;
  /** A model that must be served by the channel; '' for any channel. */
  model: string;
  contentType: string;
  /** Bytes of the form; undefined if the caller does not say. */
  length: number | undefined;
  /** Most bytes of a file. */
  maxBytes: number;
  /** Most MB of the caller's files. */
  maxUserMb: number;
  /** Further headers for the vendor. */
  headers?: Record<string, string>;
  /**
   * Begins to read the form, or only the file in it if the gateway keeps it itself. Its end arrives once it is checked; until
   * then the vendor has no whole file.
   */
  open(keepsItself?: boolean): Readable & { readonly fileBytes: number };
}

/** A vendor's description of a file, and an answer to its deletion. */
const maxAnswerBytes = 64 * 1024;
/** Between two pieces of an upload, and from the last one to the answer. */
const silenceMs = 120_000;

/**
 * Passes a file to a channel that keeps files, as it arrives, and gives it to its caller. Resolves to the vendor's
 * description. Its bytes are reserved before, so that a user never has more than the site allows.
 */
export async function uploadFile(deps: GatewayDeps, upload: FileUpload): Promise<JsonObject> {
  const { relayCall, api, contentType, length, maxBytes, maxUserMb } = upload;
  const { caller, requestId } = relayCall;
  const chosen = chooseOrKeep(deps, upload);
  if (!chosen) return keepFile(deps, upload);
  const { channel, group } = chosen;
  await admitRate(deps.rate, caller, group);
  const url = filesUrl(deps, api, channel);
  const call = await prepare(deps, relayCall, channel);
  const entry = { userId: caller.userId, requestId, api };
  const place = { id: channel.id, keyId: channel.chosenKey?.id ?? '' };
  if (!(await deps.vendorFiles.reserve(entry, place, length ?? maxBytes)))
    throw refuse('files_full', { limit: maxUserMb });
  let sent: ReturnType<FileUpload['open']> | undefined;
  let copy: ReturnType<typeof copyPart> | undefined;
  try {
    sent = upload.open();
    copy = api === 'gemini' ? copyPart(deps.keptParts, entry, sent, contentType) : undefined;
    const file = await send(deps, channel, call, {
      url,
      contentType,
      length,
      body: copy?.body ?? sent,
      api,
      ...(upload.headers && { headers: upload.headers }),
    });
    const keep = async ({ fileBytes }: { fileBytes: number }): Promise<void> => {
      if (copy?.isKept()) await giveCopy(deps.keptParts, entry, place, file);
      await deps.vendorFiles.keep(entry, file, fileBytes);
    };
    await keep(sent).catch(async (cause: unknown) => {
      await takeBack(deps, channel, call, filesUrl(deps, api, channel, behindOf(api, file)));
      throw cause;
    });
    return file;
  } catch (cause) {
    sent?.destroy();
    const free = async (): Promise<void> => {
      if (copy?.isKept()) await dropCopy(deps.keptParts, entry);
      await deps.vendorFiles.drop(entry);
    };
    await free().catch((err: unknown) => {
      deps.log.error({ err, requestId }, 'the bytes of a failed upload count until its reservation expires');
    });
    throw cause;
  }
}

/** The channel of an upload; undefined if none keeps files, and the gateway keeps those of batches itself. */
function chooseOrKeep(deps: GatewayDeps, upload: FileUpload): ReturnType<typeof chooseChannel> | undefined {
  try {
    return chooseChannel(deps, upload);
  } catch (error) {
    const isNone = error instanceof RelayError && error.code === 'api_not_implemented';
    if (isNone && upload.api === 'openai' && upload.model === '' && deps.keptParts.isOn()) return undefined;
    throw error;
  }
}

/** Bytes of an upload that are stored at once. */
const partBytes = 512 * 1024;

/** Keeps the input of batches itself, sealed, as it arrives. */
async function keepFile(deps: GatewayDeps, upload: FileUpload): Promise<JsonObject> {
  const { keptParts, vendorFiles, clock } = deps;
  const { caller, requestId } = upload.relayCall;
  const [group = ''] = usingGroups(deps, caller, '');
  await admitRate(deps.rate, caller, group);
  const entry = { userId: caller.userId, requestId, api: upload.api };
  if (!(await vendorFiles.reserve(entry, { id: 0, keyId: '' }, upload.length ?? upload.maxBytes)))
    throw refuse('files_full', { limit: upload.maxUserMb });
  const id = `file-${randomText(32)}`;
  const object = partsOf(id);
  const sent = upload.open(true);
  try {
    let waiting: Buffer[] = [];
    let size = 0;
    let place = 0;
    let room = await keptParts.room(caller.userId);
    const store = async (): Promise<void> => {
      const part = await keptParts.seal({ object, userId: caller.userId, place }, Buffer.concat(waiting));
      room -= sizeOfPart(part);
      if (room < 0) throw refuse('files_full', { limit: upload.maxUserMb });
      if (size > 0) await keptParts.add([part]);
      waiting = [];
      size = 0;
      place += 1;
    };
    for await (const chunk of sent as AsyncIterable<Buffer>) {
      waiting.push(chunk);
      size += chunk.length;
      if (size >= partBytes) await store();
    }
    await store();
    const now = seconds(clock);
    const file = {
      id,
      object: 'file',
      bytes: sent.fileBytes,
      created_at: now,
      expires_at: now + keptSeconds,
      filename: `${id}.jsonl`,
      purpose: 'batch',
      status: 'processed',
    };
    await keptParts.extend(object, keptSeconds);
    await vendorFiles.keep(entry, file, sent.fileBytes);
    return file;
  } catch (cause) {
    sent.destroy();
    await keptParts.remove(object);
    await vendorFiles.drop(entry);
    throw cause;
  }
}

/** Deletes a file that could not be given to its caller: nobody could ever read or delete it. */
export async function takeBack(
  deps: GatewayDeps,
  channel: Channel,
  call: UpstreamCall,
  url: string,
): Promise<void> {
  const headers = withoutBody(call.headers);
  await ask(deps, channel, { ...call, headers }, 'DELETE', url).catch((err: unknown) => {
    deps.log.error({ err, channel: channel.id, url }, 'a file without an owner stays at its vendor');
  });
}

/** The path of a file below the files of its vendor. */
export const behindOf = (api: FilesApi, file: JsonObject): string => pathOf(fileIdIn(api, file));
const pathOf = (fileId: string): string =>
  `/${encodeURIComponent(fileId.replace(/^(?:files|cachedContents)\//, ''))}`;

interface SentForm extends Pick<FileUpload, 'api' | 'headers'> {
  url: string;
  contentType: string;
  length: number | undefined;
  body: Readable;
}

async function send(
  deps: GatewayDeps,
  channel: Channel,
  call: UpstreamCall,
  { url, contentType, length, body, api, headers: further }: SentForm,
): Promise<JsonObject> {
  const headers = {
    ...withoutBody(call.headers),
    ...further,
    'content-type': contentType,
    ...(length !== undefined && { 'content-length': String(length) }),
  };
  const answer = await ask(deps, channel, { ...call, headers }, 'POST', url, body);
  const file = fileIn(api, answer.body);
  // An answer before the end of the form is not about this file.
  if (!file || !body.readableEnded) throw refuse('answer_unreadable');
  return file;
}

/** The description of a file in the answer to its upload; undefined without one. */
export function fileIn(api: FilesApi, answer: Buffer): JsonObject | undefined {
  const body = parseObject(answer);
  const file = api === 'gemini' ? objectOf(body?.['file']) : body;
  return file && fileIdIn(api, file) !== '' ? file : undefined;
}

/** Makes a call about files, and returns the answer. Throws the vendor's refusal. */
export async function ask(
  { http }: Pick<GatewayDeps, 'http'>,
  channel: Channel,
  call: UpstreamCall,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  body?: Readable | Buffer,
): Promise<Answer> {
  const answer = await http
    .request(
      {
        method,
        url,
        headers: { ...call.headers, [hopHeader]: '1' },
        ...(body && { body }),
        scope: 'operator',
        proxy: channel.setting.proxy,
        headersTimeoutMs: silenceMs,
        bodyTimeoutMs: silenceMs,
      },
      maxAnswerBytes,
    )
    .catch((cause: unknown) => {
      throw cause instanceof RelayError ? cause : unanswered('upstream_unreachable', cause);
    });
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw readError(call, answer.status, String(answer.headers['content-type'] ?? ''), answer.body);
}

function readError(call: UpstreamCall, status: number, contentType: string, bytes: Buffer): RelayError {
  const body = new RefusalBody();
  body.add(bytes);
  return withoutSecrets(readRefusal(call, { status, contentType }, body), call);
}

/** The channel of an upload: the one that the caller selects, one that serves its model, or any that keeps files. */
export function chooseChannel(
  deps: GatewayDeps,
  { relayCall, api, model }: Pick<FileUpload, 'relayCall' | 'api' | 'model'>,
): { channel: Channel; group: string } {
  const { routing } = deps;
  const { caller } = relayCall;
  const groups =
    model === '' ? usingGroups(deps, caller, '') : admit(deps, { ...relayCall, facts: { model } });
  const keeps = (channel: Channel): boolean => deps.filesUrl(api, channel) !== undefined;
  if (caller.pinnedChannelId > 0) {
    const routed = routing.byId(caller.pinnedChannelId);
    if (!routed) throw refuse('pinned_channel_unknown');
    if (routed.status !== channelStatus.enabled) throw refuse('channel_disabled');
    checkRule(caller, routed.channel, 'files');
    if (!keeps(routed.channel)) throw refuse('api_not_implemented');
    return { channel: routing.withKey(routed.channel), group: groups[0] ?? '' };
  }
  // The reason is shown nowhere.
  const bars = (channel: Channel) => ruleBar(caller, channel) ?? (keeps(channel) ? undefined : 'unpriced');
  for (const group of groups) {
    const models = model === '' ? (caller.modelLimits ?? routing.modelsOf(group)) : [model];
    for (const each of models) {
      const channel = routing.foresee({ group, model: each, bars }, new Set());
      if (channel) return { channel, group };
    }
  }
  const [group = ''] = groups;
  if (model !== '' && routing.candidates(group, model).length === 0) throw noChannel(deps, group, model);
  throw refuse('api_not_implemented');
}

export function filesUrl(
  deps: Pick<GatewayDeps, 'filesUrl'>,
  api: FilesApi,
  channel: Channel,
  behind?: string,
): string {
  const url = deps.filesUrl(api, channel, behind);
  if (url === undefined) throw refuse('api_not_implemented');
  return url;
}

export async function prepare(
  deps: GatewayDeps,
  relayCall: RelayCall,
  channel: Channel,
): Promise<UpstreamCall> {
  const call = await deps.prepare(relayCall, channel);
  if (!call) throw refuse('api_not_implemented');
  return call;
}

/** A call about a file that a vendor keeps for the caller. */
export interface FileCall {
  relayCall: RelayCall;
  api: FilesApi;
  method: 'GET' | 'DELETE';
  fileId: string;
  /** The path behind the id: '', '/content' or ':download'. */
  rest: string;
}

/** Passes a call about a file to the channel and key that keep it. A file of somebody else does not exist. */
export async function passFile(
  deps: GatewayDeps,
  { relayCall, api, method, fileId, rest }: FileCall,
): Promise<void> {
  const { caller, client, requestId } = relayCall;
  const [group = ''] = usingGroups(deps, caller, '');
  await admitRate(deps.rate, caller, group);
  const place = await deps.vendorFiles.find(caller.userId, fileId);
  const routed = place && deps.routing.byId(place.id);
  const missing = noFile(relayCall, fileId, 'id');
  const head = { 'content-type': 'application/json', ...deps.identityHeaders(requestId) };
  if (place?.id === 0) {
    const parts = partsOf(fileId);
    if (method === 'DELETE') {
      await deps.keptParts.remove(parts);
      await deps.vendorFiles.forget(caller.userId, fileId);
    } else if (rest !== '')
      return sendParts(
        client,
        { ...contentHead({}), ...deps.identityHeaders(requestId) },
        deps.keptParts.read(parts),
      );
    client.head(200, head);
    return client.finish(
      Buffer.from(method === 'DELETE' ? JSON.stringify(deletedFile(api, fileId)) : place.body),
      {},
    );
  }
  if (place && !routed && method === 'DELETE') {
    // Its channel was removed, so that nothing can reach the vendor any more.
    await forgetFile(deps, caller.userId, api, fileId);
    client.head(200, head);
    client.finish(Buffer.from(JSON.stringify(deletedFile(api, fileId))), {});
    return;
  }
  if (routed?.status !== channelStatus.enabled) throw missing;
  checkRule(caller, routed.channel, fileId.slice(0, 100));
  const channel = deps.routing.withKey(routed.channel, place?.keyId);
  const url = deps.filesUrl(
    api,
    channel,
    `${pathOf(fileId)}${rest}${rest === ':download' ? '?alt=media' : ''}`,
  );
  if (url === undefined) throw missing;
  const call = await prepare(deps, relayCall, channel);
  const headers = withoutBody(call.headers);
  if (method === 'DELETE') {
    const isGone = (error: unknown): boolean => error instanceof RelayError && error.status === 404;
    try {
      const { body: answer } = await ask(deps, channel, { ...call, headers }, method, url);
      await forgetFile(deps, caller.userId, api, fileId);
      client.head(200, head);
      return client.finish(answer, {});
    } catch (error) {
      // The vendor has deleted it already, by its expiry.
      if (isGone(error)) await forgetFile(deps, caller.userId, api, fileId);
      throw error;
    }
  }
  if (api === 'gemini' && rest === '') {
    // Google processes files for a while: our list shows the state that was read last.
    const { body } = await ask(deps, channel, { ...call, headers }, method, url);
    const file = parseObject(body);
    if (file) await deps.vendorFiles.describe(caller.userId, fileId, file);
    client.head(200, head);
    return client.finish(body, {});
  }
  await passThrough(deps, client, {
    call: { method, url, headers, scope: 'operator', proxy: channel.setting.proxy, silenceMs },
    headOf: (status, answered) =>
      status >= 200 && status < 300
        ? { status, headers: rest === '' ? head : { ...head, ...contentHead(answered) } }
        : undefined,
    missing,
    readError: (status, contentType, body) => readError(call, status, contentType, body.bytes),
  });
}

async function forgetFile(
  { vendorFiles, keptParts }: GatewayDeps,
  userId: number,
  api: FilesApi,
  fileId: string,
): Promise<void> {
  await vendorFiles.forget(userId, fileId);
  if (api === 'gemini') await removeCopy(keptParts, userId, fileId);
}

function deletedFile(api: FilesApi, id: string): object {
  if (api === 'gemini') return {};
  return api === 'anthropic' ? { id, type: 'file_deleted' } : { id, object: 'file', deleted: true };
}

/**
 * Headers of the content of a file. A browser must not show it as a page of this site: everybody can upload one, and
 * put a key into its address.
 */
function contentHead({
  'content-type': type,
  'content-disposition': disposition,
}: Record<string, string | string[] | undefined>): Record<string, string> {
  const isNamed = typeof disposition === 'string' && /^attachment\s*(?:;|$)/i.test(disposition);
  return {
    'content-type': typeof type === 'string' ? type : 'application/octet-stream',
    'content-disposition': isNamed ? disposition : 'attachment',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  };
}

/** A page of a caller's files, from our own table: the vendor's list would show those of others. */
export async function listFiles(
  deps: Pick<GatewayDeps, 'vendorFiles' | 'rate' | 'pricing'>,
  relayCall: RelayCall,
  query: FileQuery,
): Promise<object> {
  const { caller } = relayCall;
  const [group = ''] = usingGroups(deps, caller, '');
  await admitRate(deps.rate, caller, group);
  const page = await deps.vendorFiles.list(caller.userId, query);
  if (!page) throw noFile(relayCall, query.after, 'after');
  const { files, hasMore } = page;
  if (query.api === 'caches')
    return { cachedContents: files, ...(hasMore && { nextPageToken: fileIdIn('caches', files.at(-1)!) }) };
  if (query.api === 'gemini')
    return { files, ...(hasMore && { nextPageToken: fileIdIn('gemini', files.at(-1)!) }) };
  const ids = files.map(({ id }) => id ?? null);
  const last = ids.at(-1) ?? null;
  return {
    ...((query.api === 'openai' || query.api === 'containers') && { object: 'list' }),
    data: files,
    first_id: ids[0] ?? null,
    last_id: last,
    has_more: hasMore,
    ...(query.api === 'anthropic' && { next_page: hasMore ? last : null }),
  };
}
