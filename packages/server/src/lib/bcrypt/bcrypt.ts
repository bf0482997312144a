import { Worker } from 'node:worker_threads';

/** Message to the thread. */
export interface BcryptQuestion {
  password: string;
  stored: string;
}

/** Maximum cost of checked hashes (2^14 rounds, about a second). A higher cost would allow denial of service. */
const pattern = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

/** True for a hash that `matchesBcrypt` can check. */
export const isBcrypt = (stored: string): boolean => pattern.test(stored);

/**
 * True if a bcrypt hash matches a password, of which bcrypt reads 72 bytes. Uses a separate thread for each check: it
 * computes for tens of milliseconds, in which no call would be answered. Rejects when the thread dies.
 */
export function matchesBcrypt(password: string, stored: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const workerData: BcryptQuestion = { password, stored };
    const worker = new Worker(new URL('./bcrypt-worker.ts', import.meta.url), { workerData });
    worker.once('message', (matches: boolean) => resolve(matches));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that weighs a password ended without an answer')));
  });
}
