import { EventEmitter } from 'node:events';
import type { ChannelNotice } from '../services/channels/index.ts';
import type { HealthNews } from '../services/routing/index.ts';

/** What happens in one part of the process and concerns others. Name → arguments. Listeners never wait. */
interface EventMap {
  /** Tollgate switched a channel off or on. */
  channelChanged: [notice: ChannelNotice];
  /** A call of this process changed what is known of a channel's health. */
  channelHealth: [what: HealthNews, channelId: number];
  /** A user changed, here or in another process (id): what is remembered of that user is old. */
  userChanged: [userId: number];
}

/** Made before every part; who emits and who listens get it as an argument. */
export type Events = EventEmitter<EventMap>;

/** Events that nobody listens to yet. */
export const createEvents = (): Events => new EventEmitter<EventMap>();
