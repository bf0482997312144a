import { type Cache, offerCache } from '../../cache/index.ts';
import type { ProcessLink } from '../../lib/processes/process-link.ts';
import type { Ledger } from '../../services/ledger/index.ts';
import type { Store } from '../../store/index.ts';

/** What the first process has that its workers use. */
export interface SharedParts {
  /** What all count together. */
  cache: Cache;
  store: Pick<Store, 'share' | 'announce'>;
  ledger: Pick<Ledger, 'recoverDead' | 'serve'>;
}

/**
 * Does for one life of a worker what it cannot do itself: counts, tells of changes, and on SQLite writes the file and keeps
 * the books. What it resolves to is called when the worker is gone, and resolves when nothing of it is on its way any more.
 */
export async function serveWorker(
  link: ProcessLink,
  node: string,
  { cache, store, ledger }: SharedParts,
): Promise<() => Promise<void>> {
  const unshare = offerCache(link, cache);
  const mute = await store.announce?.(link);
  const undo = await store.share?.(link);
  const settled = undo && (await ledger.serve(link, node));
  return async () => {
    void unshare();
    mute?.();
    undo?.();
    await settled?.();
  };
}
