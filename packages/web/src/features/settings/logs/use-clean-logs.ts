import { logApi } from '@tollgate/contract';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';

/** How many rows are older than the moment (Unix seconds). */
export const countBefore = (before: number, signal?: AbortSignal): Promise<number> =>
  call(logApi.countBefore, { target_timestamp: before }, { ...(signal && { signal }) });

/** Rows of one request: enough for few requests, few enough for a moving bar and a quick stop. */
const portion = (total: number): number => Math.min(50_000, Math.max(5_000, Math.ceil(total / 50)));

interface CleaningState {
  /** Initial and deleted numbers of rows. */
  total: number;
  done: number;
}

/** Result of a deletion: the number of deleted rows, and whether it is complete. */
interface Cleaned {
  done: number;
  whole: boolean;
}

/** Deletes the log in portions, with progress and a stop; null while idle. Leaving the page stops it, too. */
export function useCleanLogs() {
  const [state, setState] = useState<CleaningState | null>(null);
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );

  async function run(before: number, total: number): Promise<Cleaned> {
    stopped.current = false;
    const rows = portion(total);
    let done = 0;
    try {
      for (;;) {
        setState({ total, done });
        const deleted = await call(logApi.remove, { target_timestamp: before, rows });
        done += deleted;
        if (deleted < rows) return { done, whole: true };
        if (stopped.current) return { done, whole: false };
      }
    } finally {
      setState(null);
    }
  }
  const stop = () => {
    stopped.current = true;
  };
  return { state, run, stop };
}
