import {
  type Channel,
  type LocalConversation,
  type Provider,
  type RelayOptions,
  refuse,
} from '../types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { applyModelMapping } from '../outgoing.ts';

/** The content of a caller's handshake. */
export interface RequestedSocket {
  /** The model as the caller named it. */
  model: string;
  path: string;
  query: string;
  /** Sub-protocols in the caller's order, keys among them. */
  protocols: readonly string[];
  /** The caller's header `OpenAI-Beta`; '' for none. */
  beta: string;
  /** The configuration that the session begins with; absent for that of the vendor. */
  session?: JsonObject;
  /** Set for a session that only transcribes. */
  transcribes?: boolean;
  /** The first message of a session of Gemini Live; absent for other sessions. */
  setup?: JsonObject;
}

/** A handshake ready to be sent. */
export interface UpstreamHandshake {
  url: string;
  headers: Record<string, string>;
  protocols: readonly string[];
  /** The model name sent upstream. */
  upstreamModel: string;
  /** Set if the provider holds the conversation in the process. */
  local?: LocalConversation;
  /** Sent before the session is open; absent if the handshake opens it. */
  setup?: Buffer;
}

/** The sub-protocol of the API itself; others beside it contain keys and versions. */
const realtimeProtocol = 'realtime';
const keyPrefix = 'openai-insecure-api-key.';
const betaProtocol = 'openai-beta.realtime-v1';

/** The sub-protocol of the answer: the API's own, otherwise the first that is not secret; '' without one. */
export function chooseProtocol(asked: readonly string[]): string {
  if (asked.includes(realtimeProtocol)) return realtimeProtocol;
  return asked.find((each) => !each.startsWith(keyPrefix)) ?? '';
}

/**
 * The handshake for a channel. If the caller sent sub-protocols, the channel's key replaces the caller's in them,
 * because some servers then look for a key only there; otherwise it is in the headers. The older form of the API is
 * requested only if the caller requests it. Throws RelayError if this provider has no sockets.
 */
export function writeHandshake(
  provider: Provider,
  channel: Channel,
  asked: RequestedSocket,
  options: RelayOptions,
): UpstreamHandshake {
  const { realtime, liveUrl } = provider;
  const model = applyModelMapping(channel.modelMapping, asked.model);
  if (asked.setup && liveUrl)
    return {
      url: liveUrl(channel, asked.path),
      headers: provider.headers(channel),
      protocols: [],
      upstreamModel: model,
      setup: Buffer.from(JSON.stringify({ setup: { ...asked.setup, model: `models/${model}` } })),
    };
  if (asked.setup || !realtime) throw refuse('channel_without_sockets', { provider: provider.name });
  const url = realtime.url(channel, { model, path: asked.path, query: asked.query, stream: true, options });
  const isBeta = asked.beta.includes('realtime=v1') || asked.protocols.includes(betaProtocol);
  const headers = provider.headers(channel);
  if (asked.protocols.length === 0 || !realtime.keyInProtocol) {
    return {
      ...(realtime.converse && { local: realtime.converse(model) }),
      url,
      headers: { ...headers, ...(isBeta && { 'openai-beta': 'realtime=v1' }) },
      protocols: [],
      upstreamModel: model,
    };
  }
  const { authorization: _, ...others } = headers;
  const ofKey = channel.key === '' ? [] : [keyPrefix + channel.key];
  const protocols = [realtimeProtocol, ...ofKey, ...(isBeta ? [betaProtocol] : [])];
  return { url, headers: others, protocols, upstreamModel: model };
}

/** The event that gives a session its configuration; the model is that of the handshake. */
export function sessionUpdate(configuration: JsonObject): Buffer {
  const { model: _, ...session } = configuration;
  return Buffer.from(JSON.stringify({ type: 'session.update', session }));
}
