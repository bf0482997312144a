import {
  type Channel,
  type WriterOptions,
  type AnswerPipe,
  type BodyKind,
  type ErrorAnswer,
  type ProtocolId,
  type Provider,
  type RelayOptions,
  type RelayRequest,
  refuse,
  secretsOf,
  type UpstreamCall,
  type RelayError,
} from './types/index.ts';
import type { JsonObject } from '../lib/json.ts';
import { ConvertPipe, kindOf, SniffPipe, UnframePipe, SearchCount } from './streams/index.ts';
import { alwaysSearches, hasUseLimit } from './conversation/index.ts';
import {
  applyModelMapping,
  isPassedThrough,
  type Job,
  type Outgoing,
  translateBody,
  writeOutgoing,
} from './outgoing.ts';
import { foreignError } from './translate/foreign-error.ts';
import { TranslatePipe } from './translate/translate-pipe.ts';
import { findTranslationRoute, getsTools, type RouteQuery, chooseTranslation } from './translation-route.ts';

import { protocols } from './protocols.ts';

export { applyModelMapping } from './outgoing.ts';

/**
 * Creates the upstream call for a request on a channel. If the provider speaks the caller's protocol, the caller's
 * bytes are sent unchanged except for single top-level fields, which are replaced in place; otherwise the request is
 * translated to a protocol that can express it. Throws RelayError if this provider cannot serve the request.
 */
export function bridge(
  provider: Provider,
  channel: Channel,
  request: RelayRequest,
  upstreamModel: string,
  options: RelayOptions,
): UpstreamCall {
  const route = chooseTranslation(provider, routeQuery(channel, request, upstreamModel, options));
  // The list is not final: what is created before the call is sent is added to it.
  const secrets = [...secretsOf(provider, channel)];
  const job: Job = { provider, channel, request, options, route, upstreamModel, secrets };
  const outgoing = writeOutgoing(job);
  const { model, reasoningEffort, dropped } = outgoing;
  const { stream } = request.facts;
  const address = { model, path: request.path, query: request.query, stream, options };
  return {
    method: 'POST',
    url: route.endpoint.url(channel, address),
    headers: headersOf(job, outgoing),
    body: outgoing.body,
    unwritten: outgoing.unwritten,
    upstreamModel: model,
    protocol: route.endpoint.protocol,
    asked: request.json,
    reasoningEffort,
    // The gateway itself stores the answer.
    dropped: request.facts.kept?.store ? dropped.filter((field) => field !== 'store') : dropped,
    continuesWithoutCaller: request.facts.inBackground === true && !route.isTranslated,
    secrets,
    count: countOf(job, outgoing),
    local: provider.local?.({
      protocol: route.upstream.id,
      path: request.path,
      body: outgoing.json,
      files: request.form?.files ?? [],
    }),
    openPipe: (_status, contentType) => openPipe(job, outgoing, contentType),
    readError(status, contentType, body, retryAfter) {
      const retryAfterSeconds = readRetryAfter(retryAfter);
      return readWait(readError(job, { status, contentType, body, secrets, retryAfterSeconds }));
    },
  };
}

/** The vendor's own count, if the request is in its protocol. */
function countOf({ route, channel, options }: Job, outgoing: Outgoing): UpstreamCall['count'] {
  const counting = route.isTranslated ? undefined : route.endpoint.countTokens;
  if (!counting) return undefined;
  return () => ({
    url: counting.url(channel, { model: outgoing.model, options }),
    body: Buffer.from(JSON.stringify(counting.write(outgoing.json, outgoing.model))),
    read: (answer: JsonObject) => counting.read(answer),
  });
}

/** The requirements on a request's route. A body that passes unchanged is sent even if the vendor may refuse it. */
function routeQuery(
  channel: Channel,
  { protocol, facts }: RelayRequest,
  model: string,
  options: Pick<RelayOptions, 'passThroughBody' | 'lacks'>,
): RouteQuery {
  const isPassed = options.passThroughBody || channel.setting.passThroughBody;
  return {
    protocol,
    model,
    offers: facts.hostedTools,
    isRefused: (endpoint) =>
      !isPassed &&
      (lacks(channel, endpoint.protocol, options) || (endpoint.refuses?.(channel, model, facts) ?? false)),
  };
}

/** True for a chat protocol that a channel's server lacks, by its setting or by an earlier answer. */
function lacks(channel: Channel, protocol: ProtocolId, options: Pick<RelayOptions, 'lacks'>): boolean {
  const { protocols: offered } = channel.setting;
  if (offered === 'chat') return protocol !== 'openai-chat' && protocols[protocol]?.codec !== undefined;
  return offered === 'auto' && options.lacks?.(channel, protocol) === true;
}

/** The protocol of a request to a channel; undefined if its provider cannot serve the request. */
export const protocolFor = (
  provider: Provider,
  channel: Channel,
  request: RelayRequest,
  options: Pick<RelayOptions, 'passThroughBody' | 'lacks'>,
): ProtocolId | undefined => {
  const model = applyModelMapping(channel.modelMapping, request.facts.model);
  return findTranslationRoute(provider, routeQuery(channel, request, model, options))?.endpoint.protocol;
};

/** True if the limit of uses of tools is written into a request to a channel, or the channel gets none of the tools. */
export function limitsUses(
  provider: Provider,
  channel: Channel,
  request: RelayRequest,
  options: Pick<RelayOptions, 'passThroughBody' | 'lacks'>,
): boolean {
  const model = applyModelMapping(channel.modelMapping, request.facts.model);
  const query = routeQuery(channel, request, model, options);
  const route = findTranslationRoute(provider, query);
  if (!route) return false;
  if (!getsTools(route, query)) return true;
  const isPassed = options.passThroughBody || channel.setting.passThroughBody;
  return hasUseLimit(route.endpoint.protocol) && (route.isTranslated || !isPassed);
}

/** Addresses of files that must be sent as data: the gateway fetches them and puts them into the request. */
export function filesNeeded(
  provider: Provider,
  channel: Channel,
  request: RelayRequest,
  upstreamModel: string,
  options: Pick<RelayOptions, 'passThroughBody' | 'lacks'>,
): string[] {
  const route = findTranslationRoute(provider, routeQuery(channel, request, upstreamModel, options));
  if (!route) return [];
  const { endpoint, upstream } = route;
  if (!route.isTranslated) return endpoint.filesNeeded?.(request.json) ?? [];
  if (!endpoint.filesNeeded && !upstream.codec?.filesNeeded) return [];
  const needed = upstream.codec?.filesNeeded?.(route.readRequest(request.json)) ?? [];
  if (!endpoint.filesNeeded) return needed;
  const { body } = translateBody(route, { request, upstreamModel }, () => undefined);
  return [...needed, ...endpoint.filesNeeded(body)];
}

function headersOf(
  { provider, channel, request, options, route }: Job,
  { model, contentType, json }: Pick<Outgoing, 'model' | 'contentType' | 'json'>,
): Record<string, string> {
  const wanted = request.facts.stream ? 'text/event-stream' : 'application/json';
  const own = !route.isTranslated;
  return {
    'content-type':
      contentType ?? (own && request.contentType !== '' ? request.contentType : 'application/json'),
    accept: own && request.accept !== '' ? request.accept : wanted,
    ...provider.headers(channel),
    ...route.endpoint.headers?.(channel, {
      model,
      requestedModel: request.facts.model,
      caller: own ? request.headers : {},
      stream: request.facts.stream,
      options,
      body: json,
    }),
  };
}

function readError({ route }: Job, answer: ErrorAnswer): RelayError {
  const { readError: own } = route.endpoint;
  // Redirects are not followed, and the caller does not see their target.
  if (answer.status < 400) return refuse('upstream_redirects', { status: answer.status });
  const error = own ? own(answer) : route.upstream.outbound.readError(answer);
  return route.isTranslated ? foreignError(error, answer.secrets) : error;
}

function openPipe(job: Job, outgoing: Outgoing, contentType: string): AnswerPipe {
  const open = (kind: BodyKind): AnswerPipe => openKind(job, outgoing, contentType, kind);
  const { requestId, startedSeconds } = job.request;
  const asked = { model: outgoing.model, requestId, startedSeconds };
  const unframer = job.route.endpoint.unframe?.(contentType, job.secrets, asked);
  const kind = job.route.upstream.outbound.kindOf?.(contentType, job.request.facts) ?? kindOf(contentType);
  const pipe = unframer
    ? new UnframePipe(unframer, openKind(job, outgoing, 'text/event-stream', 'stream'))
    : kind
      ? open(kind)
      : new SniffPipe(open);
  return alwaysSearches(outgoing.model) ? new SearchCount(pipe) : pipe;
}

function openKind(job: Job, outgoing: Outgoing, contentType: string, kind: BodyKind): AnswerPipe {
  const { request, channel, route } = job;
  const wanted: BodyKind = request.facts.stream ? 'stream' : 'json';
  const { forceFormat, thinkingToContent } = channel.setting;
  // The gateway reads an answer whose items it adds to a conversation.
  const anew =
    request.facts.kept?.conversation !== undefined ||
    (!isPassedThrough(job) && (forceFormat || thinkingToContent));
  const { rewrite, convert } = route.endpoint;
  if (convert) {
    const asked = { request: request.json, path: request.path, secrets: job.secrets };
    return new ConvertPipe((answer) => convert(answer, asked));
  }
  const from = route.upstream.codec;
  const to = route.caller.codec;
  // The caller's original request decides the format of the answer, not the changed one for the provider.
  const asked = route.isTranslated ? outgoing.json : request.json;
  const rewritten = rewrite && ((body: JsonObject) => rewrite(body, asked, request.startedSeconds));
  if (from && to && (route.isTranslated || anew || kind !== wanted)) {
    return new TranslatePipe({
      from: { codec: from, kind },
      to: { codec: to, kind: wanted },
      settings: job.options.settings,
      writer: writerOptions(request),
      names: outgoing.names,
      thinkingToContent: !isPassedThrough(job) && thinkingToContent,
      secrets: job.secrets,
      rewrite: rewritten,
    });
  }
  return route.upstream.outbound.openPipe({
    kind,
    contentType,
    hideUsage: outgoing.hideUsage,
    secrets: job.secrets,
    rewrite: rewritten,
    media: request.facts.media,
    asked: request.json,
  });
}

const writerOptions = ({ facts, requestId, startedSeconds, json }: RelayRequest): WriterOptions => ({
  showUsage: facts.wantsStreamUsage,
  request: json,
  kept: facts.kept,
  fallback: { requestId, model: facts.model, createdSeconds: startedSeconds },
});

/** Retry-After in seconds; a date is ignored, because clocks differ. */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d{1,9}$/.test(value.trim())) return undefined;
  return Number(value);
}

/**
 * "Please try again in 1m2.5s." (OpenAI), "Please retry in 34.07s." (Gemini), "retry after 20 seconds" (Azure), "in
 * 350ms".
 */
const wait =
  /\b(?:try again|retry) (?:in|after) (?:(\d{1,4})h)?(?:(\d{1,5})m(?!s))?(?:(\d{1,6}(?:\.\d+)?) ?(ms\b|s\b|seconds?\b))?/i;

/** A vendor that refuses temporarily often gives the waiting time in its message, not in a header. */
function readWait(error: RelayError): RelayError {
  if (error.status !== 429 || error.retryAfterSeconds !== undefined) return error;
  const [, hours = 0, minutes = 0, rest = 0, unit = 's'] = wait.exec(error.message) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest) / (unit === 'ms' ? 1000 : 1);
  return seconds > 0 ? error.copy({ retryAfterSeconds: Math.ceil(seconds) }) : error;
}
