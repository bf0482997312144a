import type { Words } from '@tollgate/contract';
import { type Channel, unsavedChannel } from './channel.ts';
import type { FetchedFile } from './chat.ts';
import type { LocalAnswer, LocalRequest, SendTools, UpstreamCall } from './call.ts';
import type { Endpoint, RealtimeEndpoint } from './endpoint.ts';
import type { RequestForm } from './form.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { RequestFacts } from './protocol.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';
import type { ProviderTasks } from './task.ts';

/** One caller's request to a channel. */
export interface RelayRequest {
  /** The caller's protocol. */
  protocol: ProtocolId;
  requestId: string;
  /** Unix seconds. */
  startedSeconds: number;
  /** Path and query from the caller, e.g. `/v1/chat/completions?api-version=x`. */
  path: string;
  query: string;
  contentType: string;
  accept: string;
  /** Headers of the caller that a protocol may pass on (anthropic-version, anthropic-beta …), lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** The received body; forwarded unchanged if possible. */
  raw: Buffer;
  /** The body parsed; of a form its text fields. */
  json: JsonObject;
  /** Set if the body is a form. */
  form?: RequestForm | undefined;
  facts: RequestFacts;
  /** Files that the provider needs as data and the gateway fetched (see `filesNeeded`), by their address. */
  files?: ReadonlyMap<string, FetchedFile>;
}

/** The request and reader for the models of a key. */
export interface FetchedModels {
  /** Address, and reader of the answer. */
  request(channel: Channel): { url: string; headers: Record<string, string> };
  read(body: unknown): string[];
}

/** The requests and reader for the balance of an account. */
export interface BalanceSource {
  /** GETs in sequence; each sees the answers before it. Returns null after the last one. */
  next(
    channel: Channel,
    answers: readonly unknown[],
    nowMs: number,
  ): { url: string; headers: Record<string, string> } | null;
  /** The balance in US dollars (or the vendor's currency, by docs/compatibility.md#automatic-disabling). */
  read(answers: readonly unknown[]): number;
}

/** The vendor that shaped the calls about files; `caches` for content that Google caches. */
export type FilesApi = 'openai' | 'anthropic' | 'gemini' | 'caches' | 'containers';

/** A provider's batches: many calls in one, answered within a day at a lower price. */
export interface BatchesApi {
  api: Exclude<FilesApi, 'caches' | 'containers'>;
  /** Their address, with a path behind it. */
  url(channel: Channel, behind: string): string;
  /** The address of a new one with calls of a protocol, if it is another one. */
  createUrl?(channel: Channel, model: string, protocol: ProtocolId | undefined): string;
  /** The vendor's price of a call in a batch, relative to the call. */
  priceFactor: number;
  /** The vendor's name of a call in a batch, by the path of callers; absent if it is the same. */
  pathOf?(path: string): string;
  /** The model in the body of an item; absent if it is that of any call. */
  modelOf?(channel: Channel, model: string): string;
}

/** A company's API: a folder under relay/providers and one line in relay/registry.ts. */
export interface Provider {
  /** The stored number of docs/compatibility.md#channel-types; never reused. */
  readonly type: number;
  /** Folder name, lower-case. */
  readonly id: string;
  /** The vendor's name in each language. */
  readonly name: Words;
  /** '' if the operator must enter one. */
  readonly baseUrl: string;
  /** Hints in the console about the key's format, the extra field and the address. */
  readonly hints: ProviderHints;
  /** `owned_by` of its models in /v1/models (docs/compatibility.md#default-model-lists). */
  readonly ownedBy: string;
  readonly models: readonly string[];
  /** Headers with the key, and others for every call. */
  headers(channel: Channel): Record<string, string>;
  /**
   * The origins that receive the key or its token. Absent if this is only the base address's origin. A channel keeps
   * its stored key only while they stay the same.
   */
  readonly keyOrigins?: (place: KeyPlace) => readonly string[];
  /** Texts that must never reach a caller; absent for the whole key. */
  readonly secrets?: (channel: Channel) => readonly string[];
  readonly endpoints: Partial<Record<ProtocolId, Endpoint>>;
  /** Its realtime sockets, if any. */
  readonly realtime?: RealtimeEndpoint;
  /** The address of its sessions of Gemini Live, for a caller's path; absent without any. */
  readonly liveUrl?: (channel: Channel, path: string) => string;
  /** Chat protocols in the order in which callers of another one are translated to them; by default chat first. */
  readonly translateTo?: readonly ProtocolId[];
  /**
   * False leaves out `stream_options`, which the vendor refuses (docs/compatibility.md#steps-of-a-chat-call). A channel can
   * turn it off for its server.
   */
  readonly streamUsage: boolean;
  /**
   * Runs between writing and sending a call: signs it, exchanges the key for a token, uploads a file. Returns the call to
   * send. Throws RelayError, with blame on the channel if its key or vendor failed.
   */
  readonly beforeSend?: (
    call: UpstreamCall,
    channel: Channel,
    tools: SendTools,
  ) => UpstreamCall | Promise<UpstreamCall>;
  /**
   * True for the vendor's refusal of a token (`SendTools.token`). The token is then discarded, and the call is made once
   * more with a new one.
   */
  readonly refusesToken?: (error: RelayError) => boolean;
  /** Checks the text of a channel's extra field before it is stored; absent if any is valid. */
  readonly faultIn?: (other: string) => FieldFault | undefined;
  /** True for a closed vendor: channels may be kept, and nothing is sent to them. */
  readonly isClosed?: true;
  /** False for the types that have no chat-like call to test (2, 5, 36). */
  readonly testable: boolean;
  /** Answers in the process instead of over the network. */
  readonly local?: (request: LocalRequest) => LocalAnswer;
  /** Its tasks, if any. */
  readonly tasks?: ProviderTasks;
  /** The files that it keeps for callers; absent without any. */
  readonly files?: {
    api: FilesApi;
    /** Their address, with a path behind it. */
    url(channel: Channel, behind: string): string;
    /** The address of uploads, if it is another one. */
    uploadUrl?(channel: Channel): string;
  };
  /** Its batches of calls; absent without any. */
  readonly batches?: BatchesApi;
  /** True for a server of tools (Model Context Protocol): the models of its channels are tools, and no model is behind it. */
  readonly isToolServer?: true;
  /** The address of its containers for code, with a path behind it; absent without any. */
  readonly containersUrl?: (channel: Channel, behind: string) => string;
  /** The address of content that it caches on request, with a path behind it; absent if it does not. */
  readonly cachesUrl?: (channel: Channel, behind: string) => string;
  readonly fetchModels?: FetchedModels;
  readonly balance?: BalanceSource;
}

/** The reason why a field's text is invalid: no JSON, no object, or a member without effect or of the wrong type. */
export type FieldFault =
  | { code: 'channel_json_invalid' | 'channel_json_not_object' }
  | { code: 'channel_member_idle'; member: string }
  | { code: 'channel_member_type'; member: string; kind: Words };

/** The fields of a channel that determine the receiver of its key. */
export type KeyPlace = Pick<Channel, 'baseUrl' | 'other'>;

/** The origin of an address; the text itself if it is not an address. */
export const originOf = (address: string): string => URL.parse(address)?.origin ?? address;

/** The origins that a channel of this provider sends its key to. */
export const keyOriginsOf = (
  { keyOrigins }: Pick<Provider, 'keyOrigins'>,
  place: KeyPlace,
): readonly string[] => (keyOrigins ? keyOrigins(place) : [originOf(place.baseUrl)]);

/** Default options of a site. */
const usualOptions = {
  forceStreamUsage: true,
  passThroughBody: false,
  azureApiVersion: '',
  geminiMaxImages: -1,
  settings: {},
};

/** The paths that a provider's calls add to the base address. */
function addedPaths(
  { endpoints, fetchModels }: Pick<Provider, 'endpoints' | 'fetchModels'>,
  fields: Pick<Channel, 'type' | 'other'>,
): string[] {
  const baseUrl = 'https://base.invalid';
  const channel = unsavedChannel({ ...fields, key: '', baseUrl });
  const address = { model: 'm', path: '', query: '', stream: false, options: usualOptions };
  const calls = Object.values(endpoints).map((endpoint) => () => endpoint.url(channel, address));
  // Vendors with only tasks have no other call here.
  const urls = calls.length > 0 ? calls : [() => fetchModels?.request(channel).url ?? ''];
  return urls.flatMap((url) => {
    try {
      const full = url();
      return full.startsWith(baseUrl) ? [full.slice(baseUrl.length).replace(/[?#].*/, '')] : [];
    } catch {
      // Without a key or a region some calls have no address.
      return [];
    }
  });
}

/** The beginning of a path up to its version, and the rest. */
const versionedPath = /^((?:\/[^/]+)*?\/v\d\w*)(\/.*)?$/;

/** True if the end of an address begins within `https://host`: its slash is the second of the scheme. */
const isInHost = (address: string, end: string): boolean =>
  /^[a-z]+:\/$/i.test(address.slice(0, address.length - end.length));

/**
 * A base address without the beginning of a path that the calls add themselves, at least up to its version: `/v1`,
 * `/v1/chat/completions`. Documentation of vendors shows both as the address, but a call with a repeated path is not
 * found.
 */
export function withoutCallPath(
  provider: Pick<Provider, 'endpoints' | 'fetchModels'> | undefined,
  { baseUrl, ...fields }: Pick<Channel, 'type' | 'baseUrl' | 'other'>,
): string {
  if (!provider) return baseUrl;
  const ends = addedPaths(provider, fields).flatMap((path) => {
    const [, version, rest = ''] = versionedPath.exec(path) ?? [];
    if (version === undefined) return [];
    const steps = rest.split('/').slice(1);
    return [version, ...steps.map((_, index) => `${version}/${steps.slice(0, index + 1).join('/')}`)];
  });
  const longest = ends
    .filter((end) => baseUrl.endsWith(end) && !isInHost(baseUrl, end))
    .reduce((one, other) => (other.length > one.length ? other : one), '');
  return baseUrl.slice(0, baseUrl.length - longest.length).replace(/\/+$/, '');
}

/** Secret texts of a channel. None without a key, because every text contains an empty one. */
export const secretsOf = ({ secrets }: Provider, channel: Channel): readonly string[] =>
  secrets ? secrets(channel) : channel.key === '' ? [] : [channel.key];

/** Hints for a channel's fields, in both languages; null without one. */
interface ProviderHints {
  /** Format of the key, e.g. `AppId|SecretId|SecretKey`. */
  key: Words | null;
  /** Meaning of the extra field `other`; null hides the field. */
  other: Words | null;
  /** Form of the address, if more than the host differs. */
  address: AddressHint | null;
}

/** Hint for a channel's address. */
export interface AddressHint {
  /** An example address. */
  placeholder: string;
  meaning: Words;
}
