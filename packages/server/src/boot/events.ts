import { EventEmitter } from 'node:events';
import type { ChannelNotice } from '../services/calls/channels/index.ts';
import type { HealthEvent } from '../services/calls/routing/index.ts';

/** Events of one part of the process for others. Name → arguments. Listeners must not wait. */
interface EventMap {
  /** Tollgate disabled or enabled a channel. */
  channelChanged: [notice: ChannelNotice];
  /** A call of this process changed the known health of a channel. */
  channelHealth: [what: HealthEvent, channelId: number];
  /** A user changed, here or in another process (id): cached data of the user are outdated. */
  userChanged: [userId: number];
}

/** Created before all parts, and passed to those who emit and those who listen. */
export type Events = EventEmitter<EventMap>;

/** Events without listeners. */
export const createEvents = (): Events => new EventEmitter<EventMap>();
