import type { RelayErrorName } from '@tollgate/contract/relay-errors';
import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import {
  type BodySizes,
  type RefuseArguments,
  type RequestFacts,
  tableError,
  type Channel,
  type ProtocolId,
  type Endpoint,
  type FetchedModels,
  type RealtimeEndpoint,
} from '../../types/index.ts';
import { boundImage } from './image-tokens.ts';
import { bearer, tidyRerank, callOf } from '../../provider-kit/index.ts';
import { adaptResponses } from './reasoning-effort.ts';
import { geminiEmbeddingsAt } from '../embeddings/index.ts';

/** Paths of the calls of OpenAI's own API; the path of reranking is that of its copies. */
const openaiPaths = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'openai-compact': '/v1/responses/compact',
  'openai-completions': '/v1/completions',
  'openai-embeddings': '/v1/embeddings',
  'openai-moderations': '/v1/moderations',
  // Protocols with several calls: the rest of the path names the call (provider-kit/define-provider.ts).
  'openai-images': '/v1/images',
  'openai-audio': '/v1/audio',
  'cohere-rerank': '/v1/rerank',
} as const satisfies Partial<Record<ProtocolId, string>>;

/** The protocols of OpenAI and of the copies of its API. */
export type OpenaiProtocol = keyof typeof openaiPaths;

/** All protocols of OpenAI's own API, for OpenAI and its resellers. */
export const openaiProtocols = [
  'openai-chat',
  'openai-responses',
  'openai-completions',
  'openai-embeddings',
  'openai-moderations',
  'openai-images',
  'openai-audio',
] as const satisfies readonly OpenaiProtocol[];

const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

/**
 * Joins base address and path. Cloudflare's gateway has the version in another place
 * (docs/compatibility.md#channel-types).
 */
export function joinUrl(channel: Pick<Channel, 'baseUrl'>, path: string, prefix = '/v1'): string {
  const isCut = channel.baseUrl.startsWith(cloudflareGateway) && path.startsWith(prefix);
  return channel.baseUrl + (isCut ? path.slice(prefix.length) : path);
}

interface Differences<Offered extends OpenaiProtocol> {
  /** Paths that are not OpenAI's. */
  paths?: Partial<Record<Offered, string>>;
  /**
   * Changes to bodies (`Endpoint.adapt`), each for its own protocol only: the changes for chat are not made to
   * completions. By default Responses is adapted as OpenAI's.
   */
  adapt?: Partial<Record<Offered, Endpoint['adapt']>>;
  /** Checks of hosted tools (`Endpoint.hosts`), by protocol. */
  hosts?: Partial<Record<Offered, Endpoint['hosts']>>;
  /** Fields for a web search in chats (`Endpoint.search`). */
  search?: JsonObject;
  /** True if reasoning of earlier turns is read in chats (`Endpoint.readsReasoning`). */
  readsReasoning?: boolean;
  /** Calls that are refused in chats (`Endpoint.refuses`). */
  refusesInChats?: Endpoint['refuses'];
  /** Searches of Responses list their pages on request (`Endpoint.namesPages`). */
  namesPages?: true;
}

/**
 * The endpoints of a provider that copies OpenAI's API: one for each protocol in its documentation, and no others. A
 * call in another protocol is refused before anything is sent.
 */
export function openaiEndpoints<Offered extends OpenaiProtocol>(
  offered: readonly Offered[],
  {
    paths = {},
    adapt = {},
    hosts = {},
    search,
    readsReasoning,
    namesPages,
    refusesInChats,
  }: Differences<NoInfer<Offered>> = {},
): Partial<Record<ProtocolId, Endpoint>> {
  const ownPaths: Partial<Record<OpenaiProtocol, string>> = paths;
  const ownAdapt: Partial<Record<OpenaiProtocol, Endpoint['adapt']>> = adapt;
  const ownHosts: Partial<Record<OpenaiProtocol, Endpoint['hosts']>> = hosts;
  const endpoints: Partial<Record<ProtocolId, Endpoint>> = {};
  for (const protocol of offered) {
    const path = ownPaths[protocol] ?? openaiPaths[protocol];
    const change = ownAdapt[protocol] ?? defaultAdapt[protocol];
    endpoints[protocol] = {
      protocol,
      url: (channel, address) => joinUrl(channel, path + callOf(protocol, address.path)),
      ...(change && { adapt: change }),
      ...(ownHosts[protocol] && { hosts: ownHosts[protocol] }),
      ...(search && protocol === 'openai-chat' && { search }),
      ...(readsReasoning !== undefined && protocol === 'openai-chat' && { readsReasoning }),
      ...(refusesInChats && protocol === 'openai-chat' && { refuses: refusesInChats }),
      ...(namesPages && protocol === 'openai-responses' && { namesPages }),
      ...(protocol === 'cohere-rerank' && { rewrite: tidyRerank }),
    };
  }
  const embeddings = endpoints['openai-embeddings'];
  if (embeddings) endpoints['gemini-embeddings'] = geminiEmbeddingsAt(embeddings);
  return endpoints;
}

const defaultAdapt: Partial<Record<OpenaiProtocol, Endpoint['adapt']>> = {
  'openai-responses': adaptResponses,
};

/** GET /v1/models with the key as bearer, or another path. */
export const listModels = (path = '/v1/models'): FetchedModels => ({
  request: (channel) => ({
    url: joinUrl(channel, path),
    headers: bearer(channel),
  }),
  read: (body) => namesIn(body, 'data', 'id'),
});

/** The names in a list of models. */
export function namesIn(body: unknown, list: string, field: string): string[] {
  const entries = isObject(body) ? body[list] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry) => {
    const name = isObject(entry) ? entry[field] : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}

/** The largest bound on tokens that makes sense (docs/compatibility.md#steps-of-a-chat-call: 2^31 / 2). */
const maxTokenBound = 2 ** 30;
const maxChoices = 128;

/** Refuses a body by the name of the broken rule. */
type Refuse = <Name extends RelayErrorName>(name: Name, ...values: RefuseArguments<Name>) => never;
/** Refusals with an endpoint's code and status 400. */
export const refuser =
  (code: string): Refuse =>
  (name, ...[values]) => {
    throw tableError(name, values ?? {}, { code });
  };

const isAbsent = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null;

/** A non-empty text field. */
export function requiredText(body: JsonObject, field: string, no: Refuse): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '') return no('field_required', { field });
  return value;
}

/**
 * A whole number within bounds, or the fallback if the field is absent. Other values are refused, because the number
 * determines amounts of money.
 */
export function wholeNumber(
  body: JsonObject,
  field: string,
  bounds: { least: number; most: number; fallback: number },
  no: Refuse,
): number {
  const value = body[field];
  if (isAbsent(value)) return bounds.fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < bounds.least || value > bounds.most) {
    return no('field_out_of_range', { field, least: bounds.least, most: bounds.most });
  }
  return value;
}

/** `n` or `best_of`: the number of requested answers. */
export const choicesOf = (body: JsonObject, field: string, no: Refuse): number =>
  wholeNumber(body, field, { least: 1, most: maxChoices, fallback: 1 }, no);

/** A bound on output tokens; 0 for none. */
export const tokenBound = (body: JsonObject, field: string, no: Refuse): number =>
  body[field] === -1 ? 0 : wholeNumber(body, field, { least: 0, most: maxTokenBound, fallback: 0 }, no);

/** The request for a stream, and for its usage. */
export function streamOptionsOf(
  body: JsonObject,
  no: Refuse,
): { stream: boolean; wantsStreamUsage: boolean } {
  const { stream, stream_options: options } = body;
  if (!isAbsent(stream) && typeof stream !== 'boolean') return no('field_not_boolean', { field: 'stream' });
  if (!isAbsent(options) && !isObject(options)) return no('field_not_object', { field: 'stream_options' });
  return {
    stream: stream === true,
    wantsStreamUsage: stream === true && isObject(options) && options.include_usage === true,
  };
}

/**
 * Tokens of parts of unknown size (docs/compatibility.md#token-counting); high estimates, because they are for holds.
 */
const partTokens = { audio: 100, file: 5_000 };

/**
 * Input tokens of a body, estimated from its size: about three ASCII characters per token, one for other characters.
 * Rarely too low, because JSON's syntax is counted too. `binaryLength` is the number of base64 characters, which the
 * vendor does not read as text; `partsTokens` is the cost of those parts.
 */
export function estimateInput(sizes: BodySizes, binaryLength = 0, partsTokens = 0): number {
  const textLength = Math.max(0, sizes.charLength - binaryLength);
  // Characters beyond ASCII have two or three bytes in UTF-8, so at least half of the surplus are such characters.
  const beyondAscii = Math.min(textLength, Math.ceil((sizes.byteLength - sizes.charLength) / 1.5));
  return Math.ceil((textLength - beyondAscii) / 3 + beyondAscii) + partsTokens;
}

/** The facts about the input of a conversation. */
export const conversationSize = (
  sizes: BodySizes,
  { binaryLength, tokens, uncounted, isOpen }: MediaSize,
): Pick<RequestFacts, 'estimatedInputTokens' | 'uncountedInputTokens' | 'hasOpenInput'> => ({
  estimatedInputTokens: estimateInput(sizes, binaryLength, tokens),
  ...(uncounted > 0 && { uncountedInputTokens: uncounted }),
  ...(isOpen && { hasOpenInput: true }),
});

/** The facts of a call with a whole answer and no output text: vectors, moderations, reranking. */
export const inputFacts = (model: string, estimatedInputTokens: number): RequestFacts => ({
  model,
  stream: false,
  wantsStreamUsage: false,
  maxOutputTokens: 0,
  estimatedInputTokens,
  choices: 1,
});

/** Characters of base64 in a conversation, and the assumed tokens of its images, sounds and files. */
export interface MediaSize {
  binaryLength: number;
  tokens: number;
  /** Maximum cost beyond the count of the request. */
  uncounted: number;
  /** As `RequestFacts.hasOpenInput`. */
  isOpen: boolean;
}

/** A conversation with text only. */
export const noMedia = (): MediaSize => ({
  binaryLength: 0,
  tokens: 0,
  uncounted: 0,
  isOpen: false,
});

/**
 * Adds an image, by an address, a data URL, or either with its detail; `least` as for `boundImage`. The length of a data
 * URL is not added.
 */
export function addImage(size: MediaSize, image: Json, model: string, least = 0): void {
  const bound = boundImage(image, model, least);
  size.tokens += bound.likely;
  size.uncounted += bound.uncounted;
}

/** Walks over the parts of messages. Texts are not read, so the cost depends on the number of parts. */
export function mediaSize(messages: readonly Json[], model: string): MediaSize {
  const size = noMedia();
  for (const message of messages) {
    const content = isObject(message) ? message.content : undefined;
    if (!Array.isArray(content)) continue;
    for (const part of content) if (isObject(part)) addPart(size, part, model);
  }
  return size;
}

function addPart(size: MediaSize, part: JsonObject, model: string): void {
  if (part.type === 'text') return;
  if (part.image_url !== undefined) {
    const image = isObject(part.image_url) ? part.image_url : { url: part.image_url };
    size.binaryLength += dataLength(image.url);
    addImage(size, image, model);
    return;
  }
  if (isObject(part.input_audio)) {
    size.binaryLength += lengthOf(part.input_audio.data);
    size.tokens += partTokens.audio + Math.ceil(lengthOf(part.input_audio.data) / 1_000);
  } else if (isObject(part.file)) {
    size.binaryLength += lengthOf(part.file.file_data);
    size.tokens += partTokens.file;
  } else if (isObject(part.video_url)) {
    size.binaryLength += dataLength(part.video_url.url);
    size.tokens += partTokens.file;
  } else return;
  size.isOpen = true;
}

const lengthOf = (value: Json | undefined): number => (typeof value === 'string' ? value.length : 0);
/** A data URL's length; an address is part of the text. */
const dataLength = (value: Json | undefined): number =>
  typeof value === 'string' && value.startsWith('data:') ? value.length : 0;

/**
 * Query parameters that are not passed on: our key, and the id of another call at the vendor, which may belong to
 * another caller.
 */
const kept = new Set(['key', 'api_key', 'api-key', 'call_id']);

/**
 * OpenAI's own place for realtime sockets: the caller's query, with the channel's name of the model
 * (docs/compatibility.md#conversions).
 */
export const openaiRealtime: RealtimeEndpoint = {
  url(channel, { model, query }) {
    const asked = new URLSearchParams(query);
    for (const name of new Set(asked.keys())) if (kept.has(name.toLowerCase())) asked.delete(name);
    // A session that only transcribes has its model in its configuration.
    const intent = asked.get('intent');
    // Of several, others could read another one than we do.
    if (intent !== null) asked.set('intent', intent);
    if (intent === 'transcription') asked.delete('model');
    else asked.set('model', model);
    return `${joinUrl(channel, '/v1/realtime')}?${asked.toString()}`;
  },
  keyInProtocol: true,
};
