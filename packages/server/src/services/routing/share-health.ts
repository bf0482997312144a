import { randomUUID } from 'node:crypto';
import type { Cache } from '../../cache/index.ts';
import { type Health, type HealthNews, healthNews } from './health.ts';

const topic = 'channel-health';

/** As much of the house as spreads what one process learns of a channel. */
export interface HealthSharing {
  cache: Pick<Cache, 'publish' | 'subscribe'>;
  health: Pick<Health, 'heard'>;
  /** Calls the listener with what this process learns by itself. */
  onNews: (listener: (what: HealthNews, channelId: number) => void) => void;
}

/**
 * Lets the processes that share a cache learn of failing channels together. News may be lost; then a process learns by
 * itself.
 */
export async function shareHealth({ cache, health, onNews }: HealthSharing): Promise<void> {
  const own = randomUUID();
  await cache.subscribe(topic, (notice) => {
    const [from, word, id] = notice.split(' ');
    const what = healthNews.find((each) => each === word);
    if (from !== own && what) health.heard(what, Number(id));
  });
  onNews((what, channelId) => {
    cache.publish(topic, `${own} ${what} ${channelId}`).catch(() => undefined);
  });
}
