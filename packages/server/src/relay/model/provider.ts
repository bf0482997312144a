import type { Channel } from './channel.ts';
import type { FetchedFile } from './chat.ts';
import type { LocalAnswer, LocalRequest, SendTools, UpstreamCall } from './call.ts';
import type { Endpoint, RealtimeEndpoint } from './endpoint.ts';
import type { RequestForm } from './form.ts';
import type { JsonObject } from './json.ts';
import type { ProtocolId, RequestFacts } from './protocol.ts';

/** One caller's request, as the relay carries it to a channel. */
export interface RelayRequest {
  /** The caller's language. */
  protocol: ProtocolId;
  requestId: string;
  /** Unix seconds. */
  startedSeconds: number;
  /** Path and query as the caller sent them, e.g. `/v1/chat/completions?api-version=x`. */
  path: string;
  query: string;
  contentType: string;
  accept: string;
  /** Headers of the caller that a protocol may pass on (anthropic-version, anthropic-beta …), lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** The body as it came; forwarded untouched where possible. */
  raw: Buffer;
  /** The body parsed; of a form its text fields. */
  json: JsonObject;
  /** Set where the body is a form. */
  form?: RequestForm | undefined;
  facts: RequestFacts;
  /** Files that the provider needs as data and the gateway fetched (see `filesNeeded`), by their address. */
  files?: ReadonlyMap<string, FetchedFile>;
}

export type { FetchedFile } from './chat.ts';
export type * from './call.ts';
export type * from './endpoint.ts';

/** How a vendor is asked for the models that a key may use. */
export interface FetchedModels {
  /** Where to ask, and how to read the answer. */
  request(channel: Channel): { url: string; headers: Record<string, string> };
  read(body: unknown): string[];
}

/** How a vendor is asked what an account has left. */
export interface BalanceSource {
  /** One or more GETs in turn; each sees the answers before it. Answers null when nothing more is to be asked. */
  next(
    channel: Channel,
    answers: readonly unknown[],
    nowMs: number,
  ): { url: string; headers: Record<string, string> } | null;
  /** The balance in US dollars (or the vendor's currency where wire-facts 5.5 says so). */
  read(answers: readonly unknown[]): number;
}

/** A company's API: a folder under relay/providers and one line in relay/registry.ts. */
export interface Provider {
  /** The stored number of wire-facts 4.1; never reused. */
  readonly type: number;
  /** Folder name, lower-case. */
  readonly id: string;
  readonly name: string;
  /** '' when the operator must give one. */
  readonly baseUrl: string;
  /** What the console says about the key's format and the extra field. */
  readonly hints: ProviderHints;
  /** `owned_by` of its models in /v1/models (wire-facts C). */
  readonly ownedBy: string;
  readonly models: readonly string[];
  /** Headers that carry the key, and others it always wants. */
  headers(channel: Channel): Record<string, string>;
  /** Words that no caller may read, should the upstream repeat them; the whole key where it is absent. */
  readonly secrets?: (channel: Channel) => readonly string[];
  readonly endpoints: Partial<Record<ProtocolId, Endpoint>>;
  /** Where it has realtime sockets; absent where it has none. */
  readonly realtime?: RealtimeEndpoint;
  /** Chat languages in the order in which callers of another one are translated to them; by default chat first. */
  readonly translateTo?: readonly ProtocolId[];
  /** True when it understands `stream_options.include_usage` (wire-facts 5.3 list); otherwise the field is dropped. */
  readonly streamUsage: boolean;
  /**
   * What has to be done between writing a call and sending it: signing, exchanging the key for a token, uploading a
   * file. Answers the call to send. Throws RelayError, with the channel to blame where its key or vendor failed.
   */
  readonly beforeSend?: (
    call: UpstreamCall,
    channel: Channel,
    tools: SendTools,
  ) => UpstreamCall | Promise<UpstreamCall>;
  /** False for the types that have no chat-like call to test (2, 5, 36). */
  readonly testable: boolean;
  /** Answers in the process instead of over the network. */
  readonly local?: (request: LocalRequest) => LocalAnswer;
  readonly fetchModels?: FetchedModels;
  readonly balance?: BalanceSource;
}

/** Words that no caller of a channel may read. */
export const secretsOf = ({ secrets }: Provider, channel: Channel): readonly string[] =>
  secrets ? secrets(channel) : [channel.key];

/** What an operator has to know of a channel's fields, in English; the console has the other languages. */
export interface ProviderHints {
  /** Format of the key, e.g. `AppId|SecretId|SecretKey`; '' for a single key. */
  key: string;
  /** Meaning of the extra field `other`; '' when unused. */
  other: string;
}
