import { randomUUID } from 'node:crypto';
import type { Cache } from '../../../cache/index.ts';
import { type Health, type HealthEvent, healthEvents } from './health.ts';

const topic = 'channel-health';

/** What is needed to share channel health between processes. */
export interface HealthSharing {
  cache: Pick<Cache, 'publish' | 'subscribe'>;
  health: Pick<Health, 'apply'>;
  /** Calls the listener with health changes of this process. */
  onEvent: (listener: (what: HealthEvent, channelId: number) => void) => void;
}

/**
 * Shares failures of channels between the processes that share a cache. Messages may be lost; then a process finds
 * out itself.
 */
export async function shareHealth({ cache, health, onEvent }: HealthSharing): Promise<void> {
  const own = randomUUID();
  await cache.subscribe(topic, (notice) => {
    const [from, word, id] = notice.split(' ');
    const what = healthEvents.find((each) => each === word);
    if (from !== own && what) health.apply(what, Number(id));
  });
  onEvent((what, channelId) => {
    cache.publish(topic, `${own} ${what} ${channelId}`).catch(() => undefined);
  });
}
