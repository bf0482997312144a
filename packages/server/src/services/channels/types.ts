import type { Channel } from '../../relay/model/channel.ts';
import type { ChannelTable } from '../../store/index.ts';

/** A stored channel. */
export type ChannelRow = Omit<ChannelTable, 'id'> & { id: number };

/** A channel as routing and tests use it: parsed once, its key opened. */
export interface RoutedChannel {
  channel: Channel;
  /** 1 enabled, 2 disabled by hand, 3 disabled by Tollgate (specification 2, section 4). */
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
}

/** Something an operator should hear of: a channel was switched off or on by Tollgate (wire-facts 8.4). */
export interface ChannelNotice {
  id: number;
  name: string;
  /** 1 on again, 3 switched off. */
  status: number;
  /** Why it was switched off; '' otherwise. */
  reason: string;
}
