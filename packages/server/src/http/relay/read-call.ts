import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { product } from '@tollgate/contract';
import { PlainRequest } from '@tollgate/http-engine';
import {
  type Caller,
  type ClientSink,
  ClientStream,
  type IdempotentRelayCall,
  languageOf,
  readTags,
  type RelayCall,
  type SiteLanguage,
} from '../../gateway/index.ts';
import type { BodyShare, FullMemory } from '../../lib/body-memory.ts';
import {
  ambiguousKey,
  countPlainMembers,
  isDeep,
  isIntricate,
  isObject,
  type JsonObject,
  maxFields,
  scanObject,
  splice,
  textOf,
  textsUnder,
} from '../../lib/json.ts';
import { looksSealed } from '../../lib/seal.ts';
import { writeGeminiError } from '../../relay/families/google/index.ts';
import {
  continuedInput,
  withSummaries,
  isInput,
  isRunning,
  referredTexts,
  withReferredTexts,
} from '../../relay/families/openai/index.ts';
import {
  type BodySizes,
  type Inbound,
  type KeptFacts,
  type Language,
  refuse,
  type RelayError,
  type RequestFacts,
  type RequestForm,
} from '../../relay/types/index.ts';
import type { KeptResponses } from '../../services/calls/routing/index.ts';
import type { CallTrace } from '../../services/site/traces/index.ts';
import { ArraySink } from './array-sink.ts';
import { isForm, readForm } from './read-form.ts';
import type { MatchedRoute } from './relay-route.ts';

/** A relay request with its caller, before its body is read. */
export interface AuthorizedRequest {
  req: Incoming;
  res: ClientSink;
  client: ClientStream;
  requestId: string;
  path: string;
  query: string;
  ip: string;
  matched: MatchedRoute;
  /** The caller's protocol. */
  inbound: Inbound;
  caller: Caller;
  /** Unix ms. */
  startedAt: number;
  /** The memory of the body; released by the creator of the request. */
  memory: BodyShare;
  /** The body, if it has been read already. */
  body?: Buffer;
  /** The record of the call under its Idempotency-Key, which is part of its settlement. */
  keyed?: RelayCall['keyed'];
  /** Set if the call was counted against its caller's rate limits before its body was read. */
  isRateCounted: boolean;
  /** The model in the body, if it has been read; for the log row of a refused call. */
  model: string;
  /** The group in the body of a page's call, if it has been read; '' for none. */
  askedGroup: string;
  /** Present if the call is traced. */
  trace: CallTrace | undefined;
  /** Sends `100 Continue` to a caller who waits for it. */
  invite: (() => void) | undefined;
  /** Identifies the caller again if a key has changed since; undefined if none has. Rejects with the error. */
  identifyAgain(): Promise<Caller> | undefined;
}

/** Length to which an unchecked name is stored. */
const maxModelName = 200;

/** Dependencies of reading a request. */
export interface ReadDeps extends SiteLanguage {
  maxBodyBytes: number;
  /** The text of an answer to a user, by its id; undefined if it is not stored. */
  referencedText(userId: number, id: string): Promise<string | undefined>;
  /** The responses that the gateway keeps. */
  keptResponses: Pick<KeptResponses, 'isOn' | 'find' | 'openSummary'>;
}

/**
 * Reads the body of a call. That may take long: a caller who is no longer allowed to call afterwards is refused.
 * Throws RelayError (413, and the errors of keys).
 */
export async function readBodyOf(authorized: AuthorizedRequest, maxBodyBytes: number): Promise<Buffer> {
  if (authorized.body) return authorized.body;
  authorized.invite?.();
  const body = await readBody(authorized.req, maxBodyBytes, authorized.memory);
  const again = authorized.identifyAgain();
  if (again) authorized.caller = await again;
  return body;
}

/**
 * Reads the body and the facts that the gateway needs. Throws RelayError (400, 413) if it is not a request in the
 * caller's protocol.
 */
export async function readCall(
  deps: ReadDeps,
  authorized: AuthorizedRequest,
  /** The body, if it has been read. */
  read?: Buffer,
): Promise<IdempotentRelayCall> {
  const { route } = authorized.matched;
  const res = answerSink(deps, authorized);
  const contentType = authorized.req.headers['content-type'] ?? '';
  const sendsForm = route.form !== undefined && isForm(contentType);
  if (route.form?.required && !sendsForm) throw refuse('form_required');
  const sent = read ?? (await readBodyOf(authorized, deps.maxBodyBytes));
  const body = sendsForm
    ? await readFormBody(authorized, sent, contentType)
    : readJsonBody(authorized, isLarge(sent) ? await readLargeJson(sent) : readJson(sent));
  if (!takesItems.has(route.inbound.id)) return openExchange(authorized, res, body);
  const ids = referredTexts(body.json['input']);
  const named = ids.length === 0 ? body : await withTexts(deps, authorized, body, ids);
  if (!deps.keptResponses.isOn()) return openExchange(authorized, res, opened(deps, authorized, named));
  const { after, conversation, ...continued } = await withConversation(deps, authorized, named);
  const whole = opened(deps, authorized, continued);
  const call = openExchange(authorized, res, whole);
  if (after !== null || conversation || whole.json['store'] !== false)
    call.facts.kept = { after, store: whole.json['store'] !== false, ...(conversation && { conversation }) };
  return call;
}

/** A body with the summaries of the compactions that the gateway has made, instead of their sealed texts. */
function opened(
  { keptResponses }: ReadDeps,
  { caller, memory }: AuthorizedRequest,
  body: RequestBody,
): RequestBody {
  const input = withSummaries(body.json['input'], (sealed) => {
    if (!looksSealed(sealed)) return undefined;
    const summary = keptResponses.openSummary(caller.userId, sealed);
    if (summary === undefined) throw refuse('compaction_unreadable', {}, { param: 'input' });
    return summary;
  });
  if (!input) return body;
  const text = JSON.stringify(input);
  const full = memory.take(text.length);
  if (full !== undefined) throw noRoom(full);
  const raw = splice(body.raw, new Map([['input', text]]));
  const sizes = { byteLength: raw.length, charLength: raw.toString().length };
  return { raw, json: { ...body.json, input }, sizes };
}

/** Protocols whose input is a list of items. */
const takesItems: ReadonlySet<string> = new Set(['openai-responses', 'openai-compact']);

/**
 * A body that continues a response or conversation which the gateway keeps, with all its items instead of the id: it is
 * held for, counted and charged as it is sent. `after` is the id of the response; null if the body continues none.
 */
async function withConversation(
  { keptResponses, maxBodyBytes }: ReadDeps,
  { caller, memory }: AuthorizedRequest,
  body: RequestBody,
): Promise<RequestBody & Pick<KeptFacts, 'after' | 'conversation'>> {
  const { previous_response_id: previous, conversation, ...json } = body.json;
  const inside = isObject(conversation) ? conversation['id'] : conversation;
  const after = previous ?? inside;
  const kept =
    typeof after === 'string' && isInput(json['input'])
      ? await keptResponses.find(caller.userId, after)
      : undefined;
  const isInside = (previous ?? null) === null;
  const { object } = kept?.response ?? {};
  if (typeof after !== 'string' || !kept || object !== (isInside ? 'conversation' : 'response'))
    return { ...body, after: null };
  if (isRunning(kept.response))
    throw refuse('previous_response_running', { id: after.slice(0, 100) }, { param: 'previous_response_id' });
  const input = continuedInput(kept, json['input']);
  const text = JSON.stringify(input);
  const full = memory.take(text.length);
  if (full !== undefined) throw noRoom(full);
  const raw = splice(
    body.raw,
    new Map([
      ['input', text],
      ['previous_response_id', undefined],
      ['conversation', undefined],
    ]),
  );
  if (raw.length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const sizes = { byteLength: raw.length, charLength: raw.toString().length };
  const whole = { raw, json: { ...json, input }, sizes };
  if (!isInside) return { ...whole, after };
  return { ...whole, after: null, conversation: { id: after, items: kept.input.length } };
}

/** A request without content in the caller's protocol, for calls about what a vendor stores. */
export function emptyCall(authorized: AuthorizedRequest): IdempotentRelayCall {
  const json = { model: '-', input: '', max_tokens: 1, messages: [{ role: 'user', content: '-' }] };
  if (authorized.matched.route.inbound.id === 'gemini')
    Object.assign(json, { contents: [{ parts: [{ text: '-' }] }] });
  const raw = Buffer.from(JSON.stringify(json));
  const call = openExchange(authorized, authorized.res, {
    raw,
    json,
    sizes: { byteLength: raw.length, charLength: raw.length },
  });
  // Nothing is held for it, so that its answer waits for nothing.
  call.client.open();
  return call;
}

/** A request with its body, of which nothing is known yet: repetitions of it are found by its bytes. Rejects as `readForm`. */
export async function rawCall(authorized: AuthorizedRequest, raw: Buffer): Promise<IdempotentRelayCall> {
  const type = authorized.req.headers['content-type'] ?? '';
  const form = isForm(type) ? (await readForm(raw, type, { defaultModel: undefined })).form : undefined;
  return { ...emptyCall(authorized), raw, form };
}

/** A call that is a part of another request, by its JSON body. Throws the error that it would get. */
export function callIn(authorized: AuthorizedRequest, raw: Buffer): IdempotentRelayCall {
  return openExchange(authorized, authorized.res, readJsonBody(authorized, readJson(raw)));
}

/** A body with the texts that it refers to. */
async function withTexts(
  deps: ReadDeps,
  { caller }: AuthorizedRequest,
  { raw, json }: RequestBody,
  ids: readonly string[],
): Promise<RequestBody> {
  const texts = new Map<string, string>();
  for (const id of ids.slice(0, maxReferences)) {
    const text = await deps.referencedText(caller.userId, id);
    if (text !== undefined) texts.set(id, text);
  }
  const input = withReferredTexts(json['input'], texts);
  const text = JSON.stringify(input);
  const written = splice(raw, new Map([['input', text]]));
  return {
    raw: written,
    json: { ...json, input },
    sizes: { byteLength: written.length, charLength: written.toString().length },
  };
}

/** No loop of tools is longer. */
const maxReferences = 100;

/** A request with a body that was read, which is not that of a call: its facts are those of another body. */
export function namedCall(
  authorized: AuthorizedRequest,
  inbound: Inbound,
  raw: Buffer,
  json: JsonObject,
): IdempotentRelayCall {
  const { matched } = authorized;
  const named = { ...authorized, matched: { ...matched, route: { ...matched.route, inbound } } };
  return openExchange(named, authorized.res, {
    raw,
    json,
    sizes: { byteLength: raw.length, charLength: raw.length },
  });
}

function openExchange(
  authorized: AuthorizedRequest,
  res: IdempotentRelayCall['res'],
  body: RequestBody,
): IdempotentRelayCall {
  const { route } = authorized.matched;
  const { raw, json, form, sizes } = body;
  // People choose a model here; programs send its name.
  if (route.access === 'session' && (json['model'] ?? '') === '') throw refuse('model_not_chosen');
  authorized.model = textOf(json['model']).slice(0, maxModelName);
  const facts = withFileIds(route.inbound.readFacts(json, sizes), raw, json, route.inbound.id === 'gemini');
  authorized.askedGroup = askedGroupIn(authorized.matched, json);
  return {
    req: authorized.req,
    res,
    // A new gate: from here on bytes wait for the hold.
    client: new ClientStream(res),
    requestId: authorized.requestId,
    inbound: route.inbound,
    caller: authorized.caller,
    ip: authorized.ip,
    path: route.upstreamPath ?? authorized.path,
    query: authorized.query,
    raw,
    json,
    form,
    facts,
    askedGroup: authorized.askedGroup,
    ...(isTagged(authorized, json) && { tags: readTags(authorized, json) }),
    startedAt: authorized.startedAt,
    isRateCounted: authorized.isRateCounted,
    trace: authorized.trace,
  };
}

/** Above this number of bytes, walking over the parsed body is cheaper than searching its bytes. */
const searchedBytes = 64 * 1024;
const fileFields = new Set(['file_id', 'file_ids', 'container', 'container_id']);
const googleFields = new Set(['fileUri', 'file_uri', 'cachedContent', 'cached_content']);
/** Parts of the names, by which bodies without any are found. */
const searched = { google: [...googleFields], others: ['file_id', 'container'] };

/** The facts with the ids of files in the body. Most bodies name none: they are found by their bytes. */
function withFileIds(facts: RequestFacts, raw: Buffer, json: JsonObject, isGoogle: boolean): RequestFacts {
  const names = isGoogle ? googleFields : fileFields;
  // A field's name may be escaped.
  let mayName = raw.length > searchedBytes || raw.includes('\\u00');
  if (!mayName)
    for (const name of isGoogle ? searched.google : searched.others) mayName ||= raw.includes(name);
  const texts = mayName ? textsUnder(json, names) : [];
  const fileIds = isGoogle ? texts.flatMap(googleName) : mayName ? withContainer(texts, json) : texts;
  return fileIds.length > 0 ? { ...facts, fileIds } : facts;
}

/** The same with the container of Messages, which may be an object. */
function withContainer(texts: readonly string[], { container }: JsonObject): readonly string[] {
  const id = isObject(container) ? textOf(container['id']) : '';
  return id === '' ? texts : [...texts, id];
}

/**
 * The name of a file at Google by its address, or of cached content, however it is written. Other addresses are not those
 * of its files.
 */
function googleName(uri: string): string[] {
  const text = decode(uri)
    .replaceAll(/[^!-~]/g, '')
    .toLowerCase();
  const [, kind, id] =
    /^(?:\w+:\/\/.*\/v1\w*\/|[^:]*)\b(files|cachedcontents)\/([a-z0-9-]+)/.exec(text) ?? [];
  return id === undefined ? [] : [`${kind === 'files' ? kind : 'cachedContents'}/${id}`];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Most calls have none, and their tags are not read. */
const isTagged = ({ req: { headers }, caller }: AuthorizedRequest, json: JsonObject): boolean =>
  json['metadata'] !== undefined ||
  json['user'] !== undefined ||
  headers[product.headers.tags] !== undefined ||
  headers[product.headers.run] !== undefined ||
  caller.run !== undefined;

/** The group in a body, which only console pages may set. */
export const askedGroupIn = ({ route }: MatchedRoute, json: JsonObject): string =>
  route.access === 'session' ? textOf(json['group']) : '';

interface RequestBody {
  raw: Buffer;
  json: JsonObject;
  form?: RequestForm;
  sizes: BodySizes;
}

/** Reads a body that is a JSON object, with a model name afterwards. */
function readJsonBody(authorized: AuthorizedRequest, body: Body): RequestBody {
  const { raw: own, text, json } = unwrapped(body, authorized.matched.route.wrapper);
  const raw = nameModel(own, json, authorized);
  return { raw, json, sizes: { byteLength: raw.length, charLength: text.length } };
}

async function readFormBody(
  { matched: { route } }: AuthorizedRequest,
  sent: Buffer,
  contentType: string,
): Promise<RequestBody> {
  const rule = { defaultModel: route.defaultModel, sound: route.form?.sound };
  const { raw, json, form, byteLength, charLength } = await readForm(sent, contentType, rule);
  return { raw, json, form, sizes: { byteLength, charLength, files: form.files } };
}

interface Body {
  raw: Buffer;
  text: string;
  json: JsonObject;
}

/** Google streams events with `alt=sse`, otherwise the elements of an array. */
function answerSink(deps: ReadDeps, authorized: AuthorizedRequest): IdempotentRelayCall['res'] {
  const { req, res, query, requestId, matched } = authorized;
  const { route } = matched;
  if (route.fromPath?.stream !== true) return res;
  const alt = new URLSearchParams(query).get('alt') ?? 'json';
  if (alt === 'sse') return res;
  if (alt === 'json') return new ArraySink(res, () => unreadableEvent(languageOf(deps, req), requestId));
  throw refuse('invalid_query');
}

/** The element of an array of answers that replaces an event that is not JSON. */
const unreadableEvent = (language: Language | undefined, requestId: string): string =>
  writeGeminiError(refuse('event_not_json').in(language), requestId).body;

/** The call within the body if it is wrapped, otherwise the body. */
function unwrapped(body: Body, wrapper: string | undefined): Body {
  const inner = wrapper === undefined ? undefined : body.json[wrapper];
  if (!isObject(inner)) return body;
  const text = JSON.stringify(inner);
  return { raw: Buffer.from(text), text, json: inner };
}

/** Bodies above this number of bytes are read in steps, each in a separate turn of the event loop: a step takes 1 to 2 ms per MB. */
const largeBytes = 4 * 1024 * 1024;
const isLarge = (raw: Buffer): boolean => raw.length > largeBytes;

/** Reads a large body as `readJson` does, and lets other calls run between its steps. */
async function readLargeJson(raw: Buffer): Promise<Body> {
  await nextTurn();
  if (isIntricate(raw)) throw tooIntricate();
  await nextTurn();
  const text = raw.toString();
  await nextTurn();
  const json = parse(text);
  await nextTurn();
  if (!hasPlainKeys(raw, json)) {
    await nextTurn();
    if (isDeep(raw)) throw tooIntricate();
    await nextTurn();
    refuseAmbiguous(raw);
  }
  await nextTurn();
  return { raw, text, json };
}

/** Reads a body that must be an unambiguous JSON object. */
export function readJson(raw: Buffer): Body {
  if (isIntricate(raw)) throw tooIntricate();
  const text = raw.toString();
  const json = parse(text);
  if (!hasPlainKeys(raw, json)) {
    if (isDeep(raw)) throw tooIntricate();
    refuseAmbiguous(raw);
  }
  return { raw, text, json };
}

/**
 * Sets the model if the body has none. For protocols whose bodies never have one, it is set in the parsed body only,
 * for translation, and the bytes stay unchanged; for all others it is also written into the bytes.
 */
function nameModel(raw: Buffer, json: JsonObject, { matched: { route, slots } }: AuthorizedRequest): Buffer {
  if (route.fromPath) {
    const { stream } = route.fromPath;
    json['model'] = slots['model'] ?? '';
    json['stream'] = stream;
    return raw;
  }
  const model = json['model'] === undefined ? (slots['model'] ?? route.defaultModel) : undefined;
  if (model === undefined) return raw;
  json['model'] = model;
  return splice(raw, new Map([['model', JSON.stringify(model)]]));
}

/**
 * The checked body must be the one that the upstream reads: no duplicate or escaped keys. Its depth is limited, so
 * that an answer which repeats a part of it, as in Responses, can be written.
 */
function hasPlainKeys(raw: Buffer, json: JsonObject): boolean {
  const { length } = Object.keys(json);
  if (length > maxFields) throw tooIntricate();
  return countPlainMembers(raw) === length;
}

function refuseAmbiguous(raw: Buffer): void {
  const scan = scanObject(raw);
  const key = scan && ambiguousKey(scan);
  if (key !== undefined) throw refuse('ambiguous_body', { key: key.slice(0, 60) });
}

const tooIntricate = () => refuse('body_too_complex');

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('invalid_json');
  }
  if (!isObject(value)) throw refuse('json_not_object');
  return value;
}

const tooLarge = (limit: number) => refuse('request_too_large', { limit: Math.floor(limit / 1024 / 1024) });

/** The decoder of a Content-Encoding; null for none. Throws for an unsupported one. */
function decoderFor(encoding: string): Transform | null {
  switch (encoding) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    case 'deflate':
      return createInflate();
    default:
      throw refuse('unsupported_encoding', { encoding: encoding.slice(0, 40) });
  }
}

/** Usual time in seconds until other calls have ended. */
const waitSeconds = 5;

/** The error for a body without room in the memory for bodies. */
export const noRoom = (full: FullMemory): RelayError =>
  full === 'owner'
    ? refuse('key_body_memory_full', {}, { retryAfterSeconds: waitSeconds })
    : refuse('body_memory_full', {}, { retryAfterSeconds: waitSeconds });

/** A request as read by Node's server, or by the HTTP engine. */
export type Incoming = IncomingMessage | PlainRequest;

/**
 * Reads a request's body completely and decodes it, at most `limit` bytes (before and after decoding, so that a gzip
 * bomb stops early). Rejects with a RelayError, also if `memory` has no space for it, or when the caller disconnects.
 */
async function readBody(req: Incoming, limit: number, memory: BodyShare): Promise<Buffer> {
  const length = Number(req.headers['content-length'] ?? 0);
  if (length > limit) throw tooLarge(limit);
  if (req instanceof PlainRequest) return plainBody(req, length, memory);
  const encoding = (req.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = decoderFor(encoding);
  return gather(req, decoder ? req.pipe(decoder) : req, limit, memory);
}

/** True if the whole body has arrived. */
export const isHere = (req: Incoming): boolean =>
  req instanceof PlainRequest ? req.isComplete : req.complete || req.headers['content-length'] === '0';

/** These are short and are counted as a whole. */
async function plainBody(req: PlainRequest, length: number, memory: BodyShare): Promise<Buffer> {
  const full = memory.take(length);
  if (full !== undefined) throw noRoom(full);
  try {
    return await req.body();
  } catch {
    throw brokenOff();
  }
}

/** The error for a body that its caller breaks off. */
export const brokenOff = (): RelayError => refuse('body_broken_off');

function gather(
  req: IncomingMessage,
  source: IncomingMessage | Transform,
  limit: number,
  memory: BodyShare,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: RelayError): void => {
      chunks.length = 0;
      req.unpipe();
      source.removeAllListeners('data');
      if (source !== req) source.destroy();
      reject(error);
    };
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return stop(tooLarge(limit));
      const full = memory.take(chunk.length);
      if (full !== undefined) return stop(noRoom(full));
      chunks.push(chunk);
    });
    source.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    source.on('error', () => reject(refuse('body_unreadable')));
    if (source !== req) req.on('error', reject);
    // A request closes once, so `once` would create an unneeded wrapper.
    req.on('close', () => {
      if (!req.complete) reject(brokenOff());
    });
  });
}
