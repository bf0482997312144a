import { append, splice } from '../lib/json-scan.ts';
import type { Channel } from './model/channel.ts';
import type { WriterOptions } from './model/codec.ts';
import type { JsonObject } from './model/json.ts';
import { kindOf, SniffPipe } from './model/passing/sniff.ts';
import type { AnswerPipe, BodyKind, Protocol, ProtocolId } from './model/protocol.ts';
import type {
  Endpoint,
  FetchedFile,
  Provider,
  RelayOptions,
  RelayRequest,
  UpstreamCall,
} from './model/provider.ts';
import { refuse } from './model/relay-error.ts';
import { protocols } from './protocols.ts';
import { searchesAlways, SearchCount } from './search-calls.ts';
import { TranslatePipe } from './translate/translate-pipe.ts';

export { applyModelMapping } from './model-mapping.ts';

/** A longer wait than this is not believed (faults.md U9). */
const maxRetryAfterSeconds = 3_600;
const noFiles: ReadonlyMap<string, FetchedFile> = new Map();

/** Everything about one call that its parts need. */
interface Job {
  provider: Provider;
  channel: Channel;
  request: RelayRequest;
  options: RelayOptions;
  protocol: Protocol;
  endpoint: Endpoint;
  upstreamModel: string;
  passThrough: boolean;
}

/** The body as it will be sent, and what was found out on the way. */
interface Outgoing {
  json: JsonObject;
  body: Buffer;
  model: string;
  reasoningEffort: string | undefined;
  hideUsage: boolean;
}

/**
 * Makes the upstream call for a request on a channel. The caller's bytes go out as they came; only named top-level
 * fields are changed, in their place. Throws RelayError when this provider cannot carry the request.
 */
export function bridge(
  provider: Provider,
  channel: Channel,
  request: RelayRequest,
  upstreamModel: string,
  options: RelayOptions,
): UpstreamCall {
  const endpoint = provider.endpoints[request.protocol];
  const protocol = protocols[request.protocol];
  if (!endpoint || !protocol) {
    throw refuse(400, 'invalid_api_type', `${provider.name} channels do not speak ${request.protocol}`);
  }
  const passThrough = options.passThroughBody || channel.setting.passThroughBody;
  const job = { provider, channel, request, options, protocol, endpoint, upstreamModel, passThrough };
  const outgoing = passThrough ? untouched(job) : prepare(job);
  const { stream } = request.facts;
  const address = { model: outgoing.model, path: request.path, query: request.query, stream, options };
  return {
    method: 'POST',
    url: endpoint.url(channel, address),
    headers: headersOf(job),
    body: outgoing.body,
    upstreamModel: outgoing.model,
    dropped: [],
    ...(outgoing.reasoningEffort !== undefined && { reasoningEffort: outgoing.reasoningEffort }),
    ...(provider.local && { local: provider.local({ protocol: request.protocol, body: outgoing.json }) }),
    openPipe: (_status, contentType) => openPipe(job, outgoing, contentType),
    readError: (status, contentType, body, retryAfter) =>
      protocol.outbound.readError({
        status,
        contentType,
        body,
        secrets: [channel.key],
        retryAfterSeconds: readRetryAfter(retryAfter),
      }),
  };
}

/** Addresses of files that the provider wants as data: the gateway fetches them and puts them into the request. */
export const filesNeeded = (provider: Provider, protocol: ProtocolId, body: JsonObject): string[] =>
  provider.endpoints[protocol]?.filesNeeded?.(body) ?? [];

const untouched = ({ request, upstreamModel }: Job): Outgoing => ({
  json: request.json,
  body: request.raw,
  model: upstreamModel,
  reasoningEffort: effortIn(request.json),
  hideUsage: false,
});

function prepare(job: Job): Outgoing {
  const { request, channel, endpoint, upstreamModel, options } = job;
  const { stream } = request.facts;
  const draft: JsonObject = { ...request.json };
  if (draft.model !== upstreamModel) draft.model = upstreamModel;
  const hideUsage = setStreamOptions(draft, job);
  const files = request.files ?? noFiles;
  const adapted = endpoint.adapt?.(draft, { channel, model: upstreamModel, stream, options, files });
  const model = adapted?.model ?? upstreamModel;
  if (draft.model !== model) draft.model = model;
  for (const [key, value] of Object.entries(channel.paramOverride ?? {})) {
    if (key !== '__proto__') draft[key] = value;
  }
  return {
    json: draft,
    body: rewriteBody(request, draft),
    model,
    reasoningEffort: adapted?.reasoningEffort ?? effortIn(draft),
    hideUsage,
  };
}

/** Asks for the usage of a stream where the provider can tell it. True when the caller did not ask for it. */
function setStreamOptions(draft: JsonObject, { provider, request, options }: Job): boolean {
  if (!provider.streamUsage) {
    delete draft.stream_options;
    return false;
  }
  const { stream, wantsStreamUsage } = request.facts;
  if (!stream || wantsStreamUsage || !options.forceStreamUsage) return false;
  draft.stream_options = { ...(draft.stream_options as JsonObject | null), include_usage: true };
  return true;
}

/** The caller's bytes with the top-level fields that differ changed in their place. */
function rewriteBody({ raw, json }: RelayRequest, draft: JsonObject): Buffer {
  const changed = new Map<string, string | undefined>();
  const added = new Map<string, string>();
  for (const key of Object.keys(json)) if (draft[key] === undefined) changed.set(key, undefined);
  for (const key of Object.keys(draft)) {
    const value = draft[key];
    if (value === undefined || value === json[key]) continue;
    if (Object.hasOwn(json, key)) changed.set(key, JSON.stringify(value));
    else added.set(key, JSON.stringify(value));
  }
  const body = changed.size === 0 ? raw : splice(raw, changed);
  return added.size === 0 ? body : append(body, added);
}

function effortIn(body: JsonObject): string | undefined {
  return typeof body.reasoning_effort === 'string' ? body.reasoning_effort : undefined;
}

function headersOf({ provider, channel, request }: Job): Record<string, string> {
  const wanted = request.facts.stream ? 'text/event-stream' : 'application/json';
  return {
    'content-type': request.contentType === '' ? 'application/json' : request.contentType,
    accept: request.accept === '' ? wanted : request.accept,
    ...provider.headers(channel),
  };
}

function openPipe(job: Job, outgoing: Outgoing, contentType: string): AnswerPipe {
  const open = (kind: BodyKind): AnswerPipe => openKind(job, outgoing, contentType, kind);
  const kind = kindOf(contentType);
  const pipe = kind ? open(kind) : new SniffPipe(open);
  return searchesAlways(outgoing.model) ? new SearchCount(pipe) : pipe;
}

function openKind(job: Job, outgoing: Outgoing, contentType: string, kind: BodyKind): AnswerPipe {
  const { request, channel, endpoint, protocol, passThrough } = job;
  const { codec } = protocol;
  const wanted: BodyKind = request.facts.stream ? 'stream' : 'json';
  const { forceFormat, thinkingToContent } = channel.setting;
  const anew = !passThrough && (forceFormat || thinkingToContent);
  if (codec && (anew || kind !== wanted)) {
    return new TranslatePipe({
      from: { codec, kind },
      to: { codec, kind: wanted },
      writer: writerOptions(request),
      thinkingToContent: anew && thinkingToContent,
    });
  }
  const { rewrite } = endpoint;
  return protocol.outbound.openPipe({
    kind,
    contentType,
    hideUsage: outgoing.hideUsage,
    secrets: [channel.key],
    rewrite: rewrite && ((body) => rewrite(body, request.json)),
  });
}

const writerOptions = ({ facts, requestId, startedSeconds }: RelayRequest): WriterOptions => ({
  showUsage: facts.wantsStreamUsage,
  fallback: { requestId, model: facts.model, createdSeconds: startedSeconds },
});

/** Retry-After as seconds; a date is not read, because clocks differ. */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d{1,9}$/.test(value.trim())) return undefined;
  return Math.min(Number(value), maxRetryAfterSeconds);
}
