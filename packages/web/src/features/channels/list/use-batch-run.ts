import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { root } from '../base/queries.ts';

/** Progress of a batch. */
export interface BatchProgress {
  done: number;
  failed: number;
  total: number;
}

/**
 * Maximum number of channels processed at the same time: tests reach the providers, and more would look like an attack.
 */
const parallel = 3;

/**
 * Applies one action to many channels, a few at a time, and refetches the lists at the end. It can be stopped, and stops
 * when the bar unmounts.
 */
export function useBatchRun() {
  const client = useQueryClient();
  const [progress, setProgress] = useState<BatchProgress | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (
    ids: readonly number[],
    task: (id: number, signal: AbortSignal) => Promise<unknown>,
  ): Promise<BatchProgress> => {
    const mine = new AbortController();
    controller.current = mine;
    const state: BatchProgress = { done: 0, failed: 0, total: ids.length };
    setProgress({ ...state });
    const waiting = [...ids];
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined && !mine.signal.aborted; id = waiting.shift()) {
        await task(id, mine.signal).catch(() => {
          if (!mine.signal.aborted) state.failed += 1;
        });
        if (mine.signal.aborted) return;
        state.done += 1;
        setProgress({ ...state });
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    setProgress(null);
    await client.invalidateQueries({ queryKey: root });
    return state;
  };

  return { progress, run, stop: () => controller.current?.abort() };
}
