import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { applyModelMapping, bridge, filesNeeded, limitsUses, protocolFor } from '../../relay/bridge.ts';
import {
  type Channel,
  type ProtocolId,
  type Provider,
  type RelayError,
  type RelayOptions,
  type RelayRequest,
  type UpstreamCall,
  refuse,
} from '../../relay/types/index.ts';
import type { BeforeSend } from './before-send.ts';
import { fetchAll, type FetchAllDeps } from './fetch-all.ts';
import type { Cancellation, RelayCall } from '../call/index.ts';
import { traceContext } from '../../lib/request-id.ts';

export interface PrepareDeps extends FetchAllDeps {
  provider(type: number): Provider | undefined;
  options(): RelayOptions;
  beforeSend: BeforeSend;
  /** Fields for Tollgate that are removed from the body (the playground's `group`). */
  strip(relayCall: RelayCall): RelayCall;
  missing: MissingProtocols;
}

/** An answer is believed for an hour: servers are updated. */
const missingMs = 3_600_000;
const maxMissing = 10_000;

/** The protocols whose paths the servers of channels do not have. */
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

/** Words of a 404 about something that a path leads to, instead of the path. */
const aboutMore =
  /\bmodels?\b|no endpoints|deployment|engine|with id|\bitem\b|tool|container|conversation|prompt/i;

function isPathMissing({ status, code, message }: RelayError, model: string): boolean {
  if (status === 405 || status === 501) return true;
  return status === 404 && code !== 'model_not_found' && !message.includes(model) && !aboutMore.test(message);
}

/**
 * Set if a call failed because the channel's server has no such path, and the same request can go on in another protocol:
 * from now on it does, for all requests of the channel. The function takes that back, for a server that has no other path
 * either at the moment. Every server has chats: a 404 of theirs is about something else.
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

const header = (relayCall: RelayCall, name: string): string => {
  const value = relayCall.req.headers[name];
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
};

/** A caller's request in the relay's types. */
function relayRequest(relayCall: RelayCall): RelayRequest {
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

/** True if a channel's vendor is told the limit of uses of tools of a call, or gets none of the tools. */
export function canLimitUses(
  { options, provider: providerOf }: Pick<PrepareDeps, 'options' | 'provider'>,
  relayCall: RelayCall,
  channel: Channel,
): boolean {
  const provider = providerOf(channel.type);
  return provider !== undefined && limitsUses(provider, channel, relayRequest(relayCall), options());
}

/**
 * Creates the upstream call of a relay call for a channel: model mapped, files fetched if the provider needs them as
 * data, call signed. Undefined if the request ended during a wait.
 */
export async function prepareCall(
  deps: PrepareDeps,
  relayCall: RelayCall,
  channel: Channel,
  cancellation?: Pick<Cancellation, 'signal' | 'unlessCancelled'>,
): Promise<UpstreamCall | undefined> {
  const provider = deps.provider(channel.type);
  if (!provider) throw refuse('channel_type_unknown', { type: channel.type });
  const request = relayRequest(deps.strip(relayCall));
  const model = applyModelMapping(channel.modelMapping, relayCall.facts.model);
  const options = deps.options();
  const needed = filesNeeded(provider, channel, request, model, options);
  // Whether the request has ended is checked only where something is waited for, because the check costs 2 % of a
  // call.
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
  return provider.beforeSend ? unlessCancelled(deps.beforeSend(provider, channel, call, cancellation)) : call;
}
