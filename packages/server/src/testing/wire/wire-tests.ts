import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Usage, usageOf } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { bridge } from '../../relay/bridge.ts';
import { callerProtocol, protocols } from '../../relay/protocols.ts';
import { defineProvider } from '../../relay/provider-kit/index.ts';
import { type Channel, type ProtocolId, type Provider, RelayError } from '../../relay/types/index.ts';
import type { UpstreamCall } from '../../relay/types/index.ts';
import { type JsonObject, objectOf, objectsIn, parseObject } from '../../lib/json.ts';
import {
  buildChannel,
  buildRequest,
  buildTranscription,
  feed,
  relayOptions,
} from '../protocols/build-relay.ts';

/** Particulars of a provider from `fixtures/conformance.json` in its folder. All are optional. */
interface Particulars {
  /** A key with several parts; `test-channel-key` replaces the secret. */
  key?: string;
  /** The key itself is in no call: it signs the call, or is exchanged for a token first. */
  keyIsSpent?: true;
  protocols?: Partial<Record<ProtocolId, ProtocolParticulars>>;
}
/** Particulars of one protocol of a provider. */
export interface ProtocolParticulars {
  /** Address of this protocol, if it is not at the provider's own address. */
  baseUrl?: string;
  /** Prefix of model names, if only one family is offered. */
  family?: string;
  /** The service transcribes audio and has no speech output. */
  hears?: true;
  /** Requests contain no model; the service behind the channel determines it. */
  bringsItsModel?: true;
  /** The request field for the model; default `model`. */
  namesModelAs?: string;
  /** The call goes to an address of the vendor that is not the channel's. */
  isElsewhere?: true;
}

/** Reads the particulars of a provider; empty if its folder declares none. */
export function particularsOf({ id }: Pick<Provider, 'id'>): Particulars {
  const file = join(import.meta.dirname, '../../relay/providers', id, 'fixtures/conformance.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Particulars) : {};
}

/** A small request in each caller protocol. Every provider with that protocol accepts it. */
export const sampleRequests: Partial<Record<ProtocolId, JsonObject>> = {
  'anthropic-messages': {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  },
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true },
  'openai-completions': { model: 'm', prompt: 'hi' },
  'openai-embeddings': { model: 'm', input: 'hi' },
  'openai-moderations': { input: 'hi' },
  'openai-images': { model: 'm', prompt: 'hi' },
  'openai-audio': { model: 'm', input: 'hi' },
  'cohere-rerank': { model: 'm', query: 'hi', documents: ['hi'] },
  'openai-responses': { model: 'm', input: 'hi', stream: true },
  'openai-compact': { model: 'm', input: 'hi' },
  gemini: { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }], stream: true },
  'gemini-embeddings': { model: 'm', content: { parts: [{ text: 'hi' }] } },
  'gemini-predict': { model: 'm', instances: [{ prompt: 'hi' }] },
};

/** One call of a provider, and the vendor's answer in `fixtures`. */
export interface WireCall {
  /** The caller's protocol. */
  asked: ProtocolId;
  /** The caller's path, for protocols with several calls. */
  path?: string;
  model?: string;
  /** Additional fields of the caller's body. */
  body?: JsonObject;
  channel?: Partial<Channel>;
  url: string;
  /** A subset of the sent headers. Default: the key as a bearer token. */
  headers?: Readonly<Record<string, string>>;
  /** A subset of the sent fields. */
  sent?: JsonObject;
  /** The file with the answer; `.sse` and `.ndjson` are streams, `.json` is a complete answer. */
  answer: string;
  /** Part of the caller's answer. */
  shown?: string;
  /** Usage in the vendor's report; 'counted here' if it reports none. */
  usage: Partial<Usage> | 'counted here';
}

/** Calls of a provider, with answers in the folder's `fixtures`. */
export interface WireTests {
  folder: string;
  channel?: Partial<Channel>;
  calls: readonly WireCall[];
  /** Every caller protocol that the provider supports for no model. Calls are rejected before anything is sent. */
  refused: readonly ProtocolId[];
}

/** Makes the provider's call for a small request. Throws RelayError if it is not supported. */
export function callOn(
  provider: Provider,
  asked: ProtocolId,
  { channel, model = 'm', body, path }: Partial<WireCall> = {},
): UpstreamCall {
  const request =
    path?.endsWith('/transcriptions') === true
      ? buildTranscription(Buffer.from('RIFF'))
      : buildRequest(asked, { ...sampleRequests[asked], ...body });
  const baseUrl = provider.baseUrl || 'https://own.test';
  const named = buildChannel({ type: provider.type, baseUrl, ...channel });
  return bridge(provider, named, { ...request, ...(path !== undefined && { path }) }, model, relayOptions);
}

/** JSON body of a call. */
export const sentBy = (call: UpstreamCall): JsonObject => JSON.parse(call.body.toString()) as JsonObject;

/** Checks a provider against its fixtures: its requests, the usage and content of its answers, and its rejections. */
export function describeWire(provider: Provider, { folder, channel = {}, calls, refused }: WireTests): void {
  describeAnswers(provider, folder, calls, channel);
  test(`what ${provider.id} does not offer is refused before anything is sent`, () => {
    const callers = Object.keys(protocols).filter((id) => callerProtocol(id as ProtocolId));
    const unable = callers.filter((id) => isRefused(provider, id as ProtocolId, channel));
    expect(unable.toSorted()).toEqual([...refused].toSorted());
  });
}

/** The part of `describeWire` for calls and answers. */
export function describeAnswers(
  provider: Provider,
  folder: string,
  calls: readonly WireCall[],
  channel: Partial<Channel> = {},
): void {
  test.each(calls.map((call) => [provider.id, call.asked, call.answer, call] as const))(
    '%s, called in %s, is answered by %s',
    (_id, asked, answer, call) => {
      const made = callOn(provider, asked, { ...call, channel: { ...channel, ...call.channel } });
      expect(made.url).toBe(call.url);
      expect(made.headers).toMatchObject(call.headers ?? { authorization: 'Bearer test-channel-key' });
      expect(call.sent ? sentBy(made) : {}).toMatchObject(call.sent ?? {});
      const bytes = readFileSync(join(folder, 'fixtures', answer));
      proveAnswer(made, call, bytes);
      const type = types[extname(answer)]!;
      if (asked === 'openai-chat' && extname(answer) !== '.json' && isWrittenHere(provider, type))
        proveOnce(made, type, bytes);
    },
  );
}

function isRefused(provider: Provider, asked: ProtocolId, channel: Partial<Channel>): boolean {
  const { family = '' } = particularsOf(provider).protocols?.[asked] ?? {};
  try {
    callOn(provider, asked, { channel, model: `${family}m` });
    return false;
  } catch (error) {
    return error instanceof RelayError && error.code === 'invalid_api_type';
  }
}

/** Content-Type of an answer, by its file extension. */
const types: Readonly<Record<string, string>> = {
  '.sse': 'text/event-stream',
  '.ndjson': 'application/x-ndjson',
  '.json': 'application/json',
};

/** An answer ends the same in one piece, byte by byte and in pieces of 7. A truncated answer never ends well. */
function proveAnswer(made: UpstreamCall, { answer, shown, usage }: WireCall, bytes: Buffer): void {
  const type = types[extname(answer)]!;
  const ended = (size: number) => {
    const { passed, end } = feed(made.openPipe(200, type), piecesOf(bytes, size));
    return { end, given: Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).toString('latin1') };
  };
  const whole = ended(bytes.length);
  expect(whole.end).toMatchObject({ outcome: 'complete', error: undefined });
  // The vendor's own cost is not a count.
  expect(whole.end.usage && { ...whole.end.usage, reportedCost: undefined }).toEqual(
    usage === 'counted here' ? undefined : usageOf(usage),
  );
  expect(Buffer.from(whole.given, 'latin1').toString()).toContain(shown ?? '');
  for (const size of [1, 7]) {
    const cut = ended(size);
    expect([size, cut.end.outcome, cut.end.usage]).toEqual([size, 'complete', whole.end.usage]);
    expect(cut.given.length).toBe(whole.given.length);
  }
  const torn = feed(made.openPipe(200, type), [bytes.subarray(0, bytes.length / 2)], true);
  expect(torn.end.outcome).not.toBe('complete');
}

/** True if Tollgate writes the chunks of a stream. Chunks of a vendor with the same protocol pass unchanged. */
function isWrittenHere({ endpoints: { 'openai-chat': chat } }: Provider, type: string): boolean {
  const asked = { model: 'm', requestId: 'r', startedSeconds: 0 };
  return chat === undefined || chat.unframe?.(type, [], asked) !== undefined;
}

/** Clients join the pieces of a message: a role, and the id and name of a call, must occur once. */
function proveOnce(made: UpstreamCall, type: string, bytes: Buffer): void {
  const { passed } = feed(made.openPipe(200, type), [bytes]);
  const deltas = passed
    .toString()
    .split('\n\n')
    .map((event) => objectOf(objectsIn(parseObject(event.replace(/^data: /, ''))?.choices)[0]?.delta));
  const calls = deltas.flatMap(({ tool_calls: called }) => objectsIn(called));
  expect(deltas.filter(({ role }) => role !== undefined)).toHaveLength(1);
  for (const index of new Set(calls.map((call) => call.index))) {
    const heads = calls.filter(
      (call) => call.index === index && (call.id !== undefined || objectOf(call.function).name !== undefined),
    );
    expect(heads).toHaveLength(1);
  }
}

function piecesOf(body: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return pieces;
}

/** Address of a plain provider. */
export const plainUrl = 'https://plain.test/call';

/** A provider with one protocol and no special features, for tests of protocols. */
export const plainProvider = (protocol: ProtocolId): Provider =>
  defineProvider({
    type: 0,
    id: protocol,
    name: protocol,
    baseUrl: 'https://plain.test',
    endpoints: { [protocol]: { protocol, url: () => plainUrl } },
    translateTo: [protocol],
    streamUsage: true,
  });
