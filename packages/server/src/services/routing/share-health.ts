import { randomUUID } from 'node:crypto';
import type { Cache } from '../../cache/index.ts';
import { type Health, type HealthNews, healthNews } from './health.ts';

const topic = 'channel-health';

/** What is needed to share channel health between processes. */
export interface HealthSharing {
  cache: Pick<Cache, 'publish' | 'subscribe'>;
  health: Pick<Health, 'heard'>;
  /** Calls the listener with health changes of this process. */
  onNews: (listener: (what: HealthNews, channelId: number) => void) => void;
}

/**
 * Shares failures of channels between the processes that share a cache. Messages may be lost; then a process finds
 * out itself.
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
