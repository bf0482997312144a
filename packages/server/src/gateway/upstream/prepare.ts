import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { asError } from '../../lib/outbound/as-error.ts';
import type { AnswerHandler, Controller } from '../../lib/outbound/http.ts';
import { traceContext } from '../../lib/request-id.ts';
import { applyModelMapping, bridge, filesNeeded, limitsUses, protocolFor } from '../../relay/bridge.ts';
import { overrideHeaders } from '../../relay/header-override.ts';
import {
  type Channel,
  type LocalAnswer,
  type ProtocolId,
  type Provider,
  refuse,
  type RelayError,
  type RelayOptions,
  type RelayRequest,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import type { Cancellation, PreparedCall, RelayCall } from '../call/index.ts';
import type { BeforeSend } from './before-send.ts';
import { fetchAll, type FetchAllDeps } from './fetch-all.ts';

export interface PrepareDeps extends FetchAllDeps {
  provider(type: number): Provider | undefined;
  options(): RelayOptions;
  beforeSend: BeforeSend;
  /** Fields for Tollgate that are removed from the body (the playground's `group`). */
  strip(relayCall: PreparedCall): PreparedCall;
  missing: MissingProtocols;
}

/** Cached for an hour, because servers are updated. */
const missingMs = 3_600_000;
const maxMissing = 10_000;

/** Protocols without a path at the servers of channels. */
export class MissingProtocols {
  private readonly known = new LRUCache<string, true>({ max: maxMissing, ttl: missingMs });

  has({ id, baseUrl }: Channel, protocol: ProtocolId): boolean {
    return this.known.size > 0 && this.known.has(`${id} ${protocol} ${baseUrl}`);
  }

  note({ id, baseUrl }: Channel, protocol: ProtocolId): void {
    this.known.set(`${id} ${protocol} ${baseUrl}`, true);
  }

  forget({ id, baseUrl }: Channel, protocol: ProtocolId): void {
    this.known.delete(`${id} ${protocol} ${baseUrl}`);
  }
}

/** Texts of a 404 about an object instead of the path. */
const aboutMore =
  /\bmodels?\b|no endpoints|deployment|engine|with id|\bitem\b|tool|container|conversation|prompt/i;

function isPathMissing({ status, code, message }: RelayError, model: string): boolean {
  if (status === 405 || status === 501) return true;
  return status === 404 && code !== 'model_not_found' && !message.includes(model) && !aboutMore.test(message);
}

/**
 * Set if a call failed because the channel's server has no such path, and the same request can be repeated in another
 * protocol. Then all requests of the channel use that one. The function reverts it for a server that has no other path
 * at the moment either. A 404 of chats concerns something else, because every server has chats.
 */
export function goesOnTranslated(
  { missing, options, provider: providerOf }: Pick<PrepareDeps, 'missing' | 'options' | 'provider'>,
  relayCall: RelayCall,
  channel: Channel,
  { protocol, upstreamModel }: Pick<UpstreamCall, 'protocol' | 'upstreamModel'>,
  error: RelayError,
): (() => void) | undefined {
  const provider = providerOf(channel.type);
  if (!provider || !protocol || protocol === 'openai-chat' || channel.setting.protocols !== 'auto')
    return undefined;
  if (!isPathMissing(error, upstreamModel)) return undefined;
  missing.note(channel, protocol);
  const next = protocolFor(provider, channel, relayRequest(relayCall), options());
  const forget = (): void => missing.forget(channel, protocol);
  if (next !== undefined && next !== protocol) return forget;
  forget();
  return undefined;
}

/** Headers of the caller that a protocol may pass to the upstream. */
const passedHeaders = ['anthropic-version', 'anthropic-beta', 'openai-beta', 'x-goog-api-client'];

const header = (relayCall: PreparedCall, name: string): string => {
  const value = relayCall.req.headers[name];
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
};

/** A caller's request in the relay's types. */
function relayRequest(relayCall: PreparedCall): RelayRequest {
  const headers: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = header(relayCall, name);
    if (value !== '') headers[name] = value;
  }
  return {
    protocol: relayCall.inbound.id,
    requestId: relayCall.requestId,
    startedSeconds: Math.floor(relayCall.startedAt / 1000),
    path: relayCall.path,
    query: relayCall.query,
    contentType: header(relayCall, 'content-type'),
    accept: header(relayCall, 'accept'),
    headers,
    raw: relayCall.raw,
    json: relayCall.json,
    form: relayCall.form,
    facts: relayCall.facts,
  };
}

/** True if a channel's vendor gets the limit of uses of tools, or none of the tools. */
export function canLimitUses(
  { options, provider: providerOf }: Pick<PrepareDeps, 'options' | 'provider'>,
  relayCall: RelayCall,
  channel: Channel,
): boolean {
  const provider = providerOf(channel.type);
  return provider !== undefined && limitsUses(provider, channel, relayRequest(relayCall), options());
}

/** The protocol in which a channel's vendor gets a call; undefined if it cannot serve it. */
export function vendorProtocol(
  { options, provider: providerOf }: Pick<PrepareDeps, 'options' | 'provider'>,
  call: PreparedCall,
  channel: Channel,
): ProtocolId | undefined {
  const provider = providerOf(channel.type);
  if (!provider || provider.local) return undefined;
  return protocolFor(provider, channel, relayRequest(call), options());
}

/**
 * Creates the upstream call of a relay call for a channel: model mapped, files fetched if the provider needs them as
 * data, call signed. Undefined if the request ended during a wait.
 */
export async function prepareCall(
  deps: PrepareDeps,
  relayCall: PreparedCall,
  channel: Channel,
  cancellation?: Pick<Cancellation, 'signal' | 'unlessCancelled'>,
): Promise<UpstreamCall | undefined> {
  const provider = deps.provider(channel.type);
  if (!provider) throw refuse('channel_type_unknown', { type: channel.type });
  const request = relayRequest(deps.strip(relayCall));
  const model = applyModelMapping(channel.modelMapping, relayCall.facts.model);
  const options = deps.options();
  const needed = filesNeeded(provider, channel, request, model, options);
  // The end of the request is checked only at a wait, because the check costs 2 % of a call.
  const unlessCancelled = <T>(work: Promise<T>): Promise<T | undefined> =>
    cancellation?.unlessCancelled(work) ?? work;
  const files = needed.length > 0 ? await unlessCancelled(fetchAll(deps, needed, cancellation)) : undefined;
  if (needed.length > 0 && !files) return undefined;
  const call = bridge(provider, channel, files ? { ...request, files } : request, model, options);
  if (call.unwritten) {
    await nextTurn();
    const text = JSON.stringify(call.unwritten);
    await nextTurn();
    call.body = Buffer.from(text);
    call.unwritten = undefined;
  }
  const trace = relayCall.trace?.headers ?? traceContext(relayCall.req.headers);
  if (trace) call.headers = { ...call.headers, ...trace };
  const ready = provider.beforeSend
    ? await unlessCancelled(deps.beforeSend(provider, channel, call, cancellation))
    : call;
  if (ready && channel.headerOverride) overrideHeaders(ready, channel, relayCall.req.headers);
  return ready;
}

/**
 * An answer made in the process (the sandbox provider), passed to a handler exactly like an upstream's: piece by
 * piece, with its delays, and pausing on demand.
 */
export class LocalCall implements Controller {
  private readonly answer: LocalAnswer;
  private readonly silenceMs: number;
  private handler: AnswerHandler | undefined;
  private next = 0;
  private timer: NodeJS.Timeout | undefined;
  private isPaused = false;
  /** Paused with a piece that is due: it is delivered on resume. */
  private isWaiting = false;
  private isOver = false;

  /** `silenceMs`: timeout between two pieces, as on a socket; 0 for none. */
  constructor(answer: LocalAnswer, silenceMs: number) {
    this.answer = answer;
    this.silenceMs = silenceMs;
  }

  run(handler: AnswerHandler): void {
    this.handler = handler;
    handler.onRequestStart(this);
    this.schedule(this.answer.headDelayMs, () => {
      handler.onResponseStart(this, this.answer.status, this.answer.headers);
      this.step();
    });
  }

  private schedule(delayMs: number, then: () => void): void {
    // Even without a delay the answer is sent in a later turn of the loop, like an answer from a socket.
    this.timer = setTimeout(() => {
      if (!this.isOver) this.guard(then);
    }, delayMs);
  }

  /** An exception of the handler ends this call, as on HTTP; thrown from a timer it would end the process. */
  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.abort(asError(error));
    }
  }

  private step(): void {
    if (this.isPaused) {
      this.isWaiting = true;
      return;
    }
    const chunk = this.answer.chunks[this.next];
    if (!chunk) return this.finish();
    this.next += 1;
    this.schedule(chunk.delayMs, () => {
      this.handler?.onResponseData(this, chunk.bytes);
      this.step();
    });
  }

  private finish(): void {
    if (this.answer.ending === 'stall') return this.stall();
    if (this.answer.ending === 'cut') return this.abort(new Error('the sandbox cut the answer'));
    this.isOver = true;
    try {
      this.handler?.onResponseEnd();
    } catch (error) {
      this.handler?.onResponseError(this, asError(error));
    }
  }

  private stall(): void {
    if (this.silenceMs <= 0) return;
    this.timer = setTimeout(() => this.abort(new Error('the sandbox fell silent')), this.silenceMs);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.guard(() => this.step());
  }

  abort(reason: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.handler?.onResponseError(this, reason);
  }
}
