import { type Cache, offerCache } from '../../cache/index.ts';
import type { ProcessLink } from '../../lib/processes/process-link.ts';
import type { Store } from '../../store/index.ts';

/** What workers use of the first process. */
export interface SharedParts {
  /** What all count together. */
  cache: Cache;
  store: Pick<Store, 'announce'>;
}

/** Shares counters with one run of a worker and announces changes to it. The returned function is called when it has ended. */
export function serveWorker(link: ProcessLink, { cache, store }: SharedParts): () => void {
  const unshare = offerCache(link, cache);
  const mute = store.announce?.(link);
  return () => {
    void unshare();
    mute?.();
  };
}
