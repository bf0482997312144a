import type { Words } from '@tollgate/contract';
import type { JsonObject } from '../../../lib/json.ts';
import type { Channel, ChannelKey, FieldFault } from '../../../relay/types/index.ts';
import type { channels } from '../../../store/index.ts';

/** A stored channel. */
export type ChannelRow = channels.ChannelRow;

/** The decrypted secrets of a channel. */
export interface ChannelSecrets {
  key: string;
  /** Password of the proxy, percent-encoded; '' for none. */
  proxyPassword: string;
  /** Secrets among its headers, by name. */
  headerSecrets: JsonObject;
}

/** A channel for routing and tests: parsed once, with its decrypted key. */
export interface RoutedChannel {
  channel: Channel;
  /** 1 enabled, 2 disabled by hand, 3 disabled by Tollgate. */
  status: number;
  groups: readonly string[];
  models: readonly string[];
  /** The keys of a channel with several keys, in order. */
  keys?: readonly RoutedKey[];
  /** True if the channel or one of its keys has a limit of spend. */
  limitsSpend?: boolean;
  /** The model of its test; '' for the first of its list. */
  testModel: string;
}

/** One of several keys of a channel. */
interface RoutedKey {
  /** The channel with this key. */
  channel: Channel & { chosenKey: ChannelKey };
  /** Same meaning as the status of a channel. */
  status: number;
}

/** The provider types. */
export interface ChannelTypes {
  /** The provider's address; undefined for an unknown type number. */
  defaultBaseUrl(type: number): string | undefined;
  /** The origins to which a channel of this type sends its key. */
  keyOrigins(type: number, place: { baseUrl: string; other: string }): readonly string[];
  /** The base address without the path that calls of the type add (`/v1`, `/v1/chat/completions`). */
  trimAddress(type: number, place: { baseUrl: string; other: string }): string;
  /** True if the vendor has closed: no new channel can have the type. */
  isClosed(type: number): boolean;
  /** The error in the extra field of a channel of this type; undefined for none. */
  faultIn(type: number, other: string): FieldFault | undefined;
}

/** A notification for operators: Tollgate disabled or enabled a channel (docs/compatibility.md#notices). */
export interface ChannelNotice {
  id: number;
  name: string;
  /** 1 enabled again, 3 disabled. */
  status: number;
  /** The reason for disabling, Tollgate's own text or an upstream's; '' otherwise. */
  reason: string | Words;
}
