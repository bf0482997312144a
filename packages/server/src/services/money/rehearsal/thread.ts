import { Worker } from 'node:worker_threads';
import type { Plan } from './rehearse.ts';
import type { Totals } from './totals.ts';
import type { FromThread, ThreadWork } from './thread-words.ts';

/** A running rehearsal. */
export interface Running {
  /** Rejects if it fails or is stopped. */
  result: Promise<Totals>;
  stop(): void;
}

/**
 * Starts a thread that prices a plan, so that the event loop is not blocked. It only reads, so stopping it means
 * terminating it.
 */
export function startThread(
  address: ThreadWork['address'],
  plan: Plan,
  onProgress: (done: number) => void,
): Running {
  const worker = new Worker(new URL('./rehearsal-worker.ts', import.meta.url), {
    workerData: { address, plan } satisfies ThreadWork,
  });
  worker.unref();
  const result = new Promise<Totals>((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      if ('done' in message) onProgress(message.done);
      else if ('totals' in message) resolve(message.totals);
      else reject(new Error(message.failed));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the rehearsal was stopped')));
  });
  return { result, stop: () => void worker.terminate() };
}
