import { type Cache, offerCache } from '../../cache/index.ts';
import type { ProcessLink } from '../../lib/processes/process-link.ts';
import type { Ledger } from '../../services/money/ledger/index.ts';
import type { Store } from '../../store/index.ts';

/** What workers use of the first process. */
export interface SharedParts {
  /** What all count together. */
  cache: Cache;
  store: Pick<Store, 'share' | 'announce'>;
  ledger: Pick<Ledger, 'recoverDead' | 'serve'>;
}

/**
 * Serves one run of a worker: shares counters, announces changes, and on SQLite writes the file and runs the ledger.
 * The resulting function is called when the worker has ended, and resolves when no work of it is left.
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
