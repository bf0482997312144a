import type { Words } from '@tollgate/contract';
import type { Channel, FieldFault } from '../../relay/types/index.ts';
import type { channels } from '../../store/index.ts';

/** A stored channel. */
export type ChannelRow = channels.ChannelRow;

/** What a channel keeps secret, opened. */
export interface ChannelSecrets {
  key: string;
  /** Of the proxy, percent-encoded; '' for none. */
  proxyPassword: string;
}

/** A channel as routing and tests use it: parsed once, its key opened. */
export interface RoutedChannel {
  channel: Channel;
  /** 1 enabled, 2 disabled by hand, 3 disabled by Tollgate. */
  status: number;
  groups: readonly string[];
  models: readonly string[];
  /** The model its test calls; '' for the first of its list. */
  testModel: string;
}

/** The kinds of providers there are. */
export interface ChannelTypes {
  /** The provider's address; undefined for an unknown type number. */
  defaultBaseUrl(type: number): string | undefined;
  /** The origins that a channel of this type sends its key to. */
  keyOrigins(type: number, place: { baseUrl: string; other: string }): readonly string[];
  /** True where the vendor closed: no new channel can be of the type. */
  isClosed(type: number): boolean;
  /** What is wrong with the extra field of a channel of this type; undefined for nothing. */
  faultIn(type: number, other: string): FieldFault | undefined;
}

/**
 * Something an operator should hear of: a channel was switched off or on by Tollgate (docs/compatibility.md#notices).
 */
export interface ChannelNotice {
  id: number;
  name: string;
  /** 1 on again, 3 switched off. */
  status: number;
  /** Why it was switched off, in words of ours or an upstream's own text; '' otherwise. */
  reason: string | Words;
}
