import { ambiguousKey, countPlainMembers, isIntricate, scanObject, splice } from '../../lib/json-scan.ts';
import { type Caller, ClientStream, type KeyedExchange, type Listener } from '../../gateway/index.ts';
import type { RequestForm } from '../../relay/model/form.ts';
import { isObject, type JsonObject } from '../../relay/model/json.ts';
import type { BodySizes, Inbound } from '../../relay/model/protocol.ts';
import { refuse } from '../../relay/model/relay-error.ts';
import { ArraySink } from './array-sink.ts';
import { type Incoming, readBody } from './read-body.ts';
import { isForm, readForm } from './read-form.ts';
import type { MatchedRoute } from './relay-route.ts';

/** A relay request whose caller is known, before its body is read. */
export interface Visit {
  req: Incoming;
  res: Listener;
  client: ClientStream;
  requestId: string;
  path: string;
  query: string;
  ip: string;
  matched: MatchedRoute;
  /** The language the caller speaks. */
  inbound: Inbound;
  caller: Caller;
  /** Unix ms. */
  startedAt: number;
}

/**
 * Reads the body and what the gateway needs to know of it; at once where a JSON body is here whole. Throws RelayError
 * (400, 413) where it is no request in the caller's language.
 */
export function readExchange(
  { maxBodyBytes }: { maxBodyBytes: number },
  visit: Visit,
): KeyedExchange | Promise<KeyedExchange> {
  const { route } = visit.matched;
  const res = answerSink(visit);
  const contentType = visit.req.headers['content-type'] ?? '';
  const sendsForm = route.form !== undefined && isForm(contentType);
  if (route.form?.required && !sendsForm)
    throw refuse(400, 'invalid_form', 'this call takes multipart/form-data');
  const sent = readBody(visit.req, maxBodyBytes);
  if (sendsForm) return readFormExchange(visit, res, sent, contentType);
  if (sent instanceof Promise) return sent.then((raw) => exchangeOf(visit, res, readJsonBody(visit, raw)));
  return exchangeOf(visit, res, readJsonBody(visit, sent));
}

async function readFormExchange(
  visit: Visit,
  res: KeyedExchange['res'],
  sent: Buffer | Promise<Buffer>,
  contentType: string,
): Promise<KeyedExchange> {
  return exchangeOf(visit, res, await readFormBody(visit, await sent, contentType));
}

function exchangeOf(visit: Visit, res: KeyedExchange['res'], body: RequestBody): KeyedExchange {
  const { route } = visit.matched;
  const { raw, json, form, sizes } = body;
  const facts = route.inbound.readFacts(json, sizes);
  const group = route.access === 'session' && typeof json['group'] === 'string' ? json['group'] : '';
  return {
    req: visit.req,
    res,
    // A fresh gate: from here on bytes wait for the hold.
    client: new ClientStream(res),
    requestId: visit.requestId,
    inbound: route.inbound,
    caller: visit.caller,
    ip: visit.ip,
    path: route.upstreamPath ?? visit.path,
    query: visit.query,
    raw,
    json,
    form,
    facts,
    askedGroup: group,
    startedAt: visit.startedAt,
  };
}

interface RequestBody {
  raw: Buffer;
  json: JsonObject;
  form?: RequestForm;
  sizes: BodySizes;
}

/** Reads a body that is a JSON object; it names a model afterwards. */
function readJsonBody(visit: Visit, sent: Buffer): RequestBody {
  const { raw: own, text, json } = unwrapped(readJson(sent), visit.matched.route.wrapper);
  const raw = nameModel(own, json, visit);
  return { raw, json, sizes: { byteLength: raw.length, charLength: text.length } };
}

async function readFormBody(
  { matched: { route } }: Visit,
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

/** Google streams events where `alt=sse` asks for them, else the elements of an array. */
function answerSink({ res, query, requestId, matched: { route } }: Visit): KeyedExchange['res'] {
  if (route.fromPath?.stream !== true) return res;
  const alt = new URLSearchParams(query).get('alt') ?? 'json';
  if (alt === 'sse') return res;
  if (alt === 'json') return new ArraySink(res, requestId);
  throw refuse(400, 'invalid_query', 'alt must be json or sse');
}

/** The call within the body, where it is wrapped; else the body. */
function unwrapped(body: Body, wrapper: string | undefined): Body {
  const inner = wrapper === undefined ? undefined : body.json[wrapper];
  if (!isObject(inner)) return body;
  const text = JSON.stringify(inner);
  return { raw: Buffer.from(text), text, json: inner };
}

/** Reads a body that must be a JSON object, and no ambiguous one. */
function readJson(raw: Buffer): Body {
  if (isIntricate(raw)) throw tooIntricate();
  const text = raw.toString();
  const json = parse(text);
  checkKeys(raw, json);
  return { raw, text, json };
}

/**
 * Names the model where the body does not. A language whose bodies never do has it in the parsed body alone, for the
 * translation, and the bytes stay as they came; for all others it is written into the bytes too.
 */
function nameModel(raw: Buffer, json: JsonObject, { matched: { route, slots } }: Visit): Buffer {
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

/** What is checked here must be what the upstream reads: no key twice, none in disguise. */
function checkKeys(raw: Buffer, json: JsonObject): void {
  if (countPlainMembers(raw) === Object.keys(json).length) return;
  const scan = scanObject(raw);
  const key = scan && ambiguousKey(scan);
  if (key !== undefined)
    throw refuse(
      400,
      'ambiguous_body',
      `Invalid request, 无效的请求, the key ${key.slice(0, 60)} is ambiguous`,
    );
}

const tooIntricate = () =>
  refuse(
    413,
    'body_too_complex',
    'Invalid request, 无效的请求, the body has more parts than any request needs',
  );

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(400, 'invalid_json', 'Invalid request, 无效的请求, the body is not valid JSON');
  }
  if (!isObject(value))
    throw refuse(400, 'invalid_json', 'Invalid request, 无效的请求, the body is not a JSON object');
  return value;
}
