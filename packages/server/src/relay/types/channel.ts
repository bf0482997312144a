import type { JsonObject } from '../../lib/json.ts';
import type { HeaderOverride } from './header-override.ts';

/** A configured account at a provider, as the relay needs it: parsed once when the channel list is loaded. */
export interface Channel {
  id: number;
  name: string;
  /** The provider's number (docs/compatibility.md#channel-types). */
  type: number;
  /** For a channel with several keys: the key of the attempt, or the first enabled key. */
  key: string;
  /** Identifies `key` among several; absent for a channel with one key, and until one is chosen. */
  chosenKey?: ChannelKey;
  /** Present for a channel with several keys, until one of them is chosen. */
  keys?: ChannelKeys;
  /** Without trailing slash; the provider's default when the row has none. */
  baseUrl: string;
  /** The provider's extra field: API version, region, account id (docs/compatibility.md#channel-selection). */
  other: string;
  /** OpenAI-Organization header; '' for none. */
  organization: string;
  /** Longer requests use another channel if there is one; 0 for any length. */
  maxInputTokens: number;
  /** Requested model → upstream model; chains are resolved during mapping. */
  modelMapping: Readonly<Record<string, string>>;
  /**
   * Set if the channel serves a call to another model without channels: the model that serves it and determines its
   * price.
   */
  standsInAs?: string;
  /** Set if the channel serves a call in a further group of a key of the group auto: that group, which is billed. */
  inGroup?: string;
  /** Upstream status → status shown, as text. */
  statusCodeMapping: Readonly<Record<string, string>>;
  /** Top-level keys that replace the caller's, and operations (docs/compatibility.md#steps-of-a-chat-call). */
  paramOverride: JsonObject | null;
  headerOverride?: HeaderOverride | null;
  setting: ChannelSetting;
  /** Absent for a channel without limits, the usual case. */
  limits?: ChannelLimits;
  autoBan: boolean;
  priority: number;
  weight: number;
  /** Unix seconds; Azure cuts dots from model names only for old channels. */
  createdTime: number;
}

/** One of several keys of a channel. */
export interface ChannelKey {
  /** Derived from the key: the same in all processes. No other channel has it. */
  id: string;
  /** A few characters, for administrators. */
  hint: string;
}

/** Limits of calls; 0 for none. */
export interface CallLimits {
  /** Requests and tokens a minute. */
  requests: number;
  tokens: number;
  /** Calls at once. */
  calls: number;
  /** US dollars a day (UTC). */
  dollars: number;
}

export interface ChannelLimits {
  /** Of all calls on the channel. */
  channel?: CallLimits | undefined;
  /** Of the calls with the chosen key. */
  key?: CallLimits | undefined;
  /** Time for which a call waits in ms, if no other channel takes it. */
  waitMs: number;
}

/** The choice of one of several keys for a call. */
interface ChannelKeys {
  mode: string;
  /** The channel with each enabled key. */
  usable: readonly Channel[];
}

/**
 * Instructions of a channel, and their effect on the caller's own: the caller's are kept alone, follow after them, or
 * are omitted.
 */
export interface SystemPrompt {
  text: string;
  place: 'if-none' | 'before' | 'instead';
}

/** The channel's `setting` JSON. Members without an effect are refused when it is saved; older ones stay in the row. */
export interface ChannelSetting {
  /** Answers are rewritten in strict OpenAI form. */
  forceFormat: boolean;
  /** Reasoning becomes `<think>` text. */
  thinkingToContent: boolean;
  /** http, https, socks5 or socks5h URL; '' for none. */
  proxy: string;
  /** The request body is forwarded unchanged. */
  passThroughBody: boolean;
  /** After the caller disconnects, the answer is read on to obtain the usage. */
  drain: boolean;
  /** `stream_options` is never sent: the server refuses it. */
  noStreamUsage: boolean;
  systemPrompt?: SystemPrompt | undefined;
  /** A call has the price of its mapped model name, instead of the price of the caller's model name. */
  priceAfterMapping: boolean;
  /**
   * Chat protocols of the server: all that its type offers, only chat, or (`auto`) all except paths that the server was
   * found not to have.
   */
  protocols: 'auto' | 'all' | 'chat';
  /** Where the vendor processes calls, such as `eu`; '' if unknown. Rules of keys and organisations name it. */
  region: string;
  /** The vendor retains nothing of a call. */
  noRetention: boolean;
}

/**
 * A channel that is in no table: its type, key and address, and defaults for everything else. `baseUrl` has no slash at
 * its end.
 */
export const unsavedChannel = (
  fields: Pick<Channel, 'type' | 'key' | 'baseUrl'> & Partial<Channel>,
): Channel => ({
  id: 0,
  weight: 0,
  maxInputTokens: 0,
  name: '',
  other: '',
  organization: '',
  modelMapping: {},
  statusCodeMapping: {},
  paramOverride: null,
  setting: {
    forceFormat: false,
    thinkingToContent: false,
    proxy: '',
    passThroughBody: false,
    drain: false,
    noStreamUsage: false,
    priceAfterMapping: false,
    protocols: 'auto',
    region: '',
    noRetention: false,
  },
  autoBan: false,
  priority: 0,
  createdTime: 0,
  ...fields,
});
