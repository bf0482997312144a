import { AppError, type ChannelDraft, type PreviewPath } from '@tollgate/contract';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { redact } from '../../lib/scrub.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import type { Channel, ProtocolId, RelayRequest, UpstreamCall } from '../../relay/types/index.ts';
import type { RoutedChannel } from '../../services/calls/channels/index.ts';
import { testModelOf } from './request.ts';

export interface PreviewDeps {
  /** A channel as a form describes it, which is not stored. */
  draft(form: ChannelDraft): Promise<RoutedChannel>;
  /** Writes the call of a request, without the network steps of the provider. Throws RelayError. */
  write(request: RelayRequest, channel: Channel, caller: Readonly<Record<string, string>>): UpstreamCall;
}

/** The preview; `request` is JSON text, '' for a short chat. */
export interface PreviewOrder {
  model: string;
  path: PreviewPath;
  request: string;
}

/** A request as it would be sent. */
export interface Preview {
  url: string;
  headers: Record<string, string>;
  body: string;
  left_out: string[];
}

const protocolOf: Readonly<Record<PreviewPath, ProtocolId>> = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/messages': 'anthropic-messages',
  '/v1/responses': 'openai-responses',
  '/v1/embeddings': 'openai-embeddings',
  '/v1/images/generations': 'openai-images',
};

const samples: Readonly<Record<PreviewPath, JsonObject>> = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'Hello' }] },
  '/v1/messages': { max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] },
  '/v1/responses': { input: 'Hello' },
  '/v1/embeddings': { input: ['Hello'] },
  '/v1/images/generations': { prompt: 'a circle' },
};

/**
 * The request that a form's channel would send for a sample. Nothing is sent, and no secret is shown. Throws the errors
 * of `draft`, and RelayError for a request that the channel cannot serve.
 */
export async function previewRequest(
  deps: PreviewDeps,
  form: ChannelDraft,
  { model, path, request }: PreviewOrder,
): Promise<Preview> {
  const routed = await deps.draft(form);
  const { channel } = routed;
  const given = request.trim() === '' ? samples[path] : readSample(request);
  const json: JsonObject = { model: testModelOf(routed, model), ...given };
  const call = deps.write(sampleRequest(path, json), channel, callerOf(channel));
  const hide = (text: string): string => redact(text, [...call.secrets, channel.key]);
  return {
    url: hide(call.url),
    headers: Object.fromEntries(Object.entries(call.headers).map(([name, value]) => [name, hide(value)])),
    body: hide(call.body.toString('utf8')),
    left_out: [...call.dropped],
  };
}

function readSample(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new AppError('channel_json_invalid', { field: 'request' }, cause);
  }
  throw new AppError('channel_json_not_object', { field: 'request' });
}

function sampleRequest(path: PreviewPath, json: JsonObject): RelayRequest {
  const raw = Buffer.from(JSON.stringify(json));
  const sizes = { byteLength: raw.length, charLength: raw.length };
  return {
    protocol: protocolOf[path],
    requestId: 'preview',
    startedSeconds: 0,
    path,
    query: '',
    contentType: 'application/json',
    accept: 'application/json',
    headers: {},
    raw,
    json,
    facts: callerProtocol(protocolOf[path])!.inbound.readFacts(json, sizes),
  };
}

/** Placeholder for the caller's headers that the channel's headers use. */
const callerOf = ({ headerOverride }: Channel): Record<string, string> =>
  Object.fromEntries(
    (headerOverride?.sets ?? []).flatMap(({ ofCaller }) => (ofCaller ? [[ofCaller, `(${ofCaller})`]] : [])),
  );
