import { LedgerUnavailable } from '../plan/types.ts';

/** Waits for `work` at most `ms`; then LedgerUnavailable, while the work itself goes on. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LedgerUnavailable(new Error(`no answer within ${ms} ms`))), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
